//! Writing the words down, row by row and all of them anew.

use rusqlite::Connection;

use crate::registry::Error;
use crate::registry::holding::ObjectId;

/// What an object is found by.
macro_rules! object_words {
    () => {
        "SELECT o.id, words_of(o.institution_id, o.identifier, o.title, o.alt_identifier,
             o.bag_group_identifier, o.internal_sender_identifier)
         FROM objects AS o WHERE o.version > 0"
    };
}

/// What an item is found by.
macro_rules! item_words {
    () => {
        "SELECT w.id, words_of(w.institution_id, w.name, w.object_identifier)
         FROM work_items AS w WHERE w.id NOT IN (SELECT d.id FROM item_words_docsize AS d)"
    };
}

/// The words of everything that is sealed; the tables are empty before.
pub(in crate::registry) const DERIVE_WORDS: &str = concat!(
    "INSERT INTO object_words (rowid, words) ",
    object_words!(),
    "; INSERT INTO file_words (rowid, words)
         SELECT f.id, words_of(o.institution_id, f.path)
         FROM files AS f CROSS JOIN objects AS o ON o.id = f.object_id
         WHERE f.first_version <= o.version ORDER BY f.id;
       INSERT INTO item_words (rowid, words) ",
    item_words!(),
);

/// The words of items that have none yet.
pub(in crate::registry) const DERIVE_ITEM_WORDS: &str =
    concat!("INSERT INTO item_words (rowid, words) ", item_words!());

/// Asks the tables of words something. A connection remembers their outline, looks again whether it
/// has changed when it is asked, and not when it is told to check them: then it would find pages
/// missing that another connection has replaced.
pub(in crate::registry) fn open_words(conn: &Connection) -> Result<(), Error> {
    for table in ["object_words", "file_words", "item_words"] {
        let sql = format!("SELECT count(*) FROM {table} WHERE {table} MATCH words_asked('')");
        conn.prepare_cached(&sql)?.query_row([], |row| row.get::<_, i64>(0))?;
    }
    Ok(())
}

/// Writes what an object is found by from now on.
pub(in crate::registry) fn add_object(conn: &Connection, object: ObjectId) -> Result<(), Error> {
    let sql = concat!(
        "INSERT INTO object_words (rowid, words) ",
        object_words!(),
        " AND o.id = ?1 AND o.id NOT IN (SELECT d.id FROM object_words_docsize AS d)"
    );
    conn.prepare_cached(sql)?.execute([object])?;
    Ok(())
}

/// Takes away what an object is found by, before it says other things of itself: the table does not
/// keep the words, and has to be told them again.
pub(in crate::registry) fn forget_object(conn: &Connection, object: ObjectId) -> Result<(), Error> {
    let sql = concat!(
        "INSERT INTO object_words (object_words, rowid, words) SELECT 'delete', w.* FROM (",
        object_words!(),
        " AND o.id = ?1 AND o.id IN (SELECT d.id FROM object_words_docsize AS d)) AS w"
    );
    conn.prepare_cached(sql)?.execute([object])?;
    Ok(())
}

/// The words of a deposit's new files that are not written yet, by file.
pub(in crate::registry) const NEW_FILE_WORDS: &str =
    "SELECT f.id, words_of(o.institution_id, f.path) FROM file_versions AS v
        JOIN files AS f ON f.id = v.file_id JOIN objects AS o ON o.id = f.object_id
    WHERE v.deposit_id = ?1 AND f.first_version = v.version
        AND f.id NOT IN (SELECT d.id FROM file_words_docsize AS d) ORDER BY f.id";

/// Writes what a file is found by.
pub(in crate::registry) const ADD_FILE_WORDS: &str =
    "INSERT INTO file_words (rowid, words) VALUES (?1, ?2)";

/// Takes away what a file is found by that is about to go with its first version.
pub(in crate::registry) const FORGET_FILE_WORDS: &str =
    "INSERT INTO file_words (file_words, rowid, words)
     SELECT 'delete', f.id, words_of(o.institution_id, f.path)
     FROM files AS f JOIN objects AS o ON o.id = f.object_id
     WHERE f.id = ?1 AND f.first_version = ?2
         AND f.id IN (SELECT d.id FROM file_words_docsize AS d)";

/// Writes what an item is found by, the first time it is seen.
pub(in crate::registry) fn add_item(conn: &Connection, item: i64) -> Result<(), Error> {
    let sql = "INSERT INTO item_words (rowid, words)
        SELECT w.id, words_of(w.institution_id, w.name, w.object_identifier)
        FROM work_items AS w
        WHERE w.id = ?1 AND NOT EXISTS (SELECT 1 FROM item_words_docsize AS d WHERE d.id = ?1)";
    conn.prepare_cached(sql)?.execute([item])?;
    Ok(())
}
