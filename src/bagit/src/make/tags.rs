//! Tag files made of tags, with what can be computed filled in.

use std::path::Path;

use super::check::check_name;
use super::gather::{Item, Remarks, total_bytes};
use super::plan::{Content, Entry, Form, Plan, Sheet};
use crate::code::Code;
use crate::facts::{BagFacts, ProfileRules, Serialization, Tag};
use crate::limits::Limits;
use crate::source::packing::split_name;

pub(super) const DECLARATION: &str = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

const BAG_INFO: &str = "bag-info.txt";

/// All sheets: `bag-info.txt` first, completed, and the others as they are given.
pub(super) fn sheets(plan: &Plan<'_>, payload: &[Item<'_>], remarks: &mut Remarks) -> Vec<Sheet> {
    let given = plan.sheets.iter().find(|sheet| sheet.file == BAG_INFO);
    let mut sheets = vec![bag_info(given, plan, payload)];
    for sheet in plan.sheets.iter().filter(|sheet| sheet.file != BAG_INFO) {
        sheets.push(sheet.clone());
    }
    for (at, sheet) in sheets.iter().enumerate() {
        check_name(&sheet.file, remarks);
        let reserved = sheet.file == "bagit.txt" || sheet.file == "fetch.txt";
        let inner =
            ["data/", "manifest-", "tagmanifest-"].iter().any(|s| sheet.file.starts_with(s));
        if reserved || inner || sheets[..at].iter().any(|other| other.file == sheet.file) {
            let sentence = "Another file of the bag has this name. Choose another for the tags.";
            remarks.add(Code::SourcePathTaken, &sheet.file, sentence);
        }
        for (name, value) in &sheet.tags {
            check_tag(&sheet.file, name, value, remarks);
        }
    }
    sheets
}

/// Sizes are what they are, whatever was given; dates and agents are what was given, if anything.
fn bag_info(given: Option<&Sheet>, plan: &Plan<'_>, payload: &[Item<'_>]) -> Sheet {
    let bytes = total_bytes(payload);
    let mut tags = given.map(|sheet| sheet.tags.clone()).unwrap_or_default();
    let mut fill = |name: &str, value: String, always: bool| {
        let is = |tag: &(String, String)| tag.0.trim().eq_ignore_ascii_case(name);
        match tags.iter().position(is) {
            Some(at) if always => {
                tags[at].1 = value;
                let mut seen = 0;
                tags.retain(|tag| {
                    seen += usize::from(is(tag));
                    !is(tag) || seen == 1
                });
            }
            Some(_) => {}
            None => tags.push((name.to_owned(), value)),
        }
    };
    let named = plan.profile.map(|profile| profile.identity.identifier.as_str());
    if let Some(identifier) = named.filter(|identifier| !identifier.is_empty()) {
        fill("BagIt-Profile-Identifier", identifier.to_owned(), false);
    }
    if !plan.agent.is_empty() {
        fill("Bag-Software-Agent", plan.agent.clone(), false);
    }
    fill("Bagging-Date", plan.date.to_string(), false);
    fill("Payload-Oxum", format!("{bytes}.{}", payload.len()), true);
    fill("Bag-Size", human(bytes), true);
    Sheet { file: BAG_INFO.to_owned(), tags }
}

/// Bytes for people: three digits at most, in thousands.
fn human(bytes: u64) -> String {
    let mut unit = "B";
    let (mut whole, mut tenth) = (bytes, 0);
    for next in ["kB", "MB", "GB", "TB", "PB", "EB"] {
        if whole < 1000 {
            break;
        }
        tenth = whole % 1000 / 100;
        whole /= 1000;
        unit = next;
    }
    if unit == "B" || whole >= 100 {
        format!("{whole} {unit}")
    } else {
        format!("{whole}.{tenth} {unit}")
    }
}

fn check_tag(file: &str, name: &str, value: &str, remarks: &mut Remarks) {
    let place = format!("{file} {name}");
    if name.trim().is_empty() || name.trim() != name || name.contains([':', '\r', '\n']) {
        let sentence = "A label must not be empty, have a colon or line break in it, or white \
                        space about it.";
        remarks.add(Code::PlanTagUnusable, &place, sentence);
    }
    let limit = Limits::default().line_bytes;
    if rendered(name, value).iter().any(|line| line.len() > limit) {
        let sentence = format!("A line is longer than {limit} bytes. Break it into several lines.");
        remarks.add(Code::LineTooLong, &place, sentence);
    }
    let strange = |c: char| c.is_control() && !matches!(c, '\t' | '\r' | '\n');
    if name.chars().chain(value.chars()).any(strange) {
        let sentence = "There is a control character in it. Remove it.";
        remarks.add(Code::PlanTagUnusable, &place, sentence);
    }
}

