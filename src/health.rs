//! How we are doing: pure, from heartbeats, policies and the time. Nothing here waits.
//!
//! The rule is the adaptive one of the assessment worker: idle, a worker must show a sign of life
//! within the heartbeat timeout; at work, it may take as long as was expected times a buffer. The
//! clock is the steady one, so a clock that jumps makes nobody look dead.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::work::{SlotReading, StageReading, Status};

/// The two numbers an operator can tune.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Longest silence of an idle worker.
    pub heartbeat_timeout: Duration,
    /// How many times its expected duration a task may take.
    pub task_timeout_buffer: f64,
}

/// What else must be well for work to go on.
#[derive(Clone, Copy, Debug)]
pub struct Grounds {
    /// The disk has room.
    pub room: bool,
    /// The work state can be written.
    pub work_state: bool,
    /// The registry can be read and written.
    pub registry: bool,
}

/// The whole appliance's health.
#[derive(Clone, Debug)]
pub struct Health {
    /// Every stage.
    pub stages: Vec<StageHealth>,
    /// What else is wrong, in words.
    pub troubles: Vec<&'static str>,
}

/// One stage's health: that of its worst worker.
#[derive(Clone, Debug, PartialEq)]
pub struct StageHealth {
    /// Its topic.
    pub topic: &'static str,
    /// -1 failed, 0 stopped, 1 running.
    pub status: i32,
    /// Whether it ever looked for work with success.
    pub ready: bool,
    /// Whether it stands outside of the stages: then nothing waits for it to be ready.
    pub is_outside: bool,
    /// Since the last sign of life; `None` when there never was one.
    pub heartbeat_age: Option<Duration>,
    /// Whether it is at work on something.
    pub long_task: bool,
    /// The limit in force.
    pub timeout: Duration,
    /// Whether the limit is passed.
    pub overtime: bool,
}

impl StageHealth {
    /// Running and not overtime.
    pub fn healthy(&self) -> bool {
        self.status == Status::Running as i32 && !self.overtime
    }

    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.status != Status::Running as i32 {
            reasons.push(format!("worker status is {} (expected 1)", self.status));
        }
        if self.overtime {
            reasons.push("worker is overtime".to_owned());
        }
        reasons
    }
}

/// Judges every stage by the rule.
pub fn judge(
    now: Duration,
    readings: &[StageReading],
    patience: Patience,
    grounds: Grounds,
) -> Health {
    let stages = readings.iter().map(|stage| judge_stage(now, stage, patience)).collect();
    let mut troubles = Vec::new();
    if !grounds.room {
        troubles.push("the disk has no room, no work is taken");
    }
    if !grounds.work_state {
        troubles.push("the work state cannot be written");
    }
    if !grounds.registry {
        troubles.push("the registry cannot be read or written");
    }
    Health { stages, troubles }
}

fn judge_stage(now: Duration, stage: &StageReading, patience: Patience) -> StageHealth {
    let of = |slot: &SlotReading| judge_slot(now, stage, slot, patience);
    let worst = stage.slots.iter().map(of).max_by(|a, b| {
        let rank = |it: &StageHealth| (it.overtime, it.heartbeat_age.unwrap_or(Duration::MAX));
        rank(a).cmp(&rank(b))
    });
    let mut worst = worst.unwrap_or_else(|| {
        judge_slot(now, stage, &SlotReading { heartbeat: None, task: None }, patience)
    });
    worst.long_task = stage.slots.iter().any(|slot| slot.task.is_some());
    worst
}

fn judge_slot(
    now: Duration,
    stage: &StageReading,
    slot: &SlotReading,
    patience: Patience,
) -> StageHealth {
    let age = slot.heartbeat.map(|at| now.saturating_sub(at));
    let (timeout, overtime) = match slot.task {
        Some((start, expected)) => {
            let timeout = expected.mul_f64(patience.task_timeout_buffer);
            (timeout, now.saturating_sub(start) > timeout)
        }
        None => {
            let timeout = patience.heartbeat_timeout;
            (timeout, age.is_none_or(|age| age > timeout))
        }
    };
    StageHealth {
        topic: stage.topic,
        status: stage.status,
        ready: stage.ready,
        is_outside: stage.is_outside,
        heartbeat_age: age,
        long_task: slot.task.is_some(),
        timeout,
        overtime,
    }
}

