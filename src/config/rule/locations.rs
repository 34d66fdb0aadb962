//! Rules for where things are kept, and what they are judged by.

use std::path::PathBuf;

use super::{Folder, Given, Rule, is_address, quoted};
use crate::config::custody::{Credentials, DataPath, ProfileChoice, ReplicaClass};

/// A folder that is in the data directory when it is relative.
pub(in crate::config) struct DataFolder;

impl Rule for DataFolder {
    type Meant = DataPath;
    fn read(&self, given: Given<'_>) -> Option<DataPath> {
        Folder.read(given).map(DataPath::new)
    }
    fn allowed(&self) -> String {
        "the path of a folder on this machine; a relative one is in the data directory".to_owned()
    }
    fn write(&self, meant: &DataPath) -> String {
        shown(meant)
    }
}

/// A file that is in the data directory when it is relative.
pub(in crate::config) struct DataFile;

impl Rule for DataFile {
    type Meant = DataPath;
    fn read(&self, given: Given<'_>) -> Option<DataPath> {
        Folder.read(given).map(DataPath::new)
    }
    fn allowed(&self) -> String {
        "the path of a file on this machine; a relative one is in the data directory".to_owned()
    }
    fn write(&self, meant: &DataPath) -> String {
        shown(meant)
    }
}

/// Folders by their paths from the root on.
pub(in crate::config) struct Folders;

impl Rule for Folders {
    type Meant = Vec<PathBuf>;
    fn read(&self, given: Given<'_>) -> Option<Vec<PathBuf>> {
        let folder = |text: &str| Some(PathBuf::from(text)).filter(|path| path.is_absolute());
        match given {
            Given::Toml(value) => value.as_array()?.iter().map(|it| folder(it.as_str()?)).collect(),
            Given::Text(text) => {
                let parts = text.to_str()?.split(',').map(str::trim);
                parts.filter(|part| !part.is_empty()).map(folder).collect()
            }
        }
    }
    fn allowed(&self) -> String {
        "a list of folders by their paths from the root on, such as [\"/srv/podcasts\"]".to_owned()
    }
    fn write(&self, meant: &Vec<PathBuf>) -> String {
        let names: Vec<String> = meant.iter().map(|path| path.display().to_string()).collect();
        super::words::listed(&names)
    }
}

/// What the url of a replica names.
pub(in crate::config) enum Target {
    Folder(DataPath),
    Bucket { bucket: String, prefix: String },
}

pub(in crate::config) struct Url;

impl Rule for Url {
    type Meant = Target;
    fn read(&self, given: Given<'_>) -> Option<Target> {
        let text = given.text()?;
        let Some(rest) = text.strip_prefix("s3://") else {
            // What looks like a scheme is one, or a slip would make a folder of that name.
            let scheme = text.split('/').next().is_some_and(|first| first.contains(':'));
            return if scheme { None } else { Folder.read(given).map(DataPath::new) }
                .map(Target::Folder);
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let sound = is_bucket(bucket) && (prefix.is_empty() || prefix.split('/').all(is_part));
        let (bucket, prefix) = (bucket.to_owned(), prefix.to_owned());
        sound.then_some(Target::Bucket { bucket, prefix })
    }
    fn allowed(&self) -> String {
        "the path of a folder, or a bucket such as \"s3://bucket/prefix\"".to_owned()
    }
    fn write(&self, meant: &Target) -> String {
        match meant {
            Target::Folder(path) => shown(path),
            Target::Bucket { bucket, prefix } if prefix.is_empty() => {
                quoted(&format!("s3://{bucket}"))
            }
            Target::Bucket { bucket, prefix } => quoted(&format!("s3://{bucket}/{prefix}")),
        }
    }
}

/// As S3 itself has it.
fn is_bucket(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    (3..=63).contains(&name.len())
        && name.bytes().all(|b| plain(b) || b".-".contains(&b))
        && name.bytes().next().is_some_and(plain)
        && name.bytes().last().is_some_and(plain)
        && !name.contains("..")
}

/// A part of a prefix that means the same to everyone between us and the bucket.
fn is_part(part: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.!'()=+@, ".contains(&b);
    !["", ".", ".."].contains(&part) && part.bytes().all(plain)
}

/// Where a bucket is served: scheme, host and port. A key has no business there.
pub(in crate::config) struct Endpoint;

impl Rule for Endpoint {
    type Meant = String;
    fn read(&self, given: Given<'_>) -> Option<String> {
        let text = given.text()?;
        let text = text.strip_suffix('/').unwrap_or(text);
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            Some(_) | None => (rest, None),
        };
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let sound = match inner {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => host.split('.').all(|label| {
                !label.is_empty()
                    && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
            }),
        };
        let port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
        (sound && port).then(|| text.to_owned())
    }
    fn allowed(&self) -> String {
        "an address such as \"https://s3.example.org\" or \"http://127.0.0.1:9000\", without a path"
            .to_owned()
    }
    fn write(&self, meant: &String) -> String {
        quoted(meant)
    }
}

