//! Looks at the receiving areas and makes an item of every deposit that is complete.
//!
//! A deposit is a file or folder at the top of its institution's area. One that is still growing is
//! left alone; one that an item was made for, in the same state, is not taken again. What is no
//! deposit is told, not passed over in silence.

mod bucket;
mod leftovers;
mod retention;
mod still;
mod taking;
mod taking_again;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::Institution;

pub(crate) use self::bucket::lying_in_bucket;
use self::bucket::sweep_bucket;
use self::leftovers::remove_leftover;
pub(super) use self::leftovers::{draft_of, is_draft_of_command};
pub(crate) use self::leftovers::{draft_of_command, name_of_draft, remove_leftovers};
use self::retention::clear_turned_away;
pub(crate) use self::retention::{RejectedError, remove_rejected, stay};
pub(super) use self::still::is_still;
use self::still::is_still_below;
pub(crate) use self::still::modified;
pub(crate) use self::taking::gives_way;
use self::taking::{Way, is_known, way};
pub(super) use self::taking::{is_turned_away, take};
pub use self::taking_again::AgainError;
pub(crate) use self::taking_again::{is_given_up, still_lies, take_again};
use super::area::{Lying, lying};
use super::institutions::institutions;
use super::place::{Area, area, etag};
use super::quota::{Quota, Sum};
use super::survey::sync_deposit;
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::{Sweep, Swept};
use ocfl::InboxError;

/// The sweep.
pub struct Receiving;

/// A deposit as it lies in its area.
#[derive(Clone, Debug)]
pub(super) struct Deposited {
    pub(super) name: String,
    /// What tells this state of it from others.
    pub(super) etag: String,
    pub(super) size_bytes: u64,
    pub(super) changed: Option<Timestamp>,
}

impl Deposited {
    pub(super) fn file(name: &str, found: &Metadata) -> Deposited {
        Deposited {
            name: name.to_owned(),
            etag: etag(found),
            size_bytes: found.len(),
            changed: modified(found),
        }
    }
}

impl Sweep<App> for Receiving {
    fn name(&self) -> &'static str {
        "receiving"
    }

    fn about(&self) -> &'static str {
        "Finds bags in the receiving areas, and takes those that have been still for a while."
    }

    fn every(&self, app: &App) -> Duration {
        app.config.ingest.sweep
    }

    fn sweep(&self, app: &App, limit: usize) -> Result<Swept, Fault> {
        let mut tally = Tally::default();
        clear_turned_away(app, &mut tally)?;
        for institution in institutions(app)? {
            let swept = match area(&app.config, &institution.identifier) {
                Area::Folder(folder) => sweep_folder(app, &institution, &folder, &mut tally, limit),
                Area::Bucket(_) => sweep_bucket(app, &institution, &mut tally, limit),
            };
            // Who waits long for an answer about one area does so about all.
            if !tally.pass(swept)? && app.doorstep.is_bucket() {
                break;
            }
        }
        Ok(Swept { made: tally.taken, note: tally.note() })
    }
}

/// What lies in a folder, as it came: of two deposits of one object the older is the version before.
fn oldest_first(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // One that is gone meanwhile is seen to be so when it is looked at.
        let changed = fs::symlink_metadata(&path).ok().and_then(|it| it.modified().ok());
        found.push((changed, path));
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

fn sweep_folder(
    app: &App,
    institution: &Institution,
    folder: &Path,
    tally: &mut Tally,
    limit: usize,
) -> Result<(), Fault> {
    byteio::durable::create_folder(folder).map_err(FileFault::at("create", folder))?;
    let quota = Quota::of(app, &institution.identifier, folder);
    let bytes = |path: &Path, found: &Metadata| {
        let under_way = |quota: &Quota| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            quota.is_under_way(&name)
        };
        quota.as_ref().filter(|quota| !under_way(quota)).map_or(0, |it| it.bytes(path, found))
    };
    let mut sum = Sum::of(app, &institution.identifier);
    let mut new = Vec::new();
    for path in oldest_first(folder).map_err(FileFault::at("read", folder))? {
        let looked = look(app, institution, &path).map(|looked| match looked {
            Looked::New(found, deposited) => new.push((path.clone(), found, deposited)),
            Looked::There(found, seen) => {
                sum.add(bytes(&path, &found));
                tally.count(seen);
            }
            Looked::Gone => {}
        });
        tally.pass(looked)?;
    }
    let mut over = BTreeSet::new();
    for (path, found, deposited) in new {
        if tally.taken >= limit {
            break;
        }
        if !sum.fits(bytes(&path, &found)) {
            over.insert(deposited.name);
            continue;
        }
        let is_ready = || {
            let is_still = !found.is_dir() || is_still_below(app, &path);
            if is_still {
                make_durable(&path)?;
            }
            Ok(is_still)
        };
        let seen = offer(app, institution, &deposited, is_ready).map(|seen| tally.count(seen));
        tally.pass(seen)?;
    }
    tally.over(app, institution, over);
    Ok(())
}

/// What an entry of an area is to the sweep.
enum Looked {
    /// A deposit without an item.
    New(Metadata, Deposited),
    There(Metadata, Seen),
    Gone,
}

