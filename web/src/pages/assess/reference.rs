//! The reference data that assessments stand on: versions, layers, quality, loading, rolling back.

use maud::{Markup, html};
use serde::Serialize;

use super::quality::{QualityReport, quality};
use crate::parts::{
    Badge, Field, Progress, badge, digest, empty, num, path, progress, size, tick, time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the page of reference data shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReferencePage {
    /// The versions, the active one first.
    pub versions: Vec<ReferenceVersion>,
    /// The load that runs now.
    pub running: Option<LoadRun>,
    /// What was looked at last, whether it was put to use or refused.
    pub report: Option<QualityReport>,
    /// What was found in the version in use, where that is not the same.
    pub report_in_use: Option<QualityReport>,
    /// Whether who looks may load and roll back.
    pub may_keep: bool,
    /// The folder that was typed last.
    pub folder: String,
    /// What was wrong with the last try.
    pub problem: Option<String>,
    /// The version that rolling back leads to; none when there is none. Asked about at
    /// `/reference-data/roll-back`.
    pub roll_back_to: Option<String>,
}

/// One version of the reference data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReferenceVersion {
    /// Its name, as its manifest has it.
    pub version: String,
    /// Whether it is the one in use.
    pub is_active: bool,
    /// A word for how it stands.
    pub state: Badge,
    /// When it was loaded, as RFC 3339 in UTC.
    pub loaded: String,
    /// Who loaded it.
    pub by: String,
    /// Its layers.
    pub layers: Vec<LayerRow>,
}

/// One layer or table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LayerRow {
    /// Its name for people.
    pub label: String,
    /// Its name in the manifest.
    pub name: String,
    /// Rows in it.
    pub count: u64,
    /// Bytes that it takes here.
    pub size: u64,
    /// The digest of the file that it was packed into.
    pub sha256: String,
}

/// A load that is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LoadRun {
    /// The item that works on it.
    pub item: Option<u64>,
    /// Whether it was refused, and waits for somebody to mend its files.
    pub is_refused: bool,
    /// The folder that is loaded.
    pub folder: String,
    /// When it began, as RFC 3339 in UTC.
    pub started: String,
    /// How far it is.
    pub progress: Option<Progress>,
}

/// Renders the page of reference data.
pub fn reference_page(shell: &Shell, page: &ReferencePage) -> Markup {
    let main = html! {
        h1 { "Reference data" }
        p.lead {
            "The layers that sites are compared with: land, treatment works, authorities, \
             catchments. All layers of a version are put to use together or not at all, and every \
             result says which version it was made with."
        }
        div #reference-data data-refresh="/fragments/reference-data" data-every="5" {
            (reference_fragment(page))
        }
        @if page.may_keep { (deeds(page)) }
    };
    document(shell, Frame::Live, main)
}

/// Renders what changes on it; served at `/fragments/reference-data`.
pub fn reference_fragment(page: &ReferencePage) -> Markup {
    html! {
        @if let Some(run) = &page.running { (running(run)) }
        @if page.versions.is_empty() && page.running.is_none() {
            (empty("No reference data is here yet.", html! {
                "Nothing can be assessed without it. "
                @if page.may_keep {
                    "Copy the layers and their manifest into a folder on the server, and name the \
                     folder below."
                } @else { "Ask an administrator to load it." }
            }))
        }
        @for (at, version) in page.versions.iter().enumerate() { (version_panel(version, at)) }
        @if let Some(report) = &page.report { (quality(report, "quality-heading")) }
        @if let Some(report) = &page.report_in_use { (quality(report, "in-use-heading")) }
    }
}

fn running(run: &LoadRun) -> Markup {
    if run.is_refused {
        return refused(run);
    }
    html! {
        section.panel aria-labelledby="running-heading" {
            h2 #running-heading { "A version is being loaded" }
            p { "From " code { (run.folder) } ", since " (time(&run.started)) "." }
            @if let (Some(item), Some(known)) = (run.item, &run.progress) { (progress(item, known)) }
            p.quiet { "Until it is checked and put to use, assessments go on with the one before." }
            @if let Some(item) = run.item {
                p { a href=(path(&["items", &item.to_string()])) { "See item " (item) } }
            }
        }
    }
}

fn refused(run: &LoadRun) -> Markup {
    html! {
        section.panel aria-labelledby="running-heading" {
            h2 #running-heading { "A load was refused" }
            p {
                "The files of " code { (run.folder) } " were not put to use; what is wrong with them \
                 is told below. Mend them and requeue the item, or load another folder."
            }
            @if let Some(item) = run.item {
                p { a href=(path(&["items", &item.to_string()])) { "See item " (item) } }
            }
        }
    }
}

fn version_panel(version: &ReferenceVersion, at: usize) -> Markup {
    let id = format!("version-{at}");
    html! {
        section.panel aria-labelledby=(id) {
            h2 id=(id) { "Version " bdi { (version.version) } " " (badge(&version.state)) }
            p.quiet {
                "Loaded " (time(&version.loaded))
                @if !version.by.is_empty() { " by " bdi { (version.by) } }
                "."
            }
            @if version.is_active { (layers(&version.layers)) } @else {
                details id={ (id) "-layers" } {
                    summary {
                        "Its layers" span.unseen { " of version " (version.version) }
                    }
                    (layers(&version.layers))
                }
            }
        }
    }
}

fn layers(rows: &[LayerRow]) -> Markup {
    html! {
        table.layers {
            thead { tr {
                th scope="col" { "Layer" }
                th.num scope="col" { "Rows" }
                th.num scope="col" { "Size" }
                th scope="col" { "SHA-256" }
            } }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (row.label) div.quiet { code { (row.name) } } }
                        (num("Rows", row.count))
                        td.num data-label="Size" { (size(row.size)) }
                        td.say data-label="SHA-256" { (digest(&row.sha256)) }
                    }
                }
            }
        }
    }
}

fn deeds(page: &ReferencePage) -> Markup {
    html! {
        section.panel aria-labelledby="load-heading" {
            h2 #load-heading { "Load a version" }
            @if let Some(problem) = &page.problem {
                p.notice.bad #problem role="alert" { (problem) }
            }
            form.entry.narrow method="post" action="/reference-data/load" {
                div.field {
                    label for="folder" { "Folder on the server" }
                    input #folder name="folder" type="text" value=(page.folder) required
                        autocomplete="off" dir="auto" aria-describedby="folder-hint";
                    p.hint #folder-hint {
                        "With the layers as GeoPackages, the lookups and a manifest. It is read, \
                         never changed."
                    }
                }
                (tick(Field { label: "Load it even if the same is in use, or its name has other content",
                    name: "force", value: "true" }, false))
                div.actions { button.solid type="submit" { "Load and check" } }
            }
        }
        @if let Some(version) = &page.roll_back_to {
            section.panel aria-labelledby="back-heading" {
                h2 #back-heading { "Roll back" }
                p {
                    "Version " bdi { (version) } " is still here. Rolling back puts it to use \
                     again; results that are there stay as they are."
                }
                p { a.button.danger #roll-back href="/reference-data/roll-back" {
                    "Roll back to " (version) "\u{2026}"
                } }
            }
        }
    }
}
