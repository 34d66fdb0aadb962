//! The text in bags: encodings, lines, tags, manifests and fetch lists.

pub(crate) mod declaration;
pub(crate) mod encoding;
pub(crate) mod fetch;
pub(crate) mod lines;
pub(crate) mod manifest;
pub(crate) mod tags;
pub(crate) mod version;
