//! How long lists and searches take at a million files, 100,000 objects, 100,000 items and a million
//! events: every list with every filter for everybody, its first page with its count, and a page far
//! behind. Prints the slowest against the goal of 50 ms of the
//! processor, and judges nothing.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]
#![expect(clippy::unwrap_used, reason = "a bench that fails stops")]

use std::path::PathBuf;

use storage::clock::{Clock, SystemClock, Timestamp};
use storage::registry::{
    ALERTS, CHECKSUMS, Column, Counting, DELETIONS, EVENTS, FILES, INSTITUTIONS, ITEMS, Kind,
    Listing, OBJECTS, Op, Query, Registry, STORAGE_RECORDS, Sight, USERS,
};

const GOAL_MS: f64 = 50.0;
const NOW: Timestamp = Timestamp(1_794_813_641_123);
/// How far the desk counts what is held; items it counts all.
const COUNTED: Counting = Counting::UpTo(10_001);

/// Who asks; of what others share, only objects are listed.
const SIGHTS: [(&str, Sight); 4] = [
    ("admin", Sight::All),
    ("institutional_admin", Sight::Own { institution: 3, restricted: true }),
    ("institutional_user", Sight::Own { institution: 3, restricted: false }),
    ("shared by others", Sight::Shared { institution: 3 }),
];

fn is_shared(sight: Sight) -> bool {
    matches!(sight, Sight::Shared { .. })
}

/// Fetches a page of one listing and forgets it.
type Fetch = fn(&Registry, &Query) -> Option<String>;

macro_rules! fetch {
    ($list:ident) => {
        |registry, query| registry.$list(query).unwrap().next_cursor
    };
}

const LISTS: [(&str, &Listing, Fetch); 10] = [
    ("objects", &OBJECTS, fetch!(list_objects)),
    ("files", &FILES, fetch!(list_files)),
    ("events", &EVENTS, fetch!(list_events)),
    ("items", &ITEMS, fetch!(list_items)),
    ("checksums", &CHECKSUMS, fetch!(list_checksums)),
    ("storage records", &STORAGE_RECORDS, fetch!(list_storage_records)),
    ("alerts", &ALERTS, fetch!(list_alerts)),
    ("deletions", &DELETIONS, |registry, query| {
        registry.list_deletions(query, NOW).unwrap().next_cursor
    }),
    ("institutions", &INSTITUTIONS, fetch!(list_institutions)),
    ("users", &USERS, fetch!(list_users)),
];

fn main() {
    let objects = std::env::var("STRONGROOM_OBJECTS").ok().and_then(|it| it.parse().ok());
    let objects: u32 = objects.unwrap_or(100_000);
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(place()).unwrap();
    let path = folder.path().join("registry.sqlite");
    let clock = SystemClock::start();
    let registry = fill(&path, objects, &clock);
    let bytes = registry.size_bytes().unwrap();
    println!("{objects} objects, {} files: {} MB", objects * 10, bytes / 1_000_000);
    sizes(&path);
    search(&registry);
    for (name, listing, fetch) in LISTS {
        let counting = if name == "items" { Counting::Exact } else { COUNTED };
        let mut bench = Lists { registry: &registry, fetch, counting, told: Vec::new() };
        bench.walk(listing);
        bench.tell(name);
    }
}

/// A word of every row, of few, of one and of none, and beginnings of words.
const SOUGHT: [&str; 9] = [
    "letters",
    "letter tif",
    "box 77 letter",
    "le",
    "letter-77000-7.tif",
    "alt-77000",
    "bag",
    "inst3.org/bag-77003",
    "zebra",
];

fn search(registry: &Registry) {
    println!("search:");
    for text in SOUGHT {
        for (role, sight) in SIGHTS {
            let before = busy_ms();
            let all = registry.search(text, sight, 25).unwrap();
            let spent = busy_ms() - before;
            let found = (all.objects.len(), all.files.len(), all.items.len());
            println!("  {spent:>8.1} ms  {text:?} as {role}: {found:?}");
        }
    }
}

/// What this thread has kept a processor busy, reading files included: other programs share the
/// machine, and nothing here waits for a disk twice.
fn busy_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn place() -> PathBuf {
    let given = std::env::args().nth(1).filter(|it| !it.starts_with('-'));
    given.map_or_else(|| PathBuf::from("."), PathBuf::from)
}

fn fill(path: &PathBuf, objects: u32, clock: &SystemClock) -> Registry {
    let before = clock.steady();
    drop(Registry::open(path, NOW).unwrap());
    let conn = rusqlite::Connection::open(path).unwrap();
    conn.execute_batch(&format!(
        "PRAGMA synchronous = OFF; PRAGMA cache_size = -400000;
         CREATE TEMP TABLE made AS SELECT {objects} AS objects, 10 AS files, {objects} AS items,
             10 AS events"
    ))
    .unwrap();
    conn.execute_batch(include_str!("fill.sql")).unwrap();
    drop(conn);
    let registry = Registry::open(path, NOW).unwrap();
    registry.derive_anew().unwrap();
    registry.refresh_statistics().unwrap();
    registry.checkpoint().unwrap();
    println!("filled in {:.0} s", (clock.steady() - before).as_secs_f64());
    registry
}

