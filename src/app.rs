//! The tools a stage may use, wired once.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::signature_store::Shelf;
use crate::signature_store::ShelfError;
use byteio::causes::chain;
use pronom::Formats;
use soundmatch::ANALYST_VERSION;
use storage::clock::{Clock, Timestamp};
use storage::home::Home;
use storage::mirror::{Mirror, MirrorError};
use storage::registry::Registry;
use storage::work::Store;
use storage::work::queue::Queue;

use crate::accounts::Welcome;
use crate::arrivals::Arrivals;
use crate::atlas::Atlas;
use crate::config::Config;
use crate::custody::Custody;
use crate::doorstep::Doorstep;
use crate::exposure::make_private;
use crate::fault::{Classify, Failure, Fault, Kind};
use crate::health::{Grounds, Health, Patience, judge};
use crate::maintenance::Maintenance;
use crate::outbox::Outbox;
use crate::research::{Bureau, ResearchError, Rules};
use crate::vaults::{Vaults, VaultsError};
use crate::work::{Beacon, Chart, Flow, Pools, Room, Workshop};

/// Everything of one data directory, open.
pub struct App {
    /// What the operator asked for.
    pub config: Config,
    /// What is held.
    pub registry: Arc<Registry>,
    /// Whether the registry could last be read and written; kept for health, which must not wait.
    pub registry_well: AtomicBool,
    /// The registry's copy of the items.
    pub mirror: Mirror,
    /// What the work is done with.
    pub shop: Arc<Workshop>,
    /// Where preserved bytes live.
    pub vaults: Vaults,
    /// Who changes an object right now.
    pub custody: Custody,
    /// What is to be sent, on its way out.
    pub outbox: Arc<Outbox>,
    /// What is being received at this moment.
    pub arrivals: Arrivals,
    /// The bucket that deposits are received in, if they are.
    pub doorstep: Doorstep,
    /// What is looked for in which recording, and by whom.
    pub research: Bureau,
    /// How the first administrator comes in.
    pub welcome: Welcome,
    /// What sites are assessed with.
    pub atlas: Atlas,
    /// The signs of life of whoever asks SQS for messages, where somebody does.
    pub messages: Beacon,
    /// Whether the house is closed to all but those who look after it.
    pub maintenance: Maintenance,
    /// What formats are known by, as last loaded.
    formats: Mutex<Option<LoadedFormats>>,
    /// The data directory, locked; the last to be let go.
    pub home: Home,
    /// A damaged work state that was set aside at this start, and why.
    pub set_aside: SetAside,
}

/// Flows whose items come back from the registry when the work state was lost: people asked for them,
/// and no scheduled task would find them again.
pub const COME_BACK: &[&str] = &["restore", "fixity", "reference"];

/// A signature set, and the state of the shelf that it was loaded in.
type LoadedFormats = (Option<std::time::SystemTime>, Arc<Formats>);

