//! Bytes that are read at any position, and files that are there in full or not at all.
//!
//! What the engines share, and nothing of the appliance: [`read_at`] reads files, parts of files and
//! memory at any position; [`little_endian`] reads numbers; [`regular`] opens files that are files;
//! [`zip_directory`] lists a zip entry by entry; [`xml_bounds`] looks at XML before a parser does;
//! [`durable`] writes; [`record`] makes bytes of values, with a version; [`cancel`] ends work that
//! nobody waits for any more; [`causes`] puts an error and its causes in one line.
//!
//! It promises that bytes written by others make none of this panic, nor take memory without bound,
//! and that [`durable::write`] leaves the old file or the new one after a crash. It never follows a
//! name that a file contains.
//!
//! ```
//! use byteio::read_at::{Extent, ReadAt};
//!
//! let bytes: &[u8] = b"strongroom";
//! let mut room = [0; 4];
//! assert_eq!(bytes.fill_at(&mut room, 6).unwrap(), 4);
//! assert_eq!(&room, b"room");
//! assert_eq!(bytes.size_bytes(), 10);
//! ```

pub mod cancel;
pub mod causes;
pub mod durable;
pub mod little_endian;
pub mod read_at;
pub mod record;
pub mod regular;
#[cfg(feature = "testing")]
pub mod testing;
pub mod xml_bounds;
pub mod zip_directory;