impl Health {
    /// Everything is well.
    pub fn ok(&self) -> bool {
        self.troubles.is_empty() && self.stages.iter().all(StageHealth::healthy)
    }

    /// Every stage has looked for work, and nothing stands in the way of it.
    pub fn ready(&self) -> bool {
        self.troubles.is_empty() && self.awaited().next().is_none()
    }

    /// The stages that have not looked for work yet.
    pub fn awaited(&self) -> impl Iterator<Item = &StageHealth> {
        self.stages.iter().filter(|stage| !stage.ready && !stage.is_outside)
    }

    /// Everything that is wrong, for people.
    pub fn complaints(&self) -> Vec<String> {
        let stages = self.stages.iter().flat_map(|stage| {
            stage.reasons().into_iter().map(move |reason| format!("{}: {reason}", stage.topic))
        });
        self.troubles.iter().map(|trouble| (*trouble).to_owned()).chain(stages).collect()
    }

    /// The document of the assessment worker: its keys for the worst stage, and one entry per
    /// stage beside them.
    pub fn wire(&self) -> Value {
        let mut details = match self.worst() {
            Some(worst) => facts(worst, !self.ok()),
            None => Map::new(),
        };
        for stage in &self.stages {
            let mut entry = facts(stage, !stage.healthy());
            entry.insert("healthy".into(), stage.healthy().into());
            details.insert(stage.topic.into(), entry.into());
        }
        if self.ok() {
            return json!({"details": details, "service": "strongroom", "status": "ok"});
        }
        details.insert("healthy".into(), false.into());
        let mut reasons = self.worst().map(StageHealth::reasons).unwrap_or_default();
        reasons.extend(self.troubles.iter().map(|trouble| (*trouble).to_owned()));
        let reason = if reasons.is_empty() { "unknown".to_owned() } else { reasons.join(", ") };
        json!({
            "details": details,
            "reason": reason,
            "service": "strongroom",
            "status": "unavailable",
        })
    }

    fn worst(&self) -> Option<&StageHealth> {
        let rank = |it: &StageHealth| {
            (!it.healthy(), it.overtime, it.heartbeat_age.unwrap_or(Duration::MAX))
        };
        self.stages.iter().max_by(|a, b| rank(a).cmp(&rank(b)))
    }
}

/// The keys of one worker; all of them when something is wrong.
fn facts(stage: &StageHealth, all: bool) -> Map<String, Value> {
    let mut facts = Map::new();
    facts.insert("heartbeat_age_seconds".into(), stage.heartbeat_age.map(seconds).into());
    facts.insert("is_long_task_running".into(), stage.long_task.into());
    if all {
        // An idle limit is a setting in whole seconds, a task's limit a product: the described
        // worker prints the one as 120 and the other as 450.0, and its clients may care.
        let timeout = match (stage.long_task, stage.timeout.subsec_nanos()) {
            (false, 0) => stage.timeout.as_secs().into(),
            (_, _) => seconds(stage.timeout).into(),
        };
        facts.insert("effective_timeout_seconds".into(), timeout);
        facts.insert("is_overtime".into(), stage.overtime.into());
        facts.insert("ready".into(), stage.ready.into());
        facts.insert("worker_status_flag".into(), stage.status.into());
    }
    facts
}

