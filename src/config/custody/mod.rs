//! The keys of deposits and of what is kept of them: `[ingest]`, `[receiving]`, `[restore]`,
//! `[replica.NAME]`, `[option.NAME]`.
//!
//! * Relative paths in these sections are relative to the data directory, so that `--data` moves
//!   them too. They stay [`DataPath`]s until somebody asks where they are.
//! * Replicas and options stand in the order in which they were written.
//! * Sections with names have no variables: a list of replicas belongs into a file.

mod apart;
mod ingest;
mod meant;
mod names;
mod options;
mod reach;
mod replicas;
mod restore;

pub use meant::{
    BucketConfig, Credentials, DataPath, DescribedOption, IngestConfig, Location, OptionConfig,
    ProfileChoice, ReplicaClass, ReplicaConfig, RestoreConfig,
};
pub use options::DESCRIBED_OPTIONS;

pub(super) use apart::agree;
pub(super) use ingest::read as ingest;
pub(super) use names::is_name;
pub(super) use options::{SECTION as OPTION, read as options};
pub(super) use replicas::{DEFAULT_REPLICAS, SECTION as REPLICA, read as replicas};
pub(super) use restore::read as restore;
