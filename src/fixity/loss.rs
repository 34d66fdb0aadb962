//! How a check ends that found a loss: as failed, with the files named and what to do.
//!
//! What is lost is asked of the registry and not only of this attempt: an attempt that was interrupted
//! may have found it. Nothing is parked: the alert stays until the file is repaired, and the next check
//! finds the loss again.

use storage::registry::{LostFile, ObjectRow};
use storage::work::item::Reason;

use super::mending::Mended;
use crate::alerts::{lost_advice, lost_frame_advice};
use crate::app::App;
use crate::fault::Fault;

/// Lost files that are counted; a sentence says when there are more.
const COUNTED: u32 = 1000;
/// Those that are named.
const NAMED: usize = 5;

/// Why a check fails that found a loss; none if nothing is lost.
pub(super) fn reason(app: &App, object: &ObjectRow, sum: &Mended) -> Result<Option<Reason>, Fault> {
    let files = app.registry.lost_files(object.id, None, COUNTED)?;
    let (what, example) = match files.first() {
        Some(first) => (files_in_words(&files), first.content_path.as_str()),
        None => match sum.lost_example.as_deref() {
            Some(path) => (format!("{path}, which describes the object"), path),
            None => return Ok(None),
        },
    };
    Ok(Some(Reason {
        code: "no-intact-copy".into(),
        happened: format!("No hot replica has an intact copy of {what}."),
        kept: "What is left of every copy is kept where it is. Everything else is intact or was \
               repaired."
            .into(),
        advice: advice(app, object, example)?,
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

/// What to do about what lay at a path of the object.
pub(super) fn advice(app: &App, object: &ObjectRow, path: &str) -> Result<String, Fault> {
    let content = app.registry.contents_at(object.id, path)?.into_iter().next();
    let file = content.map(|content| app.registry.file(content.file_id)).transpose()?.flatten();
    Ok(match file {
        Some(file) => lost_advice(&format!("/files/{}", file.uuid)),
        None => lost_frame_advice(&web::object_path(&object.identifier, object.id.0)),
    })
}
