//! Recordings whose bytes are others than those that were searched: what was searched counts no more.
//!
//! A recording has changed when it is told to lie elsewhere, and when one of a vault or a folder is
//! heard in this house with another digest; others who say so may have heard something else. At an address of the network a digest says nothing: servers that put
//! advertisements in give other bytes to everybody who asks, and nothing would ever be done.
//!
//! What was found before stays until the pair is searched again. Bitmaps are emptied, not deleted: a
//! row that is gone could not be told to the ledger.

use rusqlite::{OptionalExtension, Transaction, params};

use super::clip_set::ClipSet;
use super::recording::RecordingKind;
use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

/// Lets everything count no more that was searched in some episodes, or for some clips, and forgets
/// what was measured of them and what stood in their way.
pub(super) fn void(
    tx: &Transaction<'_>,
    kind: RecordingKind,
    which: &ClipSet,
    now: Timestamp,
) -> Result<(), Error> {
    if which.is_empty() {
        return Ok(());
    }
    match kind {
        RecordingKind::Episode => {
            for id in which.iter() {
                empty(tx, id)?;
            }
        }
        RecordingKind::Clip => take_out(tx, which)?,
    }
    let measured = format!(
        "UPDATE {} SET duration_ns = NULL, sha256 = NULL, notes = '' WHERE id = ?1",
        kind.table()
    );
    let outline = "DELETE FROM research_outlines WHERE episode_id = ?1";
    for id in which.iter() {
        tx.prepare_cached(&measured)?.execute([id])?;
        if kind == RecordingKind::Episode {
            tx.prepare_cached(outline)?.execute([id])?;
        }
        end_troubles(tx, kind, id, now)?;
    }
    Ok(())
}

fn end_troubles(
    tx: &Transaction<'_>,
    kind: RecordingKind,
    id: u32,
    now: Timestamp,
) -> Result<(), Error> {
    let key = match kind {
        RecordingKind::Episode => "episode_id",
        RecordingKind::Clip => "clip_id",
    };
    let sql =
        format!("UPDATE research_troubles SET ended_at = ?2 WHERE {key} = ?1 AND ended_at IS NULL");
    tx.prepare_cached(&sql)?.execute(params![id, now])?;
    Ok(())
}

impl Registry {
    /// Has an episode, or a clip, searched again whatever has searched it: its pairs count as not
    /// searched. What was found and how it sounds stay until then; its digest does not, so that
    /// whoever searches it next says which recording it is.
    ///
    /// # Errors
    ///
    /// `NotFound` for an episode or clip that is not there.
    pub fn search_again(&self, kind: RecordingKind, id: u32, now: Timestamp) -> Result<(), Error> {
        self.write(|tx| {
            let table = kind.table();
            let sql =
                format!("UPDATE {table} SET sha256 = NULL WHERE id = ?1 AND removed_at IS NULL");
            if tx.prepare_cached(&sql)?.execute([id])? == 0 {
                return Err(Error::NotFound { what: format!("{} {id}", kind.word()) });
            }
            match kind {
                RecordingKind::Episode => empty(tx, id)?,
                RecordingKind::Clip => take_out(tx, &[id].into_iter().collect())?,
            }
            end_troubles(tx, kind, id, now)
        })
    }
}

/// The digest that a recording is known by, where that says something.
pub(super) fn known_digest(
    tx: &Transaction<'_>,
    (kind, id): (RecordingKind, u32),
) -> Result<Option<String>, Error> {
    let sql =
        format!("SELECT sha256 FROM {} WHERE id = ?1 AND location_kind <> 'url'", kind.table());
    let found = tx.prepare_cached(&sql)?.query_row([id], |row| row.get(0));
    Ok(found.optional()?.flatten())
}

fn empty(tx: &Transaction<'_>, episode: u32) -> Result<(), Error> {
    let sql = "UPDATE research_searched SET clips = ?2 WHERE episode_id = ?1";
    if tx.prepare_cached(sql)?.execute(params![episode, ClipSet::default()])? > 0 {
        untold(tx, episode)?;
    }
    Ok(())
}

/// Takes clips out of every bitmap that has one of them: one walk, however many they are.
fn take_out(tx: &Transaction<'_>, clips: &ClipSet) -> Result<(), Error> {
    let mut changed = Vec::new();
    {
        let sql = "SELECT episode_id, analyst, clips FROM research_searched";
        let mut statement = tx.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (episode, analyst): (u32, u32) = (row.get(0)?, row.get(1)?);
            let mut searched: ClipSet = row.get(2)?;
            let before = searched.len();
            searched.take_out(clips);
            if searched.len() < before {
                changed.push((episode, analyst, searched));
            }
        }
    }
    let sql = "UPDATE research_searched SET clips = ?3 WHERE episode_id = ?1 AND analyst = ?2";
    for (episode, analyst, searched) in changed {
        tx.prepare_cached(sql)?.execute(params![episode, analyst, searched])?;
        untold(tx, episode)?;
    }
    Ok(())
}

/// Notes that the bitmaps of an episode are to be told.
pub(super) fn untold(tx: &Transaction<'_>, episode: u32) -> Result<(), Error> {
    let sql = "INSERT OR REPLACE INTO untold (kind, a) VALUES ('research_searched', ?1)";
    tx.prepare_cached(sql)?.execute([episode])?;
    Ok(())
}
