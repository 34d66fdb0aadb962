//! The files of an object, folder by folder.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Link, cell, count, counted, empty, human_size};

/// What is shown of one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FolderView {
    /// The folders from the object down to this one, this one last; each with its address.
    pub crumbs: Vec<Link>,
    /// Which version of the object this is.
    pub version: u64,
    /// Whether that is the newest one.
    pub is_newest: bool,
    /// What is in the folder.
    pub lines: Vec<FolderLine>,
    /// The address of this folder from its start, unless this is it.
    pub first: Option<String>,
    /// The address of what follows.
    pub next: Option<String>,
}

/// A file or a folder in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FolderLine {
    /// Where it is looked into.
    pub href: String,
    /// Its name.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Files in and below it; none for a file that was deleted.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
    /// Whether there are more files below than were counted.
    pub at_least: bool,
    /// The last version whose bag had the file, when the bag of the version shown had not.
    pub kept_from: Option<u64>,
}

/// Renders the folder as a section.
pub(super) fn folder(view: &FolderView) -> Markup {
    html! {
        section #files aria-labelledby="files-heading" {
            h2 #files-heading {
                "Files"
                @if !view.is_newest { span.tally { "version " (count(view.version)) } }
            }
            nav.crumbs aria-label="Folders" {
                @for (at, crumb) in view.crumbs.iter().enumerate() {
                    @if at > 0 { span aria-hidden="true" { "/" } }
                    @if at + 1 == view.crumbs.len() {
                        bdi aria-current="location" { (crumb.label) }
                    } @else { a href=(crumb.href) { bdi { (crumb.label) } } }
                }
            }
            @if view.lines.is_empty() { (nothing(view)) } @else {
                table.folder {
                    thead { tr {
                        th scope="col" { "Name" }
                        th scope="col" { "Kind" }
                        th.num scope="col" { "Size" }
                    } }
                    tbody { @for line in &view.lines { (row(line)) } }
                }
            }
            @if view.first.is_some() || view.next.is_some() {
                nav.pager aria-label="Pages of this folder" {
                    @if let Some(first) = &view.first { a.button href=(first) { "From the start" } }
                    @if let Some(next) = &view.next { a.button href=(next) rel="next" { "Next" } }
                }
            }
        }
    }
}

fn row(line: &FolderLine) -> Markup {
    let plus = if line.at_least { "+" } else { "" };
    let kind = match (line.is_folder, line.file_count) {
        (true, _) if line.at_least => format!("Folder, {}+ files", count(line.file_count)),
        (true, files) => format!("Folder, {}", counted(files, "file")),
        (false, 0) => "Deleted file".to_owned(),
        (false, _) => match line.kept_from {
            Some(version) => format!("File, kept from version {version}"),
            None => "File".to_owned(),
        },
    };
    html! {
        tr {
            th.place scope="row" {
                a href=(line.href) { bdi { (line.name) } @if line.is_folder { "/" } }
            }
            (cell("Kind", kind))
            td.num data-label="Size" { (human_size(line.size)) (plus) }
        }
    }
}

fn nothing(view: &FolderView) -> Markup {
    if view.next.is_some() {
        return empty(
            "None of the files looked at so far were in this version.",
            html! { "There are very many files here; go on with Next." },
        );
    }
    empty(
        "There is nothing in this folder.",
        html! { "Its name may be misspelt, or this version does not have it: choose a folder above." },
    )
}
