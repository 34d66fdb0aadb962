//! What is so now, as far as the house can see it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{
    self, Counting, EventType, Gaps, ITEMS, MissingCopies, Query, ReplicaClass, Role, Sight, Warned,
};

use super::place::{self, Store};
use crate::app::App;
use crate::restore::REHEARSAL;

const DAY: u64 = 86_400;
/// A replica may be read this much later than its time is up before it counts as overdue.
const LATE: Duration = Duration::from_secs(7 * DAY);

/// Everything that requirements are seen by.
pub struct Facts {
    pub(super) now: Timestamp,
    /// The replicas that were ever used.
    pub(super) stores: Vec<Store>,
    /// Objects that are held and have files.
    pub(super) object_count: u64,
    pub(super) file_count: u64,
    /// How many objects are whole and sound in how many places.
    pub(super) by_places: BTreeMap<usize, u64>,
    /// How many objects are whole and sound in how many replicas, wherever these are.
    pub(super) by_replicas: BTreeMap<usize, u64>,
    /// Objects that are whole and sound in no replica that can be read at once.
    pub(super) cold_only_count: u64,
    /// Each hot replica: how often it is read, and when its stalest copy was.
    pub(super) readings: Vec<Reading>,
    /// Each replica that lacks copies which a storage option asks for.
    pub(super) missing: Vec<MissingCopies>,
    pub(super) gaps: Gaps,
    pub(super) warned: Warned,
    /// Files whose format is not known.
    pub(super) unidentified_file_count: u64,
    pub(super) format_count: u64,
    pub(super) last_check: Option<Timestamp>,
    pub(super) last_event: Option<Timestamp>,
    /// When a rehearsal last ended well; none if the last one did not.
    pub(super) last_rehearsal: Option<Timestamp>,
    /// Active users with a role, and of them administrators of the house.
    pub(super) person_count: u64,
    pub(super) admin_count: u64,
    /// Institutions that hold something and have no active user.
    pub(super) unmanned: Vec<String>,
}

/// How a hot replica stands with being read.
pub(super) struct Reading {
    pub(super) replica: String,
    pub(super) every_days: u64,
    pub(super) stalest: Option<Timestamp>,
    pub(super) is_overdue: bool,
}

/// Gathers the facts, of what somebody may see.
pub fn gather(app: &App, sight: Sight) -> Result<Facts, registry::Error> {
    let (registry, now) = (&app.registry, app.shop.clock.now());
    let stores = place::stores(registry, &app.config)?;
    let formats = formats(app, sight)?;
    let mut facts = Facts {
        now,
        object_count: 0,
        file_count: 0,
        by_places: BTreeMap::new(),
        by_replicas: BTreeMap::new(),
        cold_only_count: 0,
        readings: readings(app, &stores)?,
        missing: registry.missing_copies(sight)?,
        gaps: registry.gaps(sight)?,
        warned: registry.format_warnings(sight)?,
        unidentified_file_count: formats.0,
        format_count: formats.1,
        last_check: registry.last_event(EventType::FixityCheck)?,
        last_event: registry.last_event(EventType::Ingestion)?,
        last_rehearsal: last_rehearsal(app)?,
        person_count: 0,
        admin_count: 0,
        unmanned: Vec::new(),
        stores,
    };
    let owners = facts.count_held(app, sight)?;
    facts.count_people(app, &owners)?;
    Ok(facts)
}

impl Facts {
    /// Adds up where objects are whole, and says whose they are.
    fn count_held(&mut self, app: &App, sight: Sight) -> Result<BTreeSet<i64>, registry::Error> {
        let mut owners = BTreeSet::new();
        for row in app.registry.held_figures(sight)? {
            let objects = row.figures.object_count.saturating_sub(row.empty_count);
            if objects == 0 {
                continue;
            }
            owners.insert(row.institution_id);
            let has = |store: &&Store| row.sound_in.contains(&store.id);
            let there: Vec<&Store> = self.stores.iter().filter(has).collect();
            let places: BTreeSet<usize> = there.iter().map(|store| store.at).collect();
            let is_hot = there.iter().any(|store| store.class == ReplicaClass::Hot);
            self.object_count += objects;
            self.file_count += row.figures.file_count;
            *self.by_places.entry(places.len()).or_default() += objects;
            *self.by_replicas.entry(there.len()).or_default() += objects;
            if !is_hot {
                self.cold_only_count += objects;
            }
        }
        Ok(owners)
    }

    fn count_people(&mut self, app: &App, owners: &BTreeSet<i64>) -> Result<(), registry::Error> {
        let mut manned = BTreeSet::new();
        for people in app.registry.role_counts()? {
            if people.role == Role::None {
                continue;
            }
            manned.insert(people.institution_id);
            self.person_count += people.count;
            if people.role == Role::Admin {
                self.admin_count += people.count;
            }
        }
        for institution in app.registry.institution_names()? {
            if owners.contains(&institution.id) && !manned.contains(&institution.id) {
                self.unmanned.push(institution.identifier);
            }
        }
        Ok(())
    }

    /// Objects that are whole and sound in fewer places than this.
    pub(super) fn in_fewer_places(&self, places: usize) -> u64 {
        self.by_places.range(..places).map(|(_, count)| count).sum()
    }

    /// Objects that are whole and sound in fewer replicas than this.
    pub(super) fn in_fewer_replicas(&self, replicas: usize) -> u64 {
        self.by_replicas.range(..replicas).map(|(_, count)| count).sum()
    }

    pub(super) fn holds_nothing(&self) -> bool {
        self.object_count == 0
    }
}

/// Files without a known format, and the number of formats.
fn formats(app: &App, sight: Sight) -> Result<(u64, u64), registry::Error> {
    let rows = app.registry.format_figures(sight, 10_000)?;
    let unknown = rows.iter().filter(|row| row.puid.is_empty()).map(|row| row.file_count).sum();
    let known = rows.iter().filter(|row| !row.puid.is_empty()).count() as u64;
    Ok((unknown, known))
}

fn readings(app: &App, stores: &[Store]) -> Result<Vec<Reading>, registry::Error> {
    let now = app.shop.clock.now();
    let mut readings = Vec::new();
    for store in stores.iter().filter(|store| store.class == ReplicaClass::Hot) {
        let every = app.config.fixity_every(&store.name);
        let stalest = app.registry.due_objects(store.id, now, 1)?;
        let stalest = stalest.first().map(|object| object.oldest_checked_at);
        readings.push(Reading {
            replica: store.name.clone(),
            every_days: every.as_secs() / DAY,
            is_overdue: stalest.is_some_and(|at| now.since(at) > every.saturating_add(LATE)),
            stalest,
        });
    }
    Ok(readings)
}

fn last_rehearsal(app: &App) -> Result<Option<Timestamp>, registry::Error> {
    let wanted = [
        ("topic", REHEARSAL),
        ("status__in", "Success"),
        ("status__in", "Suspended"),
        ("status__in", "Failed"),
        ("per_page", "1"),
    ];
    let pairs = wanted.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let Ok(query) = Query::parse(&ITEMS, &pairs) else { return Ok(None) };
    let last = app.registry.list_items(&query.counting(Counting::No))?.rows.into_iter().next();
    Ok(last.filter(|item| item.status == "Success").map(|item| item.date_processed))
}
