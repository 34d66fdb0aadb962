//! The same look at a receiving area in a bucket, where deposits appear whole.

use std::collections::BTreeSet;

use ocfl::{InArea, Letter};
use storage::clock::Timestamp;
use storage::registry::Institution;

use super::super::area::Lying;
use super::super::arrival::why_no_name;
use super::super::quota::Sum;
use super::{Deposited, Seen, Tally, is_taken, offer};
use crate::app::App;
use crate::fault::Fault;

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
    let mut sum = Sum::of(app, &institution.identifier);
    let mut new = Vec::new();
    let mut tell = |entry: &InArea| {
        if failed.is_ok() {
            failed = look(app, institution, entry).map(|looked| match looked {
                // More than are taken in one sweep come with the next.
                Looked::New(deposited) if new.len() < limit => new.push(deposited),
                Looked::New(_) => {}
                Looked::There(seen) => {
                    if let InArea::Object(letter) = entry {
                        sum.add(letter.size_bytes);
                    }
                    tally.count(seen);
                }
            });
        }
    };
    app.doorstep.list(&institution.identifier, app.shop.clock.now(), &mut tell)?;
    failed?;
    let mut over = BTreeSet::new();
    for deposited in new {
        if tally.taken >= limit {
            break;
        }
        if !sum.fits(deposited.size_bytes) {
            over.insert(deposited.name);
            continue;
        }
        tally.count(offer(app, institution, &deposited, || Ok(true))?);
    }
    tally.over(app, institution, over);
    Ok(())
}

/// What an entry is to the sweep.
enum Looked {
    /// A deposit without an item.
    New(Deposited),
    There(Seen),
}

fn look(app: &App, institution: &Institution, entry: &InArea) -> Result<Looked, Fault> {
    Ok(Looked::There(match (lying_in_bucket(entry), entry) {
        (Lying::Odd(_), InArea::Object(Letter { name, .. }) | InArea::Folder(name)) => {
            Seen::Odd(name.clone())
        }
        (Lying::Still, InArea::Object(letter)) => {
            let deposited = deposited(letter);
            if !is_taken(app, institution, &deposited)? {
                return Ok(Looked::New(deposited));
            }
            Seen::Known
        }
        (Lying::Hidden, _) => Seen::Known,
        (Lying::Arriving | Lying::Still, _) => Seen::Growing,
    }))
}

/// Whether something lay there in this state when the bucket was last listed.
pub(super) fn was_seen(app: &App, institution: &str, (name, etag): (&str, &str)) -> bool {
    let seen = app.doorstep.seen(institution);
    seen.is_some_and(|seen| {
        seen.entries.iter().any(|entry| match entry {
            InArea::Object(letter) => letter.name == name && letter.etag == etag,
            InArea::Folder(_) => false,
        })
    })
}

pub(super) fn deposited(letter: &Letter) -> Deposited {
    Deposited {
        name: letter.name.clone(),
        etag: letter.etag.clone(),
        size_bytes: letter.size_bytes,
        changed: Some(Timestamp(letter.modified)),
    }
}