/// Seconds with two decimals.
fn seconds(span: Duration) -> f64 {
    (span.as_secs_f64() * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience =
        Patience { heartbeat_timeout: Duration::from_secs(120), task_timeout_buffer: 1.5 };
    const WELL: Grounds = Grounds { room: true, work_state: true, registry: true };

    fn at(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn stage(status: i32, slots: Vec<SlotReading>) -> StageReading {
        let (topic, label) = ("ingest01_prefetch", "Receive");
        StageReading { topic, label, status, ready: true, is_outside: false, slots }
    }

    fn idle(heartbeat: f64) -> SlotReading {
        SlotReading { heartbeat: Some(at(heartbeat)), task: None }
    }

    fn busy(start: f64, expected: f64) -> SlotReading {
        SlotReading { heartbeat: Some(at(start)), task: Some((at(start), at(expected))) }
    }

    fn wire(now: f64, readings: &[StageReading], grounds: Grounds) -> String {
        judge(at(now), readings, PATIENCE, grounds).wire().to_string()
    }

    #[test]
    fn an_idle_healthy_worker_in_the_described_form() {
        assert_eq!(
            wire(100.42, &[stage(1, vec![idle(100.0)])], WELL),
            r#"{"details":{"heartbeat_age_seconds":0.42,"ingest01_prefetch":{"healthy":true,"heartbeat_age_seconds":0.42,"is_long_task_running":false},"is_long_task_running":false},"service":"strongroom","status":"ok"}"#
        );
    }

    #[test]
    fn a_silent_worker_is_overtime_strictly_after_the_timeout() {
        let readings = [stage(1, vec![idle(0.0)])];
        assert!(judge(at(120.0), &readings, PATIENCE, WELL).ok());
        assert_eq!(
            wire(131.02, &readings, WELL),
            r#"{"details":{"effective_timeout_seconds":120,"healthy":false,"heartbeat_age_seconds":131.02,"ingest01_prefetch":{"effective_timeout_seconds":120,"healthy":false,"heartbeat_age_seconds":131.02,"is_long_task_running":false,"is_overtime":true,"ready":true,"worker_status_flag":1},"is_long_task_running":false,"is_overtime":true,"ready":true,"worker_status_flag":1},"reason":"worker is overtime","service":"strongroom","status":"unavailable"}"#
        );
    }

    #[test]
    fn a_long_task_may_take_its_expected_time_and_a_half() {
        let readings = [stage(1, vec![busy(0.0, 300.0)])];
        assert!(judge(at(450.0), &readings, PATIENCE, WELL).ok());
        let late = judge(at(450.1), &readings, PATIENCE, WELL).wire();
        assert_eq!(late["reason"], "worker is overtime");
        assert_eq!(late["details"]["effective_timeout_seconds"].to_string(), "450.0");
        assert_eq!(late["details"]["is_long_task_running"], true);
    }

    #[test]
    fn both_reasons_in_order_and_never_a_number_that_is_not_json() {
        let never = SlotReading { heartbeat: None, task: None };
        let document = judge(at(5.0), &[stage(-1, vec![never])], PATIENCE, WELL).wire();
        assert_eq!(document["reason"], "worker status is -1 (expected 1), worker is overtime");
        assert_eq!(document["details"]["heartbeat_age_seconds"], Value::Null);
    }

    #[test]
    fn one_hung_worker_of_three_is_seen() {
        let readings = [stage(1, vec![idle(999.0), busy(0.0, 1.0), idle(999.0)])];
        let health = judge(at(1000.0), &readings, PATIENCE, WELL);
        assert!(!health.ok());
        assert_eq!(health.complaints(), ["ingest01_prefetch: worker is overtime"]);
    }

    #[test]
    fn a_full_disk_or_a_failed_work_state_is_unavailable() {
        let readings = [stage(1, vec![idle(0.0)])];
        let grounds = Grounds { room: false, work_state: false, registry: true };
        let health = judge(at(1.0), &readings, PATIENCE, grounds);
        assert!(!health.ok() && !health.ready());
        let reason = health.wire()["reason"].to_string();
        assert!(reason.contains("no room") && reason.contains("work state"), "{reason}");
    }

    #[test]
    fn what_stands_outside_of_the_stages_is_judged_and_keeps_nothing_from_being_ready() {
        let outside = |status| StageReading {
            ready: false,
            is_outside: true,
            ..stage(status, vec![idle(0.0)])
        };
        let readings = [stage(1, vec![idle(0.0)]), outside(1)];
        let health = judge(at(1.0), &readings, PATIENCE, WELL);
        assert!(health.ok() && health.ready());
        let ended = judge(at(1.0), &[stage(1, vec![idle(0.0)]), outside(-1)], PATIENCE, WELL);
        assert!(!ended.ok() && ended.ready());
        assert_eq!(ended.wire()["reason"], "worker status is -1 (expected 1)");
    }

    #[test]
    fn no_readings_at_all_do_not_break_the_form() {
        assert_eq!(judge(at(0.0), &[], PATIENCE, WELL).wire()["status"], "ok");
    }
}
