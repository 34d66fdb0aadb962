//! Text in, values or sentences out.

mod custody;
mod layers;
mod paths;
mod reference;
mod sentences;
mod together;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::*;

const KNOWN: &[KnownStage] = &[
    KnownStage { topic: "ingest01_prefetch", env: Some("INGEST_PRE_FETCH") },
    KnownStage { topic: "ingest08_record", env: Some("INGEST_RECORDER") },
    KnownStage { topic: "assess", env: None },
];

const PATH: &str = "etc/s.toml";

/// Loads with a named file of this text, and these variables.
fn load(text: &str, env: &[(&str, &str)], flags: Flags) -> Result<Config, ConfigError> {
    let files = BTreeMap::from([(Path::new(PATH), text)]);
    load_from(&files, env, Flags { config: Some(PATH.into()), ..flags })
}

fn load_from(
    files: &BTreeMap<&Path, &str>,
    env: &[(&str, &str)],
    flags: Flags,
) -> Result<Config, ConfigError> {
    let env: BTreeMap<_, _> = env.iter().copied().collect();
    let around = Surroundings {
        env: &|name| env.get(name).map(OsString::from),
        read: &|path| {
            let text = files.get(path).map(|text| (*text).to_owned());
            text.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
        },
        cores: 2,
    };
    Config::load(&flags, &around, KNOWN)
}

fn refusal(text: &str, env: &[(&str, &str)]) -> String {
    match load(text, env, Flags::default()) {
        Ok(_) => panic!("accepted: {text} {env:?}"),
        Err(e) => e.to_string(),
    }
}

fn plain() -> Config {
    Config::load(&Flags::default(), &Surroundings::BARE, KNOWN).unwrap()
}

fn origin(config: &Config, key: &str) -> Origin {
    config.explain().iter().find(|row| row.key == key).unwrap().origin.clone()
}
