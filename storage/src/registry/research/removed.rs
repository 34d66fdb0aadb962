//! Recordings that were added by mistake, and are taken off again.
//!
//! The row stays, so that the ledger is told and no other recording ever gets its number; whoever adds
//! one by the same name gets it back, to be searched anew. Bitmaps lose it, and what was found stays
//! as rows without occurrences, as what is found no more does.

use rusqlite::{OptionalExtension, Transaction, params};

use super::changed;
use super::recording::{Recording, RecordingKind};
use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

impl Registry {
    /// Takes an episode or clip off, with all that was found in it or of it.
    ///
    /// # Errors
    ///
    /// `NotFound` for one that is not there.
    pub fn remove_recording(
        &self,
        kind: RecordingKind,
        id: u32,
        now: Timestamp,
    ) -> Result<Recording, Error> {
        let (columns, table) = (Recording::COLUMNS, kind.table());
        let key = match kind {
            RecordingKind::Episode => "episode_id",
            RecordingKind::Clip => "clip_id",
        };
        self.write(|tx| {
            let sql = format!("SELECT {columns} FROM {table} WHERE id = ?1 AND removed_at IS NULL");
            let removed = tx.prepare_cached(&sql)?.query_row([id], Recording::read).optional()?;
            let removed =
                removed.ok_or_else(|| Error::NotFound { what: format!("{} {id}", kind.word()) })?;
            changed::void(tx, kind, &[id].into_iter().collect(), now)?;
            let sql = format!("UPDATE {table} SET removed_at = ?2 WHERE id = ?1");
            tx.prepare_cached(&sql)?.execute(params![id, now])?;
            // The rows once more: one trigger lets go their occurrences, another notes them as untold.
            let sql = format!(
                "INSERT OR REPLACE INTO research_findings
                 SELECT * FROM research_findings WHERE {key} = ?1"
            );
            tx.prepare_cached(&sql)?.execute([id])?;
            Ok(removed)
        })
    }
}

/// Whether this row is one that was taken off.
pub(super) fn is_removed(
    tx: &Transaction<'_>,
    kind: RecordingKind,
    id: u32,
) -> Result<bool, Error> {
    let sql = format!("SELECT 1 FROM {} WHERE id = ?1 AND removed_at IS NOT NULL", kind.table());
    Ok(tx.prepare_cached(&sql)?.exists([id])?)
}
