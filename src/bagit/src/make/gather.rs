//! Finds out what goes into a bag, and whether it can.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use digests::Algorithm;

use super::check::check;
use super::plan::{Content, Entry, MakeError, Payload, Plan};
use crate::code::Code;
use crate::finding::{Finding, Severity};

/// Files in one bag, and folders in one path: bags that are judged have the same bounds.
pub(super) const FILES_MAX: usize = 10_000_000;
const DEPTH_MAX: usize = 128;

/// Findings kept; a folder with more is not made better by a longer list.
const FINDINGS_MAX: usize = 10_000;

/// One file of the bag to be. Kept small: there can be millions.
pub(super) struct Item<'p> {
    /// Where it goes, from the top of the bag.
    pub(super) path: String,
    pub(super) size_bytes: u64,
    pub(super) modified: Option<i64>,
    pub(super) expected: Option<&'p (Algorithm, String)>,
    /// Where its bytes are; `None`: at the same path below the folder of the payload.
    pub(super) content: Option<&'p Content<'p>>,
    /// Where its bytes begin in the tar.
    pub(super) offset: u64,
}

/// Findings, bounded.
#[derive(Default)]
pub(super) struct Remarks(pub(super) Vec<Finding>);

impl Remarks {
    pub(super) fn add(&mut self, code: Code, place: &str, sentence: impl Into<String>) {
        // Warnings stop earlier, so that there is room for what refuses the plan.
        let max = match code.severity() {
            Severity::Error => FINDINGS_MAX,
            Severity::Warning => FINDINGS_MAX / 4,
        };
        if self.0.len() < max {
            self.0.push(Finding::new(code, visible(place), sentence));
        }
    }

    /// Makes errors of the warnings of some rules.
    pub(super) fn raise(&mut self, raised: impl Fn(Code) -> bool) {
        for finding in self.0.iter_mut().filter(|finding| raised(finding.code)) {
            finding.severity = Severity::Error;
        }
    }

    pub(super) fn refusal(&self) -> bool {
        self.0.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// A name whose control characters can be seen.
fn visible(name: &str) -> String {
    name.chars().fold(String::with_capacity(name.len()), |mut visible, c| {
        if c.is_control() {
            visible.extend(c.escape_default());
        } else {
            visible.push(c);
        }
        visible
    })
}

/// The payload, sorted by the bytes of its paths.
pub(super) fn payload<'p>(
    plan: &'p Plan<'_>,
    remarks: &mut Remarks,
) -> Result<Vec<Item<'p>>, MakeError> {
    let mut items = match &plan.payload {
        Payload::Folder(folder) => walk(folder, plan, remarks)?,
        Payload::Entries(entries) => {
            entries.iter().map(|entry| item(entry, format!("data/{}", entry.path))).collect()
        }
    };
    items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    check(&items, remarks);
    Ok(items)
}

/// The tag files that are given as they are, sorted.
pub(super) fn tag_files<'p>(plan: &'p Plan<'_>, remarks: &mut Remarks) -> Vec<Item<'p>> {
    let mut items: Vec<Item<'p>> =
        plan.tag_files.iter().map(|entry| item(entry, entry.path.clone())).collect();
    items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    for item in &items {
        let top = item.path.split('/').next().unwrap_or_default().to_ascii_lowercase();
        let manifest = ["manifest-", "tagmanifest-"].iter().any(|start| top.starts_with(start));
        if ["data", "bagit.txt", "fetch.txt"].contains(&top.as_str()) || manifest {
            let sentence = "This name belongs to the bag itself. Choose another for the tag file.";
            remarks.add(Code::SourcePathTaken, &item.path, sentence);
        }
        if plan.sheets.iter().any(|sheet| sheet.file == item.path) || item.path == "bag-info.txt" {
            let sentence = "The same tag file is also given as tags. Leave one of them out.";
            remarks.add(Code::SourcePathTaken, &item.path, sentence);
        }
    }
    check(&items, remarks);
    items
}

pub(super) fn item<'p>(entry: &'p Entry<'p>, path: String) -> Item<'p> {
    Item {
        path,
        size_bytes: entry.size_bytes,
        modified: entry.modified,
        expected: entry.expected.as_ref(),
        content: Some(&entry.content),
        offset: 0,
    }
}

