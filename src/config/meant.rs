//! The configuration as meant: every value checked, in the units the program works with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use storage::clock::Timestamp;
use tracing::level_filters::LevelFilter;

use super::assess::AssessConfig;
use super::curating::CuratingConfig;
use super::custody::{IngestConfig, OptionConfig, ReplicaConfig, RestoreConfig};
use super::http::HttpConfig;
use super::people::{AccountsConfig, DeletionConfig};
use super::pick::Explained;
use super::research::{ResearchConfig, ResearchingConfig};
use super::sqs::SqsConfig;
use super::telling::{AlertsConfig, MailConfig, WebhookConfig};

/// Everything an operator can set, checked and complete.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The folder that holds everything this appliance keeps.
    pub data: PathBuf,
    /// The file that was read, if there was one.
    pub file: Option<PathBuf>,
    pub http: HttpConfig,
    pub health: HealthConfig,
    pub log: LogConfig,
    pub work: WorkConfig,
    pub pool: PoolConfig,
    pub upkeep: UpkeepConfig,
    pub fixity: FixityConfig,
    pub alerts: AlertsConfig,
    pub mail: MailConfig,
    pub webhook: WebhookConfig,
    pub assess: AssessConfig,
    pub sqs: SqsConfig,
    pub accounts: AccountsConfig,
    pub deletion: DeletionConfig,
    pub research: ResearchConfig,
    pub researching: ResearchingConfig,
    pub curating: CuratingConfig,
    pub ingest: IngestConfig,
    pub restore: RestoreConfig,
    /// In the order of the file; at least one.
    pub replicas: Vec<ReplicaConfig>,
    /// In the order of the file; at least one.
    pub options: Vec<OptionConfig>,
    pub(super) stages: BTreeMap<&'static str, StageOverrides>,
    pub(super) explained: Vec<Explained>,
}

impl Config {
    /// What the operator changed in the policy of one stage; nothing for most stages.
    pub fn stage(&self, topic: &str) -> StageOverrides {
        self.stages.get(topic).copied().unwrap_or_default()
    }

    /// How often every copy in a replica is to be read.
    pub fn fixity_every(&self, replica: &str) -> Duration {
        let own = self.replicas.iter().find(|it| it.name == replica);
        own.and_then(|it| it.fixity_every).unwrap_or(self.fixity.every)
    }

    /// Every key with the value in force and where it came from, in the order of the reference.
    /// Of the stages only what was changed is listed; the rest is their own policy. Of a replica
    /// that is a folder, what has a meaning for buckets only is not listed.
    pub fn explain(&self) -> &[Explained] {
        &self.explained
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HealthConfig {
    /// A second port that answers `/health` only, for monitors that expect one.
    pub port: Option<u16>,
    pub heartbeat_timeout: Duration,
    /// An attempt may take this many times what it was expected to; finite, at least 1.
    pub task_timeout_buffer: f64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    pub format: LogFormat,
    pub level: LogFilter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines for eyes.
    Human,
    /// One JSON object per line, for collectors.
    Json,
}

/// What is logged: one level for everything, other levels for named parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFilter {
    pub everything: LevelFilter,
    /// Part (a module path such as `strongroom::http`) and its level, as written.
    pub parts: Vec<(String, LevelFilter)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkConfig {
    /// With less free disk space than this, no work is taken.
    pub room_floor_bytes: u64,
    /// How long a stop waits for stages to reach a checkpoint.
    pub stop_grace: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolConfig {
    pub cpu: usize,
    pub disk: usize,
    pub net: usize,
    pub geo: usize,
}

/// Snapshots of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpkeepConfig {
    pub every: Duration,
    pub keep: usize,
}

/// How what is held is read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixityConfig {
    /// Every copy is read at least this often.
    pub every: Duration,
    pub sweep: Duration,
    pub files_per_sweep: u32,
    /// Zero is no limit.
    pub budget_bytes_s: u64,
    pub quiet_hours: Option<QuietHours>,
}

/// Minutes of the day, in UTC; the second may be the earlier one, past midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    pub from_min: u32,
    pub until_min: u32,
}

const DAY_MS: u64 = 86_400_000;
const MINUTE_MS: u64 = 60_000;

impl FixityConfig {
    /// Whether no check may begin now.
    pub fn is_quiet(&self, now: Timestamp) -> bool {
        self.quiet_until(now).is_some()
    }

    /// When the quiet hours end that it is now.
    pub fn quiet_until(&self, now: Timestamp) -> Option<Timestamp> {
        let QuietHours { from_min, until_min } = self.quiet_hours?;
        let (from, until) = (u64::from(from_min) * MINUTE_MS, u64::from(until_min) * MINUTE_MS);
        let at = now.0 % DAY_MS;
        let is_quiet =
            if from <= until { at >= from && at < until } else { at >= from || at < until };
        let left = (until + DAY_MS - at) % DAY_MS;
        is_quiet.then(|| now.after(Duration::from_millis(left)))
    }
}

/// What the operator changed in one stage's policy; `None` leaves the stage's own value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageOverrides {
    pub workers: Option<usize>,
    pub buffer: Option<usize>,
    pub max_attempts: Option<u32>,
    pub retry: Option<Duration>,
    pub lease: Option<Duration>,
    pub patience: Option<Duration>,
}
