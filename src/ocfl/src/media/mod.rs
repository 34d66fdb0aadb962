//! The places that replicas lie in: `medium` is what the vault asks of them, `folder` and `bucket`
//! are the two there are, `folder_aside` is how a folder keeps what was damaged, `folder_parts` names what
//! it has not finished, and `folder_batch` is many files on their way into it. `upload` sends files to a
//! bucket, and `parts` large ones piece by piece. `inbox` is the bucket that deposits are dropped into,
//! which is no replica. `thaw` asks for what lies in cold storage. `aws` asks other services of AWS with
//! the keys that buckets have. Only `aws`, `bucket`, `upload`, `parts`, `thaw`, `inbox` and `classify`
//! know `object_store` and tokio.

mod aws;
mod bucket;
mod classify;
mod credentials;
mod folder;
mod folder_aside;
mod folder_batch;
mod folder_parts;
mod inbox;
mod medium;
mod parts;
mod thaw;
mod upload;

pub use aws::{AwsAnswer, AwsService, AwsUnanswered};
pub(super) use bucket::Bucket;
pub(super) use folder::Folder;
pub use inbox::{InArea, Inbox, InboxError, Letter};
pub(super) use medium::{Batch, CopyWriter, Lying, Medium, Told, Upload};
#[cfg(test)]
pub(super) use medium::{Found, Surveyed};
pub use thaw::Thawing;
