//! What several pages of research say in the same way.

use std::path::Path;

use storage::registry::{Location, Recording, RecordingKind};
use web::{AddRecordings, Badge, Fact, FactValue, Here, Link, Pager, Player, Tone, object_path};

use crate::http::Visit;
use crate::http::asked::{bad, page_number};
use crate::http::refusal::Refusal;
use crate::http::research::media;
use crate::rights::Right;

/// What a form brings around its file, at most.
const AROUND: u64 = 4096;
/// Most that are counted; the registry counts one further.
const COUNTED: u32 = 10_000;

pub(super) fn plural(kind: RecordingKind) -> &'static str {
    match kind {
        RecordingKind::Episode => "Episodes",
        RecordingKind::Clip => "Clips",
    }
}

pub(super) fn here(kind: RecordingKind) -> Here {
    match kind {
        RecordingKind::Episode => Here::Episodes,
        RecordingKind::Clip => Here::Clips,
    }
}

/// The address of all, or of one.
pub(super) fn address(kind: RecordingKind) -> &'static str {
    match kind {
        RecordingKind::Episode => "/research/episodes",
        RecordingKind::Clip => "/research/clips",
    }
}

pub(super) fn link(kind: RecordingKind, id: u32, title: &str) -> Link {
    Link::new(format!("{}/{id}", address(kind)), title)
}

/// The forms that add more, for those who may.
pub(super) fn adding(visit: &Visit, adding: AddRecordings) -> Option<AddRecordings> {
    let most_bytes = most_bytes(visit);
    visit.may(Right::KeepResearch).then_some(AddRecordings { most_bytes, ..adding })
}

/// The largest file of a form.
pub(super) fn most_bytes(visit: &Visit) -> u64 {
    visit.config.http.body_limit_bytes.saturating_sub(AROUND)
}

/// How far a recording is: of how many others it was searched with.
pub(super) fn state(is_troubled: bool, (searched, all): (u64, u64)) -> Badge {
    match (is_troubled, searched) {
        (true, _) => Badge::new("Failed", Tone::Bad),
        (false, 0) => Badge::new("Waiting", Tone::Calm),
        (false, searched) if searched < all => Badge::new("Being searched", Tone::Busy),
        (false, _) => Badge::new("Searched", Tone::Good),
    }
}

/// How a recording is played, when this house may read it.
pub(super) fn player(visit: &Visit, kind: RecordingKind, recording: &Recording) -> Option<Player> {
    let folders = &visit.config.researching.media_folders;
    let may_be_read = match &recording.location {
        Location::Vault { .. } | Location::Url { .. } => true,
        Location::File { path } => folders.iter().any(|it| Path::new(path).starts_with(it)),
    };
    let media_type = match media::kind_of(recording) {
        "application/octet-stream" => String::new(),
        known => known.to_owned(),
    };
    let href = format!("/api/v1{}/{}/media", address(kind), recording.id);
    may_be_read.then_some(Player { href, media_type })
}

/// What is known of a recording.
pub(super) fn facts(recording: &Recording) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(aired) = recording.date_aired {
        facts.push(Fact::new("Aired", FactValue::Time(aired.to_string())));
    }
    match &recording.location {
        Location::Vault { object, path } => {
            let link = Link::new(object_path(object, 0), object.clone());
            facts.push(Fact::new("Object", FactValue::Link(link)));
            facts.push(Fact::new("File", FactValue::Code(path.clone())));
        }
        Location::File { path } => facts.push(Fact::new("File", FactValue::Code(path.clone()))),
        Location::Url { url } => facts.push(Fact::new("Address", FactValue::Code(url.clone()))),
    }
    if !recording.media_type.is_empty() {
        facts.push(Fact::new("Media type", FactValue::Code(recording.media_type.clone())));
    }
    if let Some(length) = recording.duration_ns {
        facts.push(Fact::new("Length", FactValue::Seconds(length as f64 / 1e9)));
    }
    if let Some(sha256) = &recording.sha256 {
        facts.push(Fact::new("SHA-256", FactValue::Digest(sha256.clone())));
    }
    for note in &recording.notes {
        facts.push(Fact::text("Note", note.clone()));
    }
    if !recording.curator.is_empty() {
        facts.push(Fact::text("Curator", recording.curator.clone()));
    }
    facts.push(Fact::text("Priority", recording.priority.to_string()));
    let time = |at: storage::clock::Timestamp| FactValue::Time(at.to_string());
    facts.push(Fact::new("Added", time(recording.first_curated_at)));
    facts.push(Fact::new("Last told", time(recording.last_curated_at)));
    facts
}

/// Refuses fields that a list does not have.
pub(super) fn only(pairs: &[(String, String)], known: &[&str]) -> Result<(), Refusal> {
    match pairs.iter().find(|(name, value)| !value.is_empty() && !known.contains(&name.as_str())) {
        Some((name, _)) => {
            Err(bad(name, format!("is not known here; known are {}", known.join(", "))))
        }
        None => Ok(()),
    }
}

/// Which page is asked for: its number, and how many rows are before it.
pub(super) fn leaf(pairs: &[(String, String)], per_page: u64) -> Result<(u64, u64), Refusal> {
    let page = u64::from(page_number(pairs, "page")?);
    Ok((page, (page - 1).saturating_mul(per_page)))
}

/// The way to the rows before and after.
pub(super) fn pager((page, per_page): (u64, u64), shown: usize, count: u32) -> Pager {
    Pager {
        page,
        per_page,
        shown: shown as u64,
        total: count.min(COUNTED).into(),
        at_least: count > COUNTED,
        export: String::new(),
    }
}
