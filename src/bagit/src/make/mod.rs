//! Makes bags: from a folder, or from entries that come from anywhere, as a folder or a tar.
//!
//! The same input and date give the same bytes. In a tar, entries are sorted by their bytes after
//! `bagit.txt`, `bag-info.txt` and the other tag files, folders stand before what is in them,
//! manifests come last; owner and group are 0 without names, files have mode 0644 and folders 0755,
//! and times are those of [`Times`]. Headers are ustar; a PAX header stands before an entry whose
//! name is not ASCII or does not fit, or whose size or time does not. In a folder the same modes
//! and times are set, but hard links keep those of the source, whose file they are.
//!
//! BagIt 1.0 and UTF-8, always. Every payload byte is read once. Nothing stands under the final
//! name until all of it is written and synced, and nothing that stands there is replaced.

mod check;
mod create;
mod draft;
mod gather;
mod manifest;
mod place;
mod plan;
mod pour;
mod tags;
mod tar;
mod tee;

pub use create::create;
pub use plan::{
    Content, Doubt, Entry, Form, Made, MakeError, Opener, Payload, Placing, Plan, Progress, Sheet,
    Times, Watch,
};
