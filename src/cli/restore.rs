//! `strongroom restore`: what is held, given back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use byteio::durable;
use clap::Args;
use serde::Serialize;
use storage::registry::Uuid;

use super::client::escape;
use super::counter::{Counter, read, said};
use super::ingest_wait::pause;
use super::meter::Meter;
use super::print::{json, line, plain};
use super::{Failure, Outcome, Place};
use crate::desk::{AskedRestoration, ItemDetail, RestorationList};

/// Restore an object as a bag, or one file of it.
#[derive(Args)]
#[command(after_help = "What is restored lies in the restoration area of its institution and is \
    removed from there after some days.\n\n\
    Exit: 0 asked for, or with --wait restored; 1 it cannot be restored or needs a person; 2 could \
    not run.\n\n\
    Examples:\n  strongroom restore archive.local/letters --wait\n  \
    strongroom restore archive.local/letters --version 1 --to /media/disk\n  \
    strongroom restore archive.local/letters --file data/a.txt --wait --json")]
pub(super) struct Restore {
    /// An object's identifier or number, or a file's identifier or UUID
    #[arg(value_name = "ID")]
    which: String,
    /// One file of the object, by its path in the bag
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// As it was in this version of the object [default: the newest]
    #[arg(long, value_name = "N")]
    version: Option<u32>,
    /// Put it into this folder too, which it then stays in; waits until it is there
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Follow it until it is restored, or needs a person
    #[arg(long)]
    wait: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is told of it.
#[derive(Serialize)]
struct Told {
    /// Whether it was asked for before.
    joined: bool,
    /// The item as it was asked for, or as it ended.
    #[serde(flatten)]
    end: ItemDetail,
    /// Where it lies.
    path: Option<PathBuf>,
    /// Where it was put besides.
    put: Option<PathBuf>,
}

impl Restore {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let waits = self.wait || self.to.is_some();
        if let Some(folder) = self.to.as_ref().filter(|folder| !folder.is_dir()) {
            let shown = plain(&folder.display().to_string());
            return Err(Failure::Unable(format!("{shown} is not a folder; nothing was asked for")));
        }
        let counter = Counter::open(place)?;
        if waits && matches!(counter, Counter::Here(_)) {
            return Err(Failure::Unable(
                "--wait and --to need a running appliance: start one with `strongroom serve`, or \
                 leave them away; nothing was asked for"
                    .into(),
            ));
        }
        let asked = self.ask(&counter)?;
        let id = asked.item.id.unsigned_abs();
        let mut told = Told { joined: asked.joined, end: counter.item(id)?, path: None, put: None };
        if waits {
            told.end = follow(&counter, &asked)?;
            let list = counter.restorations()?;
            let found = list.restorations.into_iter().find(|it| it.slip.item == id);
            told.path = found.map(|it| it.slip.path);
            if let (Some(folder), Some(path)) = (&self.to, &told.path) {
                told.put = Some(put(path, folder)?);
            }
        }
        let ended = !waits || told.end.item.status == "Success";
        match self.json {
            true => json(&told)?,
            false => told.print(matches!(counter, Counter::Here(_))),
        }
        Ok(ExitCode::from(u8::from(!ended)))
    }

    fn ask(&self, counter: &Counter) -> Result<AskedRestoration, Failure> {
        if let Some(path) = &self.file {
            let which = format!("{}/{path}", self.which.trim_end_matches('/'));
            return counter.restore(Kind::File, &which, self.version);
        }
        let is_file = Uuid::parse(&self.which).is_some() || self.which.matches('/').count() > 1;
        let kind = if is_file { Kind::File } else { Kind::Object };
        counter.restore(kind, &self.which, self.version)
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Object,
    File,
}

impl Counter {
    fn restore(
        &self,
        kind: Kind,
        which: &str,
        version: Option<u32>,
    ) -> Result<AskedRestoration, Failure> {
        match self {
            Counter::Here(app) => said(match kind {
                Kind::Object => app.desk().restore_object(which, version),
                Kind::File => app.desk().restore_file(which, version),
            }),
            Counter::There(client) => {
                let kind = match kind {
                    Kind::Object => "objects",
                    Kind::File => "files",
                };
                let wish = serde_json::json!({"version": version}).to_string();
                read(client.post(&format!("/api/v1/{kind}/{}/restore", escape(which)), &wish)?)
            }
        }
    }

    fn restorations(&self) -> Result<RestorationList, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().restorations()),
            Counter::There(client) => read(client.get("/api/v1/restorations", &[])?),
        }
    }
}

/// The item as it ended, or as it waits for a person.
fn follow(counter: &Counter, asked: &AskedRestoration) -> Result<ItemDetail, Failure> {
    let meter = Meter::of_stages(&asked.item.name);
    loop {
        let detail = counter.item(asked.item.id.unsigned_abs())?;
        match detail.item.status.as_str() {
            "Pending" | "Started" => {
                meter.say(&format!("{}, {}", detail.item.stage, detail.item.status));
            }
            _ => return Ok(detail),
        }
        pause();
    }
}

/// Gives it another name in a folder, or a copy where that is on another disk. Nothing that stands
/// there is replaced.
fn put(path: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    let name = path.file_name().unwrap_or_default();
    let target = folder.join(name);
    let failed = |error: io::Error| {
        let (from, to) = (path.display().to_string(), target.display().to_string());
        let (from, to) = (plain(&from), plain(&to));
        Failure::Refused(format!("it is restored to {from}, and cannot be put at {to}: {error}"))
    };
    match fs::hard_link(path, &target) {
        Ok(()) => return Ok(target),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(failed(error)),
        Err(_) => {}
    }
    let mut draft = std::ffi::OsString::from(".");
    draft.push(name);
    draft.push(".draft");
    let draft = folder.join(draft);
    let copied = fs::copy(path, &draft)
        .and_then(|_| fs::File::open(&draft)?.sync_all())
        .and_then(|()| durable::rename(&draft, &target));
    if copied.is_err() {
        // It is ours, and of no use to anybody.
        drop(fs::remove_file(&draft));
    }
    copied.map(|()| target.clone()).map_err(failed)
}

impl Told {
    fn print(&self, is_here: bool) {
        let item = &self.end.item;
        let (name, id) = (plain(&item.name), item.id);
        match (item.status.as_str(), &self.path) {
            ("Success", Some(path)) => {
                line(&format!(
                    "{name}: restored to {} (item {id})",
                    plain(&path.display().to_string())
                ));
            }
            ("Pending" | "Started", _) if self.joined => {
                line(&format!("{name} was asked for before: item {id}"));
            }
            ("Pending" | "Started", _) => line(&format!("{name} is asked for: item {id}")),
            ("Suspended", _) => {
                line(&format!("{name}: needs a person at {} (item {id})", item.stage))
            }
            (other, _) => line(&format!("{name}: {} (item {id})", other.to_lowercase())),
        }
        if let Some(put) = &self.put {
            line(&format!("  and put at {}", plain(&put.display().to_string())));
        }
        for text in [&item.happened, &item.kept, &item.advice].into_iter().flatten() {
            line(&format!("  {}", plain(text)));
        }
        if is_here {
            line("No appliance runs: it waits for its next start.");
        }
    }
}
