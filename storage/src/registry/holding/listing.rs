//! What can be asked of objects, files and events: every filter of the described API that has a
//! meaning here, under its names, and a few of ours. None asks for a part of a text: that would read
//! every row. Words, and how they begin, are found by `named`.

use crate::registry::query::Kind::{Integer, Text, Time};
use crate::registry::query::Op::{Eq, Gt, GtEq, In, IsNull, Lt, LtEq, NotNull, StartsWith};
use crate::registry::query::{Column, Listing, Op, Owner, Word};

const SHOWN: &[Op] = &[];
const SAME: &[Op] = &[Eq];
const CHOICE: &[Op] = &[Eq, In];
const PREFIX: &[Op] = &[Eq, In, StartsWith];
const SPAN: &[Op] = &[Eq, Gt, GtEq, Lt, LtEq];
const KEY: &[Op] = &[Eq, In, Gt, GtEq, Lt, LtEq];

/// The number of the file that `institution/bag/path` names; the second slash is where the path
/// begins.
macro_rules! file_named {
    () => {
        "(WITH asked (x) AS (SELECT ?), cut (x, n) AS (SELECT x, instr(x, '/') +
         instr(substr(x, instr(x, '/') + 1), '/') FROM asked) SELECT t.id FROM cut
         JOIN objects AS u ON u.identifier = substr(x, 1, n - 1)
         JOIN files AS t ON t.object_id = u.id AND t.path = substr(x, n + 1))"
    };
}
pub(super) use file_named;

/// Holds for events about a file: those about it alone, those about all files of a deposit that
/// saved it, and those about everything that was held while it was.
macro_rules! about_file {
    ($file:expr) => {
        concat!(
            "id IN (WITH asked (x) AS MATERIALIZED (SELECT ",
            $file,
            ") SELECT t.id FROM asked CROSS JOIN events AS t
             ON t.file_id = x UNION ALL SELECT t.id FROM asked
             CROSS JOIN files AS f ON f.id = x CROSS JOIN events AS t ON t.object_id = f.object_id
             WHERE t.scope = 'held' AND EXISTS (SELECT 1 FROM file_versions AS v
             JOIN deposits AS d ON d.id = v.deposit_id WHERE v.file_id = x
             AND unixepoch(d.recorded_at) * 1000 <= t.date_time
             AND (v.deleted_at IS NULL OR v.deleted_at >= t.date_time))
             UNION ALL SELECT t.id FROM asked
             CROSS JOIN file_versions AS v ON v.file_id = x CROSS JOIN files AS f ON f.id = x
             CROSS JOIN events AS t ON t.deposit_id = v.deposit_id WHERE t.scope = 'files'
             OR (t.scope = 'payload' AND f.path >= 'data/' AND f.path < 'data0')
             OR (t.scope = 'new' AND v.version = f.first_version))"
        )
    };
}

/// Holds for rows that have all words of a text, the last one at least begun: of very many those
/// that came last.
macro_rules! named {
    ($table:literal) => {
        concat!(
            "id IN (SELECT rowid FROM ",
            $table,
            " WHERE ",
            $table,
            " MATCH words_asked(?) ORDER BY rowid DESC LIMIT 2000)"
        )
    };
}
pub(in crate::registry) use named;

