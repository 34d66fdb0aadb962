//! Which files that should be private other users of this machine can read.
//!
//! What the program makes is readable by its owner only. A data directory that a version before has
//! made, or that somebody has opened to others, is left as it is: other users may put deposits into
//! its receiving folder. What follows from that is told, with the command that ends it.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::config::{Config, Credentials, Location};

/// Entries of the data directory that are looked at; it has some twenty.
const ENTRIES: usize = 1000;
/// What the registry is called.
const REGISTRY: &str = "registry.sqlite";
/// Folders of the data directory that others may be meant to reach.
const SHARED: [&str; 2] = ["receiving", "restoration"];

/// Whatever the process makes from now on is readable by its owner only.
pub fn make_private() {
    use rustix::fs::Mode;
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// What others can read, a sentence each with what to do about it; nothing when all is private.
pub fn exposed(config: &Config) -> Vec<String> {
    let data = &config.data;
    let open = mode(data).unwrap_or(0);
    let mut told = Vec::new();
    if open & 0o066 != 0 {
        told.push(format!(
            "The data directory {} lets other users of this machine read it (mode {open:o}): run \
             {}, or {} where other users put deposits into its receiving folder",
            data.display(),
            command("700", &[quoted(data)]),
            command("711", &[quoted(data)]),
        ));
    }
    if open & 0o011 != 0 {
        let inner = exposed_inside(data, &shared(config));
        if !inner.is_empty() {
            told.push(format!(
                "Files in the data directory let other users of this machine read them ({}): run {}",
                inner.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
                command("go-rwx", &inner.iter().map(|name| inside(data, name)).collect::<Vec<_>>()),
            ));
        }
    }
    for (setting, path) in secrets(config) {
        let hidden = path.starts_with(data) && open & 0o001 == 0;
        if !hidden && mode(&path).is_some_and(|mode| mode & 0o006 != 0) {
            told.push(format!(
                "The secret file {} ({setting}) lets other users of this machine read it: run {}",
                path.display(),
                command("o-rwx", &[quoted(&path)]),
            ));
        }
    }
    told
}

/// Names in the data directory that others may be meant to reach.
fn shared(config: &Config) -> Vec<String> {
    let receiving = config.receiving_folder();
    let inside = receiving.as_deref().and_then(|folder| folder.strip_prefix(&config.data).ok());
    let name = inside.and_then(|folder| folder.components().next());
    let name = name.map(|name| name.as_os_str().to_string_lossy().into_owned());
    SHARED.iter().map(|name| (*name).to_owned()).chain(name).collect()
}

/// Names in the data directory that are not private, but for those that are shared. What SQLite puts
/// beside the registry counts as the registry: it comes and goes.
fn exposed_inside(data: &Path, shared: &[String]) -> BTreeSet<String> {
    let entries = fs::read_dir(data).into_iter().flatten().flatten().take(ENTRIES);
    let wide = entries.filter(|entry| mode(&entry.path()).is_some_and(|mode| mode & 0o077 != 0));
    let names = wide.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names
        .filter(|name| !shared.contains(name))
        .map(|name| if name.starts_with(REGISTRY) { REGISTRY.to_owned() } else { name })
        .collect()
}

/// Files that hold secrets and that the configuration names, with the setting that names each.
fn secrets(config: &Config) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    if let Some(tls) = &config.http.tls {
        found.push(("http.tls_key".to_owned(), tls.key.within(&config.data)));
    }
    let mut add = |setting: String, credentials: &Credentials| {
        if let Credentials::File(path) = credentials {
            found.push((setting, path.within(&config.data)));
        }
    };
    add("mail.credentials".into(), &config.mail.credentials);
    add("webhook.secret".into(), &config.webhook.secret);
    add("assess.callback_key".into(), &config.assess.callback_key);
    if let Location::Bucket(bucket) = &config.ingest.receiving {
        add("ingest.credentials".into(), &bucket.credentials);
    }
    for replica in &config.replicas {
        if let Location::Bucket(bucket) = &replica.url {
            add(format!("credentials of replica {}", replica.name), &bucket.credentials);
        }
    }
    found
}

/// The permission bits; none of what is not there.
fn mode(path: &Path) -> Option<u32> {
    Some(fs::metadata(path).ok()?.permissions().mode() & 0o777)
}

/// A name in the data directory for a shell, with what SQLite puts beside it.
fn inside(data: &Path, name: &str) -> String {
    let path = quoted(&data.join(name));
    if name == REGISTRY { format!("{path}*") } else { path }
}

/// A path as a shell understands it, whatever stands in it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    match text.bytes().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

fn command(mode: &str, paths: &[String]) -> String {
    format!("`chmod {mode} {}`", paths.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_every_path_as_one_word() {
        let said = command("700", &[quoted("/srv/data".as_ref()), quoted("/srv/Ann's".as_ref())]);
        assert_eq!(said, r"`chmod 700 /srv/data '/srv/Ann'\''s'`");
        assert_eq!(inside("/srv/a b".as_ref(), REGISTRY), "'/srv/a b/registry.sqlite'*");
    }
}
