//! How a check ends that found a loss: as failed, with the files named and what to do.
//!
//! What is lost is asked of the registry and not only of this attempt: an attempt that was interrupted
//! may have found it. Nothing is parked: the alert stays until the file is repaired, and the next check
//! finds the loss again.

use storage::registry::{CopyRow, CopyState, LostFile, ObjectRow, ReplicaClass, ReplicaId};
use storage::work::item::Reason;

use super::mending::Mended;
use crate::alerts::{lost_advice, lost_frame_advice};
use crate::app::App;
use crate::fault::Fault;

/// Lost files that are counted; a sentence says when there are more.
const COUNTED: u32 = 1000;
/// Those that are named.
const NAMED: usize = 5;
/// Those that are looked for in cold storage.
const LOOKED_AT: usize = 100;
/// Replicas that the registry is asked for; a configuration has far fewer.
const REPLICAS: u32 = 1000;

/// Why a check fails that found a loss; none if nothing is lost.
pub(super) fn reason(app: &App, object: &ObjectRow, sum: &Mended) -> Result<Option<Reason>, Fault> {
    let files = app.registry.lost_files(object.id, None, COUNTED)?;
    let example = sum.lost_example.as_deref();
    let (what, paths): (String, Vec<&str>) = match (files.is_empty(), example) {
        (false, _) => {
            (files_in_words(&files), files.iter().map(|file| file.content_path.as_str()).collect())
        }
        (true, Some(path)) if app.registry.contents_at(object.id, path)?.is_empty() => {
            (format!("{path}, which describes the object"), vec![path])
        }
        (true, Some(path)) => (path.to_owned(), vec![path]),
        (true, None) => return Ok(None),
    };
    Ok(Some(Reason {
        code: "no-intact-copy".into(),
        happened: format!("No hot replica has an intact copy of {what}."),
        kept: "What is left of every copy is kept where it is. Everything else is intact or was \
               repaired."
            .into(),
        advice: advice(app, object, &paths)?,
    }))
}

fn files_in_words(files: &[LostFile]) -> String {
    let name = |file: &LostFile| format!("{} (version {})", file.path, file.version);
    let names: Vec<String> = files.iter().take(NAMED).map(name).collect();
    match files.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        1 => format!("{} and 1 more file", names.join(", ")),
        more if files.len() == COUNTED as usize => {
            format!("{} and at least {more} more files", names.join(", "))
        }
        more => format!("{} and {more} more files", names.join(", ")),
    }
}

/// What to do about what lay at these paths of the object.
pub(super) fn advice(app: &App, object: &ObjectRow, paths: &[&str]) -> Result<String, Fault> {
    let cold = cold_replicas(app)?;
    let (mut page, mut in_cold) = (None, Vec::new());
    for path in paths.iter().take(LOOKED_AT) {
        for content in app.registry.contents_at(object.id, path)? {
            if page.is_none() {
                let file = app.registry.file(content.file_id)?;
                page = file.map(|file| format!("/files/{}", file.uuid));
            }
            let copies = app.registry.copies(content.file_id, content.version)?;
            let has =
                |copy: &CopyRow| copy.state == CopyState::Sound && cold.contains(&copy.replica_id);
            in_cold.push(copies.into_iter().find(has).map(|copy| copy.replica));
        }
    }
    if paths.len() > LOOKED_AT {
        in_cold.push(None);
    }
    Ok(match page {
        Some(page) => lost_advice(&page, in_cold.iter().map(Option::as_deref)),
        None => lost_frame_advice(&web::object_path(&object.identifier, object.id.0)),
    })
}

fn cold_replicas(app: &App) -> Result<Vec<ReplicaId>, Fault> {
    let rows = app.registry.replicas(REPLICAS)?;
    let cold = rows.iter().filter(|row| row.replica.class == ReplicaClass::Cold);
    Ok(cold.map(|row| row.id).collect())
}
