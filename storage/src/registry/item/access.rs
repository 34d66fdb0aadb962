//! Which deposits ask to be restricted, before there is an object that is.

use crate::registry::{Error, Registry};

impl Registry {
    /// Notes whether a deposit asks to be restricted, by the object it is to become. A later deposit of
    /// the same name has the last word.
    pub fn note_deposit_access(&self, identifier: &str, restricted: bool) -> Result<(), Error> {
        let sql = match restricted {
            true => {
                "INSERT INTO restricted_deposits (identifier) VALUES (?1) ON CONFLICT DO NOTHING"
            }
            false => "DELETE FROM restricted_deposits WHERE identifier = ?1",
        };
        self.write(|tx| {
            tx.prepare_cached(sql)?.execute([identifier])?;
            Ok(())
        })
    }

    /// Whether the last deposit of this name asked to be restricted.
    pub fn is_restricted_deposit(&self, identifier: &str) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM restricted_deposits WHERE identifier = ?1";
        Ok(self.one(sql, [identifier], |_| Ok(()))?.is_some())
    }
}
