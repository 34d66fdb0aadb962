//! The audio files of an object that is held, as episodes or clips. The files stay where they are.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{
    Added, Error as RegistryError, FileRow, HeldState, Location, NewRecording, RecordingKind,
};

use super::research::{ADDED_MAX, CatalogueWish};
use super::{Desk, DeskError};

/// Longest title, in letters.
const TITLE_MAX: usize = 250;
/// Ends of names that recordings have which the analyst reads.
const ENDS: [&str; 8] = ["mp3", "m4a", "m4b", "aac", "flac", "ogg", "oga", "wav"];

/// An object whose audio files are to be episodes or clips.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectWish {
    /// Its identifier.
    pub object: String,
}

impl Desk<'_> {
    /// Adds every audio file of an object, in its newest version; all of them or none.
    pub fn add_from_object(
        &self,
        kind: RecordingKind,
        wish: &ObjectWish,
    ) -> Result<Added, DeskError> {
        let object = self.held_object(wish.object.trim())?;
        let (mut recordings, mut titles) = (Vec::new(), BTreeSet::new());
        self.app.registry.walk_files::<DeskError>(object.id, object.version, &mut |file| {
            if !is_audio(&file) {
                return Ok(());
            }
            let recording = recording(file, self.caller.name());
            if recordings.len() == ADDED_MAX || !titles.insert(recording.title.clone()) {
                let rule = format!(
                    "may have {ADDED_MAX} audio files whose last {TITLE_MAX} letters differ: add \
                     them from a file instead"
                );
                return Err(RegistryError::Invalid { field: "the object", rule }.into());
            }
            recordings.push(recording);
            Ok(())
        })?;
        if recordings.is_empty() {
            let rule = "must have a file whose media type or name is that of a recording".into();
            return Err(RegistryError::Invalid { field: "the object", rule }.into());
        }
        Ok(self.add_recordings(kind, &CatalogueWish { recordings })?.added())
    }
}

/// Whether a file is a recording, by what was identified or by its name.
fn is_audio(file: &FileRow) -> bool {
    let end = file.path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    let named = end.is_some_and(|(_, end)| ENDS.iter().any(|it| it.eq_ignore_ascii_case(end)));
    file.state == HeldState::Active
        && file.is_payload()
        && (named || file.file_format.starts_with("audio/"))
}

/// The recording that a file is. Its title is where it lies, so that no two have the same.
fn recording(file: FileRow, curator: &str) -> NewRecording {
    let path = file.path.strip_prefix("data/").unwrap_or(&file.path);
    let whole = format!("{}/{path}", file.object_identifier);
    let letters: Vec<char> =
        whole.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    let first = letters.len().saturating_sub(TITLE_MAX);
    let media_type = Some(file.file_format).filter(|it| it.starts_with("audio/"));
    NewRecording {
        title: letters[first..].iter().collect(),
        description: String::new(),
        date_aired: None,
        location: Location::Vault { object: file.object_identifier, path: file.path },
        media_type: media_type.unwrap_or_default(),
        curator: curator.to_owned(),
        priority: 0,
        first_curated_at: None,
        last_curated_at: None,
    }
}
