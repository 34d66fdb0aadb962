//! How an episode sounds, for drawing it: of some stretches the lowest and the highest sample.

use rusqlite::{Transaction, params};

use crate::registry::{Error, Registry};

impl Registry {
    /// The lowest and the highest sample of each stretch of an episode, from -127 to 127; none until
    /// somebody has told them.
    pub fn outline(&self, episode: u32) -> Result<Vec<(i8, i8)>, Error> {
        let sql = "SELECT pairs FROM research_outlines WHERE episode_id = ?1";
        let bytes: Option<Vec<u8>> = self.one(sql, [episode], |row| row.get(0))?;
        let pair = |it: &[u8]| (i8::from_le_bytes([it[0]]), i8::from_le_bytes([it[1]]));
        Ok(bytes.unwrap_or_default().chunks_exact(2).map(pair).collect())
    }
}

/// Keeps what was told last.
pub(super) fn put(tx: &Transaction<'_>, episode: u32, peaks: &[i8]) -> Result<(), Error> {
    let bytes: Vec<u8> = peaks.iter().flat_map(|it| it.to_le_bytes()).collect();
    tx.prepare_cached(
        "INSERT OR REPLACE INTO research_outlines (episode_id, pairs) VALUES (?1, ?2)",
    )?
    .execute(params![episode, bytes])?;
    Ok(())
}
