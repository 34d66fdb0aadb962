//! E-mail as files, for sites without a network: whoever carries them out sends them.

use std::path::Path;

use storage::durable;
use storage::registry::OutboxRow;

use super::Trouble;

/// Puts a message into the folder, whole or not at all. The same row has the same name: written
/// again, it is still one file.
pub(super) fn put(folder: &Path, row: &OutboxRow, letter: &[u8]) -> Result<(), Trouble> {
    let path = folder.join(format!("{}-{}.eml", row.created_at.0, row.id));
    let written = durable::create_folder(folder).and_then(|()| durable::write(&path, letter, true));
    written.map_err(|error| Trouble::Way(format!("cannot write {}: {error}", path.display())))
}
