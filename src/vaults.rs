//! The replicas of this appliance, and which of them a storage option writes to.

mod watch;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ocfl::{Class, Credentials, Replica, ReplicaId, ReplicaSettings, SetAside, VaultError};
use storage::clock::{Clock, Timestamp};
use storage::registry::{self, Registry, ReplicaRow, Uuid};
use storage::work::item::ItemId;

pub use watch::{ReplicaStanding, Standing};

use self::watch::Watch;

use crate::config::{self, BucketConfig, Config, Location};
use crate::fault::{Classify, Failure, Fault, Kind};

/// Every replica that is configured.
pub struct Vaults {
    replicas: Arc<[Replica]>,
    options: Vec<config::OptionConfig>,
    registry: Arc<Registry>,
    /// Replicas that were made ready since the start. Two stages must not do that at once.
    ready: Mutex<HashSet<String>>,
    watch: Arc<Watch>,
}

/// Replicas that a registry may know.
const MOST: u32 = 1000;

impl Vaults {
    /// Takes the replicas as configured. None of them is touched: one that is away does not keep the
    /// appliance from starting.
    pub fn open(
        config: &Config,
        registry: &Arc<Registry>,
        clock: Arc<dyn Clock>,
    ) -> Result<Vaults, VaultsError> {
        let known = registry.replicas(MOST)?;
        let scratch = config.staging();
        let replicas = config.replicas.iter().map(|replica| {
            let settings = settings(config, replica);
            Ok(Replica::new(settings, known_id(&known, &replica.name), &scratch)?)
        });
        let replicas = replicas.collect::<Result<Arc<[Replica]>, VaultsError>>()?;
        let (options, registry) = (config.options.clone(), Arc::clone(registry));
        let wanted = options.iter().flat_map(|option| {
            option.replicas.iter().map(|replica| (option.name.clone(), replica.clone()))
        });
        registry.want_replicas(&wanted.collect::<Vec<_>>(), clock.now())?;
        let waits = waits_for_replicas(&registry, clock.now())?;
        let used = known.into_iter().map(|row| {
            let since = waits.get(&row.replica.name).copied();
            (row.replica.name, since)
        });
        let watch = Arc::new(Watch::new(clock, used));
        Ok(Vaults { replicas, options, registry, ready: Mutex::default(), watch })
    }

    pub fn options(&self) -> impl Iterator<Item = &config::OptionConfig> {
        self.options.iter()
    }

    pub fn option(&self, name: &str) -> Option<&config::OptionConfig> {
        self.options.iter().find(|option| option.name == name)
    }

    /// The replicas that an option writes to, each of them there and recognised.
    pub fn replicas(&self, option: &str) -> Result<Vec<&Replica>, Fault> {
        let Some(option) = self.option(option) else {
            return Err(Fault::Failed(Failure {
                kind: Kind::Fatal,
                code: "storage-option",
                advice: "configure the storage option, then requeue the item".into(),
                source: format!("the storage option {option} is not configured").into(),
            }));
        };
        let replicas: Vec<&Replica> =
            option.replicas.iter().filter_map(|name| self.named(name)).collect();
        for replica in &replicas {
            self.recognise(replica)?;
            self.watch.is_there(replica);
        }
        Ok(replicas)
    }

    /// The replicas that answer at once, whether they are there or not.
    pub fn hot(&self) -> Vec<&Replica> {
        self.replicas.iter().filter(|replica| replica.settings().class == Class::Hot).collect()
    }

    /// Every replica that is configured, whether it is there or not.
    pub fn all(&self) -> &[Replica] {
        &self.replicas
    }

    /// The replica of this name, if it is configured, whether it is there or not.
    pub fn named(&self, name: &str) -> Option<&Replica> {
        self.replicas.iter().find(|replica| replica.name() == name)
    }

    /// The replica of this name, if it is configured, there and recognised.
    pub fn reach(&self, name: &str) -> Option<Result<&Replica, Fault>> {
        let replica = self.named(name)?;
        Some(self.recognise(replica).map(|()| {
            self.watch.is_there(replica);
            replica
        }))
    }