pub(in crate::config) struct Region;

impl Rule for Region {
    type Meant = String;
    fn read(&self, given: Given<'_>) -> Option<String> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_".contains(&b);
        let text = given.text()?;
        ((1..=40).contains(&text.len()) && text.bytes().all(plain)).then(|| text.to_owned())
    }
    fn allowed(&self) -> String {
        "the name of a region, such as \"us-east-1\"".to_owned()
    }
    fn write(&self, meant: &String) -> String {
        quoted(meant)
    }
}

/// Where the key of a bucket is taken from.
pub(in crate::config) struct KeySource;

impl Rule for KeySource {
    type Meant = Credentials;
    fn read(&self, given: Given<'_>) -> Option<Credentials> {
        match given.text()? {
            "environment" => Some(Credentials::Environment),
            text => file(text).map(Credentials::File),
        }
    }
    fn allowed(&self) -> String {
        "\"environment\", or a file such as \"keys/wasabi.ini\" or \"./wasabi\"".to_owned()
    }
    fn write(&self, meant: &Credentials) -> String {
        match meant {
            Credentials::Environment => quoted("environment"),
            Credentials::File(path) => shown(path),
        }
    }
}

/// The rules of deposits; what `bag validate --profile` calls them too.
pub(in crate::config) struct Profile;

impl Rule for Profile {
    type Meant = ProfileChoice;
    fn read(&self, given: Given<'_>) -> Option<ProfileChoice> {
        match given.text()? {
            "named" => Some(ProfileChoice::Named),
            "aptrust" => Some(ProfileChoice::Aptrust),
            "btr" => Some(ProfileChoice::Btr),
            "bagit" => Some(ProfileChoice::BagIt),
            text => file(text).map(ProfileChoice::File),
        }
    }
    fn allowed(&self) -> String {
        "\"named\", \"aptrust\", \"btr\", \"bagit\", or a file such as \"ours.json\" or \"./ours\""
            .to_owned()
    }
    fn write(&self, meant: &ProfileChoice) -> String {
        match meant {
            ProfileChoice::Named => quoted("named"),
            ProfileChoice::Aptrust => quoted("aptrust"),
            ProfileChoice::Btr => quoted("btr"),
            ProfileChoice::BagIt => quoted("bagit"),
            ProfileChoice::File(path) => shown(path),
        }
    }
}

pub(in crate::config) struct Class;

impl Rule for Class {
    type Meant = ReplicaClass;
    fn read(&self, given: Given<'_>) -> Option<ReplicaClass> {
        match given.text()? {
            "hot" => Some(ReplicaClass::Hot),
            "cold" => Some(ReplicaClass::Cold),
            _ => None,
        }
    }
    fn allowed(&self) -> String {
        "\"hot\" or \"cold\"".to_owned()
    }
    fn write(&self, meant: &ReplicaClass) -> String {
        match meant {
            ReplicaClass::Hot => quoted("hot"),
            ReplicaClass::Cold => quoted("cold"),
        }
    }
}

/// A file beside words that are not files: one without dot and slash is a word misspelt, and one with
/// a scheme is an address.
fn file(text: &str) -> Option<DataPath> {
    let path = PathBuf::from(text);
    (text.contains(['.', '/']) && !is_address(&path)).then(|| DataPath::new(path))
}

fn shown(path: &DataPath) -> String {
    quoted(&path.written().display().to_string())
}
