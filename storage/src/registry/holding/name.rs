//! What objects and files are looked for by: the beginnings of their names, in small letters.
//!
//! A text that stands anywhere in a name cannot be found without reading all names; one that a
//! name, or a word in it, begins with is a range of an index.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};

use super::file::{FileRow, select};
use crate::registry::{Error, Registry};

/// Characters of a name that are looked at; what is longer is told apart afterwards.
const KEY_MAX: usize = 60;
/// Beginnings that one object is found by.
const KEYS_MAX: usize = 60;
/// Names that one search looks at.
const CANDIDATES: u32 = 2000;

/// The last of all characters: a name that begins with a text stands before the text and this.
const LAST: char = char::MAX;

/// Teaches a connection the functions that names are made with.
pub(in crate::registry) fn teach(conn: &Connection) -> Result<(), Error> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    conn.create_scalar_function("small", 1, flags, |of| Ok(small(text(of, 0))))?;
    conn.create_scalar_function("name_key", 1, flags, |of| Ok(key(text(of, 0))))?;
    conn.create_scalar_function("file_key", 1, flags, |of| Ok(key(file_name(text(of, 0)))))?;
    conn.create_scalar_function("object_keys", 3, flags, |of| {
        Ok(serde_json::Value::from(object_keys([text(of, 0), text(of, 1), text(of, 2)]))
            .to_string())
    })?;
    Ok(())
}

/// An argument that is a text; anything else counts as an empty one.
fn text<'a>(of: &'a Context<'_>, at: usize) -> &'a str {
    match of.get_raw(at) {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).unwrap_or_default(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => "",
    }
}

fn small(text: &str) -> String {
    text.to_lowercase()
}

fn key(text: &str) -> String {
    small(text).chars().take(KEY_MAX).collect()
}

/// The name of a file without its folders.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The beginnings of an object: the identifier whole, and every word of its bag's name, of its
/// title and of its other identifier with what follows.
fn object_keys([identifier, title, other]: [&str; 3]) -> Vec<String> {
    let mut keys = vec![key(identifier)];
    for text in [file_name(identifier), title, other] {
        let mut before = ' ';
        for (at, letter) in text.char_indices() {
            let begins = letter.is_alphanumeric() && !before.is_alphanumeric();
            if (begins || at == 0) && keys.len() < KEYS_MAX {
                keys.push(key(&text[at..]));
            }
            before = letter;
        }
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

impl Registry {
    /// Files whose name begins with a text, in either case, each in its current version, by path.
    /// A text with slashes is the end of a path: its last part begins the name, and what stands
    /// before are its folders. No more than 2,000 names are looked at.
    pub fn files_named(&self, text: &str, limit: u32) -> Result<Vec<FileRow>, Error> {
        let first = key(file_name(text));
        if first.is_empty() {
            return Ok(Vec::new());
        }
        let which = "id IN (SELECT f.id FROM
                (SELECT n.file_id FROM file_names AS n WHERE n.name >= ?1 AND n.name < ?2
                 ORDER BY n.name, n.file_id LIMIT ?3) AS c
                CROSS JOIN files AS f ON f.id = c.file_id
                WHERE instr('/' || small(f.path), '/' || small(?4)) > 0 LIMIT ?5)
            ORDER BY path, id LIMIT ?5";
        let last = format!("{first}{LAST}");
        let values = params![first, last, CANDIDATES, text.trim_start_matches('/'), limit];
        self.rows(&select("held_files", which), values, FileRow::read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_found_by_every_word() {
        let keys = object_keys(["a.org/parish-1790", "Straße „Über“ Land", "X 7"]);
        let wanted = [
            "1790",
            "7",
            "a.org/parish-1790",
            "land",
            "parish-1790",
            "straße „über“ land",
            "x 7",
            "über“ land",
        ];
        assert_eq!(keys, wanted);
        assert!(object_keys(["", "", ""]) == [""]);
        let many = object_keys(["a/b", &"w ".repeat(500), ""]);
        assert!(many.len() <= KEYS_MAX && many.iter().all(|key| key.chars().count() <= KEY_MAX));
    }

    #[test]
    fn a_file_is_found_by_its_name() {
        assert_eq!(key(file_name("data/Scans/FOLIO 1.TIF")), "folio 1.tif");
        assert_eq!(key(file_name("bagit.txt")), "bagit.txt");
        assert_eq!(key(&"ü".repeat(100)).chars().count(), KEY_MAX);
    }
}
