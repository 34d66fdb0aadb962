//! Where passwords and secrets are read, at the moment they are needed: a changed file counts at
//! once, and nothing of it is kept.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::Trouble;

/// Largest file that is read; a secret has a few dozen letters.
const MOST: u64 = 64 * 1024;

/// Where a secret is.
pub(super) enum Source {
    Environment,
    File(std::path::PathBuf),
}

/// The user and password of a mail server; none when none are set.
pub(super) fn mail_account(source: &Source) -> Result<Option<(String, String)>, Trouble> {
    match source {
        Source::Environment => {
            let named = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
            Ok(named("STRONGROOM_MAIL_USER").zip(named("STRONGROOM_MAIL_PASSWORD")))
        }
        Source::File(path) => {
            let text = read(path)?;
            let named = |name: &str| {
                let pairs = text.lines().filter_map(|line| line.split_once('='));
                let mut values = pairs.filter(|(key, _)| key.trim() == name);
                values.next().map(|(_, value)| value.trim().to_owned())
            };
            match named("user").zip(named("password")) {
                Some(account) => Ok(Some(account)),
                None => Err(Trouble::Way(format!(
                    "{} has no line user = ... or no line password = ...",
                    path.display()
                ))),
            }
        }
    }
}

/// The secret that calls are signed with; none when none is set.
pub(super) fn hook_secret(source: &Source) -> Result<Option<String>, Trouble> {
    match source {
        Source::Environment => {
            Ok(std::env::var("STRONGROOM_WEBHOOK_SECRET").ok().filter(|text| !text.is_empty()))
        }
        Source::File(path) => {
            let secret = read(path)?.trim().to_owned();
            if secret.is_empty() {
                return Err(Trouble::Way(format!("{} is empty", path.display())));
            }
            Ok(Some(secret))
        }
    }
}

/// The key that callbacks bear; none when none is set.
pub(super) fn callback_key(source: &Source) -> Result<Option<String>, Trouble> {
    match source {
        Source::Environment => {
            Ok(std::env::var("STRONGROOM_ASSESS_KEY").ok().filter(|text| !text.is_empty()))
        }
        Source::File(_) => hook_secret(source),
    }
}

fn read(path: &Path) -> Result<String, Trouble> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MOST).read_to_string(&mut text));
    match read {
        Ok(_) => Ok(text),
        Err(error) => Err(Trouble::Way(format!("cannot read {}: {error}", path.display()))),
    }
}
