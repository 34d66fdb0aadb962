//! Tag files other than `bagit.txt`, and what their tags must say.

use super::case::{Case, unreadable};
use crate::code::Code;
use crate::facts::Tag;
use crate::ledger::PathId;
use crate::limits::Limits;
use crate::report::Class;
use crate::text::tags::{Flaw, TagFile, parse};

/// Files that consist of tags by their definition; others may be any text.
const TAGGED: [&str; 3] = ["bag-info.txt", "aptrust-info.txt", "package-info.txt"];

/// Other texts are only looked at for tags if they are this short, and not too many.
const OTHER_BYTES_MAX: u64 = 1 << 20;
const OTHER_COUNT_MAX: usize = 1_000;

/// Gathers tag files and their tags, and judges those that BagIt itself defines.
pub(crate) fn judge(case: &mut Case<'_>) {
    let mut files: Vec<(String, PathId)> = Vec::new();
    for id in case.ledger.present() {
        let path = case.ledger.path(id);
        if let (Class::TagFile, Ok(path)) = (Class::of(path), str::from_utf8(path)) {
            if files.len() == case.limits.tag_count {
                case.findings.add(Code::LimitReached, "the bag", || {
                    "There are more tag files than are taken in. Move them into data.".to_owned()
                });
                break;
            }
            files.push((path.to_owned(), id));
        }
    }
    files.sort_unstable();
    let mut others = 0;
    let mut room = case.limits.tags_bytes;
    for (path, id) in &files {
        let defined = TAGGED.iter().any(|name| path.eq_ignore_ascii_case(name));
        if path == "bagit.txt" || !defined && !path.to_ascii_lowercase().ends_with(".txt") {
            continue;
        }
        let size = case.ledger.held(*id).size_bytes;
        if defined && size > case.limits.tag_file_bytes {
            case.findings.add(Code::LimitReached, path.clone(), || {
                format!("`{path}` is too long to be read. Keep long texts in data.")
            });
            continue;
        }
        if !defined {
            others += 1;
            if size > OTHER_BYTES_MAX || others > OTHER_COUNT_MAX {
                continue;
            }
        }
        read(case, path, *id, defined, &mut room);
    }
    case.facts.tag_files = files.into_iter().map(|(path, _)| path).collect();
}

fn read(case: &mut Case<'_>, path: &str, id: PathId, defined: bool, room: &mut usize) {
    let limits = Limits { tags_bytes: *room, ..case.limits.clone() };
    let (encoding, loose) = (case.encoding, case.version.spaces_about_colon());
    let Some(reader) = case.open_file(id) else { return };
    let file = match parse(reader, encoding, loose, &limits) {
        Ok(file) => file,
        Err(error) => return unreadable(&mut case.findings, path, &error),
    };
    if defined {
        tell(case, path, &file);
    } else if !file.is_tags() {
        return;
    }
    if file.cut {
        case.findings.add(Code::LimitReached, path, || {
            format!("There are more tags than are taken in; `{path}` was not read to its end.")
        });
    }
    for (name, value) in file.tags {
        *room = room.saturating_sub(name.len() + value.len() + size_of::<Tag>());
        case.facts.tags.push(Tag { file: path.to_owned(), name, value });
    }
}

fn tell(case: &mut Case<'_>, path: &str, file: &TagFile) {
    if let Some(line) = file.first_broken {
        not_decodable(case, path, line);
    }
    if file.bom {
        byte_order_mark(case, path);
    }
    for (line, flaw) in &file.flaws {
        let place = format!("{path}:{line}");
        match flaw {
            Flaw::NoTag => case.findings.add(Code::TagLine, place, || {
                format!(
                    "Line {line} of {path} is not of the form `Label: value`, nor the \
                     continuation of a value, which begins with a space."
                )
            }),
            Flaw::Separator => case.findings.add(Code::TagSeparator, place, || {
                format!(
                    "On line {line} of {path} there should be no space before the colon and one \
                     after it."
                )
            }),
            Flaw::TooLong => too_long(case, path, *line),
        }
    }
}

/// Tells of a line that is not in the declared encoding.
pub(crate) fn not_decodable(case: &mut Case<'_>, path: &str, line: u64) {
    let declared = case.facts.encoding.clone().unwrap_or_else(|| "UTF-8".to_owned());
    case.findings.add(Code::TagFileNotDecodable, format!("{path}:{line}"), || {
        format!("Line {line} of {path} is not in {declared}. Save the file in that encoding.")
    });
}

/// Tells of a byte order mark where none should be: in UTF-8 it has no meaning.
pub(crate) fn byte_order_mark(case: &mut Case<'_>, path: &str) {
    if case.encoding == crate::text::encoding::Encoding::Utf8 {
        case.findings.add(Code::TagFileBom, path, || {
            format!("{path} begins with a byte order mark. Save it as UTF-8 without one.")
        });
    }
}

/// Tells of a line over the limit.
pub(crate) fn too_long(case: &mut Case<'_>, path: &str, line: u64) {
    let limit = case.limits.line_bytes;
    case.findings.add(Code::LineTooLong, format!("{path}:{line}"), || {
        format!(
            "Line {line} of {path} is longer than {limit} bytes and was not read. Break it into \
             several lines."
        )
    });
}