    /// How much a folder keeps of what was replaced or did not belong, looking at no more than
    /// `most` files. A bucket is not asked: that could take long.
    pub fn set_aside(&self, name: &str, most: u64) -> Option<SetAside> {
        let replica = self.named(name)?;
        let is_folder = !replica.settings().url.contains("://");
        is_folder.then(|| replica.set_aside_sums(most).ok()).flatten()
    }

    /// How every replica was when last heard of. Asks none of them.
    pub fn standings(&self) -> Vec<ReplicaStanding> {
        self.replicas.iter().map(|replica| self.watch.standing(replica)).collect()
    }

    /// Asks the replicas how they are, if that is due, on a thread of its own.
    pub fn look_aside(&self) -> io::Result<()> {
        if !self.watch.is_due() {
            return Ok(());
        }
        let (watch, replicas) = (Arc::clone(&self.watch), Arc::clone(&self.replicas));
        let thread = std::thread::Builder::new().name("replicas".into());
        let begun = thread.spawn(move || watch.look(&replicas)).map(drop);
        if begun.is_err() {
            self.watch.not_looked();
        }
        begun
    }

    /// Asks the replicas how they are, and waits for their answers.
    pub fn look(&self) {
        self.watch.look(&self.replicas);
    }

    /// Notes that an item waits because a replica is away or full.
    pub fn waits(&self, item: ItemId, error: &VaultError) {
        self.watch.waits(item, error);
    }

    /// Notes that an item has done what it may have waited for a replica with.
    pub fn goes_on(&self, item: ItemId) {
        self.watch.goes_on(item);
    }

    /// Notes that an item waits for no replica, though it has not done what it waited with.
    pub fn gives_up(&self, item: ItemId) {
        self.watch.gives_up(item);
    }

    /// What the registry keeps about replicas, in the same order.
    pub fn rows(&self, replicas: &[&Replica]) -> Result<Vec<registry::Replica>, Fault> {
        let known = self.registry.replicas(MOST)?;
        let row = |replica: &&Replica| {
            let found = known.iter().find(|row| row.replica.name == replica.name());
            let missing =
                || registry::Error::NotFound { what: format!("replica {}", replica.name()) };
            Ok(found.ok_or_else(missing)?.replica.clone())
        };
        replicas.iter().map(row).collect()
    }

    /// Takes the empty folder or bucket that is now in the place of a replica, because a person says
    /// that it was replaced: what the replica held counts as missing, and is copied from the others.
    pub fn take_replacement(&self, name: &str, now: Timestamp) -> Result<(), Fault> {
        let missing = || registry::Error::NotFound { what: format!("replica {name}") };
        let replica = self.named(name).ok_or_else(missing)?;
        replica.require_replaced()?;
        let known = self.registry.replicas(MOST)?;
        let row = known.iter().find(|row| row.replica.name == name).ok_or_else(missing)?;
        // The registry first: what is in a replica that is there must not be believed.
        self.registry.forget_copies(row.id, now)?;
        Ok(replica.take_replacement()?)
    }

    /// Makes sure that a replica is the one the registry knows; one that is new is made ready and
    /// made known.
    fn recognise(&self, replica: &Replica) -> Result<(), Fault> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.contains(replica.name()) {
            return Ok(replica.present()?);
        }
        let is_known =
            self.registry.replicas(MOST)?.iter().any(|it| it.replica.name == replica.name());
        if is_known {
            repair_root(replica)?;
        }
        let id = replica.prepare()?;
        self.registry.put_replica(&row(replica, &id)?)?;
        ready.insert(replica.name().to_owned());
        Ok(())
    }
}

/// Checks the files that describe the storage root of a replica, and repairs them; how many were made
/// again.
pub(crate) fn repair_root(replica: &Replica) -> Result<usize, VaultError> {
    let flaws = replica.repair_root()?;
    for flaw in flaws.iter().filter(|flaw| flaw.is_repaired) {
        tracing::warn!(replica = replica.name(), "{flaw} in the storage root: it was repaired");
    }
    Ok(flaws.iter().filter(|flaw| flaw.is_repaired).count())
}

