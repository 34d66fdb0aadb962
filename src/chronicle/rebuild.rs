//! Makes a registry again from the chronicles in one replica.
//!
//! The new registry grows under a name of its own and takes its place in one rename when it is
//! whole: a rebuild that is interrupted has changed nothing, and begins anew.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use byteio::durable;
use ocfl::{ObjectId, Replica, VaultError};
use storage::clock::{Clock, Timestamp};
use storage::home::Home;
use storage::registry::{
    self, DepositRow, ItemRow, Journal, JournalPhase, OBJECTS, ObjectRow, Query, Registry,
};

use super::deletion::Deletions;
use super::tell::tell;
use crate::app::file_date;
use crate::config::Config;
use crate::exposure::make_private;
use crate::fault::Fault;
use crate::ledger::{Key, Replayed, RetellError, retell as replay};
use crate::vaults::{configured, registered};

/// Damage that is told by name; more is counted.
const DAMAGE_MAX: usize = 100;

/// What came of a rebuild.
#[derive(Debug, Default, serde::Serialize)]
pub struct Rebuilt {
    /// Objects in the new registry.
    pub objects: u64,
    /// Their versions.
    pub versions: u64,
    /// Objects with a newest version that was never recorded: an ingest that did not come to its
    /// end. Its deposit is found again where it was received.
    pub unfinished: u64,
    /// What could not be taken, in sentences.
    pub damage: Vec<String>,
    /// How much damage there is in all.
    pub damage_count: u64,
    /// What should be known of what was taken, in sentences.
    pub notices: Vec<String>,
    /// E-mails of administrators who have no role until it is confirmed at the console.
    pub unconfirmed: Vec<String>,
    /// Numbers of approved deletion requests that were cancelled.
    pub cancelled_deletions: Vec<i64>,
    /// Where the registry that was there before is kept.
    pub kept: Option<PathBuf>,
}

