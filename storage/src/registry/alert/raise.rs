//! Raising and ending alerts, and looking at them.

use rusqlite::{Connection, OptionalExtension, params};

use super::outbox::{Parcel, post};
use super::row::{ALERTS, AlertRow, NewAlert};
use crate::clock::Timestamp;
use crate::registry::query::{Page, Query};
use crate::registry::{Error, Registry};

/// Longest name, subject and content, in bytes: a page and a mail must hold them.
const NAME: usize = 1000;
const SUBJECT: usize = 500;
const CONTENT: usize = 64 * 1024;

impl Registry {
    /// Raises an alert together with what is to be sent about it; none when its name was raised
    /// before, whether that has ended or not, and then nothing is sent again.
    ///
    /// # Errors
    ///
    /// `Invalid` names a text that is empty or too long, `Conflict` an institution or a deletion
    /// request that is not there.
    pub fn raise_alert(
        &self,
        new: &NewAlert,
        parcels: &[Parcel],
        now: Timestamp,
    ) -> Result<Option<AlertRow>, Error> {
        new.validate()?;
        self.write(|tx| {
            let sql = format!(
                "INSERT INTO alerts (name, kind, institution_id, subject, content, page,
                     deletion_request_id, item_id, created_at, everyone)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                 ON CONFLICT (name) DO NOTHING RETURNING {}",
                ALERTS.column_list()
            );
            let values = params![
                new.name,
                new.kind,
                new.institution_id,
                new.subject,
                new.content,
                new.page,
                new.deletion_request_id,
                new.item_id,
                now,
                new.everyone
            ];
            let raised = tx.query_row(&sql, values, AlertRow::read).optional()?;
            if let Some(alert) = &raised {
                post(tx, alert.id, parcels, now)?;
            }
            Ok(raised)
        })
    }

    /// Notes that it is no longer so. True when the alert was open.
    pub fn end_alert(&self, name: &str, now: Timestamp) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "UPDATE alerts SET ended_at = ?2 WHERE name = ?1 AND ended_at IS NULL";
            Ok(tx.execute(sql, params![name, now])? > 0)
        })
    }

    /// Notes of all alerts of a kind whose names end alike that they are no longer so, but for one
    /// name. Says how many were open.
    pub fn end_alerts(
        &self,
        kind: &str,
        name_end: &str,
        but: Option<&str>,
        now: Timestamp,
    ) -> Result<u64, Error> {
        const OPEN: &str = "kind = ?1 AND ended_at IS NULL
            AND substr(name, -length(?2)) = ?2 AND name IS NOT ?3";
        let sql = format!("SELECT EXISTS (SELECT 1 FROM alerts WHERE {OPEN})");
        // Mostly there are none, and then nothing is written.
        let is_open = self.one(&sql, params![kind, name_end, but], |row| row.get(0))?;
        if is_open != Some(true) {
            return Ok(0);
        }
        self.write(|tx| {
            let sql = format!("UPDATE alerts SET ended_at = ?4 WHERE {OPEN}");
            Ok(tx.execute(&sql, params![kind, name_end, but, now])? as u64)
        })
    }

    /// The open alerts of a kind, oldest first.
    pub fn open_alerts(&self, kind: &str, limit: u32) -> Result<Vec<AlertRow>, Error> {
        let sql = format!(
            "SELECT {} FROM alerts WHERE kind = ?1 AND ended_at IS NULL ORDER BY id LIMIT ?2",
            ALERTS.column_list()
        );
        self.rows(&sql, params![kind, limit], AlertRow::read)
    }

    /// One page of alerts.
    pub fn list_alerts(&self, query: &Query) -> Result<Page<AlertRow>, Error> {
        self.list(&ALERTS, query, AlertRow::read)
    }

    /// The alert with this number.
    pub fn alert(&self, id: i64) -> Result<Option<AlertRow>, Error> {
        self.read(|conn| find(conn, id))
    }
}

fn find(conn: &Connection, id: i64) -> Result<Option<AlertRow>, Error> {
    let sql = format!("SELECT {} FROM alerts WHERE id = ?1", ALERTS.column_list());
    Ok(conn.prepare_cached(&sql)?.query_row([id], AlertRow::read).optional()?)
}

impl NewAlert {
    fn validate(&self) -> Result<(), Error> {
        let texts = [
            ("name", &self.name, NAME),
            ("kind", &self.kind, 100),
            ("subject", &self.subject, SUBJECT),
            ("content", &self.content, CONTENT),
        ];
        for (field, text, most) in texts {
            if text.is_empty() || text.len() > most {
                let rule = format!("of an alert must have 1 to {most} bytes");
                return Err(Error::Invalid { field, rule });
            }
        }
        Ok(())
    }
}
