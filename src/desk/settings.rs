//! Every setting, as those see it who look after the house. Secrets never stand in the
//! configuration, but addresses may carry some: those are masked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Desk;
use crate::config::{Explained, Origin};

/// How the house is set up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// The configuration file that was read, if there was one.
    pub file: Option<String>,
    /// The data directory.
    pub data: String,
    /// Every setting, in the order of the reference.
    pub settings: Vec<Setting>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Section and key.
    pub key: String,
    /// The value in force, as it would stand in the file; none when it is not set.
    pub value: Option<String>,
    /// `default`, `file`, `environment` or `flag`.
    pub origin: String,
    /// The file, the variable or the flag.
    pub origin_name: Option<String>,
    /// The line in the file.
    pub line: Option<usize>,
    /// What it is for.
    pub about: String,
    /// What may stand there.
    pub allowed: String,
    /// The value without any of it.
    pub default: Option<String>,
    /// Variables that set it.
    pub env: Vec<String>,
    /// The flag that sets it.
    pub flag: Option<String>,
}

impl Desk<'_> {
    /// Every setting with the value in force and where it came from.
    pub fn settings(&self) -> Settings {
        let config = &self.app.config;
        Settings {
            file: config.file.as_ref().map(|path| path.display().to_string()),
            data: config.data.display().to_string(),
            settings: config.explain().iter().map(setting).collect(),
        }
    }
}

fn setting(row: &Explained) -> Setting {
    let (origin, origin_name) = match &row.origin {
        Origin::Default => ("default", None),
        Origin::File(path) => ("file", Some(path.display().to_string())),
        Origin::Env(name) => ("environment", Some(name.clone())),
        Origin::Flag(name) => ("flag", Some((*name).to_owned())),
    };
    Setting {
        key: row.key.clone(),
        value: (!row.is_unset()).then(|| masked(&row.key, &row.value)),
        origin: origin.into(),
        origin_name,
        line: row.line,
        about: row.about.into(),
        allowed: row.allowed.clone(),
        default: row.default.clone(),
        env: row.env.clone(),
        flag: row.flag.map(str::to_owned),
    }
}

/// The value without what opens something: names and passwords in an address, and the path of a
/// webhook, which often is its key.
pub(super) fn masked(key: &str, value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("://") else { return value.to_owned() };
    let end = rest.find(['/', '?', '#', '"']).unwrap_or(rest.len());
    let (host, tail) = rest.split_at(end);
    let host = host.rsplit_once('@').map_or(host.to_owned(), |(_, host)| format!("•••@{host}"));
    let bare = tail.trim_matches(['/', '"']).is_empty();
    let tail = match key {
        "webhook.url" if !bare => format!("/•••{}", if tail.ends_with('"') { "\"" } else { "" }),
        _ => tail.to_owned(),
    };
    format!("{scheme}://{host}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opens_something_is_not_shown() {
        for (key, value, shown) in [
            ("http.listen", "\"127.0.0.1:8600\"", "\"127.0.0.1:8600\""),
            ("replica.b.endpoint", "\"https://s3.example\"", "\"https://s3.example\""),
            (
                "replica.b.endpoint",
                "\"https://ann:pw@s3.example/x\"",
                "\"https://•••@s3.example/x\"",
            ),
            ("webhook.url", "\"https://h.example/T0/s3cret?k=1\"", "\"https://h.example/•••\""),
            ("webhook.url", "\"https://h.example\"", "\"https://h.example\""),
            ("webhook.url", "\"https://a:b@h.example/x\"", "\"https://•••@h.example/•••\""),
            ("data", "\"/srv/x\"", "\"/srv/x\""),
        ] {
            assert_eq!(masked(key, value), shown, "{key}");
        }
    }
}
