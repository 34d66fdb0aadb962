//! E-mail as files, for sites without a network: whoever carries them out sends them.

use std::path::Path;

use byteio::durable;

use super::Trouble;

/// Puts a message into the folder, whole or not at all. The same message has the same name: written
/// again, it is still one file.
pub(super) fn put(folder: &Path, name: &str, letter: &[u8]) -> Result<(), Trouble> {
    let path = folder.join(format!("{name}.eml"));
    let written = durable::create_folder(folder).and_then(|()| durable::write(&path, letter, true));
    written.map_err(|error| Trouble::Way(format!("cannot write {}: {error}", path.display())))
}