/// The listing of objects, the last changed first.
pub static OBJECTS: Listing = Listing {
    table: "held_objects",
    view: "held_objects",
    key: "id",
    columns: &[
        Column::new("id", Integer, KEY).sortable().ordered(&["id"]),
        Column::new("identifier", Text, PREFIX).sortable().ordered(&["identifier"]),
        Column::new("institution_id", Integer, &[Eq, In]).aside(),
        Column::new("bag_name", Text, PREFIX).sortable().ordered(&["bag_name", "updated_at"]),
        Column::new("title", Text, &[Eq, StartsWith]).sortable().ordered(&["title", "updated_at"]),
        Column::new("description", Text, SHOWN).nullable(),
        Column::new("alt_identifier", Text, PREFIX)
            .nullable()
            .sortable()
            .ordered(&["alt_identifier", "updated_at"]),
        Column::new("access", Text, CHOICE).aside(),
        Column::new("state", Text, SAME),
        Column::new("etag", Text, SAME),
        Column::new("bag_group_identifier", Text, PREFIX)
            .nullable()
            .sortable()
            .ordered(&["bag_group_identifier", "updated_at"]),
        Column::new("storage_option", Text, CHOICE).aside(),
        Column::new("bagit_profile_identifier", Text, SAME),
        Column::new("source_organization", Text, SAME).nullable(),
        Column::new("internal_sender_identifier", Text, SAME).nullable(),
        Column::new("internal_sender_description", Text, SAME).nullable(),
        Column::new("version", Integer, SHOWN),
        Column::new("file_count", Integer, SPAN).sortable().ordered(&["file_count", "updated_at"]),
        Column::new("size", Integer, SPAN).sortable().ordered(&["size", "updated_at"]),
        Column::new("payload_file_count", Integer, SHOWN),
        Column::new("payload_size", Integer, SHOWN),
        Column::new("created_at", Time, SPAN).sortable().ordered(&["created_at", "updated_at"]),
        Column::new("updated_at", Time, SPAN).sortable(),
        Column::new("institution_name", Text, SHOWN),
        Column::new("institution_identifier", Text, SHOWN),
        Column::new("institution_type", Text, SHOWN),
        Column::new("institution_parent_id", Integer, SAME).nullable().found_by(
            "institution_id IN (SELECT i.id FROM institutions AS i
             WHERE i.member_institution_id = ?)",
        ),
        Column::asked("named", SAME, named!("object_words")),
    ],
    owner: Owner::HELD,
    default_sort: ("updated_at", true),
};

/// The index of formats has whose the files are before them.
const BY_FORMAT: &[&str] = &["format_id", "institution_id"];

/// Files that are there stand in objects that have some; those that are not have an index.
const THERE: Word =
    Word { word: "A", condition: "deleted_at IS NULL AND +object_file_count > 0", road: None };
const DELETED: Word = Word {
    word: "D",
    condition: "deleted_at IS NOT NULL",
    road: Some(("held_files", &["institution_id"])),
};

/// The listing of files, each in its current version, from object to object and there by path.
pub static FILES: Listing = Listing {
    table: "files_by_object",
    view: "held_files",
    key: "id",
    columns: &[
        Column::new("id", Integer, CHOICE).sortable().along("held_files", &["id"]),
        Column::new("intellectual_object_id", Integer, &[Eq, In])
            .sortable()
            .ordered(&["intellectual_object_id", "path"]),
        Column::new("institution_id", Integer, &[Eq, In]).sortable(),
        Column::new("object_identifier", Text, SAME).found_by(
            "intellectual_object_id = (SELECT t.id FROM objects AS t WHERE t.identifier = ?)",
        ),
        Column::new("access", Text, CHOICE).aside(),
        Column::new("storage_option", Text, CHOICE).aside(),
        Column::new("path", Text, &[Eq, StartsWith])
            .sortable()
            .off_road()
            .inside(&["intellectual_object_id", "object_identifier"]),
        Column::new("uuid", Text, SAME)
            .along("held_files", &[])
            .found_by("id = (SELECT t.id FROM files AS t WHERE t.uuid = unhex(?, '-'))"),
        Column::new("first_version", Integer, SHOWN).sortable(),
        Column::new("version", Integer, SHOWN).sortable(),
        Column::new("deposit_id", Integer, SAME).sortable().along("held_files", &["id"]),
        Column::new("state", Text, SAME).meaning(&[THERE, DELETED]).off_road(),
        Column::new("size", Integer, SPAN).sortable().along("files_by_version", &["size"]),
        Column::new("modified_at", Time, SHOWN).nullable().in_millis(),
        Column::new("deleted_at", Time, SHOWN).nullable().in_millis(),
        Column::new("content_path", Text, SHOWN).nullable(),
        Column::new("puid", Text, SAME)
            .along("files_by_version", BY_FORMAT)
            .found_by("format_id IN (SELECT t.id FROM formats AS t WHERE t.puid = ?)"),
        Column::new("format_name", Text, SHOWN),
        Column::new("format_version", Text, SHOWN),
        Column::new("file_format", Text, SAME)
            .along("files_by_version", BY_FORMAT)
            .found_by("format_id IN (SELECT t.id FROM formats AS t WHERE t.mime = ?)"),
        Column::new("format_basis", Text, SHOWN),
        Column::new("format_warnings", Text, &[NotNull])
            .nullable()
            .along("held_files", &["institution_id"]),
        Column::new("md5", Text, SAME).along("held_files", &[]).found_by(
            "id IN (WITH asked (x) AS (SELECT unhex(?)) SELECT t.file_id FROM asked
             JOIN digest_starts AS s ON s.start = substr(x, 1, 8) JOIN file_versions AS t
             ON t.file_id = s.file_id AND t.version = s.version AND t.md5 = x)",
        ),
        Column::new("sha1", Text, SAME).along("held_files", &[]).found_by(
            "id IN (WITH asked (x) AS (SELECT unhex(?)) SELECT t.file_id FROM asked
             JOIN digest_starts AS s ON s.start = substr(x, 1, 8) JOIN file_versions AS t
             ON t.file_id = s.file_id AND t.version = s.version AND t.sha1 = x)",
        ),
        Column::new("sha256", Text, SAME).along("held_files", &[]).found_by(
            "id IN (WITH asked (x) AS (SELECT unhex(?)) SELECT t.file_id FROM asked
             JOIN digest_starts AS s ON s.start = substr(x, 1, 8) JOIN file_versions AS t
             ON t.file_id = s.file_id AND t.version = s.version AND t.sha256 = x)",
        ),
        Column::new("sha512", Text, SAME).along("held_files", &[]).found_by(
            "id IN (WITH asked (x) AS (SELECT unhex(?)) SELECT t.file_id FROM asked
             JOIN digest_starts AS s ON s.start = substr(x, 1, 8) JOIN file_versions AS t
             ON t.file_id = s.file_id AND t.version = s.version AND t.sha512 = x)",
        ),
        Column::new("created_at", Time, SPAN)
            .sortable()
            .along("files_by_creation", &["created_at", "intellectual_object_id", "first_version"]),
        Column::new("updated_at", Time, SPAN)
            .sortable()
            .along("files_by_deposit", &["updated_at", "intellectual_object_id", "version"]),
        Column::new("last_fixity_check", Time, SPAN)
            .nullable()
            .in_millis()
            .between("oldest_check", "newest_check")
            .off_road(),
        Column::new("format_id", Integer, SHOWN).sortable(),
        Column::asked("identifier", SAME, concat!("id = ", file_named!())).along("held_files", &[]),
        Column::asked("named", SAME, named!("file_words")).along("held_files", &["id"]),
    ],
    owner: Owner::HELD,
    default_sort: ("intellectual_object_id", false),
};

