//! The places that replicas lie in: `medium` is what the vault asks of them, `folder` and `bucket`
//! are the two there are. Only `bucket`, `upload` and `classify` know `object_store` and tokio.

mod bucket;
mod classify;
mod credentials;
mod folder;
mod medium;
mod upload;

pub(super) use bucket::Bucket;
pub(super) use folder::Folder;
#[cfg(test)]
pub(super) use medium::Found;
pub(super) use medium::{Batch, CopyWriter, Medium, Upload};
