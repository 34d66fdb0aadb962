//! The containers in which formats hide: zips (OOXML, ODF, EPUB) and compound files (old Office).
//!
//! Signatures ask whether a path is there and what its first bytes are. Nothing else of a
//! container is kept, and nothing of it is believed before it was checked.

mod contents;
mod damage;
pub(crate) mod inside;
mod ole2;
#[cfg(test)]
mod tests;
mod zip;