/// Why there is no new registry. The data directory is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    #[error(transparent)]
    Home(#[from] storage::Error),
    #[error(transparent)]
    Registry(#[from] registry::Error),
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("there is no replica {name:?} in the configuration; there are: {known}")]
    NoSuchReplica { name: String, known: String },
    #[error(
        "the registry holds {0} objects: a rebuild would throw away what only it knows; move \
         registry.sqlite out of the data directory first"
    )]
    Held(u64),
    #[error(transparent)]
    Ledger(#[from] RetellError),
    #[error("cannot {what} {}", path.display())]
    Files { what: &'static str, path: PathBuf, source: std::io::Error },
}

/// Makes the registry of a data directory again. With damage, the registry is put in place only if
/// `incomplete` is wanted. `told` is called with the number of objects, now and then.
pub fn rebuild(
    config: &Config,
    (from, incomplete): (&str, bool),
    clock: &dyn Clock,
    told: &mut dyn FnMut(u64),
) -> Result<Rebuilt, RebuildError> {
    make_private();
    let mut home = Home::open(&config.data)?;
    let scratch = config.staging();
    make_folder(&scratch)?;
    let replicas = configured(config, &scratch)?;
    let source = replicas.iter().find(|replica| replica.name() == from).ok_or_else(|| {
        let known: Vec<&str> = replicas.iter().map(Replica::name).collect();
        RebuildError::NoSuchReplica { name: from.to_owned(), known: known.join(", ") }
    })?;
    let held = held_objects(&home, clock.now())?;
    if held > 0 {
        return Err(RebuildError::Held(held));
    }
    let draft = home.dir().join("registry.rebuilt.sqlite");
    remove_database(&draft)?;
    let mut rebuilt = Rebuilt::default();
    let registry = Registry::open(&draft, clock.now())?;
    source.each_object::<RebuildError>(&mut |found| {
        match found {
            Ok((object, sealed)) => retell(source, (&object, sealed), &registry, &mut rebuilt)?,
            Err(error) => rebuilt.damaged(error.to_string()),
        }
        told(rebuilt.objects);
        Ok(())
    })?;
    // Chronicles tell where replicas were; the configuration knows where they are. The ledger comes
    // last: it is about what chronicles tell of.
    for replica in replicas.iter().filter(|replica| replica.present().is_ok()) {
        if let Some(row) = registered(replica)? {
            registry.put_replica(&row)?;
        }
    }
    let replayed = replay_journal(&home, (source, &replicas), &registry, &mut rebuilt)?;
    let installs = rebuilt.damage_count == 0 || incomplete;
    if installs {
        let distrusted = registry.distrust_rebuilt(clock.now())?;
        rebuilt.unconfirmed = distrusted.administrators;
        rebuilt.cancelled_deletions = distrusted.cancelled;
        registry.begin_journal(&go_on(&home, replayed)?)?;
    }
    registry.checkpoint()?;
    drop(registry);
    if installs {
        rebuilt.kept = install(&home, &draft, clock.now())?;
        home.stamp()?;
    } else {
        remove_database(&draft)?;
    }
    Ok(rebuilt)
}

/// Reads the journal of a replica, and says what is not as it should be. Sentences call it by the name
/// that its pages had first, the ledger.
fn replay_journal(
    home: &Home,
    (source, replicas): (&Replica, &[Replica]),
    registry: &Registry,
    rebuilt: &mut Rebuilt,
) -> Result<Replayed, RebuildError> {
    let others: Vec<&Replica> = replicas
        .iter()
        .filter(|other| other.name() != source.name() && other.present().is_ok())
        .collect();
    if rebuilt.objects > 0 && source.journal_pages()?.is_empty() {
        rebuilt.damaged("it has no ledger: items, people and deletions would not come back".into());
    }
    let path = home.journal_key();
    let key = Key::read(&path).map_err(failed("read", &path))?;
    let replayed = replay(source, &others, (registry, key.as_ref()), &mut |sentence| {
        rebuilt.damaged(sentence);
    })?;
    if replayed.retold.left_out > 0 {
        let rows = replayed.retold.left_out;
        rebuilt.damaged(format!("{rows} rows of the ledger are about something that is not there"));
    }
    rebuilt.notices.extend(replayed.notices.iter().cloned());
    Ok(replayed)
}

/// The series that the new registry writes: the one that was read, if it is whole and ours, else a new
/// one that every row is copied to.
fn go_on(home: &Home, replayed: Replayed) -> Result<Journal, RebuildError> {
    if let Some(journal) = replayed.journal {
        return Ok(journal);
    }
    let path = home.journal_key();
    let key = Key::open(&path).map_err(failed("write", &path))?;
    let series = replayed.highest_series.saturating_add(1);
    Ok(Journal::begun(series, &key.id(), JournalPhase::Copying, true))
}

/// Tells the chronicles of an object in the order of its versions, up to the first that cannot be,
/// and after each what was deleted before the next.
fn retell(
    source: &Replica,
    (object, sealed): (&ObjectId, u32),
    registry: &Registry,
    rebuilt: &mut Rebuilt,
) -> Result<(), RebuildError> {
    let deletions = Deletions::of(source, object, &mut |sentence| rebuilt.damaged(sentence))?;
    for version in 1..=sealed {
        let why = match source.chronicle(object, version) {
            Ok(Some(file)) => match tell(BufReader::new(file), registry, || Ok(())) {
                Ok(told) => {
                    remember_item(registry, &told)?;
                    deletions.tell(source, (object, version), registry)?;
                    rebuilt.versions += 1;
                    rebuilt.objects += u64::from(version == 1);
                    continue;
                }
                Err(Fault::Failed(failure)) => failure.sentence(),
                Err(other) => format!("{other:?}"),
            },
            Ok(None) if version == sealed => {
                rebuilt.unfinished += 1;
                continue;
            }
            Ok(None) => "it has no record".to_owned(),
            Err(error @ VaultError::Damaged { .. }) => format!("damaged record ({error})"),
            Err(error) => return Err(error.into()),
        };
        rebuilt.damaged(format!(
            "{object}: version {version} and what came after it were left out: {why}"
        ));
        break;
    }
    Ok(())
}

/// Makes the item of the newest deposit known again, as far as the deposit tells of it: pages lead to
/// it. The ledger replaces it with what was, unless it was lost before that was told.
fn remember_item(registry: &Registry, object: &ObjectRow) -> Result<(), RebuildError> {
    let rows = registry.deposits(object.id, 1)?;
    let item = |deposit: DepositRow| {
        let facts = deposit.facts;
        ItemRow {
            id: facts.item_id,
            flow: "ingest".into(),
            topic: "ingest09_cleanup".into(),
            state: "finished".into(),
            name: facts.file_name,
            etag: facts.etag,
            institution_id: Some(object.institution_id),
            intellectual_object_id: Some(object.id.0),
            bucket: object.institution_identifier.clone(),
            user: "strongroom".into(),
            note: "preserved; known from the vault, because the registry was made again".into(),
            action: "Ingest".into(),
            stage: "Cleanup".into(),
            status: "Success".into(),
            outcome: "finished".into(),
            date_processed: facts.recorded_at,
            size: i64::try_from(facts.size).unwrap_or(i64::MAX),
            object_identifier: Some(object.identifier.clone()),
            storage_option: Some(object.storage_option.clone()),
            created_at: facts.received_at.unwrap_or(facts.recorded_at),
            updated_at: facts.recorded_at,
            ..ItemRow::default()
        }
    };
    let items: Vec<ItemRow> = rows.into_iter().map(item).collect();
    Ok(registry.record_items(&items, &[], &[])?)
}

/// Objects that the registry of a data directory holds; none if there is no registry.
fn held_objects(home: &Home, now: Timestamp) -> Result<u64, RebuildError> {
    let path = home.registry();
    if !path.metadata().is_ok_and(|file| file.len() > 0) {
        return Ok(0);
    }
    let held = Registry::open(&path, now)?.list_objects(&Query::all(&OBJECTS))?;
    Ok(held.count.map_or(0, |count| count.value))
}

/// Puts the new registry in its place; what was there is kept beside it.
fn install(home: &Home, draft: &Path, now: Timestamp) -> Result<Option<PathBuf>, RebuildError> {
    let (place, date) = (home.registry(), file_date(now));
    let kept = home.dir().join(format!("registry.before-rebuild-{date}.sqlite"));
    let was_there = move_if_there(&place, &kept)?;
    for end in ["-wal", "-shm"] {
        move_if_there(&with_end(&place, end), &with_end(&kept, end))?;
    }
    durable::rename(draft, &place).map_err(failed("rename", draft))?;
    Ok(was_there.then_some(kept))
}

fn move_if_there(from: &Path, to: &Path) -> Result<bool, RebuildError> {
    match durable::rename(from, to) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("rename", from)(error)),
    }
}

fn make_folder(path: &Path) -> Result<(), RebuildError> {
    durable::create_folder(path).map_err(failed("create", path))
}

/// Removes a database that was only half made.
fn remove_database(path: &Path) -> Result<(), RebuildError> {
    for end in ["", "-wal", "-shm"] {
        let file = with_end(path, end);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed("remove", &file)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn failed(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> RebuildError {
    let path = path.to_owned();
    move |source| RebuildError::Files { what, path, source }
}

impl Rebuilt {
    fn damaged(&mut self, sentence: String) {
        self.damage_count += 1;
        if self.damage.len() < DAMAGE_MAX {
            self.damage.push(sentence);
        }
    }
}
