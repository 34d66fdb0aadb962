//! Starts everything in order and stops it in the opposite one.
//!
//! The server answers before the first worker runs, so that health says "not yet" instead of
//! nothing at all; the lock on the data directory is let go last.

mod doors;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use storage::clock::Clock;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use self::doors::{Doors, Server};
use crate::alerts::{journal_altered, raise};
use crate::app::{App, OnDamage, OpenError};
use crate::certificate::CertificateError;
use crate::config::Config;
use crate::exposure::exposed;
use crate::http::Tls;
use crate::ledger::{Keeper, Key};
use crate::sqs::Poller;
use crate::work::{Crew, Flow, Foreman, Sweep, Sweeper};

/// How often room, leases, expiries and sweeps are looked at.
const KEEP: Duration = Duration::from_secs(1);
/// How often free memory is given back to the system.
const GIVE_BACK: Duration = Duration::from_secs(10);
/// How long the registry's copy waits for more to copy.
const COPY: Duration = Duration::from_millis(500);
/// How often rows that changed are told to the vaults' ledgers.
const TELL: Duration = Duration::from_secs(5);
/// How long a stop waits for a message from SQS that is being kept.
const MESSAGE: Duration = Duration::from_secs(5);
/// Items put away in one look.
const EXPIRE: usize = 1000;

/// Why the appliance did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data directory did not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The address could not be had.
    #[error("cannot listen on {address}: choose another with {setting}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What sets it.
        setting: &'static str,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The certificate cannot be shown.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// Deposits could not be judged.
    #[error("{0}")]
    Rules(String),
    /// Threads or files could not be had.
    #[error("cannot start")]
    Start(#[from] io::Error),
}

/// A running appliance.
pub struct Appliance {
    app: Arc<App>,
    address: SocketAddr,
    origin: String,
    health_address: Option<SocketAddr>,
    welcome: Option<String>,
    exposed: Vec<String>,
    crew: Crew,
    poller: Option<Poller>,
    helpers: Vec<JoinHandle<()>>,
    keeper: Arc<Mutex<Keeper>>,
    runtime: Runtime,
    stop_http: watch::Sender<bool>,
    servers: Vec<Server>,
}

/// How a command finds the appliance that runs on a data directory. Readable by its owner only:
/// whoever can read it could as well open the directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Doorplate {
    /// Where it listens.
    pub address: SocketAddr,
    /// What browsers call it.
    pub origin: String,
    /// What opens it.
    pub key: String,
    /// Its process.
    pub pid: u32,
}

impl Doorplate {
    fn path(dir: &Path) -> PathBuf {
        dir.join("appliance.json")
    }

    /// The doorplate of a data directory, if there is one.
    pub fn read(dir: &Path) -> Option<Doorplate> {
        serde_json::from_slice(&std::fs::read(Doorplate::path(dir)).ok()?).ok()
    }
}

