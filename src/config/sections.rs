//! Every key outside `[stage]`, `assess`, `curating`, `http`, `people`, `research`, `telling` and
//! `custody`: its name, bounds, default, variables and meaning, once.

use std::collections::BTreeMap;

use super::custody;
use super::load::KnownStage;
use super::meant::{
    Config, FixityConfig, HealthConfig, LogConfig, PoolConfig, UpkeepConfig, WorkConfig,
};
use super::pick::{Key, Pick};
use super::raw::{RawConfig, RawFixity, RawHealth, RawLog, RawPool, RawUpkeep, RawWork};
use super::rule::{Factor, Folder, Format, Hours, Levels, days, hours, megabytes, seconds, whole};
use super::{assess, curating, http, people, research, sqs, stages, telling};

/// Needed before the others, to find the file.
pub(super) const DATA: Key<'static, Folder> = Key::new(
    "data",
    Folder,
    "./strongroom-data",
    "The folder that holds everything this appliance keeps.",
)
.env(&["STRONGROOM_DATA"])
.flag("--data");

/// Reads every key; what is wrong is left in `pick.refusals`.
pub(super) fn read(pick: &mut Pick<'_>, mut raw: RawConfig, known: &[KnownStage]) -> Config {
    let researching = research::take_researching(&mut raw.research);
    let curating = curating::take(&mut raw.research);
    let mut config = Config {
        data: pick.one(raw.data, &DATA),
        file: None,
        http: http::http(pick, raw.http),
        health: health(pick, raw.health),
        log: log(pick, raw.log),
        work: work(pick, raw.work),
        pool: pool(pick, raw.pool),
        upkeep: upkeep(pick, raw.upkeep),
        fixity: fixity(pick, raw.fixity),
        alerts: telling::alerts(pick, raw.alerts),
        mail: telling::mail(pick, raw.mail),
        webhook: telling::webhook(pick, raw.webhook),
        assess: assess::assess(pick, raw.assess),
        sqs: sqs::sqs(pick, raw.sqs),
        accounts: people::accounts(pick, raw.accounts),
        deletion: people::deletion(pick, raw.deletion),
        research: research::research(pick, raw.research),
        researching: research::researching(pick, researching),
        curating: curating::curating(pick, curating),
        ingest: custody::ingest(pick, raw.ingest, raw.receiving),
        restore: custody::restore(pick, raw.restore),
        replicas: custody::replicas(pick, raw.replica),
        options: Vec::new(),
        stages: BTreeMap::new(),
        explained: Vec::new(),
    };
    config.options = custody::options(pick, raw.option, &config.replicas);
    config.stages = stages::read(pick, raw.stage, known);
    // Values are only held against each other once each of them stands.
    if pick.refusals.is_empty() {
        http::agree(pick, &config);
        custody::agree(pick, &config);
        telling::agree(pick, &config);
        research::agree(pick, &config);
        assess::agree(pick, &config);
        sqs::agree(pick, &config);
    }
    config
}

fn health(pick: &mut Pick<'_>, raw: RawHealth) -> HealthConfig {
    let port = "A second port that answers /health only, for monitors that expect one. HEALTH_PORT \
        without a value is 8085.";
    let beat = "A stage that has not been heard of for this long is unwell.";
    let buffer = "An attempt may take this many times what it was expected to before it is unwell.";
    HealthConfig {
        port: pick.maybe(
            raw.port,
            &Key::unset("health.port", whole(1, 65_535), "8085", port)
                .env(&["HEALTH_PORT"])
                .when_empty("8085"),
        ),
        heartbeat_timeout: pick.one(
            raw.heartbeat_timeout_s,
            &Key::new("health.heartbeat_timeout_s", seconds(2, 86_400), "120", beat)
                .env(&["HEARTBEAT_TIMEOUT"]),
        ),
        task_timeout_buffer: pick.one(
            raw.task_timeout_buffer,
            &Key::new("health.task_timeout_buffer", Factor, "1.5", buffer)
                .env(&["TASK_TIMEOUT_BUFFER"]),
        ),
    }
}