/// Why the data directory did not open. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The directory or the work state.
    #[error(transparent)]
    Work(#[from] storage::Error),
    /// The registry.
    #[error(transparent)]
    Registry(#[from] storage::registry::Error),
    /// Which topics are paused could not be read or kept.
    #[error(transparent)]
    Mirror(#[from] MirrorError),
    /// The replicas.
    #[error(transparent)]
    Vaults(#[from] VaultsError),
    /// Research.
    #[error(transparent)]
    Research(#[from] ResearchError),
    /// The registry was lost: an empty one must not quietly take its place.
    #[error("{} is missing or empty: {advice}", path.display())]
    RegistryGone {
        /// Where it should be.
        path: PathBuf,
        /// What to put there.
        advice: String,
    },
}

/// What to do about a work state that is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDamage {
    /// Keep it aside and begin a new one: the appliance must run.
    SetAside,
    /// Say so and touch nothing: a command only looks.
    Refuse,
}

impl App {
    /// Opens the data directory of `config` for these flows, as a new run of the program.
    pub fn open(
        config: Config,
        flows: &'static [Flow<App>],
        clock: Arc<dyn Clock>,
        damage: OnDamage,
    ) -> Result<App, OpenError> {
        make_private();
        let mut config = config;
        // Paths end up in notes and logs, which are read elsewhere.
        config.data = std::path::absolute(&config.data).unwrap_or(config.data);
        let mut home = Home::open(&config.data)?;
        refuse_lost_registry(&home)?;
        // The registry first: if it is newer than us, the work state must not have been touched.
        let registry = Arc::new(Registry::open(&home.registry(), clock.now())?);
        let (queue, set_aside) = open_work(&home, &clock, damage)?;
        home.stamp()?;
        queue.number_above(registry.max_item_id()?.unsigned_abs())?;
        let chart = Chart::of(flows, &config);
        let mirror = Mirror::new(Arc::clone(&queue), Arc::clone(&registry), chart.labels());
        let mirror = mirror.bringing_back(COME_BACK);
        mirror.pause_again()?;
        let room = Room::new(home.dir().to_owned(), config.work.room_floor_bytes);
        let pools = Pools::new(config.pool);
        let seed = clock.now().0 ^ queue.epoch();
        let shop = Arc::new(Workshop::new(queue, clock, chart, pools, room, seed));
        if let Some((folder, why)) = &set_aside {
            tracing::error!(
                folder = %folder.display(), why,
                "the work state was damaged: it is kept aside, and the sweeps find the work again"
            );
        }
        let registry_well = AtomicBool::new(true);
        let vaults = Vaults::open(&config, &registry, Arc::clone(&shop.clock))?;
        let doorstep = Doorstep::open(&config);
        let rules = Rules { config: config.research, analyst: ANALYST_VERSION };
        let clock = Arc::clone(&shop.clock);
        let research = Bureau::open(Arc::clone(&registry), &shop.queue, clock, rules)?;
        let maintenance = Maintenance::open(&home, shop.clock.now());
        shop.hold(maintenance.closed().is_some());
        let outbox = Outbox::open(&config, &registry, Arc::clone(&shop.clock));
        Ok(App {
            config,
            registry,
            registry_well,
            mirror,
            shop,
            vaults,
            custody: Custody::default(),
            outbox,
            arrivals: Arrivals::default(),
            doorstep,
            research,
            welcome: Welcome::default(),
            atlas: Atlas::of(&home),
            messages: Beacon::dark("sqs", "Messages from SQS"),
            maintenance,
            formats: Mutex::new(None),
            home,
            set_aside,
        })
    }

    /// The signature set in use, loaded again when another was put in use.
    pub fn formats(&self) -> Result<Arc<Formats>, Fault> {
        let shelf = Shelf::at(self.home.dir());
        let stamp = shelf.stamp();
        let mut loaded = self.formats.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, formats)) = loaded.as_ref()
            && *known == stamp
        {
            return Ok(Arc::clone(formats));
        }
        let shelved = shelf.in_use()?;
        if let Some(warning) = &shelved.warning {
            tracing::warn!(warning, "the signature set");
        }
        let formats = Arc::new(Formats::new(shelved.set));
        *loaded = Some((stamp, Arc::clone(&formats)));
        Ok(formats)
    }

    /// How we are doing. Reads numbers only: answers while every core is busy.
    pub fn health(&self) -> Health {
        let patience = Patience {
            heartbeat_timeout: self.config.health.heartbeat_timeout,
            task_timeout_buffer: self.config.health.task_timeout_buffer,
        };
        let work_state = !self.shop.queue.store().is_ailing();
        let registry = self.registry_well.load(Ordering::Relaxed);
        let grounds = Grounds { room: self.shop.room.is_open(), work_state, registry };
        let mut readings = self.shop.board.readings();
        readings.extend(self.messages.reading());
        judge(self.shop.clock.steady(), &readings, patience, grounds)
    }

    /// Copies what has changed and notes whether the registry is well.
    pub fn copy(&self) -> Result<usize, MirrorError> {
        let copied = self.mirror.copy().and_then(|copied| {
            // Nothing to copy must not mean that nobody notices a registry that is gone.
            self.registry.max_item_id()?;
            Ok(copied)
        });
        self.registry_well.store(copied.is_ok(), Ordering::Relaxed);
        copied
    }

    /// Brings everything to rest on the disk: the last thing before the program ends. What was
    /// confirmed is there already, so a full disk delays the rest and loses nothing.
    pub fn settle(&self) {
        let copied = self.mirror.copy().map(drop).map_err(|error| chain(&error));
        let rested = self.shop.queue.store().barrier().map_err(|error| chain(&error));
        let emptied = self.registry.checkpoint().map_err(|error| chain(&error));
        for error in [copied, rested, emptied].into_iter().filter_map(Result::err) {
            tracing::warn!(error, "left for the next start");
        }
    }
}

/// A stamped directory without a registry has lost it.
fn refuse_lost_registry(home: &Home) -> Result<(), OpenError> {
    let path = home.registry();
    let there = path.metadata().is_ok_and(|file| file.len() > 0);
    if home.is_fresh() || there {
        return Ok(());
    }
    let newest = std::fs::read_dir(home.snapshots()).ok().and_then(|folder| {
        let names = folder.flatten().map(|entry| entry.path());
        names.filter(|path| path.extension().is_some_and(|suffix| suffix == "sqlite")).max()
    });
    let rebuild = "make it again from a vault with `strongroom rebuild --from REPLICA`";
    let advice = match newest {
        Some(snapshot) => {
            format!("{rebuild}, or copy the newest snapshot, {}, to its place", snapshot.display())
        }
        None => rebuild.into(),
    };
    let advice = format!("{advice}; to begin with an empty registry, use a new data directory");
    Err(OpenError::RegistryGone { path, advice })
}

/// A damaged work state, where it is kept, and why.
type SetAside = Option<(PathBuf, String)>;

/// Opens the work state. One that is damaged, or whose own books cannot be read, is set aside and
/// a new one begun: a box that does not start helps nobody, and the sweeps find the work again.
fn open_work(
    home: &Home,
    clock: &Arc<dyn Clock>,
    damage: OnDamage,
) -> Result<(Arc<Queue>, SetAside), OpenError> {
    let open = || {
        let store = Store::open_sound(&home.work())?;
        Queue::open(Arc::new(store), Arc::clone(clock)).map(Arc::new)
    };
    let error = match open() {
        Ok(queue) => return Ok((queue, None)),
        Err(error @ (storage::Error::Damaged { .. } | storage::Error::Unreadable { .. })) => error,
        Err(error) => return Err(error.into()),
    };
    if damage == OnDamage::Refuse {
        return Err(error.into());
    }
    let aside = home.dir().join(format!("work.damaged-{}", file_date(clock.now())));
    let why = chain(&error);
    Store::set_aside(&home.work(), &aside, &why)?;
    Ok((open()?, Some((aside, why))))
}

/// A moment as part of a file name: `2026-11-16T07-20-41.123Z` sorts by time and has no colon.
pub fn file_date(moment: Timestamp) -> String {
    moment.to_string().replace(':', "-")
}

impl Classify for ShelfError {
    fn kind(&self) -> Kind {
        Kind::Transient { retry_after: None }
    }

    fn code(&self) -> &'static str {
        "signature-set"
    }

    fn advice(&self) -> String {
        "look at the folder formats of the data directory, then requeue the item".into()
    }
}

