//! From flags, environment and file to a [`Config`].

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::meant::Config;
use super::pick::Pick;
use super::raw::{Document, RawConfig};
use super::refusal::{ConfigError, Origin, Refusal};
use super::{custody, sections, stages};

/// Looked for in the data directory when no file is named.
const FILE_NAME: &str = "strongroom.toml";

/// What the command line said. Strings, because their checks and sentences are made here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--config FILE`
    pub config: Option<PathBuf>,
    /// `--data DIR`
    pub data: Option<PathBuf>,
    /// `--listen ADDR`
    pub listen: Option<String>,
}

impl Flags {
    pub(super) fn value(&self, name: &str) -> Option<OsString> {
        match name {
            "--data" => self.data.clone().map(OsString::from),
            "--listen" => self.listen.clone().map(OsString::from),
            _ => None,
        }
    }
}

/// The machine as far as the configuration can see it.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The value of an environment variable.
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
    /// The text of a file.
    pub read: &'a dyn Fn(&Path) -> io::Result<String>,
    /// How many threads the processor runs at once.
    pub cores: usize,
}

impl Surroundings<'_> {
    /// No variables, no files, two cores: the same on every machine, for tests.
    pub const BARE: Surroundings<'static> = Surroundings {
        env: &|_| None,
        read: &|_| Err(io::Error::from(io::ErrorKind::NotFound)),
        cores: 2,
    };

    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        (self.env)(name).filter(|text| !text.is_empty())
    }

    /// Whether the variable is there and says nothing.
    pub(super) fn is_empty(&self, name: &str) -> bool {
        (self.env)(name).is_some_and(|text| text.is_empty())
    }
}

/// A stage that may be configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownStage {
    /// Its section is `[stage.<topic>]`.
    pub topic: &'static str,
    /// The prefix of its variables in the described system, as in `INGEST_RECORDER`.
    pub env: Option<&'static str>,
}

impl Config {
    /// The configuration of this process on this machine; the only part that is not pure.
    pub fn of_this_machine(flags: &Flags, known: &[KnownStage]) -> Result<Self, ConfigError> {
        let around = Surroundings {
            env: &|name| std::env::var_os(name),
            read: &|path| std::fs::read_to_string(path),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        };
        Self::load(flags, &around, known)
    }

    /// Defaults, file, environment and flags, laid over each other and checked.
    pub fn load(
        flags: &Flags,
        around: &Surroundings<'_>,
        known: &[KnownStage],
    ) -> Result<Self, ConfigError> {
        let (bare, none) = (Flags::default(), Surroundings::BARE);
        let mut defaults = Pick::new(&bare, &none, None);
        sections::read(&mut defaults, RawConfig::default(), known);
        let names: Vec<_> = defaults.explained.into_iter().map(|row| row.key).collect();

        let found = Whereabouts::of(flags, around);
        let file = found.read(around)?;
        let raw = file.as_ref().map(|file| file.parse(&names)).transpose()?.unwrap_or_default();

        let mut pick = Pick::new(flags, around, file.as_ref());
        let mut config = sections::read(&mut pick, raw, known);
        if !found.named && config.data != found.data {
            let (place, data) = (pick.place_of("data"), config.data.clone());
            pick.refusals.push(Refusal::MovedData { place, data, found: found.data });
        }
        if !pick.refusals.is_empty() {
            return Err(ConfigError::Refused(pick.refusals));
        }
        pick.explained.retain(|row| {
            let idle = row.key.starts_with(custody::REPLICA) && row.is_unset();
            row.origin != Origin::Default || !(idle || row.key.starts_with(stages::SECTION))
        });
        config.explained = pick.explained;
        config.file = file.map(|file| file.path);
        Ok(config)
    }
}

/// Where the file may be.
struct Whereabouts {
    path: PathBuf,
    /// Somebody asked for this file, so it must be there.
    named: bool,
    /// The data directory as known before any file was read.
    data: PathBuf,
}

impl Whereabouts {
    fn of(flags: &Flags, around: &Surroundings<'_>) -> Self {
        let mut pick = Pick::new(flags, around, None);
        let data = pick.one(None, &sections::DATA);
        let named = flags.config.clone();
        match named.or_else(|| around.variable("STRONGROOM_CONFIG").map(PathBuf::from)) {
            Some(path) => Self { path, named: true, data },
            None => Self { path: data.join(FILE_NAME), named: false, data },
        }
    }

    fn read(&self, around: &Surroundings<'_>) -> Result<Option<Document>, ConfigError> {
        match (around.read)(&self.path) {
            Ok(text) => Ok(Some(Document { path: self.path.clone(), text })),
            Err(e) if e.kind() == io::ErrorKind::NotFound && !self.named => Ok(None),
            Err(source) => Err(ConfigError::Unreadable { path: self.path.clone(), source }),
        }
    }
}
