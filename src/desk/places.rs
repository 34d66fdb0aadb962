//! Where preserved bytes lie. Everybody may know how the replicas are; where they are, and what lies
//! there, is told to those who look after the house.

use ocfl::Class;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::ReplicaSums;

use super::settings::masked;
use super::{Desk, DeskError};
use crate::config::{Config, Location, ReplicaConfig};
use crate::exposure::exposed;
use crate::rights::Right;
use crate::vaults::{ReplicaStanding, Standing};

/// Files looked at, for what was set aside; more are not counted.
const ASIDE_MAX: u64 = 10_000;

/// Where bytes lie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StorageTold {
    /// Every replica, in the order of the configuration.
    pub replicas: Vec<ReplicaTold>,
    /// Every storage option; none for those who may not know.
    pub options: Vec<OptionTold>,
    /// Private files that other users of this machine can read, a sentence each with what to do; none
    /// for those who may not know.
    #[serde(default)]
    pub exposed: Vec<String>,
}

/// One replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaTold {
    /// Its name.
    pub name: String,
    /// Which building or provider it stands in.
    pub place: String,
    /// `hot` or `cold`.
    pub class: String,
    /// `unused`, `unknown`, `there`, `away`, `full` or `unusable`.
    pub standing: String,
    /// Since when, as RFC 3339 in UTC.
    pub since: Option<String>,
    /// The rest, for those who look after the house.
    pub detail: Option<ReplicaDetail>,
}

/// What only those know of a replica who look after the house.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaDetail {
    /// Where it is.
    pub url: String,
    /// The server that answers for it, where that is not the provider's own.
    pub endpoint: Option<String>,
    /// What is wrong with it.
    pub why: Option<String>,
    /// Items that wait for it.
    pub waiting: u64,
    /// Objects with a copy there.
    pub object_count: u64,
    /// Copies of files, of all versions.
    pub copy_count: u64,
    /// Bytes of the files of these objects, in their newest version.
    pub size: u64,
    /// Free bytes of its disk, where that is known.
    pub free_bytes: Option<u64>,
    /// All bytes of its disk, where that is known.
    pub total_bytes: Option<u64>,
    /// Bytes that were replaced or did not belong, and are kept; not asked of buckets.
    pub set_aside_bytes: Option<u64>,
    /// Whether there is more than was counted.
    pub set_aside_is_more: bool,
    /// Days before a file may be deleted without a fee.
    pub minimum_retention_days: u32,
    /// The lowest is read from first.
    pub restore_priority: u32,
    /// How often its copies are read.
    pub fixity_every_days: u64,
}

/// One storage option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OptionTold {
    /// Its name.
    pub name: String,
    /// The replicas it writes to.
    pub replicas: Vec<String>,
    /// Days before what it keeps may be deleted.
    pub minimum_retention_days: u32,
    /// What its replicas share, in plain words.
    pub warnings: Vec<String>,
}

impl Desk<'_> {
    /// Where bytes lie, as far as the caller may know.
    pub fn storage(&self) -> Result<StorageTold, DeskError> {
        let config = &self.app.config;
        let keeps = self.caller.may(Right::KeepHouse);
        let sums = if keeps { self.app.registry.replica_sums()? } else { Vec::new() };
        let mut replicas = Vec::new();
        for standing in self.app.vaults.standings() {
            let named = config.replicas.iter().find(|it| it.name == standing.name && keeps);
            let sum = sums.iter().find(|it| it.replica == standing.name).cloned();
            let detail = named.map(|it| self.detail(it, &standing, sum.unwrap_or_default()));
            replicas.push(told(standing, detail));
        }
        let options = config.options.iter().filter(|_| keeps).map(|option| OptionTold {
            name: option.name.clone(),
            replicas: option.replicas.clone(),
            minimum_retention_days: option.minimum_retention_days,
            warnings: shared(config, &option.replicas),
        });
        let exposed = if keeps { exposed(config) } else { Vec::new() };
        Ok(StorageTold { replicas, options: options.collect(), exposed })
    }

    fn detail(
        &self,
        replica: &ReplicaConfig,
        standing: &ReplicaStanding,
        sums: ReplicaSums,
    ) -> ReplicaDetail {
        let config = &self.app.config;
        let (url, endpoint) = match &replica.url {
            Location::Folder(path) => (path.within(&config.data).display().to_string(), None),
            Location::Bucket(bucket) => {
                (bucket.url(), bucket.endpoint.as_deref().map(|it| masked("endpoint", it)))
            }
        };
        let aside = self.app.vaults.set_aside(&replica.name, ASIDE_MAX);
        ReplicaDetail {
            url,
            endpoint,
            why: match &standing.standing {
                Standing::Away(why) | Standing::Full(why) | Standing::Unusable(why) => {
                    Some(why.clone())
                }
                Standing::Unused | Standing::Unknown | Standing::There => None,
            },
            waiting: standing.waiting,
            object_count: sums.object_count,
            copy_count: sums.copy_count,
            size: sums.size,
            free_bytes: standing.room.map(|(free, _)| free),
            total_bytes: standing.room.map(|(_, total)| total),
            set_aside_bytes: aside.map(|it| it.size),
            set_aside_is_more: aside.is_some_and(|it| it.is_more),
            minimum_retention_days: replica.minimum_retention_days,
            restore_priority: replica.restore_priority,
            fixity_every_days: config.fixity_every(&replica.name).as_secs() / 86_400,
        }
    }
}

fn told(replica: ReplicaStanding, detail: Option<ReplicaDetail>) -> ReplicaTold {
    let standing = match replica.standing {
        Standing::Unused => "unused",
        Standing::Unknown => "unknown",
        Standing::There => "there",
        Standing::Away(_) => "away",
        Standing::Full(_) => "full",
        Standing::Unusable(_) => "unusable",
    };
    ReplicaTold {
        name: replica.name,
        place: replica.place,
        class: match replica.class {
            Class::Hot => "hot".into(),
            Class::Cold => "cold".into(),
        },
        standing: standing.into(),
        since: replica.since.map(|since| since.to_string()),
        detail,
    }
}

/// What the replicas of one option share, so that one mishap takes more than one copy.
fn shared(config: &Config, names: &[String]) -> Vec<String> {
    let replicas: Vec<_> = names.iter().filter_map(|name| config.replica(name)).collect();
    let mut warnings = Vec::new();
    if let [only] = replicas[..] {
        warnings.push(format!(
            "There is one copy only, in {}: what is damaged there cannot be mended.",
            only.name
        ));
    }
    for (at, one) in replicas.iter().enumerate() {
        for other in &replicas[at + 1..] {
            let (a, b) = (&one.name, &other.name);
            if let (Some(disk), Some(same)) = (disk(config, one), disk(config, other))
                && disk == same
            {
                warnings.push(format!(
                    "Replicas {a} and {b} lie on one disk, and one disk is one place: when it is \
                     lost, both are. Give one of them a url on another disk or elsewhere."
                ));
            } else if one.place.to_lowercase() == other.place.to_lowercase() {
                warnings.push(format!(
                    "Replicas {a} and {b} stand in one place ({}): a fire or flood takes both.",
                    one.place
                ));
            }
        }
    }
    warnings
}

/// The disk of a folder; one that is not made yet lies where the folder above it does.
fn disk(config: &Config, replica: &ReplicaConfig) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let Location::Folder(path) = &replica.url else { return None };
    let path = path.within(&config.data);
    let there = path.ancestors().find_map(|folder| folder.metadata().ok())?;
    Some(there.dev())
}