impl Classify for storage::registry::Error {
    fn kind(&self) -> Kind {
        use storage::registry::Error as E;
        match self {
            E::Busy(_) | E::Full(_) | E::Io { .. } | E::Sqlite(_) => {
                Kind::Transient { retry_after: None }
            }
            E::Unreadable { .. }
            | E::Newer { .. }
            | E::ReadOnly(_)
            | E::NotFound { .. }
            | E::Conflict(_)
            | E::Refused { .. }
            | E::Invalid { .. }
            | E::Corrupt { .. } => Kind::Fatal,
        }
    }

    fn code(&self) -> &'static str {
        use storage::registry::Error as E;
        match self {
            E::Full(_) => "disk-full",
            E::Busy(_) => "registry-busy",
            E::ReadOnly(_) => "registry-read-only",
            E::Corrupt { .. } => "registry-damaged",
            E::Unreadable { .. } | E::Newer { .. } | E::Io { .. } | E::Sqlite(_) => "registry",
            E::NotFound { .. } | E::Conflict(_) | E::Refused { .. } | E::Invalid { .. } => {
                "registry-refused"
            }
        }
    }

    fn advice(&self) -> String {
        use storage::registry::Error as E;
        let text = match self {
            E::Full(_) => "make room on the disk of the data directory",
            E::ReadOnly(_) => "make the data directory writable, then requeue the item",
            E::Corrupt { .. } => {
                "run `strongroom doctor`; restore the latest snapshot of the registry"
            }
            E::Busy(_) | E::Io { .. } | E::Sqlite(_) => {
                "requeue the item; if it comes back, run `strongroom doctor`"
            }
            E::Unreadable { .. } | E::Newer { .. } => "look at the data directory",
            E::NotFound { .. } | E::Conflict(_) | E::Refused { .. } | E::Invalid { .. } => {
                "report this with the item's page"
            }
        };
        text.into()
    }
}

/// A plain failure of the file system inside a stage.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} {}", path.display())]
pub struct FileFault {
    /// What was attempted.
    pub what: &'static str,
    /// On which file.
    pub path: PathBuf,
    /// Why not.
    #[source]
    pub source: io::Error,
}

impl FileFault {
    /// For `map_err`.
    pub fn at(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Fault {
        let path = path.into();
        move |source| {
            let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
            let (code, advice) = if full.contains(&source.kind()) {
                ("disk-full", "make room on the disk of the file named above")
            } else {
                ("files", "look at the file named above")
            };
            Fault::Failed(Failure {
                kind: Kind::Transient { retry_after: None },
                code,
                advice: format!("{advice}, then requeue the item"),
                source: Box::new(FileFault { what, path, source }),
            })
        }
    }
}
