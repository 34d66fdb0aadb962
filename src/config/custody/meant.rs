//! Deposits, replicas and options as meant.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::Config;

/// A path as written; a relative one is meant inside the data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataPath(PathBuf);

impl DataPath {
    pub(in crate::config) fn new(written: PathBuf) -> Self {
        Self(written)
    }

    /// The path as the operator wrote it.
    pub fn written(&self) -> &Path {
        &self.0
    }

    /// Where it is, when the data directory is there.
    pub fn within(&self, data: &Path) -> PathBuf {
        data.join(&self.0)
    }
}

impl Config {
    /// The folder whose folders are the institutions' receiving areas; none if these are in a
    /// bucket.
    pub fn receiving_folder(&self) -> Option<PathBuf> {
        match &self.ingest.receiving {
            Location::Folder(path) => Some(path.within(&self.data)),
            Location::Bucket(_) => None,
        }
    }

    /// Where the receiving areas are, for people: a folder, or a bucket.
    pub fn receiving_shown(&self) -> String {
        match &self.ingest.receiving {
            Location::Folder(path) => path.within(&self.data).display().to_string(),
            Location::Bucket(bucket) => bucket.url(),
        }
    }

    /// Where the files of a deposit stand one by one until they are kept.
    pub fn staging(&self) -> PathBuf {
        self.ingest.staging.within(&self.data)
    }

    /// The folder whose folders are the institutions' restoration areas.
    pub fn restoration_folder(&self) -> PathBuf {
        self.restore.area.within(&self.data)
    }

    /// The replica of this name.
    pub fn replica(&self, name: &str) -> Option<&ReplicaConfig> {
        self.replicas.iter().find(|replica| replica.name == name)
    }

    /// The storage option of this name, if this appliance offers it. Letters count by their case:
    /// what a bag writes is to be brought into the form of the list first.
    pub fn option(&self, name: &str) -> Option<&OptionConfig> {
        self.options.iter().find(|option| option.name == name)
    }
}

/// How deposits come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngestConfig {
    /// Identifier, in lower case, of the institution that deposits belong to until others are made.
    pub institution: String,
    pub institution_name: String,
    pub receiving: Location,
    pub staging: DataPath,
    /// How often receiving areas are looked at.
    pub sweep: Duration,
    /// How long a deposit must not have changed before it is taken.
    pub still: Duration,
    /// How long a rejected deposit stays; none is until a person removes it.
    pub keep_turned_away: Option<Duration>,
    /// The most bytes that an institution may have in its receiving area; none is no limit.
    pub receiving_max_bytes: Option<u64>,
    /// Largest bag, by the bytes of its files.
    pub max_bag_bytes: u64,
    pub max_files: u64,
    pub max_path_bytes: usize,
    /// The option of bags that name none; it is one of [`Config::options`].
    pub default_option: String,
    pub profile: ProfileChoice,
}

/// How what is held is given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreConfig {
    pub area: DataPath,
    /// How long restored bags and files stay there.
    pub keep: Duration,
    /// How often each institution is rehearsed for; none is never.
    pub rehearse_every: Option<Duration>,
    /// Largest object that is restored for a rehearsal.
    pub rehearse_max_bytes: u64,
}

/// The rules that deposits are judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfileChoice {
    /// The profile a bag names if it is known, else APTrust's.
    Named,
    Aptrust,
    Btr,
    /// BagIt itself, nothing more.
    BagIt,
    /// A BagIt Profile in a file of the institution. Not looked into here.
    File(DataPath),
}

/// One storage root that holds a copy of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaConfig {
    pub name: String,
    pub url: Location,
    pub class: ReplicaClass,
    /// Which building or provider it stands in: what shares a place can be lost together.
    pub place: String,
    pub minimum_retention_days: u32,
    /// The lowest is read from first; where two are equal, the one written first.
    pub restore_priority: u32,
    /// How often its copies are read; as `[fixity]` says unless set.
    pub fixity_every: Option<Duration>,
}

/// Where a replica is, or where deposits are received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    Folder(DataPath),
    Bucket(BucketConfig),
}

/// A bucket that speaks S3, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketConfig {
    pub bucket: String,
    /// What every key begins with, without slashes around it; empty for the whole bucket.
    pub prefix: String,
    /// Scheme, host and port without a slash at the end; `None` is AWS itself.
    pub endpoint: Option<String>,
    pub region: String,
    /// The bucket is named in the path of a request, not in the host.
    pub path_style: bool,
    pub allow_http: bool,
    pub credentials: Credentials,
}

impl BucketConfig {
    /// `s3://bucket/prefix`
    pub fn url(&self) -> String {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        format!("s3://{}{slash}{}", self.bucket, self.prefix)
    }
}

/// Where the key of a bucket is taken from. The key itself never stands in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// The variables and the machine's role, as AWS tools know them.
    Environment,
    /// A file in the form of `~/.aws/credentials`. Not looked into here.
    File(DataPath),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplicaClass {
    /// Read at once.
    Hot,
    /// Must be asked for and waited for before it can be read.
    Cold,
}

/// A storage option that bags may ask for, and the replicas it writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionConfig {
    pub name: String,
    /// At least one, each once, all of them in [`Config::replicas`].
    pub replicas: Vec<String>,
    /// Days before what it keeps may be deleted: the longest of its own and its replicas'.
    pub minimum_retention_days: u32,
}

/// A storage option of the described system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescribedOption {
    pub name: &'static str,
    pub minimum_retention_days: u32,
}
