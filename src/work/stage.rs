//! What a stage is: a name, a policy, one function. What a flow is: stages in order.

use std::time::Duration;

use storage::work::item::{Reason, WorkItem};

use super::backoff::Backoff;
use super::job::Job;
use super::pools::Pool;
use crate::config::StageOverrides;
use crate::fault::Fault;

/// One step of a flow. `C` is the application: the tools a stage may use.
pub trait Stage<C>: Send + Sync {
    /// Its names.
    fn about(&self) -> About;

    /// How it is to be run.
    fn policy(&self) -> Policy;

    /// Whether an item should be worked on at all; a skip says why.
    fn admit(&self, item: &WorkItem, app: &C) -> Result<Admit, Fault> {
        let (_, _) = (item, app);
        Ok(Admit::Run)
    }

    /// How long this item will take, where the stage can tell better than experience.
    fn expected(&self, item: &WorkItem, app: &C) -> Option<Duration> {
        let (_, _) = (item, app);
        None
    }

    /// Does the work. May be called again after any interruption: what was done before must not
    /// be done to a different effect.
    fn run(&self, job: &Job<'_, C>) -> Result<Done, Fault>;
}

/// The names of a stage. They are on disk and in scripts: forever.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The topic: on disk, in URLs, configuration and metrics.
    pub topic: &'static str,
    /// For people.
    pub label: &'static str,
    /// Prefix of its environment variables.
    pub env: Option<&'static str>,
}

/// Whether to work on an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admit {
    /// Yes.
    Run,
    /// No, never: the item ends as cancelled.
    Drop(String),
    /// Not yet.
    Later {
        /// Not before this span has passed.
        after: Duration,
        /// What is waited for, as a stable code, and which of them where there are several.
        wait: (&'static str, String),
        /// Why.
        why: String,
    },
}

/// How a stage ended, unless something stopped it.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// On to the next stage; at the last one, finished.
    Advance,
    /// The flow ends here.
    Finish,
    /// The flow ends here, and did not reach what it is for: everything was done that can be, and no
    /// other attempt would find anything else.
    Fail(Reason),
    /// Back to an earlier stage of the flow, because what it claims is no longer there. Whoever
    /// asks for this bounds how often.
    SendBack {
        /// The topic of that stage.
        to: &'static str,
        /// What is missing.
        why: String,
    },
    /// Waiting for something: ask again later, at no cost.
    Snooze {
        /// Not before this span has passed.
        after: Duration,
        /// What is waited for.
        why: String,
    },
}

/// How a stage is to be run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// What it mostly uses.
    pub pool: Pool,
    /// Items worked on at the same time.
    pub workers: u16,
    /// Most items held at the same time, whatever the number of workers: the described
    /// "in flight" limit.
    pub buffer: u16,
    /// Attempts before it gives up on an item.
    pub max_attempts: u16,
    /// Attempts that may find what an item waits for still missing; without limit unless the operator
    /// has set one.
    pub max_waits: Option<u16>,
    /// How long to wait before the next attempt.
    pub backoff: Backoff,
    /// How long an attempt may be silent before another may take the item.
    pub lease: Duration,
    /// How long an item may take at least before health says it hangs.
    pub patience: Duration,
    /// When the deposit is at fault.
    pub on_rejected: Aftermath,
    /// When it failed for good.
    pub on_fatal: Aftermath,
    /// When the attempts are used up.
    pub on_exhausted: Aftermath,
    /// When the program is stopped while an item is worked on.
    pub on_stop: OnStop,
}

/// What becomes of an item that is worked on when the program is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnStop {
    /// It is put back at the next checkpoint: little of the work is lost.
    PutBack,
    /// It may finish within the grace of the stop, because all of the work would be lost; only then it
    /// is put back.
    Finish,
}

/// What becomes of an item that cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aftermath {
    /// It waits for a person, everything kept.
    Park,
    /// It ends, through the flow's clean-up stage if there is one.
    Fail,
}

impl Policy {
    /// What the described workers use: three workers, twenty in the buffer, three attempts a
    /// minute apart, a message timeout of minutes renewed by heartbeats.
    pub const DISK: Policy = Policy {
        pool: Pool::Disk,
        workers: 3,
        buffer: 20,
        max_attempts: 3,
        max_waits: None,
        backoff: Backoff::MINUTE,
        lease: Duration::from_secs(360),
        patience: Duration::from_secs(300),
        on_rejected: Aftermath::Park,
        on_fatal: Aftermath::Park,
        on_exhausted: Aftermath::Park,
        on_stop: OnStop::PutBack,
    };
    /// One at a time per core is enough: these use every core by themselves.
    pub const CPU: Policy = Policy { pool: Pool::Cpu, workers: 2, buffer: 12, ..Policy::DISK };
    /// Waiting for others, mostly.
    pub const NET: Policy = Policy { pool: Pool::Net, ..Policy::DISK };

    /// Workers that really work: no more than may hold an item.
    pub fn hands(&self) -> usize {
        usize::from(self.workers.min(self.buffer).max(1))
    }

    /// This policy with what the operator asked for.
    pub fn with(self, asked: StageOverrides) -> Policy {
        let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        Policy {
            workers: asked.workers.map_or(self.workers, short),
            buffer: asked.buffer.map_or(self.buffer, short),
            max_attempts: asked
                .max_attempts
                .map_or(self.max_attempts, |most| u16::try_from(most).unwrap_or(u16::MAX)),
            max_waits: asked.max_attempts.map(|most| u16::try_from(most).unwrap_or(u16::MAX)),
            backoff: asked.retry.map_or(self.backoff, |first| self.backoff.starting(first)),
            lease: asked.lease.unwrap_or(self.lease),
            patience: asked.patience.unwrap_or(self.patience),
            ..self
        }
    }
}

/// Stages in order.
pub struct Flow<C: 'static> {
    /// Its name: on disk, forever.
    pub name: &'static str,
    /// What its items are called in the described registry: `Ingest`, ...
    pub action: &'static str,
    /// The stages.
    pub stages: &'static [&'static dyn Stage<C>],
    /// The topic of the stage that cleans up after a cancelled or failed item.
    pub cleanup: Option<&'static str>,
}