impl Appliance {
    /// Opens the data directory and starts to serve and to work.
    pub fn start(
        config: Config,
        flows: &'static [Flow<App>],
        sweeps: &'static [&'static dyn Sweep<App>],
        clock: Arc<dyn Clock>,
    ) -> Result<Appliance, StartError> {
        // First what others may have to mend: until here nothing was opened or made.
        let tls = config.http.tls.as_ref();
        let tls = tls.map(|tls| Tls::open(tls, &config.data, Arc::clone(&clock))).transpose()?;
        let doors = Doors::take(&config.http, config.health.port)?;
        let app = Arc::new(App::open(config, flows, clock, OnDamage::SetAside)?);
        if let Some(why) = crate::ingest::unusable_rules(&app) {
            return Err(StartError::Rules(why));
        }
        clear_drafts(&app);
        let exposed = exposed(&app.config);
        for sentence in &exposed {
            tracing::warn!("{sentence}");
        }
        let key = new_key()?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(16)
            .thread_name("http")
            .enable_all()
            .build()?;
        let (stop_http, stopping) = watch::channel(false);
        let (address, health_address) = (doors.address()?, doors.health_address()?);
        let servers = doors.open(&runtime, (&app, tls), &key, &stopping)?;
        let origin = app.config.http.origin(address);
        let doorplate = Doorplate { address, origin: origin.clone(), key, pid: std::process::id() };
        let plate = serde_json::to_vec(&doorplate).map_err(io::Error::from)?;
        byteio::durable::write(&Doorplate::path(app.home.dir()), &plate, true)?;

        let journal_key = Key::open(&app.home.journal_key())?;
        let shop = Arc::clone(&app.shop);
        let keeper = Keeper::new(journal_key).stopped_by(move || shop.stop.asked());
        let keeper = Arc::new(Mutex::new(keeper));
        let sweeper = Sweeper::new(Arc::clone(&app), Arc::clone(&app.shop), sweeps);
        let helpers = vec![
            start_copying(Arc::clone(&app))?,
            start_telling(Arc::clone(&app), Arc::clone(&keeper))?,
            start_keeping(Arc::clone(&app), sweeper)?,
        ];
        let foreman = Foreman::new(Arc::clone(&app), Arc::clone(&app.shop), flows);
        let crew = foreman.run()?;
        let poller = crate::sqs::start(&app)?;
        let welcome = invite(&app);
        Ok(Appliance {
            app,
            address,
            origin,
            health_address,
            welcome,
            exposed,
            crew,
            poller,
            helpers,
            keeper,
            runtime,
            stop_http,
            servers,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What browsers call it: `https://archive.example.org:8600`.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Where it serves health alone, if it does.
    pub fn health_address(&self) -> Option<SocketAddr> {
        self.health_address
    }

    /// The path by which the first administrator comes in; none when there is one.
    pub fn welcome(&self) -> Option<&str> {
        self.welcome.as_deref()
    }

    /// Private files that others could read at the start, a sentence each with what to do.
    pub fn exposed(&self) -> &[String] {
        &self.exposed
    }

    /// The application.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Stops in order, within the configured time. What was under way goes back in line at no
    /// cost; what did not reach a checkpoint in time is taken back at the next start.
    pub fn stop(self) {
        let late = self.crew.stop(self.app.config.work.stop_grace);
        if late > 0 {
            tracing::warn!(
                late,
                "{late} attempts did not stop in time; they go on at the next start"
            );
        }
        if let Some(poller) = self.poller
            && !poller.stop(self.app.shop.clock.as_ref(), MESSAGE)
        {
            tracing::warn!("a message from SQS was not kept in time; it comes again");
        }
        self.stop_http.send_replace(true);
        for helper in self.helpers {
            // It ended by a panic: said in the log when it happened.
            helper.join().ok();
        }
        self.runtime.block_on(async {
            for server in self.servers {
                server.await.ok();
            }
        });
        self.runtime.shutdown_timeout(Duration::from_secs(1));
        // A missing doorplate is what we want; a stale one only costs a command one try.
        std::fs::remove_file(Doorplate::path(self.app.home.dir())).ok();
        self.app.settle();
        tell_ledgers(&self.app, &self.keeper);
    }
}

/// A start without the link is better than none: the next one makes it.
fn invite(app: &App) -> Option<String> {
    match app.welcome.invite(&app.registry) {
        Ok(secret) => secret.map(|secret| format!("/welcome?token={}", secret.text())),
        Err(error) => {
            tracing::warn!(error = %error, "no link for the first administrator could be made");
            None
        }
    }
}

/// Removes what uploads and lost items left behind, even where the disk is full of it.
fn clear_drafts(app: &App) {
    match crate::ingest::remove_leftovers(app) {
        Ok(0) => {}
        Ok(removed) => tracing::info!(removed, "removed what unfinished uploads had left"),
        Err(error) => tracing::warn!(error = %error, "unfinished uploads could not be removed"),
    }
    match crate::ingest::remove_orphans(app) {
        Ok(0) => {}
        Ok(removed) => tracing::info!(removed, "removed what lost items had left in staging"),
        Err(fault) => tracing::warn!(?fault, "what lost items left could not be removed"),
    }
}

/// A key that only this run knows.
fn new_key() -> io::Result<String> {
    let mut bytes = [0; 32];
    io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, &mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Keeps the registry's copy of the items up to date. Not at once: what changes within half a
/// second is copied together, and whoever needs it sooner copies first (see `Desk::item`).
fn start_copying(app: Arc<App>) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name("copy".into()).spawn(move || {
        let (mut compared, mut pause) = (false, Duration::ZERO);
        while !app.shop.stop.rest(pause) {
            let comparison =
                if compared { Ok(0) } else { app.mirror.reconcile(app.shop.clock.now()) };
            compared = comparison.is_ok();
            // One damaged record can keep all from being compared, but not from being copied.
            match app.copy().and(comparison) {
                Ok(_) => pause = COPY,
                Err(error) => {
                    let error = byteio::causes::chain(&error);
                    tracing::warn!(error, "the registry's copy of the items is behind");
                    pause = KEEP;
                }
            }
        }
    })
}

/// Keeps the journal in the replicas up to date, and writes it anew where that is needed. A replica
/// that does not answer keeps nobody waiting but this thread.
fn start_telling(app: Arc<App>, keeper: Arc<Mutex<Keeper>>) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name("ledger".into()).spawn(move || {
        // At once: what an earlier run left is put in order first.
        let mut pause = Duration::ZERO;
        while !app.shop.stop.rest(pause) {
            pause = TELL;
            while tell_ledgers(&app, &keeper) && rewrite_ledgers(&app, &keeper) {
                if app.shop.stop.asked() {
                    break;
                }
            }
        }
    })
}

/// Writes what changed; says whether that worked.
fn tell_ledgers(app: &App, keeper: &Mutex<Keeper>) -> bool {
    let mut keeper = keeper.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = keeper.keep(&app.registry, &app.vaults.hot());
    raise_alarms(app, &mut keeper);
    match kept {
        Ok(_) => true,
        Err(fault) => {
            tracing::warn!(?fault, "the journal in the replicas is behind");
            false
        }
    }
}

/// Does a piece of writing the journal anew; says whether there may be more.
fn rewrite_ledgers(app: &App, keeper: &Mutex<Keeper>) -> bool {
    let mut keeper = keeper.lock().unwrap_or_else(PoisonError::into_inner);
    let more = keeper.rewrite(&app.registry, &app.vaults.hot());
    raise_alarms(app, &mut keeper);
    more.unwrap_or_else(|fault| {
        tracing::warn!(?fault, "the journal could not be written anew yet");
        false
    })
}

fn raise_alarms(app: &App, keeper: &mut Keeper) {
    for alarm in keeper.take_alarms() {
        if let Err(error) = raise(app, &journal_altered(&alarm)) {
            tracing::error!(error = %error, "an alert about the journal could not be raised");
        }
    }
}

/// Opens a failed work state again. What it had let go of without waiting for the disk, such as
/// ended items that the registry has, may be back: both sides are compared as after a start.
fn reopen(app: &App) {
    match app.shop.queue.store().reopen() {
        Ok(()) => tracing::info!("the work state is open again"),
        Err(error) => return tracing::error!(error = %error, "the work state stays closed"),
    }
    if let Err(error) = app.mirror.reconcile(app.shop.clock.now()) {
        let error = byteio::causes::chain(&error);
        tracing::warn!(error, "the registry's copy of the items is behind");
    }
}

/// Looks after the house: room on the disk, a failed work state, hung leases, sweeps.
fn start_keeping(app: Arc<App>, sweeper: Sweeper<App>) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name("keeper".into()).spawn(move || {
        let shop = &app.shop;
        let mut given_back = shop.clock.steady();
        while !shop.stop.asked() {
            if shop.clock.steady().saturating_sub(given_back) >= GIVE_BACK {
                crate::heap::give_back();
                given_back = shop.clock.steady();
            }
            let was_open = shop.takes_work();
            shop.room.look();
            if let Err(error) = app.vaults.look_aside() {
                tracing::warn!(error = %error, "the replicas could not be looked at");
            }
            if shop.queue.store().is_ailing() && shop.room.is_open() {
                reopen(&app);
            }
            if shop.takes_work() {
                if !was_open {
                    shop.queue.wake_all();
                }
                let looked = shop.queue.reap().and_then(|_| shop.queue.expire(EXPIRE));
                if let Err(error) = looked {
                    tracing::warn!(error = %error, "leases and expiries could not be looked at");
                }
                sweeper.step();
            }
            shop.stop.rest(KEEP);
        }
    })
}
