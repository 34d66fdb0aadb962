//! Which reference data is to be loaded, and how the last load went: two small files beside it, so that
//! a load goes on after a restart and its report can be read when it was refused.

use std::fs;
use std::io;

use byteio::durable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::moment::Moment;

use crate::app::{App, FileFault};
use crate::fault::{Failure, Fault, Kind};

const WANTED: &str = "wanted.json";
const LAST: &str = "last-load.json";
/// The largest of these files that is read; a report has a few lines for each table.
const MOST: u64 = 4 << 20;

/// A load that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The folder with the files of the delivery, as the appliance sees it.
    pub folder: String,
    /// What the delivery is called; its own manifest has the first word.
    pub data_version: String,
    /// Whether the version in use is loaded again.
    pub force: bool,
    /// Whether rows that could be put right are refused instead.
    pub strict: bool,
    /// Who asks.
    pub by: String,
}

/// How the last load went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastLoad {
    /// What the delivery is called.
    pub data_version: String,
    /// The number of the version that it became; none when it was refused, or the same is in use.
    pub number: Option<u32>,
    /// The folder that it came from.
    pub folder: String,
    /// Who asked for it.
    pub by: String,
    /// When it ended.
    #[serde(with = "Moment")]
    pub at: Timestamp,
    /// Why it was refused.
    pub trouble: Option<String>,
    /// What the quality gate found, for people.
    pub report: String,
}

impl Wanted {
    /// Keeps it, in place of one before.
    pub(super) fn keep(&self, app: &App) -> Result<(), Fault> {
        put(app, WANTED, self)
    }

    /// What is to be loaded.
    pub(super) fn read(app: &App) -> Result<Wanted, Fault> {
        read(app, WANTED)?.ok_or_else(|| {
            Fault::Failed(Failure {
                kind: Kind::Fatal,
                code: "nothing-wanted",
                advice: "cancel the item and ask for the load again".into(),
                source: "it is not written down what is to be loaded".into(),
            })
        })
    }
}

impl LastLoad {
    /// Keeps it as the last one, and with the version that it became.
    pub(super) fn keep(&self, app: &App) -> Result<(), Fault> {
        if let Some(number) = self.number {
            put(app, &of_version(number), self)?;
        }
        put(app, LAST, self)
    }
}

/// The name of the note about the load of a version.
fn of_version(number: u32) -> String {
    format!("load-{number:06}.json")
}

/// How a version was loaded, if that is written down.
pub fn load_of(app: &App, number: u32) -> Result<Option<LastLoad>, Fault> {
    read(app, &of_version(number))
}

/// Which folder is being loaded, or was last.
pub fn wanted_folder(app: &App) -> Result<Option<String>, Fault> {
    Ok(read::<Wanted>(app, WANTED)?.map(|wanted| wanted.folder))
}

/// How the last load went, if there was one.
pub fn last_load(app: &App) -> Result<Option<LastLoad>, Fault> {
    read(app, LAST)
}

fn put(app: &App, name: &str, value: &impl Serialize) -> Result<(), Fault> {
    let folder = app.atlas.folder();
    durable::create_folder(folder).map_err(FileFault::at("create", folder))?;
    let path = folder.join(name);
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::from);
    text.and_then(|text| durable::write(&path, &text, false)).map_err(FileFault::at("write", &path))
}

fn read<T: for<'de> Deserialize<'de>>(app: &App, name: &str) -> Result<Option<T>, Fault> {
    let path = app.atlas.folder().join(name);
    let found = match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(FileFault::at("look at", &path))?,
    };
    if found.len() > MOST {
        return Ok(None);
    }
    let bytes = fs::read(&path).map_err(FileFault::at("read", &path))?;
    // One that is torn or from another program says nothing.
    Ok(serde_json::from_slice(&bytes).ok())
}
