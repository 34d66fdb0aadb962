//! What the configuration says about one replica. Plain values: whoever reads the configuration
//! file fills them in.

use std::path::PathBuf;

/// One replica: one OCFL storage root in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaSettings {
    pub name: String,
    /// A folder, or `s3://bucket/prefix`.
    pub url: String,
    /// Where an S3-compatible server answers; the provider's own when absent.
    pub endpoint: Option<String>,
    pub region: Option<String>,
    /// The bucket is named in the path and not in the host name.
    pub path_style: bool,
    /// Unencrypted connections are allowed; for servers on the same machine.
    pub allow_http: bool,
    pub credentials: Credentials,
    pub class: Class,
    /// Which building or provider, in free words.
    pub place: String,
    pub minimum_retention_days: u32,
    /// Which replica is read first when an object is restored: the lowest.
    pub restore_priority: u32,
}

/// Where the keys of an S3 account come from; the configuration itself never holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// `AWS_ACCESS_KEY_ID` and its companions.
    FromEnvironment,
    /// A file with `aws_access_key_id = ...` and `aws_secret_access_key = ...`.
    File(PathBuf),
}

/// How soon a copy can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Hot,
    /// Read only after a request and hours of waiting.
    Cold,
}

impl ReplicaSettings {
    /// A folder with everything else left open.
    pub fn folder(name: &str, path: &str) -> ReplicaSettings {
        ReplicaSettings {
            name: name.to_owned(),
            url: path.to_owned(),
            endpoint: None,
            region: None,
            path_style: false,
            allow_http: false,
            credentials: Credentials::FromEnvironment,
            class: Class::Hot,
            place: String::new(),
            minimum_retention_days: 0,
            restore_priority: 0,
        }
    }
}