/// The replicas of a configuration, as nobody has used them yet.
pub(crate) fn configured(config: &Config, scratch: &Path) -> Result<Vec<Replica>, VaultError> {
    let replicas = config.replicas.iter();
    replicas.map(|replica| Replica::new(settings(config, replica), None, scratch)).collect()
}

/// What a registry keeps about a replica that was made before; none for one that never was.
pub(crate) fn registered(replica: &Replica) -> Result<Option<registry::Replica>, VaultError> {
    replica.known_id()?.map(|id| row(replica, &id)).transpose()
}

fn row(replica: &Replica, id: &ReplicaId) -> Result<registry::Replica, VaultError> {
    let settings = replica.settings();
    let uuid = Uuid::parse(id.as_str()).ok_or_else(|| VaultError::Damaged {
        replica: settings.name.clone(),
        what: "its marker has no UUID".into(),
    })?;
    Ok(registry::Replica {
        uuid,
        name: settings.name.clone(),
        url: settings.url.clone(),
        class: match settings.class {
            Class::Hot => registry::ReplicaClass::Hot,
            Class::Cold => registry::ReplicaClass::Cold,
        },
        place: settings.place.clone(),
    })
}

/// Why the replicas could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum VaultsError {
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error(transparent)]
    Registry(#[from] registry::Error),
}

/// The replicas that items wait for, and since when.
fn waits_for_replicas(
    registry: &Registry,
    now: Timestamp,
) -> Result<HashMap<String, Timestamp>, registry::Error> {
    let mut waits = HashMap::new();
    for wait in registry.long_waits(now, &[], MOST)? {
        if let Some(("replica-away" | "replica-full", replica)) = wait.cause.split_once(' ') {
            let since = waits.entry(replica.to_owned()).or_insert(wait.since);
            *since = wait.since.min(*since);
        }
    }
    Ok(waits)
}

fn known_id(known: &[ReplicaRow], name: &str) -> Option<ReplicaId> {
    let found = known.iter().find(|row| row.replica.name == name)?;
    Some(ReplicaId::new(found.replica.uuid.to_string()))
}

fn settings(config: &Config, replica: &config::ReplicaConfig) -> ReplicaSettings {
    let class = match replica.class {
        config::ReplicaClass::Hot => Class::Hot,
        config::ReplicaClass::Cold => Class::Cold,
    };
    let base = ReplicaSettings {
        class,
        place: replica.place.clone(),
        minimum_retention_days: replica.minimum_retention_days,
        restore_priority: replica.restore_priority,
        ..ReplicaSettings::folder(&replica.name, "")
    };
    match &replica.url {
        Location::Folder(path) => {
            let url = path.within(&config.data).display().to_string();
            ReplicaSettings { url, ..base }
        }
        Location::Bucket(bucket) => bucket_settings(config, bucket, base),
    }
}

/// How a bucket is reached.
pub(crate) fn bucket_settings(
    config: &Config,
    bucket: &BucketConfig,
    base: ReplicaSettings,
) -> ReplicaSettings {
    ReplicaSettings {
        url: format!("s3://{}/{}", bucket.bucket, bucket.prefix),
        endpoint: bucket.endpoint.clone(),
        region: Some(bucket.region.clone()),
        path_style: bucket.path_style,
        allow_http: bucket.allow_http,
        credentials: match &bucket.credentials {
            config::Credentials::Environment => Credentials::FromEnvironment,
            config::Credentials::File(path) => Credentials::File(path.within(&config.data)),
        },
        ..base
    }
}

impl Classify for VaultError {
    fn kind(&self) -> Kind {
        match VaultError::kind(self) {
            ocfl::Kind::Transient => Kind::Transient { retry_after: None },
            ocfl::Kind::Fatal => Kind::Fatal,
        }
    }

    fn code(&self) -> &'static str {
        VaultError::code(self)
    }

    fn advice(&self) -> String {
        VaultError::advice(self).to_owned()
    }
}
