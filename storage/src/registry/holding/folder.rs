//! An object seen as folders.
//!
//! Folders are not stored. The index of paths has all files of a folder side by side, so one walk
//! along it finds what is in a folder and adds up what is below.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::identity::{FileId, ObjectId, Version};
use crate::registry::{Error, Registry};

/// Which folder to look into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The object.
    pub object: ObjectId,
    /// In which of its versions.
    pub version: Version,
    /// The folder's path without a slash at its ends; empty for the object itself.
    pub path: String,
    /// The `next` of the entry that the last page ended with; empty for the first page.
    pub after: String,
}

/// A file or a folder in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FolderEntry {
    /// Its name in the folder.
    pub name: String,
    /// The file; none for a folder.
    pub file_id: Option<FileId>,
    /// The files in and below it that are there: one or none for a file.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
    /// What to put into [`Folder::after`] to go on behind it.
    pub next: String,
}

const WALK: &str = "SELECT f.path, f.id, v.size, v.deleted_at IS NULL
    FROM files AS f CROSS JOIN file_versions AS v ON v.file_id = f.id
    WHERE f.object_id = ?1 AND f.path >= ?3 AND v.version <= ?2
        AND (v.superseded_by IS NULL OR v.superseded_by > ?2)
        AND (SELECT version FROM objects WHERE id = ?1) >= ?2
    ORDER BY f.path";

impl Registry {
    /// What is in a folder, by path; deleted files are named and not counted. The price is one
    /// step for every file in and below the entries that are returned.
    pub fn folder(&self, folder: &Folder, limit: u32) -> Result<Vec<FolderEntry>, Error> {
        self.read(|conn| walk(conn, folder, limit))
    }
}

fn walk(conn: &Connection, folder: &Folder, limit: u32) -> Result<Vec<FolderEntry>, Error> {
    let start = if folder.path.is_empty() { String::new() } else { format!("{}/", folder.path) };
    let after = if folder.after.is_empty() { &start } else { &folder.after };
    let mut statement = conn.prepare_cached(WALK)?;
    let mut rows = statement.query(params![folder.object, folder.version, after])?;
    let mut entries: Vec<FolderEntry> = Vec::new();
    while let Some(row) = rows.next()? {
        let path = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        let (id, size, there): (FileId, i64, bool) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let Some(inside) = path.strip_prefix(&start) else { break };
        let (name, is_folder) = match inside.split_once('/') {
            Some((name, _)) => (name, true),
            None => (inside, false),
        };
        let same = |entry: &FolderEntry| is_folder && entry.file_id.is_none() && entry.name == name;
        if !entries.last().is_some_and(same) {
            if entries.len() == limit as usize {
                break;
            }
            // The first path behind it: the digit zero follows the slash, and no path holds a
            // character before the one that is put behind a file's.
            let next = if is_folder { format!("{start}{name}0") } else { format!("{path}\u{1}") };
            let file_id = (!is_folder).then_some(id);
            let name = name.to_owned();
            entries.push(FolderEntry { name, file_id, file_count: 0, size: 0, next });
        }
        if let Some(entry) = entries.last_mut().filter(|_| there) {
            entry.file_count += 1;
            entry.size += u64::try_from(size).unwrap_or(0);
        }
    }
    Ok(entries)
}