fn walk<'p>(
    root: &Path,
    plan: &Plan<'_>,
    remarks: &mut Remarks,
) -> Result<Vec<Item<'p>>, MakeError> {
    let mut items = Vec::new();
    // Folders to look into, by their path below the root, each with how deep it is.
    let mut folders = vec![(String::new(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        if plan.watch.stopped() {
            return Err(MakeError::Stopped);
        }
        let listing = match fs::read_dir(root.join(&folder)) {
            Ok(listing) => listing,
            Err(source) if folder.is_empty() => {
                return Err(MakeError::Folder { path: root.to_owned(), source });
            }
            Err(error) => {
                remarks.add(Code::FileUnreadable, &folder, format!("{error}. Allow reading it."));
                continue;
            }
        };
        let mut empty = true;
        for found in listing {
            empty = false;
            match look(root, &folder, found, remarks) {
                Some(Found::File(item)) if items.len() < FILES_MAX => items.push(item),
                Some(Found::File(item)) => {
                    let sentence = format!("There are more than {FILES_MAX} files. Make several.");
                    remarks.add(Code::LimitReached, &item.path, sentence);
                    return Ok(items);
                }
                Some(Found::Folder(path)) if depth < DEPTH_MAX => folders.push((path, depth + 1)),
                Some(Found::Folder(path)) => {
                    let sentence = format!("Lies more than {DEPTH_MAX} folders deep. Move it up.");
                    remarks.add(Code::SourceNameUnusable, &path, sentence);
                }
                None => {}
            }
        }
        if empty && !folder.is_empty() {
            let sentence = "The folder is empty and left out: BagIt keeps files only. Put a file \
                            into it, such as .keep, if it matters.";
            remarks.add(Code::SourceFolderEmpty, &folder, sentence);
        }
    }
    Ok(items)
}

enum Found<'p> {
    File(Item<'p>),
    Folder(String),
}

fn look<'p>(
    root: &Path,
    folder: &str,
    found: std::io::Result<fs::DirEntry>,
    remarks: &mut Remarks,
) -> Option<Found<'p>> {
    let unreadable = |remarks: &mut Remarks, place: &str, error: &dyn std::fmt::Display| {
        remarks.add(Code::FileUnreadable, place, format!("{error}. Allow reading it."));
    };
    let entry = found.map_err(|error| unreadable(remarks, folder, &error)).ok()?;
    let name = entry.file_name();
    let Some(name) = name.to_str() else {
        let place = format!("{folder}/{}", name.to_string_lossy());
        let sentence = "The name is not Unicode text, so no manifest can hold it. Rename it.";
        remarks.add(Code::NameNotUtf8, place.trim_start_matches('/'), sentence);
        return None;
    };
    let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    // Of the entry itself: links are not followed.
    let about = entry.metadata().map_err(|error| unreadable(remarks, &path, &error)).ok()?;
    if about.is_dir() {
        return Some(Found::Folder(path));
    }
    if about.is_symlink() {
        let sentence = "This is a link. Put a copy of the file in its place, or remove it.";
        remarks.add(Code::LinkInBag, &path, sentence);
        return None;
    }
    if !about.is_file() {
        let sentence = "This is a device, pipe or socket. Remove it from the folder.";
        remarks.add(Code::DeviceInBag, &path, sentence);
        return None;
    }
    // Better told now, with all others, than after an hour of copying.
    let file: PathBuf = root.join(&path);
    if let Err(error) = rustix::fs::access(&file, rustix::fs::Access::READ_OK) {
        unreadable(remarks, &path, &error);
        return None;
    }
    Some(Found::File(Item {
        path: format!("data/{path}"),
        size_bytes: about.len(),
        modified: about.modified().ok().map(seconds),
        expected: None,
        content: None,
        offset: 0,
    }))
}

/// Whole seconds since 1970, rounded down before it as well.
fn seconds(time: std::time::SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => {
            let before = before.duration();
            let whole = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
            -whole - i64::from(before.subsec_nanos() > 0)
        }
    }
}

/// How long all items are together.
pub(super) fn total_bytes(items: &[Item<'_>]) -> u64 {
    items.iter().fold(0, |total, item| total.saturating_add(item.size_bytes))
}
