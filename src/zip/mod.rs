//! What the readers of zips share: bags that come as a zip, and formats that are one.

pub(crate) mod directory;