/// What the largest tables and indexes take.
fn sizes(path: &PathBuf) {
    let conn = rusqlite::Connection::open(path).unwrap();
    let sql = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 60";
    let mut statement = conn.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for row in rows {
        let (name, bytes): (String, i64) = row.unwrap();
        println!("  {name:<40} {:>7.1} MB", bytes as f64 / 1e6);
    }
}

struct Lists<'a> {
    registry: &'a Registry,
    fetch: Fetch,
    /// How far the desk counts this list.
    counting: Counting,
    told: Vec<(f64, String)>,
}

impl Lists<'_> {
    fn walk(&mut self, listing: &'static Listing) {
        self.ask(listing, &[]);
        for column in listing.columns() {
            for op in column.ops() {
                for value in values(column, *op) {
                    let name = format!("{}__{}", column.name(), op.suffix());
                    let beside = column.asked_inside().first();
                    let beside = beside.map(|name| ((*name).to_owned(), "3".to_owned()));
                    let pairs: Vec<_> =
                        [(name, value.to_owned())].into_iter().chain(beside).collect();
                    self.ask(listing, &pairs);
                }
            }
        }
    }

    fn ask(&mut self, listing: &'static Listing, pairs: &[(String, String)]) {
        let shared = std::ptr::eq(listing, &OBJECTS);
        for (role, sight) in SIGHTS.into_iter().filter(|(_, it)| shared || !is_shared(*it)) {
            let parse = |more: Option<(&str, String)>| {
                let more = more.map(|(name, value)| (name.to_owned(), value));
                let pairs: Vec<_> = pairs.iter().cloned().chain(more).collect();
                Query::parse(listing, &pairs).unwrap().seen_by(sight)
            };
            let told: Vec<String> = pairs.iter().map(|(name, it)| format!("{name}={it}")).collect();
            let told = format!("{} as {role}", told.join("&"));
            let first = parse(None).counting(self.counting);
            let cursor = self.time(&format!("first page, {told}"), &first);
            let deep = parse(Some(("page", "400".to_owned()))).counting(self.counting);
            self.time(&format!("page 400, {told}"), &deep);
            if let Some(cursor) = cursor {
                let next = parse(Some(("cursor", cursor))).counting(Counting::No);
                self.time(&format!("by cursor, {told}"), &next);
            }
        }
    }

    fn time(&mut self, what: &str, query: &Query) -> Option<String> {
        let before = busy_ms();
        let cursor = (self.fetch)(self.registry, query);
        let spent = busy_ms() - before;
        self.told.push((spent, what.to_owned()));
        cursor
    }

    fn tell(&mut self, name: &str) {
        self.told.sort_by(|a, b| b.0.total_cmp(&a.0));
        let over = self.told.iter().filter(|(ms, _)| *ms > GOAL_MS).count();
        println!("{name}: {over} of {} over {GOAL_MS} ms; the slowest:", self.told.len());
        for (ms, what) in self.told.iter().take(usize::max(8, usize::min(over, 60))) {
            println!("  {ms:>8.1} ms  {what}");
        }
    }
}

/// Values that many rows have, that few have, and that none has.
fn values(column: &Column, op: Op) -> Vec<&'static str> {
    match (column.kind(), op) {
        (_, Op::IsNull | Op::NotNull) | (Kind::Bool, _) => vec!["true", "false"],
        (Kind::Integer, _) => vec!["3", "77000", "99999999999"],
        (Kind::Time, _) => {
            vec!["2020-09-13T12:30:00Z", "2022-01-01T00:00:00Z", "2099-01-01T00:00:00Z"]
        }
        (Kind::Text, _) => match column.name() {
            "access" => vec!["institution", "consortia", "restricted", "none"],
            "state" => vec!["A", "D", "finished", "parked"],
            "storage_option" => vec!["Standard", "Glacier-OH", "none"],
            "event_type" => vec!["message digest calculation", "creation", "none"],
            "outcome" => vec!["Success", "Failure", "none"],
            "scope" => vec!["files", "file", "none"],
            "puid" => vec!["fmt/1", "fmt/50", "fmt/60"],
            "file_format" => vec!["type/1", "none"],
            "algorithm" => vec!["sha256", "none"],
            "status" => vec!["Success", "Failed", "none"],
            "action" => vec!["Ingest", "Restore Object", "none"],
            "source_organization" => vec!["Source 3", "none"],
            "bagit_profile_identifier" => vec!["profile-1", "none"],
            "path" => vec!["bagit.txt", "data/box 3/", "none"],
            _ => vec!["b", "none"],
        },
    }
}
