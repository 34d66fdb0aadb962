//! What lies in the restoration areas: a slip of paper for each, in the folder `restored` of the data
//! directory, written when the thing is there and thrown away with it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use byteio::durable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::moment::Moment;

use super::wish::Wish;
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::Job;

/// Largest slip that is read: a path may be long, and nothing else in it is.
const SLIP_MAX: u64 = 64 << 10;
/// Before the end, people are warned for this long.
const WARNED: Duration = Duration::from_secs(3 * 86_400);

/// One restored thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Slip {
    /// The item that restored it.
    pub item: u64,
    /// Identifier of the object.
    pub object_identifier: String,
    /// Identifier of the file, if it is one.
    pub file_identifier: Option<String>,
    /// The version that was restored.
    pub version: u32,
    /// Where it lies.
    pub path: PathBuf,
    /// Its bytes.
    pub size_bytes: u64,
    /// When it was restored.
    #[serde(with = "Moment")]
    pub restored_at: Timestamp,
    /// Who asked for it.
    pub user: String,
}

impl Slip {
    pub(super) fn of(job: &Job<'_, App>, wish: &Wish, path: &Path) -> Result<Slip, Fault> {
        let found = fs::metadata(path).map_err(FileFault::at("look at", path))?;
        Ok(Slip {
            item: job.item.id.0,
            object_identifier: wish.object_identifier.clone(),
            file_identifier: wish.path.as_ref().map(|_| wish.identifier()),
            version: wish.version.0,
            path: path.to_owned(),
            size_bytes: found.len(),
            restored_at: job.app.shop.clock.now(),
            user: job.item.subject.user.clone(),
        })
    }

    /// Remembers it, in place of one about an earlier thing of the same name.
    pub(super) fn keep(&self, app: &App) -> Result<(), Fault> {
        for slip in slips(app)?.iter().filter(|it| it.path == self.path && it.item != self.item) {
            slip.forget(app)?;
        }
        let folder = folder(app);
        durable::create_folder(&folder).map_err(FileFault::at("create", &folder))?;
        let path = folder.join(format!("item-{}.json", self.item));
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        let written = text.and_then(|text| durable::write(&path, &text, false));
        written.map_err(FileFault::at("write", &path))
    }

    pub(super) fn forget(&self, app: &App) -> Result<(), Fault> {
        let path = folder(app).join(format!("item-{}.json", self.item));
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other.map_err(FileFault::at("remove", &path)),
        }
    }

    /// When it is removed.
    pub fn expires(&self, app: &App) -> Timestamp {
        self.restored_at.after(app.config.restore.keep)
    }

    /// Whether that is soon.
    pub fn expires_soon(&self, app: &App) -> bool {
        app.shop.clock.now().after(WARNED) >= self.expires(app)
    }
}

fn folder(app: &App) -> PathBuf {
    app.home.dir().join("restored")
}

/// Everything that lies in the areas, the newest first. A slip that cannot be read is passed over:
/// what it was about stays until a person removes it.
pub fn slips(app: &App) -> Result<Vec<Slip>, Fault> {
    let folder = folder(app);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(FileFault::at("read", &folder))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(FileFault::at("read", &folder))?.path();
        if path.extension().is_none_or(|suffix| suffix != "json") {
            continue;
        }
        let fits = path.metadata().is_ok_and(|about| about.len() <= SLIP_MAX);
        let read = if fits { fs::read(&path).ok() } else { None };
        match read.and_then(|bytes| serde_json::from_slice::<Slip>(&bytes).ok()) {
            Some(slip) => found.push(slip),
            None => tracing::warn!(path = %path.display(), "a slip of a restoration is unreadable"),
        }
    }
    found.sort_by_key(|slip| std::cmp::Reverse(slip.item));
    Ok(found)
}
