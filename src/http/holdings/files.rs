//! The list of files as a page shows it.

use storage::registry::FileRow;
use web::{FileFilter, FileLine, FilesPage, Pager};

use super::objects::{choices, sort};
use super::safety::Fate;
use super::words::{file_format, object_link};
use crate::http::Visit;
use crate::http::asked::{Leaf, Pairs, export_href, find};
use crate::http::refusal::Refusal;

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 25;
/// Most that are counted; a page then says "1,000+".
const COUNTED: u64 = 1001;

pub(super) fn value(visit: &Visit, mut pairs: Pairs) -> Result<FilesPage, Refusal> {
    let filter = filter(&pairs);
    let sort = sort(&pairs).unwrap_or_default();
    let sought = filter.find.trim().to_owned();
    pairs.retain(|(name, _)| name != "find");
    if !sought.is_empty() {
        pairs.push((column(&sought).into(), sought));
    }
    let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
    let list = visit.desk().files(&pairs, leaf.counting())?;
    Ok(FilesPage {
        filter,
        choices: choices(visit)?,
        sort,
        pager: Pager {
            export: export_href("files", &pairs),
            ..leaf.pager(list.files.len(), (list.count, list.count_is_exact))
        },
        rows: list.files.into_iter().map(line).collect(),
    })
}

/// What a text is asked of: a whole digest by its length, everything else by the words of paths.
fn column(sought: &str) -> &'static str {
    let is_hex = sought.bytes().all(|byte| byte.is_ascii_hexdigit());
    match sought.len() {
        32 if is_hex => "md5",
        40 if is_hex => "sha1",
        64 if is_hex => "sha256",
        128 if is_hex => "sha512",
        _ => "named",
    }
}

fn filter(pairs: &[(String, String)]) -> FileFilter {
    let text = |name: &str| find(pairs, name).unwrap_or_default().to_owned();
    FileFilter {
        find: text("find"),
        object_identifier: text("object_identifier"),
        identifier: text("identifier"),
        uuid: text("uuid"),
        institution_id: text("institution_id"),
        storage_option: text("storage_option"),
        state: text("state"),
        puid: text("puid"),
        file_format: text("file_format"),
        size_from: text("size__gteq"),
        size_to: text("size__lteq"),
        updated_from: text("updated_at__gteq"),
        updated_to: text("updated_at__lteq"),
        created_from: text("created_at__gteq"),
        created_to: text("created_at__lteq"),
        checked_from: text("last_fixity_check__gteq"),
        checked_to: text("last_fixity_check__lteq"),
    }
}

fn line(file: FileRow) -> FileLine {
    FileLine {
        href: format!("/files/{}", file.uuid),
        object: object_link(&file.object_identifier, file.intellectual_object_id.0),
        state: Fate::of(file.state, None).badge(),
        format: file_format(&file),
        size: file.size,
        updated: file.updated_at.to_string(),
        checked: file.last_fixity_check.map(|at| at.to_string()).unwrap_or_default(),
        path: file.path,
    }
}
