//! Whether what was gathered can stand in a bag.

use super::gather::{FILES_MAX, Item, Remarks, total_bytes};
use crate::code::Code;
use crate::limits::Limits;
use crate::names::rules;

/// Bytes of one path and of one part of it, as file systems have them.
const PATH_BYTES_MAX: usize = 4_096;
const NAME_BYTES_MAX: usize = 255;

/// Bytes in one bag: an exbibyte, so that no sum of lengths wraps, whatever entries claim.
const BYTES_MAX: u64 = 1 << 60;

/// Lengths, names, and two entries in one place. The items are sorted.
pub(super) fn check(items: &[Item<'_>], remarks: &mut Remarks) {
    if total_bytes(items) > BYTES_MAX || items.len() > FILES_MAX {
        let sentence = format!("More than {BYTES_MAX} bytes or {FILES_MAX} files. Make several.");
        remarks.add(Code::LimitReached, "the plan", sentence);
    }
    for item in items {
        check_name(&item.path, remarks);
    }
    for pair in items.windows(2) {
        if pair[0].path == pair[1].path {
            let sentence = "Two entries have this path. Leave one of them out.";
            remarks.add(Code::SourcePathTaken, &pair[0].path, sentence);
        }
    }
    // Whatever stands below a file stands somewhere behind it, but names such as `a.b` may stand
    // between `a` and `a/b`: so each folder is looked up.
    let is_file = |path: &str| items.binary_search_by(|item| item.path.as_str().cmp(path)).is_ok();
    let mut last = "";
    for item in items {
        let folder = item.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder == last {
            continue;
        }
        last = folder;
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
        if let Some(file) = ends.map(|end| &folder[..end]).find(|folder| is_file(folder)) {
            let sentence = format!("{file:?} is a file here and a folder there. Rename one.");
            remarks.add(Code::SourcePathTaken, &item.path, sentence);
        }
    }
}

pub(super) fn check_name(path: &str, remarks: &mut Remarks) {
    let mut parts = path.split('/');
    let odd = |part: &str| part.is_empty() || part == "." || part == "..";
    if parts.clone().any(odd) || path.contains('\0') {
        let sentence = "A path must be relative, without empty parts, `.` and `..`.";
        return remarks.add(Code::SourceNameUnusable, path, sentence);
    }
    if path.len() > PATH_BYTES_MAX || parts.clone().any(|part| part.len() > NAME_BYTES_MAX) {
        let sentence = format!(
            "Longer than file systems take: {NAME_BYTES_MAX} bytes for a name, {PATH_BYTES_MAX} for \
             a path. Shorten it."
        );
        return remarks.add(Code::SourceNameUnusable, path, sentence);
    }
    check_rules(path, remarks);
    let why = if parts.any(|part| part.trim() != part) {
        "begins or ends with white space, which some tools strip"
    } else if path.contains('%') {
        "has a percent sign, which bagit-python does not decode in manifests"
    } else if path.contains('\\') {
        "has a backslash, which is a folder on some systems"
    } else {
        return;
    };
    let sentence = format!("The name {why}. Rename the file if others must read the bag.");
    remarks.add(Code::SourceNameFragile, path, sentence);
}

/// The rules by which names are judged in a bag that is there.
pub(super) fn check_rules(path: &str, remarks: &mut Remarks) {
    for code in rules::flaws(path, &Limits::default()) {
        remarks.add(code, path, rules::sentence(code, path));
    }
}
