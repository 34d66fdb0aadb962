//! The boundary that an older job message names by a key: looked for in one folder, and nowhere else.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path};

use nutrients::{Code, Limits};

use super::DeskError;
use super::site_form::bad;
use crate::config::Config;

/// Keys of stores are no longer.
const KEY_BYTES: usize = 1024;

/// The bytes below a key, with the name that says their format.
pub(super) fn fetched(config: &Config, key: &str) -> Result<(String, Vec<u8>), DeskError> {
    let Some(folder) = &config.assess.inputs else {
        let sentence = "the message names an object in a store, which is not fetched: assess.inputs \
                        names no folder; send the boundary in the message, or as a file beside it";
        return Err(bad(Code::UnreadableMessage, sentence));
    };
    let path = Path::new(key);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let name = path.file_name().and_then(|name| name.to_str());
    let Some(name) = name.filter(|_| plain && key.len() <= KEY_BYTES && !key.contains('\\')) else {
        let sentence = "s3_input_key is no plain key: give names with slashes between them";
        return Err(bad(Code::UnreadableMessage, sentence));
    };
    let shown: String = key.chars().take(80).collect();
    let most = Limits::default().file_bytes;
    let mut bytes = Vec::new();
    // One byte more tells that it is too large, which its reader says.
    let read = File::open(folder.within(&config.data).join(path))
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok((name.to_owned(), bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let sentence = format!(
                "the message names \"{shown}\", which is not where inputs are left; put it there and \
                 send the message again"
            );
            Err(bad(Code::UnreadableMessage, sentence))
        }
        Err(error) => Err(DeskError::Input(shown, error)),
    }
}
