//! Looks at the receiving areas and makes an item of every deposit that is complete.
//!
//! A deposit is a file or folder at the top of its institution's area. One that is still growing is
//! left alone; one that an item was made for, in the same state, is not taken again. What is no
//! deposit is told, not passed over in silence.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::time::Duration;

use storage::registry::{ITEMS, Institution};
use storage::work::item::Subject;
use storage::work::queue::{NewItem, Pushed};

use super::INGEST;
use super::area::{Lying, lying, modified, remove_leftover};
use super::institutions::{institutions, query};
use super::place::{bag_name, etag, receiving};
use crate::app::{App, FileFault};
use crate::fault::Fault;
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

enum Seen {
    Taken,
    /// There is an item for it, or it is none of ours.
    Known,
    Growing,
    /// No deposit, by its name or kind.
    Odd(String),
}

fn look(app: &App, institution: &Institution, path: &Path) -> Result<Seen, Fault> {
    if remove_leftover(app, path).map_err(FileFault::at("remove", path))? {
        return Ok(Seen::Known);
    }
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Seen::Growing),
        other => other.map_err(FileFault::at("look at", path))?,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match lying(app, path, &found) {
        Lying::Odd(_) => return Ok(Seen::Odd(name)),
        Lying::Hidden => return Ok(Seen::Known),
        Lying::Arriving => return Ok(Seen::Growing),
        Lying::Still => {}
    }
    // Whoever receives it makes the item as well.
    if app.arrivals.holds(&institution.identifier, &name)
        || is_known(app, institution, &name, &etag(&found))?
    {
        return Ok(Seen::Known);
    }
    let pushed = take(app, institution, &name, &found)?;
    Ok(if pushed.new { Seen::Taken } else { Seen::Known })
}

/// Makes an item of a deposit; while an earlier deposit of the same object is on its way, that
/// one's item is told instead.
pub(super) fn take(
    app: &App,
    institution: &Institution,
    name: &str,
    found: &Metadata,
) -> Result<Pushed, Fault> {
    let identifier = format!("{}/{}", institution.identifier, bag_name(name));
    Ok(app.shop.queue.push(NewItem {
        flow: INGEST.name.into(),
        topic: INGEST.stages[0].about().topic.into(),
        subject: Subject {
            action: INGEST.action.into(),
            name: name.to_owned(),
            etag: Some(etag(found)),
            institution: Some(institution.id),
            object_identifier: Some(identifier.clone()),
            bucket: Some(institution.identifier.clone()),
            user: "strongroom".into(),
            bag_date: modified(found),
            size_bytes: found.len(),
            ..Subject::default()
        },
        // An older deposit of the same object comes to its end first.
        unique: Some(format!("ingest {identifier}")),
        note: "the bag is in the receiving area".into(),
        ..NewItem::default()
    })?)
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
