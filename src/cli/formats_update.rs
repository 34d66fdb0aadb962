//! `strongroom formats update`: newer signature files, checked before they are used.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::signature_store::Shelf;
use crate::signature_store::{ShelfError, label};
use byteio::causes::chain;
use byteio::regular::{self, Links};
use clap::Args;
use pronom::files::walk::reason;
use pronom::signature::xml::FILE_BYTES;
use pronom::signature::{About, Broken, CompileError, Named};
use pronom::{Changes, SignatureSet};
use serde::Serialize;
use storage::clock::{Clock, SystemClock};

use super::formats::refusal;
use super::print::{clip, error, json, line, plain};
use super::{Failure, Outcome};
use crate::exposure::make_private;

/// Formats of each kind that are listed for people.
const LISTED: usize = 20;

/// Put newer signature files of PRONOM in use.
#[derive(Args)]
#[command(
    after_help = "The National Archives publish both files; they may be given in any order. \
    They are checked as a\nwhole: files that cannot be used, or are older, change nothing. The set \
    in use until now is kept,\nsee `strongroom formats revert`.\n\n\
    Exit: 0 in use (from now on, or already), 1 refused, 2 could not run.\n\n\
    Example:\n  strongroom formats update DROID_SignatureFile_V123.xml \
    container-signature-20260601.xml"
)]
pub(super) struct Update {
    /// The signature file of DROID
    #[arg(value_name = "DROID.xml")]
    droid: PathBuf,
    /// The container signature file
    #[arg(value_name = "CONTAINER.xml")]
    container: PathBuf,
    /// Print JSON, with every format that changed
    #[arg(long)]
    json: bool,
}

/// What was done, as printed.
#[derive(Serialize)]
struct Told<'a> {
    /// Whether another set is in use now.
    updated: bool,
    signatures: &'a About,
    changes: Option<&'a Changes>,
}

impl Update {
    pub(super) fn run(self, data: &Path) -> Outcome {
        make_private();
        let shelf = Shelf::at(data);
        // Said before: what is put in use now may mend it.
        if let Some(warning) = shelf.in_use()?.warning {
            error(&warning);
        }
        let set = self.compile()?;
        let before = shelf.in_use()?.set.about;
        let same = (before.droid_version, before.container_version)
            == (set.about.droid_version, set.about.container_version);
        let old = same.then(|| label(&before));
        let changes = match shelf.put(&set) {
            Ok(changes) => Some(changes),
            Err(ShelfError::Same(_)) => None,
            Err(refused) => return Err(refusal(refused)),
        };
        if let Some(Changes { removed, changed, same, .. }) = &changes
            && removed.len() > changed.len() + same
        {
            // PRONOM gives a format a number once and for all.
            error(
                "most formats of the set in use until now are gone: are these the right files? \
                 `strongroom formats revert` goes back",
            );
        }
        if self.json {
            let (updated, signatures) = (changes.is_some(), &set.about);
            json(&Told { updated, signatures, changes: changes.as_ref() })?;
            return Ok(ExitCode::SUCCESS);
        }
        let Some(changes) = changes else {
            line(&format!("Already in use: {}", label(&set.about)));
            return Ok(ExitCode::SUCCESS);
        };
        line(&format!("In use from now on: {}", label(&set.about)));
        line(&format!("Kept in {}", plain(&shelf.folder().display().to_string())));
        if let Some(old) = &old {
            line(&format!("It replaces another set of the same version: {old}"));
        }
        tell_changes(&changes);
        tell_left_out(&set.about);
        Ok(ExitCode::SUCCESS)
    }

    /// Makes a set of both files, whichever comes first.
    fn compile(&self) -> Result<SignatureSet, Failure> {
        let (one, other) = (read(&self.droid)?, read(&self.container)?);
        let now = Some(SystemClock::start().now().to_string());
        let compiled = match SignatureSet::compile(&one, &other, now.clone()) {
            Err(CompileError::Droid(Broken::Other { found, .. }))
                if found == "ContainerSignatureMapping" =>
            {
                let swapped = SignatureSet::compile(&other, &one, now);
                swapped.map_err(|error| (error, &self.container, &self.droid))
            }
            compiled => compiled.map_err(|error| (error, &self.droid, &self.container)),
        };
        compiled.map_err(|(error, droid, container)| match error {
            CompileError::Droid(broken) => unusable(droid, &chain(&broken)),
            CompileError::Container(broken) => unusable(container, &chain(&broken)),
        })
    }
}

/// What changed, in numbers and by name.
pub(super) fn tell_changes(changes: &Changes) {
    let Changes { added, removed, changed, same } = changes;
    line(&format!(
        "Formats: {} added, {} removed, {} changed, {same} the same",
        added.len(),
        removed.len(),
        changed.len()
    ));
    for (head, formats) in [("Added", added), ("Removed", removed), ("Changed", changed)] {
        if !formats.is_empty() {
            line(&format!("{head}:"));
        }
        for format in formats.iter().take(LISTED) {
            line(&format!("  {:<12}  {}", plain(&format.puid), clip(&Named::title(format), 80)));
        }
        tell_more(formats.len());
    }
}

/// Signatures that cannot be used, with their reasons.
pub(super) fn tell_left_out(about: &About) {
    if about.left_out.is_empty() {
        return;
    }
    line(&format!("Left out, as this program cannot use them: {}", about.left_out.len()));
    for reason in about.left_out.iter().take(LISTED) {
        line(&format!("  {}", clip(reason, 120)));
    }
    tell_more(about.left_out.len());
}

fn tell_more(count: usize) {
    if count > LISTED {
        line(&format!("  and {} more; --json lists all", count - LISTED));
    }
}

/// The whole file, unless it is larger than any signature file.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: std::io::Error| unusable(path, &reason(&error));
    let (file, metadata) = regular::open(path, Links::Follow).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let most = FILE_BYTES as u64;
    if metadata.len() <= most {
        // One more than allowed: it may be growing.
        file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if metadata.len() > most || bytes.len() > FILE_BYTES {
        return Err(unusable(path, &Broken::Large.to_string()));
    }
    Ok(bytes)
}

fn unusable(path: &Path, why: &str) -> Failure {
    let path = path.display().to_string();
    Failure::Refused(format!("{}: {}; the set in use is kept", plain(&path), plain(why)))
}
