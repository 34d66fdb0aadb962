//! The resources of the described registry, each with its fields and its two questions: which, and
//! which one.

pub(super) mod alerts;
pub(super) mod checksums;
pub(super) mod deletions;
pub(super) mod events;
pub(super) mod files;
pub(super) mod institutions;
pub(super) mod items;
pub(super) mod objects;
pub(super) mod storage_records;
