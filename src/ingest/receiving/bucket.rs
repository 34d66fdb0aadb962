//! The same look at a receiving area in a bucket, where deposits appear whole.

use storage::clock::Timestamp;
use storage::registry::Institution;

use super::super::area::Lying;
use super::super::arrival::why_no_name;
use super::{Deposited, Seen, Tally, offer};
use crate::app::App;
use crate::fault::Fault;
use crate::vault::{InArea, Letter};

/// What something in a bucket is, by its name.
pub(crate) fn lying_in_bucket(entry: &InArea) -> Lying {
    let name = match entry {
        InArea::Folder(_) => {
            let why = "in a bucket a bag is one file, ending in .tar, .tar.gz, .tgz or .zip";
            return Lying::Odd(why.into());
        }
        InArea::Object(letter) => letter.name.as_str(),
    };
    if name.ends_with(".part") {
        Lying::Arriving
    } else if name.starts_with('.') {
        Lying::Hidden
    } else {
        why_no_name(name).map_or(Lying::Still, Lying::Odd)
    }
}

pub(super) fn sweep_bucket(
    app: &App,
    institution: &Institution,
    tally: &mut Tally,
    limit: usize,
) -> Result<(), Fault> {
    let mut failed = Ok(());
    let mut tell = |entry: &InArea| {
        if failed.is_ok() && tally.taken < limit {
            failed = look(app, institution, entry).map(|seen| tally.count(seen));
        }
    };
    app.doorstep.list(&institution.identifier, app.shop.clock.now(), &mut tell)?;
    failed
}

fn look(app: &App, institution: &Institution, entry: &InArea) -> Result<Seen, Fault> {
    match (lying_in_bucket(entry), entry) {
        (Lying::Odd(_), InArea::Object(Letter { name, .. }) | InArea::Folder(name)) => {
            Ok(Seen::Odd(name.clone()))
        }
        (Lying::Still, InArea::Object(letter)) => {
            offer(app, institution, &deposited(letter), || true)
        }
        (Lying::Hidden, _) => Ok(Seen::Known),
        (Lying::Arriving | Lying::Still, _) => Ok(Seen::Growing),
    }
}

fn deposited(letter: &Letter) -> Deposited {
    Deposited {
        name: letter.name.clone(),
        etag: letter.etag.clone(),
        size_bytes: letter.size_bytes,
        changed: Some(Timestamp(letter.modified)),
    }
}
