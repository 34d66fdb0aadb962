//! What a registry that was rebuilt from a replica does not act on until a person says so: whoever can
//! write to a replica could have written it.

use rusqlite::params;
use serde_json::Value;

use super::kinds::kind_of;
use crate::clock::Timestamp;
use crate::registry::export::{row_lines, take_row};
use crate::registry::{Error, Registry, Role};

/// What was taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distrusted {
    /// E-mails of administrators who have no role until it is confirmed.
    pub administrators: Vec<String>,
    /// Numbers of approved deletion requests that were cancelled.
    pub cancelled: Vec<i64>,
}

impl Registry {
    /// Takes the role of every administrator until it is confirmed, and cancels every deletion that was
    /// approved and not completed.
    pub fn distrust_rebuilt(&self, now: Timestamp) -> Result<Distrusted, Error> {
        self.write(|tx| {
            let sql = "SELECT id, role, email FROM users
                WHERE role IN ('admin', 'institutional_admin') ORDER BY email";
            let read = |row: &rusqlite::Row<'_>| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
            };
            let admins = tx.prepare(sql)?.query_map([], read)?.collect::<Result<Vec<_>, _>>()?;
            let mut distrusted = Distrusted::default();
            for (id, role, email) in admins {
                tx.execute("UPDATE users SET role = 'none' WHERE id = ?1", [id])?;
                let sql =
                    "INSERT OR REPLACE INTO unconfirmed_roles (user_id, role) VALUES (?1, ?2)";
                tx.execute(sql, params![id, role])?;
                distrusted.administrators.push(email);
            }
            let sql = "SELECT r.id, coalesce(u.email, 'somebody'), r.confirmed_at
                FROM deletion_requests AS r LEFT JOIN users AS u ON u.id = r.confirmed_by_id
                WHERE r.confirmed_at IS NOT NULL AND r.cancelled_at IS NULL
                    AND r.completed_at IS NULL ORDER BY r.id";
            let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            let approved: Vec<(i64, String, Timestamp)> =
                tx.prepare(sql)?.query_map([], read)?.collect::<Result<_, _>>()?;
            for (id, approver, at) in approved {
                cancel(tx, id, (&approver, at), now)?;
                distrusted.cancelled.push(id);
            }
            Ok(distrusted)
        })
    }

    /// The role that a user gets back when it is confirmed; none if nothing waits.
    pub fn unconfirmed_role(&self, user: i64) -> Result<Option<Role>, Error> {
        let sql = "SELECT role FROM unconfirmed_roles WHERE user_id = ?1";
        self.one(sql, [user], |row| row.get(0))
    }
}

/// Cancels an approved request. Its approval is kept as a sentence: the row says that nobody's approval
/// holds any more.
fn cancel(
    tx: &rusqlite::Transaction<'_>,
    id: i64,
    (approver, at): (&str, Timestamp),
    now: Timestamp,
) -> Result<(), Error> {
    let (table, choice) = kind_of("deletion_requests")?.tables[0];
    let mut rows: Vec<Value> = Vec::new();
    row_lines(tx, table, choice, &[id], &mut |row| {
        rows.push(row);
        Ok(())
    })?;
    for mut row in rows {
        let reason = row["reason"].as_str().unwrap_or_default();
        row["reason"] = format!(
            "{reason} [Strongroom cancelled this request on {} when the registry was rebuilt, because \
             an approval that was read from a replica is not acted on. It had been approved by \
             {approver} on {}. What was deleted before stays deleted, nothing more is. Request the \
             deletion again if it is still wanted.]",
            now.to_minute(),
            at.to_minute()
        )
        .into();
        row["cancelled_by_id"] = row["requested_by_id"].clone();
        row["cancelled_at"] = now.to_string().into();
        for approval in ["confirmed_by_id", "confirmed_at", "erase_after"] {
            if let Some(value) = row.get_mut(approval) {
                *value = Value::Null;
            }
        }
        if take_row(tx, table, row)?.is_some() {
            let what = format!("the deletion request {id} could not be cancelled");
            return Err(Error::Corrupt { what, source: None });
        }
    }
    Ok(())
}
