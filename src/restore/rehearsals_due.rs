//! Chooses an object of each institution for a rehearsal, when the last one is old enough: by chance,
//! and rather one that was not rehearsed for long, and rather a large one. For an institution that
//! says itself how often, `spot` chooses.

use std::collections::HashMap;
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{
    Counting, INSTITUTIONS, ITEMS, Institution, ItemRow, Listing, OBJECTS, ObjectRow, Query,
    Standing,
};
use storage::work::item::Subject;
use storage::work::queue::NewItem;

use super::RESTORE;
use super::copies::is_cold;
use super::rehearsal::TOPIC;
use super::spot::smallest;
use crate::app::App;
use crate::fault::{Failure, Fault, Kind};
use crate::work::{Sweep, Swept};

/// Objects that one is chosen from: those around a place that is chosen by chance.
const CANDIDATES: &str = "200";
/// Earlier rehearsals of an institution that are remembered.
const REMEMBERED: &str = "1000";
const DAY_MS: u64 = 86_400_000;

/// The sweep.
pub struct RehearsalsDue;

impl Sweep<App> for RehearsalsDue {
    fn name(&self) -> &'static str {
        "rehearsals_due"
    }

    fn about(&self) -> &'static str {
        "Chooses an object of each institution now and then, and sees whether it can be restored."
    }

    fn every(&self, _: &App) -> Duration {
        Duration::from_secs(3600)
    }

    fn sweep(&self, app: &App, limit: usize) -> Result<Swept, Fault> {
        let wanted = [("per_page", "1000")];
        let institutions = app.registry.list_institutions(&query(&INSTITUTIONS, &wanted)?)?.rows;
        let mut made = 0;
        for institution in institutions.iter().filter(|it| it.state == Standing::Active) {
            if made < limit && due(app, institution)? {
                made += 1;
            }
        }
        Ok(Swept { made, note: format!("made {made} rehearsals") })
    }
}

/// Makes an item for the institution if it is time; whether it did.
fn due(app: &App, institution: &Institution) -> Result<bool, Fault> {
    let own = u64::try_from(institution.spot_restore_frequency).ok().filter(|days| *days > 0);
    if let Some(days) = own {
        return trial_due(app, institution, Duration::from_secs(days.saturating_mul(86_400)));
    }
    let Some(every) = app.config.restore.rehearse_every else { return Ok(false) };
    let id = institution.id.to_string();
    let (past, now) = (past(app, &id)?, app.shop.clock.now());
    let first =
        objects(app, &[("institution_id", &id), ("sort", "created_at__asc"), ("per_page", "1")])?;
    // The first one comes a while after there is something to rehearse.
    let since = past.first().map(|it| it.created_at).or(first.first().map(|it| it.created_at));
    if since.is_none_or(|since| now < since.after(every)) {
        return Ok(false);
    }
    let Some(object) = choose(app, institution, &past)? else { return Ok(false) };
    Ok(app.shop.queue.push(item(institution, &object))?.new)
}

/// The same for an institution that says itself how often: the first one comes at once.
fn trial_due(app: &App, institution: &Institution, every: Duration) -> Result<bool, Fault> {
    let past = past(app, &institution.id.to_string())?;
    let now = app.shop.clock.now();
    if past.first().is_some_and(|last| now < last.created_at.after(every)) {
        return Ok(false);
    }
    let Some(object) = smallest(app, institution, every)? else { return Ok(false) };
    Ok(app.shop.queue.push(item(institution, &object))?.new)
}

/// Earlier rehearsals of an institution, the newest first.
fn past(app: &App, institution: &str) -> Result<Vec<ItemRow>, Fault> {
    let wanted = [
        ("topic", TOPIC),
        ("institution_id", institution),
        ("sort", "id__desc"),
        ("per_page", REMEMBERED),
    ];
    Ok(app.registry.list_items(&query(&ITEMS, &wanted)?)?.rows)
}

/// One object by chance; none if there is none that fits.
fn choose(
    app: &App,
    institution: &Institution,
    past: &[ItemRow],
) -> Result<Option<ObjectRow>, Fault> {
    let now = app.shop.clock.now();
    let mut dice = fastrand::Rng::with_seed(now.0 ^ institution.id.unsigned_abs());
    let newest = objects(app, &[("sort", "id__desc"), ("per_page", "1")])?;
    let Some(newest) = newest.first() else { return Ok(None) };
    let (id, most) =
        (institution.id.to_string(), app.config.restore.rehearse_max_bytes.to_string());
    let pivot = dice.i64(1..=newest.id.0.max(1)).to_string();
    let fits = [("institution_id", id.as_str()), ("state", "A"), ("size__lteq", &most)];
    let mut found = Vec::new();
    for around in [("id__gteq", pivot.as_str()), ("id__lt", &pivot)] {
        let rest = [around, ("sort", "id__asc"), ("per_page", CANDIDATES)];
        found.extend(objects(app, &[&fits[..], &rest[..]].concat())?);
    }
    let mut last: HashMap<i64, Timestamp> = HashMap::new();
    for item in past {
        if let Some(object) = item.intellectual_object_id {
            last.entry(object).or_insert(item.created_at);
        }
    }
    let weigh = |object: &ObjectRow| {
        let since = last.get(&object.id.0).copied().unwrap_or(object.created_at);
        let days = now.0.saturating_sub(since.0) / DAY_MS + 1;
        days as f64 * (object.size as f64 + 2.0).log2()
    };
    let mut candidates = Vec::new();
    for object in found {
        if object.file_count > 0 && !is_cold(app, &object)? {
            candidates.push((weigh(&object), object));
        }
    }
    let total: f64 = candidates.iter().map(|(weight, _)| weight).sum();
    let mut left = dice.f64() * total;
    let mut chosen = None;
    for (weight, object) in candidates {
        chosen = Some(object);
        left -= weight;
        if left <= 0.0 {
            break;
        }
    }
    Ok(chosen)
}

fn item(institution: &Institution, object: &ObjectRow) -> NewItem {
    NewItem {
        flow: RESTORE.name.into(),
        topic: TOPIC.into(),
        subject: Subject {
            action: "Restore Rehearsal".into(),
            name: object.identifier.clone(),
            institution: Some(institution.id),
            object: Some(object.id.0),
            object_identifier: Some(object.identifier.clone()),
            user: "strongroom".into(),
            size_bytes: object.size,
            storage_option: Some(object.storage_option.clone()),
            ..Subject::default()
        },
        // One that is still in line, or parked, is not joined by a second.
        unique: Some(format!("rehearsal/{}", institution.identifier)),
        note: "a rehearsal is due".into(),
        ..NewItem::default()
    }
}

fn objects(app: &App, wanted: &[(&str, &str)]) -> Result<Vec<ObjectRow>, Fault> {
    Ok(app.registry.list_objects(&query(&OBJECTS, wanted)?)?.rows)
}

/// A question of ours; that it is not understood would be our own mistake.
pub(super) fn query(listing: &'static Listing, wanted: &[(&str, &str)]) -> Result<Query, Fault> {
    let pairs: Vec<_> =
        wanted.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let parsed = Query::parse(listing, &pairs).map_err(|bad| {
        Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "query",
            advice: "report this".into(),
            source: Box::new(bad),
        })
    })?;
    Ok(parsed.counting(Counting::No))
}
