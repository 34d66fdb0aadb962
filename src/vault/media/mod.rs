//! The places that replicas lie in: `medium` is what the vault asks of them, `folder` and `bucket`
//! are the two there are, and `folder_aside` is how a folder keeps what was damaged. `inbox` is the
//! bucket that deposits are dropped into, which is no replica. `thaw` asks for what lies in cold
//! storage. Only `bucket`, `upload`, `thaw`, `inbox` and `classify` know `object_store` and tokio.

mod bucket;
mod classify;
mod credentials;
mod folder;
mod folder_aside;
mod inbox;
mod medium;
mod thaw;
mod upload;

pub(super) use bucket::Bucket;
pub(super) use folder::Folder;
pub use inbox::{InArea, Inbox, InboxError, Letter};
pub(super) use medium::{Batch, CopyWriter, Lying, Medium, Upload};
#[cfg(test)]
pub(super) use medium::{Found, Surveyed};
pub use thaw::Thawing;