fn log(pick: &mut Pick<'_>, raw: RawLog) -> LogConfig {
    let format = "Lines for eyes, or one JSON object per line for collectors.";
    let level = "The least serious thing to log.";
    LogConfig {
        format: pick.one(
            raw.format,
            &Key::new("log.format", Format, "human", format).env(&["STRONGROOM_LOG_FORMAT"]),
        ),
        level: pick.one(
            raw.level,
            &Key::new("log.level", Levels, "info", level).env(&["STRONGROOM_LOG", "LOG_LEVEL"]),
        ),
    }
}

fn work(pick: &mut Pick<'_>, raw: RawWork) -> WorkConfig {
    let room = "With less free disk space than this, the appliance stops taking work.";
    let grace =
        "How long a stop waits for stages to reach a checkpoint, and for assessments to finish.";
    WorkConfig {
        room_floor_bytes: pick.one(
            raw.room_floor_mb,
            &Key::new("work.room_floor_mb", megabytes(1, 1_000_000_000), "256", room),
        ),
        stop_grace: pick
            .one(raw.stop_grace_s, &Key::new("work.stop_grace_s", seconds(0, 3600), "20", grace)),
    }
}

fn pool(pick: &mut Pick<'_>, raw: RawPool) -> PoolConfig {
    let cpu = "Threads that compute; as many as the processor runs at once unless set.";
    let disk = "Threads that read and write local disks.";
    let net = "Threads that talk to other machines.";
    let geo = "Threads that assess sites; as many as the processor runs at once unless set.";
    let cores = pick.cores().clamp(1, 1024).to_string();
    PoolConfig {
        cpu: pick.or(raw.cpu, &Key::unset("pool.cpu", whole(1, 1024), "4", cpu), &cores),
        disk: pick.one(raw.disk, &Key::new("pool.disk", whole(1, 256), "2", disk)),
        net: pick.one(raw.net, &Key::new("pool.net", whole(1, 256), "4", net)),
        geo: pick.or(raw.geo, &Key::unset("pool.geo", whole(1, 1024), "4", geo), &cores),
    }
}

fn upkeep(pick: &mut Pick<'_>, raw: RawUpkeep) -> UpkeepConfig {
    let every = "How often a snapshot of the registry is taken.";
    let keep = "How many snapshots are kept.";
    UpkeepConfig {
        every: pick.one(raw.every_h, &Key::new("upkeep.every_h", hours(1, 8760), "24", every)),
        keep: pick.one(raw.keep, &Key::new("upkeep.keep", whole(1, 1000), "7", keep)),
    }
}

fn fixity(pick: &mut Pick<'_>, raw: RawFixity) -> FixityConfig {
    let every = "How often every copy in a hot replica is read and compared, at least.";
    let sweep = "How often copies that are due are looked for.";
    let files = "How many of them are taken up each time; one object at least.";
    let budget = "The most that checks read in a second, in megabytes; 0 is no limit.";
    let quiet = "Hours of the day, in UTC, in which no check begins.";
    FixityConfig {
        every: pick.one(
            raw.every_days,
            &Key::new("fixity.every_days", days(1, 36_500), "90", every)
                .env(&["MAX_DAYS_SINCE_LAST_FIXITY"]),
        ),
        sweep: pick.one(
            raw.sweep_s,
            &Key::new("fixity.sweep_s", seconds(1, 86_400), "1800", sweep)
                .env(&["QUEUE_FIXITY_INTERVAL"]),
        ),
        files_per_sweep: pick.one(
            raw.files_per_sweep,
            &Key::new("fixity.files_per_sweep", whole(1, 1_000_000), "2500", files)
                .env(&["MAX_FIXITY_ITEMS_PER_RUN"]),
        ),
        budget_bytes_s: pick.one(
            raw.budget_mb_s,
            &Key::new("fixity.budget_mb_s", megabytes(0, 1_000_000), "0", budget),
        ),
        quiet_hours: pick
            .maybe(raw.quiet_hours, &Key::unset("fixity.quiet_hours", Hours, "08:00-18:00", quiet)),
    }
}
