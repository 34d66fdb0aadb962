//! How much an input may be.

use byteio::cancel::Cancel;
use serde::{Deserialize, Serialize};

use super::finding::{Code, Finding};

/// Bounds on what is read; every one of them is checked before the memory is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of the file as it comes.
    pub file_bytes: u64,
    /// Entries of an archive.
    pub zip_entries: u64,
    /// Bytes of one entry of an archive when unpacked.
    pub zip_entry_bytes: u64,
    /// How many times larger an entry may be than its packed bytes, past the first mebibyte.
    pub zip_ratio: u64,
    /// Features of a file.
    pub features: usize,
    /// Vertices of one feature.
    pub vertices: usize,
    /// Vertices of all features.
    pub vertices_in_all: usize,
    /// Bytes of a job message.
    pub message_bytes: usize,
    /// Hectares of a boundary that somebody uploads; 0 for any.
    pub area_ha: u32,
    /// Ends the reading when nobody waits for it any more.
    #[serde(skip)]
    pub cancel: Cancel,
}

impl Default for Limits {
    /// For a boundary that somebody uploads.
    fn default() -> Limits {
        Limits {
            file_bytes: 2 << 20,
            zip_entries: 1000,
            zip_entry_bytes: 32 << 20,
            zip_ratio: 200,
            features: 1000,
            vertices: 100_000,
            vertices_in_all: 1_000_000,
            message_bytes: 262_144,
            area_ha: 0,
            cancel: Cancel::default(),
        }
    }
}

impl Limits {
    /// Says no when nobody waits for the answer any more: asked between two features.
    pub(crate) fn still_wanted(&self) -> Result<(), Finding> {
        match self.cancel.is_cancelled() {
            false => Ok(()),
            true => {
                let sentence = "the request ended before the file was read; send it again";
                Err(Finding::new(Code::UnreadableGeometryFile, sentence))
            }
        }
    }

    /// For a file of many sites that an operator assesses.
    pub fn batch() -> Limits {
        Limits {
            file_bytes: 1 << 30,
            zip_entry_bytes: 1 << 30,
            features: 1_000_000,
            vertices_in_all: 50_000_000,
            ..Limits::default()
        }
    }
}
