//! Who has read what.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::row::AlertRow;
use crate::clock::Timestamp;
use crate::registry::moment::Fields;
use crate::registry::query::Sight;
use crate::registry::user::Role;
use crate::registry::{Error, Registry};

/// Most alerts that one call names.
const NAMED: usize = 1000;
/// Newest alerts that are looked through for unread ones, so that a header costs the same after
/// years. Older ones that nobody read are still found by the list.
const LOOKED_AT: u32 = 1000;

/// Holds for what the user has not read. What is older than the user is nobody's backlog.
pub(super) const UNREAD: &str = "EXISTS (SELECT 1 FROM users AS u
    WHERE u.id = ? AND alerts.created_at >= u.created_at
    AND NOT EXISTS (SELECT 1 FROM alert_readings AS r
        WHERE r.alert_id = alerts.id AND r.user_id = u.id))";

/// Whose alerts a person sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// The person.
    pub user: i64,
    /// The one institution they see; none for the house's own people, who see all.
    pub institution: Option<i64>,
    /// Whether what administrators alone are told is seen.
    pub administers: bool,
}

/// What became of an alert for one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertFate {
    /// The alert.
    pub alert_id: i64,
    /// When the user read it.
    pub read_at: Option<Timestamp>,
    /// When it was sent to the user.
    pub sent_at: Option<Timestamp>,
}

impl Reader {
    /// Whether this reader may see an alert.
    pub fn sees(self, alert: &AlertRow) -> bool {
        let own = self.institution.is_none() || self.institution == alert.institution_id;
        own && (self.administers || alert.everyone)
    }

    /// How much of a list of alerts this reader sees.
    pub fn sight(self) -> Sight {
        match self.institution {
            None => Sight::All,
            Some(institution) => Sight::Own { institution, restricted: self.administers },
        }
    }
}

impl Registry {
    /// The reader that a user is; none for one who was shut out, may nothing, or is not there.
    pub fn alert_reader(&self, user: i64) -> Result<Option<Reader>, Error> {
        let name = format!("alert reader {user}");
        let known = || Ok::<_, Error>(self.user(user)?.filter(|it| it.deactivated_at.is_none()));
        let user = self.memory.figure((self.memory.mark(), &name), known)?;
        Ok(user.and_then(|user| {
            let (institution, administers) = match user.role {
                Role::Admin => (None, true),
                Role::InstitutionalAdmin => (Some(user.institution_id), true),
                Role::InstitutionalUser => (Some(user.institution_id), false),
                Role::None => return None,
            };
            Some(Reader { user: user.id, institution, administers })
        }))
    }

    /// Notes that these alerts were read, as far as the reader may see them; how many were new.
    pub fn mark_read(&self, reader: Reader, ids: &[i64], now: Timestamp) -> Result<u64, Error> {
        check(ids)?;
        self.write(|tx| {
            let mut marked = 0;
            for id in ids {
                let sql = "INSERT INTO alert_readings (alert_id, user_id, read_at)
                    SELECT a.id, ?2, ?3 FROM alerts AS a
                    WHERE a.id = ?1 AND (?4 IS NULL OR a.institution_id = ?4)
                        AND (?5 OR a.everyone)
                    ON CONFLICT DO NOTHING";
                let values = params![id, reader.user, now, reader.institution, reader.administers];
                marked += tx.prepare_cached(sql)?.execute(values)?;
            }
            Ok(marked as u64)
        })
    }

    /// Notes that everything the reader may see was read; how many were new.
    pub fn mark_all_read(&self, reader: Reader, now: Timestamp) -> Result<u64, Error> {
        self.write(|tx| {
            let sql = format!(
                "INSERT INTO alert_readings (alert_id, user_id, read_at)
                 SELECT alerts.id, ?1, ?2 FROM alerts
                 WHERE (?3 IS NULL OR alerts.institution_id = ?3)
                     AND (?4 OR alerts.everyone) AND {}
                 ON CONFLICT DO NOTHING",
                UNREAD.replacen('?', "?1", 1)
            );
            let values = params![reader.user, now, reader.institution, reader.administers];
            let marked = tx.execute(&sql, values)?;
            Ok(marked as u64)
        })
    }

    /// Takes back that these alerts were read; how many had been.
    pub fn mark_unread(&self, reader: Reader, ids: &[i64]) -> Result<u64, Error> {
        check(ids)?;
        self.write(|tx| {
            let mut marked = 0;
            for id in ids {
                let sql = "DELETE FROM alert_readings WHERE alert_id = ?1 AND user_id = ?2";
                marked += tx.prepare_cached(sql)?.execute([id, &reader.user])?;
            }
            Ok(marked as u64)
        })
    }

    /// Which of these alerts the reader has not read.
    pub fn unread_among(&self, reader: Reader, ids: &[i64]) -> Result<Vec<i64>, Error> {
        check(ids)?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let places = vec!["?"; ids.len()].join(",");
        let sql = format!("SELECT id FROM alerts WHERE id IN ({places}) AND {UNREAD}");
        let values = ids.iter().chain([&reader.user]).map(|id| Value::Integer(*id));
        self.rows(&sql, params_from_iter(values), |row| row.get(0))
    }

    /// What became of these alerts for one user.
    pub fn alert_fates(&self, user: i64, ids: &[i64]) -> Result<Vec<AlertFate>, Error> {
        check(ids)?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let places = vec!["?"; ids.len()].join(",");
        let sql = format!(
            "SELECT a.id, (SELECT r.read_at FROM alert_readings AS r
                 WHERE r.alert_id = a.id AND r.user_id = u.id),
             (SELECT o.sent_at FROM outbox AS o
                 WHERE o.alert_id = a.id AND o.channel = 'email' AND o.recipient = u.email)
             FROM alerts AS a JOIN users AS u WHERE a.id IN ({places}) AND u.id = ?"
        );
        let values = ids.iter().chain([&user]).map(|id| Value::Integer(*id));
        self.rows(&sql, params_from_iter(values), |row| {
            let mut of = Fields::of(row);
            Ok(AlertFate { alert_id: of.take()?, read_at: of.take()?, sent_at: of.take()? })
        })
    }

    /// How many of the newest alerts the reader has not read.
    pub fn unread_count(&self, reader: Reader) -> Result<u64, Error> {
        let name = format!("unread {reader:?}");
        let count = || self.read(|conn| unread_count(conn, reader));
        self.memory.figure((self.memory.mark(), &name), count)
    }
}

fn unread_count(conn: &Connection, reader: Reader) -> Result<u64, Error> {
    // One of three, so that each walks its own index.
    let whose = match (reader.institution, reader.administers) {
        (Some(_), true) => "institution_id = ?2",
        (Some(_), false) => "institution_id = ?2 AND everyone",
        (None, _) => "?2 IS NULL",
    };
    let sql = format!(
        "SELECT count(*) FROM (SELECT id, created_at FROM alerts WHERE {whose}
             ORDER BY created_at DESC, id DESC LIMIT {LOOKED_AT})
         AS alerts WHERE {}",
        UNREAD.replacen('?', "?1", 1)
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let count: Option<i64> = statement
        .query_row(params![reader.user, reader.institution], |row| row.get(0))
        .optional()?;
    Ok(u64::try_from(count.unwrap_or(0)).unwrap_or(0))
}

fn check(ids: &[i64]) -> Result<(), Error> {
    if ids.len() <= NAMED {
        return Ok(());
    }
    let rule = format!("must be at most {NAMED} numbers of alerts");
    Err(Error::Invalid { field: "alerts", rule })
}
