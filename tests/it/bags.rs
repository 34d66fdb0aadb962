//! Bags made from the rules, whole and broken in every way, and what is said of them.

pub(crate) mod build;
mod codes;
mod codes_archive;
mod codes_text;
mod damage;
mod first_bytes;
mod hostile;
pub(crate) mod pack;
mod severity;
mod valid;
