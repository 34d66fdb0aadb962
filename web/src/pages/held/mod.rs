//! What is held: the objects, one of them, a file, and what happened to them.

mod checking;
mod copies;
mod event;
mod events;
mod file;
mod files;
mod files_filter;
mod folder;
mod formats;
mod object;
mod objects;
mod objects_filter;
mod restoring;
mod timeline;
mod versions;

pub use checking::CheckWish;
pub use copies::{CopyLine, Safety};
pub use event::{EventPage, event_page};
pub use events::{EventChoices, EventFilter, EventsPage, events_page};
pub use file::{FilePage, FileVersionRow, LostVersion, ReplaceForm, file_page};
pub use files::{FileLine, FilesPage, files_page};
pub use files_filter::FileFilter;
pub use folder::{FolderLine, FolderView};
pub use formats::FormatBar;
pub use object::{ObjectPage, object_page};
pub(super) use objects::found_files;
pub use objects::{FoundFile, FoundFiles, ObjectRow, ObjectsPage, objects_page};
pub use objects_filter::{ObjectChoices, ObjectFilter};
pub use restoring::RestoreWish;
pub use timeline::EventLine;
pub use versions::{TagGroup, TagRow, VersionRow};

use crate::parts::path;

/// The address of an object's page: by its identifier, which outlives this registry, or by its
/// number where a browser would read a part of the identifier as a way up.
pub fn object_path(identifier: &str, id: i64) -> String {
    let parts: Vec<&str> = identifier.split('/').collect();
    if parts.iter().any(|part| [".", "..", ""].contains(part)) {
        return path(&["objects", &id.to_string()]);
    }
    format!("/objects{}", path(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_identifiers_have_an_address() {
        assert_eq!(object_path("a.org/b c?#%", 7), "/objects/a.org/b%20c%3F%23%25");
        assert_eq!(object_path("a.org/..", 7), "/objects/7");
    }
}