enum Seen {
    Taken,
    /// It takes the place of an older deposit, and is taken when that one has given up.
    Superseding,
    /// There is an item for it, or it is none of ours.
    Known,
    Growing,
    /// No deposit, by its name or kind.
    Odd(String),
}

/// What a sweep has seen.
#[derive(Default)]
struct Tally {
    taken: usize,
    superseding: usize,
    removed: usize,
    odd: usize,
    /// The first of them.
    such_as: String,
    /// Deposits that there is no room for.
    over: usize,
    /// The first of them.
    over_such_as: String,
    /// The first thing that could not be looked at.
    trouble: Option<String>,
}

impl Tally {
    fn count(&mut self, seen: Seen) {
        match seen {
            Seen::Taken => self.taken += 1,
            Seen::Superseding => self.superseding += 1,
            Seen::Known | Seen::Growing => {}
            Seen::Odd(name) => {
                if self.odd == 0 {
                    self.such_as = name;
                }
                self.odd += 1;
            }
        }
    }

    /// Counts deposits of an institution that wait for room, and says so in the log once.
    fn over(&mut self, app: &App, institution: &Institution, names: BTreeSet<String>) {
        if let Some(first) = names.first().filter(|_| self.over == 0) {
            self.over_such_as = format!("{first} of {}", institution.identifier);
        }
        self.over += names.len();
        let count = names.len();
        if app.arrivals.note_waiting(&institution.identifier, names) && count > 0 {
            tracing::warn!(
                institution = institution.identifier,
                count,
                "deposits wait: the receiving area has no room for them (ingest.receiving_max_gb)"
            );
        }
    }

    /// Goes on after trouble with one file, folder or bucket: others are not to wait for it. Whether
    /// there was none.
    fn pass(&mut self, done: Result<(), Fault>) -> Result<bool, Fault> {
        match done {
            Err(Fault::Failed(failure)) if failure.source.is::<FileFault>() => {
                let why = failure.sentence();
                tracing::warn!(why, "the receiving sweep goes on without it");
                self.trouble.get_or_insert(why);
                Ok(false)
            }
            // The doorstep has logged it.
            Err(Fault::Failed(failure)) if failure.source.is::<InboxError>() => {
                self.trouble.get_or_insert(failure.sentence());
                Ok(false)
            }
            other => other.map(|()| true),
        }
    }

    fn note(&self) -> String {
        let mut note = format!("deposits taken: {}", self.taken);
        for (what, count) in [
            ("older ones superseded", self.superseding),
            ("rejected and now removed", self.removed),
        ] {
            if count > 0 {
                // Writing to a string does not fail.
                write!(note, "; {what}: {count}").ok();
            }
        }
        if self.odd > 0 {
            write!(note, "; no bags: {}, such as {}", self.odd, self.such_as).ok();
        }
        if self.over > 0 {
            let such_as = &self.over_such_as;
            write!(note, "; over the quota and waiting: {}, such as {such_as}", self.over).ok();
        }
        if let Some(trouble) = &self.trouble {
            write!(note, "; trouble: {trouble}").ok();
        }
        note
    }
}

fn look(app: &App, institution: &Institution, path: &Path) -> Result<Looked, Fault> {
    if remove_leftover(app, path).map_err(FileFault::at("remove", path))? {
        return Ok(Looked::Gone);
    }
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Looked::Gone),
        other => other.map_err(FileFault::at("look at", path))?,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let seen = match lying(app, path, &found) {
        Lying::Odd(_) => Seen::Odd(name),
        Lying::Hidden => Seen::Known,
        Lying::Arriving => Seen::Growing,
        // Whoever receives it makes the item as well.
        Lying::Still if app.arrivals.holds(&institution.identifier, &name) => Seen::Known,
        Lying::Still => {
            let deposited = Deposited::file(&name, &found);
            if !is_taken(app, institution, &deposited)? {
                return Ok(Looked::New(found, deposited));
            }
            Seen::Known
        }
    };
    Ok(Looked::There(found, seen))
}

/// Whether there is an item for a deposit, or one that has to come to its end first.
fn is_taken(app: &App, institution: &Institution, deposited: &Deposited) -> Result<bool, Fault> {
    Ok(is_known(app, institution, deposited)? || way(app, institution, deposited)? == Way::Taken)
}

/// Makes a deposit durable before an item says that it is there: after a power cut the item would
/// need a person to find out that it is not.
fn make_durable(path: &Path) -> Result<(), Fault> {
    match sync_deposit(path) {
        // The item that reads it says so.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => Ok(other.map_err(FileFault::at("sync", path))?),
    }
}

/// Takes a deposit that is there and was not taken before, unless it is not ready. That is asked last,
/// because of a folder that costs a look at every file.
fn offer(
    app: &App,
    institution: &Institution,
    deposited: &Deposited,
    is_ready: impl FnOnce() -> Result<bool, Fault>,
) -> Result<Seen, Fault> {
    if !is_ready()? {
        return Ok(Seen::Growing);
    }
    let taken = take(app, institution, deposited, "strongroom")?;
    Ok(match (taken.pushed.new, taken.superseded) {
        (true, _) => Seen::Taken,
        (false, true) => Seen::Superseding,
        (false, false) => Seen::Known,
    })
}