/// The bytes of a sheet. A value of several lines is folded: lines after the first are indented, as
/// the standard asks, and empty ones are left out, because they would end the tag.
pub(super) fn render(sheet: &Sheet) -> Vec<u8> {
    let mut text = String::new();
    for (name, value) in &sheet.tags {
        for line in rendered(name, value) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text.into_bytes()
}

/// The lines of one tag.
fn rendered(name: &str, value: &str) -> Vec<String> {
    let mut lines = lines_of(value);
    let first = format!("{name}: {}", lines.next().unwrap_or_default());
    std::iter::once(first).chain(lines.map(|line| format!("  {line}"))).collect()
}

fn lines_of(value: &str) -> impl Iterator<Item = &str> {
    value.split(['\r', '\n']).map(str::trim).filter(|line| !line.is_empty())
}

/// `bagit.txt` and all sheets, as entries.
pub(super) fn entries(sheets: &[Sheet]) -> Vec<Entry<'static>> {
    let declaration = ("bagit.txt".to_owned(), DECLARATION.as_bytes().to_vec());
    let sheets = sheets.iter().map(|sheet| (sheet.file.clone(), render(sheet)));
    std::iter::once(declaration)
        .chain(sheets)
        .map(|(path, bytes)| Entry {
            path,
            size_bytes: bytes.len() as u64,
            modified: None,
            expected: None,
            content: Content::Bytes(bytes),
        })
        .collect()
}

/// Holds the bag that would come of the plan against its profile.
pub(super) fn judge(
    plan: &Plan<'_>,
    sheets: &[Sheet],
    payload: &[Item<'_>],
    remarks: &mut Remarks,
) {
    let Some(profile) = plan.profile else { return };
    let facts = facts(plan, sheets, payload);
    remarks.raise(|code| profile.raises(&facts, code));
    let mut findings = profile.judge(&facts);
    if let Some(mut watch) = profile.payload_watch() {
        payload.iter().for_each(|item| watch.see(&item.path));
        findings.extend(watch.findings());
    }
    remarks.0.extend(findings);
}

fn facts(plan: &Plan<'_>, sheets: &[Sheet], payload: &[Item<'_>]) -> BagFacts {
    let (serialization, top_folder) = match plan.form {
        Form::Folder(_) => (Serialization::Folder, None),
        Form::Tar => (Serialization::Tar, Some(plan.name.clone())),
    };
    let algorithms: Vec<String> = plan.algorithms.iter().map(|one| one.name().to_owned()).collect();
    let given = plan.tag_files.iter().map(|entry| entry.path.clone());
    let own = std::iter::once("bagit.txt".to_owned());
    let tags = sheets.iter().flat_map(|sheet| {
        let tag = |(name, value): &(String, String)| Tag {
            file: sheet.file.clone(),
            name: name.clone(),
            // As it is read back from its lines.
            value: lines_of(value).collect::<Vec<_>>().join(" "),
        };
        sheet.tags.iter().map(tag)
    });
    BagFacts {
        name: archive_name(&plan.target, plan.form),
        serialization,
        top_folder,
        version: Some("1.0".to_owned()),
        encoding: Some("UTF-8".to_owned()),
        manifests: algorithms.clone(),
        tag_manifests: algorithms,
        tag_files: own.chain(sheets.iter().map(|sheet| sheet.file.clone())).chain(given).collect(),
        tags: tags.collect(),
        fetch_count: None,
        payload_count: payload.len() as u64,
        payload_bytes: total_bytes(payload),
    }
}

fn archive_name(target: &Path, form: Form) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    match form {
        Form::Folder(_) => name.into_owned(),
        Form::Tar => split_name(target).map_or_else(|| name.into_owned(), |(name, _)| name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        let check = |bytes, text| assert_eq!(human(bytes), text);
        check(0, "0 B");
        check(999, "999 B");
        check(1_000, "1.0 kB");
        check(99_950, "99.9 kB");
        check(123_456, "123 kB");
        check(5_300_000_000, "5.3 GB");
        check(u64::MAX, "18.4 EB");
    }

    #[test]
    fn values_of_several_lines_are_folded() {
        let tags = vec![
            ("A".to_owned(), " one\r\n\r\n two\n".to_owned()),
            ("Empty".to_owned(), String::new()),
        ];
        let sheet = Sheet { file: "x.txt".to_owned(), tags };
        assert_eq!(render(&sheet), b"A: one\n  two\nEmpty: \n");
    }
}
