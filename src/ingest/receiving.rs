//! Looks at the receiving areas and makes an item of every deposit that is complete.
//!
//! A deposit is a file or folder at the top of its institution's area. One that is still growing is
//! left alone; one that an item was made for, in the same state, is not taken again. What is no
//! deposit is told, not passed over in silence.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{
    INSTITUTIONS, ITEMS, Institution, InstitutionKind, Listing, NewInstitution, Query, Standing,
};
use storage::work::item::Subject;
use storage::work::queue::NewItem;

use super::INGEST;
use super::place::{SUFFIXES, bag_name, etag, receiving};
use crate::app::{App, FileFault};
use crate::fault::{Failure, Fault, Kind};
use crate::work::{Sweep, Swept};

/// The sweep.
pub struct Receiving;

impl Sweep<App> for Receiving {
    fn name(&self) -> &'static str {
        "receiving"
    }

    fn every(&self, app: &App) -> Duration {
        app.config.ingest.sweep
    }

    fn sweep(&self, app: &App, limit: usize) -> Result<Swept, Fault> {
        let mut swept = Swept::default();
        let mut odd = Vec::new();
        for institution in institutions(app)? {
            let folder = receiving(app, &institution.identifier);
            storage::durable::create_folder(&folder).map_err(FileFault::at("create", &folder))?;
            for entry in fs::read_dir(&folder).map_err(FileFault::at("read", &folder))? {
                if swept.made >= limit {
                    break;
                }
                let path = entry.map_err(FileFault::at("read", &folder))?.path();
                match look(app, &institution, &path)? {
                    Seen::Taken => swept.made += 1,
                    Seen::Known | Seen::Growing => {}
                    Seen::Odd(name) => odd.push(name),
                }
            }
        }
        swept.note = match odd.as_slice() {
            [] => format!("deposits taken: {}", swept.made),
            [first, ..] => {
                let count = odd.len();
                format!("deposits taken: {}; no bags: {count}, such as {first}", swept.made)
            }
        };
        Ok(swept)
    }
}

/// The active institutions. Where there is none, the configured one is made.
fn institutions(app: &App) -> Result<Vec<Institution>, Fault> {
    let mut found = Vec::new();
    let mut page = Some(1);
    while let Some(number) = page {
        let wanted = [("page", number.to_string()), ("per_page", "1000".to_owned())];
        let listed = app.registry.list_institutions(&query(&INSTITUTIONS, &wanted)?)?;
        found.extend(listed.rows);
        page = listed.next_page;
    }
    if !found.is_empty() {
        let active = |institution: &Institution| institution.state == Standing::Active;
        return Ok(found.into_iter().filter(active).collect());
    }
    let identifier = &app.config.ingest.institution;
    let made = app.registry.create_institution(
        &NewInstitution {
            name: app.config.ingest.institution_name.clone(),
            identifier: identifier.clone(),
            kind: InstitutionKind::Member,
            member_institution_id: None,
            receiving_bucket: format!("receiving/{identifier}"),
            restore_bucket: format!("restore/{identifier}"),
        },
        app.shop.clock.now(),
    )?;
    Ok(vec![made])
}

enum Seen {
    Taken,
    /// There is an item for it.
    Known,
    Growing,
    /// No deposit, by its name or kind.
    Odd(String),
}

fn look(app: &App, institution: &Institution, path: &Path) -> Result<Seen, Fault> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Seen::Growing),
        other => other.map_err(FileFault::at("look at", path))?,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if name.starts_with('.') || name.ends_with(".part") {
        return Ok(Seen::Growing);
    }
    let archive = found.is_file() && SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
    if path.to_str().is_none() || !archive && !found.is_dir() || bag_name(&name).is_empty() {
        return Ok(Seen::Odd(name));
    }
    if !is_still(app, &found) {
        return Ok(Seen::Growing);
    }
    let tag = etag(&found);
    if is_known(app, institution, &name, &tag)? {
        return Ok(Seen::Known);
    }
    let identifier = format!("{}/{}", institution.identifier, bag_name(&name));
    let pushed = app.shop.queue.push(NewItem {
        flow: INGEST.name.into(),
        topic: INGEST.stages[0].about().topic.into(),
        subject: Subject {
            action: INGEST.action.into(),
            name,
            etag: Some(tag),
            institution: Some(institution.id),
            object_identifier: Some(identifier.clone()),
            bucket: Some(institution.identifier.clone()),
            user: "strongroom".into(),
            bag_date: modified(&found),
            size_bytes: found.len(),
            ..Subject::default()
        },
        // An older deposit of the same object comes to its end first.
        unique: Some(format!("ingest {identifier}")),
        note: "the bag is in the receiving area".into(),
        ..NewItem::default()
    })?;
    Ok(if pushed.new { Seen::Taken } else { Seen::Known })
}

/// Whether nobody writes to it any more, as far as can be told. A folder is as old as its newest
/// entry at the top; what is written deeper down shows in the digests.
fn is_still(app: &App, found: &Metadata) -> bool {
    let now = app.shop.clock.now();
    let still = app.config.ingest.still;
    modified(found).is_none_or(|moment| moment.after(still) <= now)
}

fn modified(found: &Metadata) -> Option<Timestamp> {
    let seconds = u64::try_from(found.mtime()).ok()?;
    let millis = u64::try_from(found.mtime_nsec()).ok()? / 1_000_000;
    Some(Timestamp(seconds.checked_mul(1000)?.checked_add(millis)?))
}

/// Whether an item was made for this deposit in this state, whatever became of it.
fn is_known(app: &App, institution: &Institution, name: &str, tag: &str) -> Result<bool, Fault> {
    let wanted = [
        ("name", name.to_owned()),
        ("etag", tag.to_owned()),
        ("institution_id", institution.id.to_string()),
        ("per_page", "1".to_owned()),
    ];
    Ok(!app.registry.list_items(&query(&ITEMS, &wanted)?)?.rows.is_empty())
}

/// A question of ours; that it is not understood would be our own mistake.
fn query(listing: &'static Listing, wanted: &[(&str, String)]) -> Result<Query, Fault> {
    let pairs: Vec<_> =
        wanted.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Query::parse(listing, &pairs).map_err(|bad| {
        Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "query",
            advice: "report this".into(),
            source: Box::new(bad),
        })
    })
}
