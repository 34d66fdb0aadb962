//! An object seen as folders.
//!
//! Folders are not stored. The index of paths has all files of a folder side by side, so one walk
//! along it finds what is in a folder and adds up what is below. A folder with very many files below
//! it is not walked to its end: the walk goes on behind it.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::identity::{FileId, ObjectId, Uuid, Version};
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
    /// The `next` of the page before; empty for the first page.
    pub from: String,
}

/// Some of what is in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FolderPage {
    /// Files and folders, by path.
    pub entries: Vec<FolderEntry>,
    /// What to put into [`Folder::from`] to go on; none at the end.
    pub next: Option<String>,
}

/// A file or a folder in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FolderEntry {
    /// Its name in the folder.
    pub name: String,
    /// The file; none for a folder.
    pub file: Option<(FileId, Uuid)>,
    /// The files in and below it that are there: one or none for a file.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
    /// False when there are more files below than were counted.
    pub counted: bool,
    /// The last version whose bag had the file, when the bag of this one had not.
    pub kept_from: Option<Version>,
}

/// Files that are looked at for one page, and for one folder when that is used up.
const STEPS_MAX: u64 = 10_000;
const STEPS_EACH: u64 = 50;

/// Every file of the object from a path on, with nothing beside it when the version has it not.
const WALK: &str = "SELECT f.path, f.id, f.uuid, v.size, v.deleted_at IS NULL,
        (SELECT k.from_version - 1 FROM kept_files AS k
         WHERE k.file_id = f.id AND k.from_version <= ?2 AND k.to_version >= ?2)
    FROM files AS f LEFT JOIN file_versions AS v ON v.file_id = f.id AND v.version <= ?2
        AND (v.superseded_by IS NULL OR v.superseded_by > ?2)
    WHERE f.object_id = ?1 AND f.path >= ?3
        AND (SELECT version FROM objects WHERE id = ?1) >= ?2
    ORDER BY f.path";

impl Registry {
    /// What is in a folder, by path; deleted files are named and not counted. The price is bounded:
    /// where an older version has few of very many files, a page may have less than `limit` entries,
    /// or none, and a next one.
    pub fn folder(&self, folder: &Folder, limit: u32) -> Result<FolderPage, Error> {
        let start =
            if folder.path.is_empty() { String::new() } else { format!("{}/", folder.path) };
        let mut walk = Walk { start, limit: limit as usize, steps: 0, page: FolderPage::default() };
        let mut from =
            if folder.from.is_empty() { walk.start.clone() } else { folder.from.clone() };
        self.read(|conn| {
            while let Some(behind) = walk.along(conn, folder, &from)? {
                from = behind;
            }
            Ok(walk.page)
        })
    }
}

struct Walk {
    /// What every path in the folder begins with.
    start: String,
    limit: usize,
    steps: u64,
    page: FolderPage,
}

impl Walk {
    /// Walks until the page is whole, or says from where to walk on.
    fn along(
        &mut self,
        conn: &Connection,
        folder: &Folder,
        from: &str,
    ) -> Result<Option<String>, Error> {
        let mut statement = conn.prepare_cached(WALK)?;
        let mut rows = statement.query(params![folder.object, folder.version, from])?;
        let mut below = 0;
        while let Some(row) = rows.next()? {
            let path = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            let Some(inside) = path.strip_prefix(&self.start) else { break };
            let (name, is_folder) = match inside.split_once('/') {
                Some((name, _)) => (name, true),
                None => (inside, false),
            };
            let again = is_folder && self.is_last(name);
            let out_of_steps = self.steps >= STEPS_MAX + self.limit as u64 * STEPS_EACH;
            if !again && (self.page.entries.len() == self.limit || out_of_steps) {
                self.page.next = Some(path.to_owned());
                break;
            }
            self.steps += 1;
            let Some(size) = row.get::<_, Option<i64>>(3)? else { continue };
            if !again {
                below = 0;
                let file = if is_folder { None } else { Some((row.get(1)?, row.get(2)?)) };
                let kept_from = if is_folder { None } else { row.get(5)? };
                let name = name.to_owned();
                let entry =
                    FolderEntry { name, file, file_count: 0, size: 0, counted: true, kept_from };
                self.page.entries.push(entry);
            }
            below += 1;
            let Some(entry) = self.page.entries.last_mut() else { break };
            if again && below > STEPS_EACH && self.steps > STEPS_MAX {
                entry.counted = false;
                // The digit zero follows the slash: behind everything below the folder.
                return Ok(Some(format!("{}{}0", self.start, entry.name)));
            }
            if row.get(4)? {
                entry.file_count += 1;
                entry.size += u64::try_from(size).unwrap_or(0);
            }
        }
        Ok(None)
    }

    fn is_last(&self, folder: &str) -> bool {
        self.page.entries.last().is_some_and(|last| last.file.is_none() && last.name == folder)
    }
}