/// Nearly every event is a success: those that are not have an index.
const UNSUCCESSFUL: Word = Word { word: "Success", condition: "outcome <> 'Success'", road: None };

/// The listing of events as they were written, the newest first.
pub static EVENTS: Listing = Listing {
    table: "held_events",
    view: "held_events",
    key: "id",
    columns: &[
        Column::new("id", Integer, CHOICE).sortable(),
        Column::new("identifier", Text, SAME).found_by("identifier = unhex(?, '-')"),
        Column::new("event_type", Text, SAME),
        Column::new("date_time", Time, SPAN).sortable().in_millis(),
        Column::new("detail", Text, SHOWN),
        Column::new("outcome", Text, &[Eq, Op::Ne]).aside().unlike(&[UNSUCCESSFUL]),
        Column::new("outcome_detail", Text, SHOWN),
        Column::new("outcome_information", Text, SHOWN),
        Column::new("object", Text, SHOWN),
        Column::new("agent", Text, SHOWN),
        Column::new("scope", Text, SAME),
        Column::new("institution_id", Integer, &[Eq, In]),
        Column::new("intellectual_object_id", Integer, &[Eq, In]),
        Column::new("intellectual_object_identifier", Text, SAME).found_by(
            "intellectual_object_id = (SELECT t.id FROM objects AS t WHERE t.identifier = ?)",
        ),
        Column::new("deposit_id", Integer, SAME).nullable(),
        Column::new("version", Integer, SHOWN).nullable(),
        Column::new("generic_file_id", Integer, &[Eq, IsNull, NotNull])
            .nullable()
            .found_by(about_file!("?")),
        Column::new("generic_file_identifier", Text, SAME)
            .nullable()
            .found_by(about_file!(file_named!())),
    ],
    owner: Owner {
        own: "institution_id = ?",
        unrestricted: Some(
            "NOT EXISTS (SELECT 1 FROM objects AS r
             WHERE r.id = intellectual_object_id AND r.access = 'restricted')",
        ),
        shared: None,
    },
    default_sort: ("date_time", true),
};
