//! One file as its page shows it.

use storage::registry::{Digests, FileRow, HeldState, LostFile, Version};
use web::parts::query;
use web::{
    Badge, Fact, FactValue, FilePage, FileVersionRow, Link, LostVersion, ReplaceForm, RestoreWish,
    Tone, object_path,
};

use super::safety::{self, Fate};
use super::words::{capital, event_line, file_format, object_link};
use crate::alerts::cold_advice;
use crate::desk::FileDetail;
use crate::http::Visit;
use crate::http::deletions::offer;
use crate::http::refusal::Refusal;
use crate::rights::Right;

/// Versions listed.
const VERSIONS: usize = 50;

pub(super) fn value(visit: &Visit, which: &str) -> Result<FilePage, Refusal> {
    let FileDetail { file, versions, copies, events, deletion_request, kept_from } =
        visit.desk().file(which)?;
    let fate = Fate::of(file.state, deletion_request);
    let wanted = visit.vaults.option(&file.storage_option).map_or(1, |it| it.replicas.len());
    let (safety, copies) = safety::of_file(&copies, wanted, fate);
    let own = visit.keeps(Right::Restore, file.institution_id, file.access);
    let about = ("file", file.id.0, file.state);
    let deletion = offer(visit, about, file.institution_id, visit.user())?;
    let replacement = replacement(visit, &file, fate)?;
    let told = |event: &storage::registry::EventRow| {
        let mut line = event_line(event, false);
        line.about.clear();
        line.href.push_str(&query(&[("file", &file.uuid.to_string())]));
        line
    };
    Ok(FilePage {
        name: file.path.rsplit('/').next().unwrap_or(&file.path).to_owned(),
        object: object_link(&file.object_identifier, file.intellectual_object_id.0),
        folder: folder(&file),
        state: fate.badge(),
        restore: restore_wish(&file, None).filter(|_| fate == Fate::Held && own),
        safety,
        copies,
        replacement,
        facts: facts(&file, kept_from),
        warnings: file.format_warnings.iter().cloned().collect(),
        digests: digests(&file.digests),
        versions: versions
            .iter()
            .take(VERSIONS)
            .map(|it| version_row(it, &file))
            .map(|row| FileVersionRow { restore: row.restore.filter(|_| own), ..row })
            .collect(),
        events: events.iter().map(told).collect(),
        all_events_href: format!("/events?generic_file_id={}", file.id),
        deletion,
    })
}

/// Where the file is sent, if a version of it is lost and whoever looks at it may replace it.
fn replacement(visit: &Visit, file: &FileRow, fate: Fate) -> Result<Option<ReplaceForm>, Refusal> {
    if fate != Fate::Held || !visit.keeps(Right::Check, file.institution_id, file.access) {
        return Ok(None);
    }
    let line = |lost: &LostFile| LostVersion {
        version: u64::from(lost.version.0),
        size: lost.size,
        sha256: lost.digests.sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    let versions = visit.desk().lost_versions(file)?;
    let cold = versions.iter().find_map(|version| version.cold_replica.as_deref());
    let in_cold = cold.map(|cold| cold_advice("this page", cold));
    let lost: Vec<LostVersion> = versions.iter().take(VERSIONS).map(line).collect();
    let action = format!("/fixity/files/{}/replacement", file.id);
    Ok((!lost.is_empty()).then_some(ReplaceForm { action, lost, in_cold }))
}

fn folder(file: &FileRow) -> Option<Link> {
    let (folder, _) = file.path.rsplit_once('/')?;
    let object = object_path(&file.object_identifier, file.intellectual_object_id.0);
    Some(Link::new(format!("{object}{}#files", query(&[("folder", folder)])), folder))
}

fn facts(file: &FileRow, kept_from: Option<Version>) -> Vec<Fact> {
    let code = |name: &str, value: &str| Fact::new(name, FactValue::Code(value.to_owned()));
    let mut facts = vec![
        code("Path", &file.path),
        code("Identifier", &file.identifier),
        code("UUID", &file.uuid.to_string()),
        Fact::new("Size", FactValue::Bytes(file.size)),
        Fact::text("Format", file_format(file)),
        Fact::text("PUID", if file.puid.is_empty() { "unknown" } else { &file.puid }),
        Fact::text("Media type", file.file_format.clone()),
        Fact::text("Told by", basis(&file.format_basis)),
    ];
    if let Some(at) = file.modified_at {
        facts.push(Fact::new("Modified", FactValue::Time(at.to_string())));
    }
    facts.push(Fact::new("First held", FactValue::Time(file.created_at.to_string())));
    facts.push(Fact::new("This version", FactValue::Time(file.updated_at.to_string())));
    if let Some(version) = kept_from {
        let sentence = format!("kept from version {version}: later bags did not have it");
        facts.push(Fact::text("In its object", sentence));
    }
    if let Some(at) = file.deleted_at {
        facts.push(Fact::new("Deleted", FactValue::Time(at.to_string())));
    }
    if let Some(at) = file.last_fixity_check {
        facts.push(Fact::new("Last check", FactValue::Time(at.to_string())));
    }
    facts.push(Fact::text("Storage option", file.storage_option.clone()));
    facts.push(Fact::text("Access", capital(file.access.name())));
    facts.push(code("In the vault", &file.content_path));
    facts
}

/// What an identification rests on.
fn basis(word: &str) -> &str {
    match word {
        "container" => "files inside it (container signature)",
        "signature" => "bytes of the file (signature)",
        "extension" => "its extension alone",
        "text" => "reading it as text",
        "unknown" | "" => "nothing: it is unknown",
        other => other,
    }
}

fn digests(digests: &Digests) -> Vec<Fact> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    [
        ("MD5", hex(&digests.md5)),
        ("SHA-1", hex(&digests.sha1)),
        ("SHA-256", hex(&digests.sha256)),
        ("SHA-512", hex(&digests.sha512)),
    ]
    .map(|(name, hex)| Fact::new(name, FactValue::Digest(hex)))
    .to_vec()
}

fn version_row(version: &FileRow, current: &FileRow) -> FileVersionRow {
    let state = match Fate::of(version.state, None).badge() {
        Some(gone) => gone,
        None if version.version == current.version => Badge::new("Current", Tone::Good),
        None => Badge::new("Kept", Tone::Calm),
    };
    FileVersionRow {
        version: u64::from(version.version.0),
        recorded: version.updated_at.to_string(),
        size: version.size,
        format: file_format(version),
        sha256: version.digests.sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
        state,
        restore: restore_wish(version, Some(version)),
    }
}

/// How a file is restored, unless its bytes are gone.
fn restore_wish(file: &FileRow, version: Option<&FileRow>) -> Option<RestoreWish> {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    (file.state == HeldState::Active).then(|| RestoreWish {
        kind: "file".into(),
        number: file.id.0.unsigned_abs(),
        version: version.map(|it| u64::from(it.version.0)),
        about: version.map_or_else(|| name.into(), |it| format!("version {}", it.version)),
    })
}
