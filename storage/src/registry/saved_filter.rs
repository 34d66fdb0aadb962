//! Filters of lists that people have saved, each for themselves.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

/// Filters that one person may keep.
pub const SAVED_MAX: u32 = 50;
/// The longest name, in characters.
pub const SAVED_NAME_MAX: usize = 80;
/// The longest filter, in bytes.
pub const SAVED_QUERY_MAX: usize = 2000;

/// One saved filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFilter {
    /// Its number.
    pub id: i64,
    /// The page it is of.
    pub page: String,
    /// The name its owner gave it.
    pub name: String,
    /// What stands behind the question mark.
    pub query: String,
}

impl Registry {
    /// What somebody has saved of a page, by name.
    pub fn saved_filters(&self, user: i64, page: &str) -> Result<Vec<SavedFilter>, Error> {
        let sql = "SELECT id, page, name, query FROM saved_filters
             WHERE user_id = ?1 AND page = ?2 ORDER BY name LIMIT ?3";
        self.rows(sql, params![user, page, SAVED_MAX], |row| {
            let (id, page, name, query) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(SavedFilter { id, page, name, query })
        })
    }

    /// Saves a filter; one of the same name on the same page is replaced.
    pub fn save_filter(
        &self,
        user: i64,
        (page, name, query): (&str, &str, &str),
        now: Timestamp,
    ) -> Result<(), Error> {
        let invalid = |field, rule: String| Err(Error::Invalid { field, rule });
        let name = name.trim();
        if name.is_empty() || name.chars().count() > SAVED_NAME_MAX {
            return invalid("the name", format!("must have 1 to {SAVED_NAME_MAX} letters"));
        }
        if name.chars().any(char::is_control) {
            return invalid("the name", "must be one line of text".into());
        }
        if query.is_empty() {
            return invalid("the filter", "is empty: choose something to look for first".into());
        }
        if query.len() > SAVED_QUERY_MAX {
            return invalid("the filter", format!("must be at most {SAVED_QUERY_MAX} bytes"));
        }
        self.write(|tx| {
            let sql = "SELECT count(*) FROM saved_filters WHERE user_id = ?1
                 AND NOT (page = ?2 AND name = ?3)";
            let others: u32 = tx.query_row(sql, params![user, page, name], |row| row.get(0))?;
            if others >= SAVED_MAX {
                let why = format!("{SAVED_MAX} filters are saved already: remove one first");
                return Err(Error::Refused { why });
            }
            let sql = "INSERT INTO saved_filters (user_id, page, name, query, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (user_id, page, name) DO UPDATE SET query = excluded.query";
            tx.execute(sql, params![user, page, name, query, now])?;
            Ok(())
        })
    }

    /// Removes one of somebody's own; the page it was of, or nothing if there was none.
    pub fn remove_filter(&self, user: i64, id: i64) -> Result<Option<String>, Error> {
        self.write(|tx| {
            let mut statement = tx.prepare_cached(
                "DELETE FROM saved_filters WHERE user_id = ?1 AND id = ?2 RETURNING page",
            )?;
            let pages = statement.query_map(params![user, id], |row| row.get(0))?;
            Ok(pages.collect::<Result<Vec<String>, _>>()?.pop())
        })
    }
}
