//! The configuration file as written: names are checked here, values later.
//!
//! Values stay untyped until `pick` has chosen among the layers, so that a wrong type is refused in
//! the same words wherever it was written.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde::Deserialize;
use toml::{Spanned, Value};

use super::nearest::nearest;
use super::refusal::{ConfigError, Hint, Origin, Place, Refusal};

/// A value with its place in the file, or nothing.
pub(super) type Written = Option<Spanned<Value>>;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawConfig {
    pub(super) data: Written,
    pub(super) http: RawHttp,
    pub(super) health: RawHealth,
    pub(super) log: RawLog,
    pub(super) work: RawWork,
    pub(super) pool: RawPool,
    pub(super) upkeep: RawUpkeep,
    pub(super) fixity: RawFixity,
    pub(super) alerts: RawAlerts,
    pub(super) mail: RawMail,
    pub(super) webhook: RawWebhook,
    pub(super) assess: RawAssess,
    pub(super) sqs: RawSqs,
    pub(super) accounts: RawAccounts,
    pub(super) deletion: RawDeletion,
    pub(super) research: RawResearch,
    pub(super) ingest: RawIngest,
    pub(super) receiving: RawReach,
    pub(super) restore: RawRestore,
    pub(super) replica: BTreeMap<Spanned<String>, RawReplica>,
    pub(super) option: BTreeMap<Spanned<String>, RawOption>,
    pub(super) stage: BTreeMap<Spanned<String>, RawStage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawHttp {
    pub(super) listen: Written,
    pub(super) hosts: Written,
    pub(super) public_url: Written,
    pub(super) max_connections: Written,
    pub(super) header_timeout_s: Written,
    pub(super) body_limit_mb: Written,
    pub(super) upload_idle_s: Written,
    pub(super) answer_idle_s: Written,
    pub(super) max_connections_per_address: Written,
    pub(super) streams_per_user: Written,
    pub(super) streams_per_address: Written,
    pub(super) export_spool_mb: Written,
    pub(super) requests_per_minute: Written,
    pub(super) address_failures_per_hour: Written,
    pub(super) account_failures_per_hour: Written,
    pub(super) tls_certificate: Written,
    pub(super) tls_key: Written,
    pub(super) trusted_proxies: Written,
    pub(super) proxy_headers: Written,
    pub(super) open_to_network: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawHealth {
    pub(super) port: Written,
    pub(super) heartbeat_timeout_s: Written,
    pub(super) task_timeout_buffer: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawLog {
    pub(super) format: Written,
    pub(super) level: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawWork {
    pub(super) room_floor_mb: Written,
    pub(super) stop_grace_s: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawPool {
    pub(super) cpu: Written,
    pub(super) disk: Written,
    pub(super) net: Written,
    pub(super) geo: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawUpkeep {
    pub(super) every_h: Written,
    pub(super) keep: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawFixity {
    pub(super) every_days: Written,
    pub(super) sweep_s: Written,
    pub(super) files_per_sweep: Written,
    pub(super) budget_mb_s: Written,
    pub(super) quiet_hours: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawAlerts {
    pub(super) away_s: Written,
    pub(super) room_percent: Written,
    pub(super) stalled_h: Written,
    pub(super) waiting_h: Written,
    pub(super) fixity_grace_days: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawAccounts {
    pub(super) require_second_factor: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawDeletion {
    pub(super) cooling_off_h: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawResearch {
    pub(super) lease_s: Written,
    pub(super) offer_s: Written,
    pub(super) clips: Written,
    pub(super) spare: Written,
    pub(super) present_s: Written,
    pub(super) tries: Written,
    pub(super) aired_first: Written,
    pub(super) researchers: Written,
    pub(super) media_folders: Written,
    pub(super) media_limit_mb: Written,
    pub(super) media_timeout_s: Written,
    pub(super) own_networks: Written,
    pub(super) feed_pace_ms: Written,
    pub(super) feed_pace_spread_ms: Written,
    pub(super) feed_limit_mb: Written,
    pub(super) feed_timeout_s: Written,
    pub(super) feed_robots: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawMail {
    pub(super) smtp: Written,
    pub(super) security: Written,
    pub(super) credentials: Written,
    pub(super) spool: Written,
    pub(super) timeout_s: Written,
    pub(super) from: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawWebhook {
    pub(super) url: Written,
    pub(super) allow_http: Written,
    pub(super) secret: Written,
    pub(super) timeout_s: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawAssess {
    pub(super) method: Written,
    pub(super) coverage_floor_percent: Written,
    pub(super) area_max_ha: Written,
    pub(super) callback_url: Written,
    pub(super) callback_allow_http: Written,
    pub(super) callback_key: Written,
    pub(super) callback_timeout_s: Written,
    pub(super) callback_schema: Written,
    pub(super) levy_tables: Written,
    pub(super) inputs: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawSqs {
    pub(super) queue: Written,
    pub(super) endpoint: Written,
    pub(super) allow_http: Written,
    pub(super) region: Written,
    pub(super) wait_s: Written,
    pub(super) visibility_s: Written,
    pub(super) credentials: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawIngest {
    pub(super) institution: Written,
    pub(super) institution_name: Written,
    pub(super) receiving: Written,
    pub(super) staging: Written,
    pub(super) sweep_s: Written,
    pub(super) still_s: Written,
    pub(super) keep_turned_away_days: Written,
    pub(super) receiving_max_gb: Written,
    pub(super) max_bag_gb: Written,
    pub(super) max_files: Written,
    pub(super) max_path_bytes: Written,
    pub(super) default_option: Written,
    pub(super) profile: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawRestore {
    pub(super) area: Written,
    pub(super) keep_days: Written,
    pub(super) rehearse_every_days: Written,
    pub(super) rehearse_max_gb: Written,
}

/// How a bucket is reached.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawReach {
    pub(super) endpoint: Written,
    pub(super) region: Written,
    pub(super) path_style: Written,
    pub(super) allow_http: Written,
    pub(super) credentials: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawReplica {
    pub(super) url: Written,
    pub(super) endpoint: Written,
    pub(super) region: Written,
    pub(super) path_style: Written,
    pub(super) allow_http: Written,
    pub(super) credentials: Written,
    pub(super) class: Written,
    pub(super) place: Written,
    pub(super) minimum_retention_days: Written,
    pub(super) restore_priority: Written,
    pub(super) fixity_every_days: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawOption {
    pub(super) replicas: Written,
    pub(super) minimum_retention_days: Written,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a section of keys")]
pub(super) struct RawStage {
    pub(super) workers: Written,
    pub(super) buffer: Written,
    pub(super) max_attempts: Written,
    pub(super) retry_s: Written,
    pub(super) lease_s: Written,
    pub(super) patience_s: Written,
}

/// A file that was read: needed whole, to say in which line a value stands.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Document {
    /// Reads the keys. `homes` are all keys there are, for one that stands in the wrong section.
    pub(super) fn parse(&self, homes: &[String]) -> Result<RawConfig, ConfigError> {
        let alone = |refusal| ConfigError::Refused(vec![refusal]);
        let document =
            toml::Deserializer::parse(&self.text).map_err(|e| alone(self.bad_syntax(&e)))?;
        RawConfig::deserialize(document).map_err(|e| alone(self.bad_shape(&e, homes)))
    }

    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        Place { origin: Origin::File(self.path.clone()), line: Some(self.position(span.start).0) }
    }

    /// The value as the operator typed it, shortened to fit into a sentence.
    pub(super) fn quote(&self, span: &Range<usize>) -> String {
        const LONGEST: usize = 60;
        let written = self.text.get(span.clone()).unwrap_or_default();
        let mut line = written.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > LONGEST {
            line = line.chars().take(LONGEST).chain(['…']).collect();
        }
        line
    }

    /// Line and column, both from 1, of a byte offset.
    fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }

    fn bad_syntax(&self, error: &toml::de::Error) -> Refusal {
        let span = error.span().unwrap_or_default();
        let (_, column) = self.position(span.start);
        let reason = error.message().lines().collect::<Vec<_>>().join(", ");
        Refusal::Syntax { place: self.place(&span), column, reason }
    }

    fn bad_shape(&self, error: &toml::de::Error, homes: &[String]) -> Refusal {
        let place = self.place(&error.span().unwrap_or_default());
        // Serde words this as: unknown field `lisen`, expected one of `listen`, `hosts`.
        if error.message().starts_with("unknown field") {
            let mut names = error.message().split('`').skip(1).step_by(2).map(str::to_owned);
            let key = names.next().unwrap_or_default();
            let hint = hint(&key, names.collect(), homes);
            return Refusal::UnknownKey { place, key, hint };
        }
        Refusal::Shape { place, reason: error.message().to_owned() }
    }
}

fn hint(key: &str, allowed: Vec<String>, homes: &[String]) -> Hint {
    let home = |name: &&String| name.rsplit_once('.').is_some_and(|(_, last)| last == key);
    if let Some(near) = nearest(key, allowed.iter().map(String::as_str)) {
        Hint::Near(near.to_owned())
    } else if let Some(home) = homes.iter().find(home) {
        Hint::Near(home.clone())
    } else {
        Hint::OneOf(allowed)
    }
}
