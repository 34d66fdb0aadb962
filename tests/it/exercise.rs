//! The conformance exercise: what every stage must stand, whatever it does.
//!
//! 1. Twice is once: run again from the same claim, and run again after its settlement was lost.
//! 2. Interrupted at every checkpoint and resumed by the next run of the program.
//! 3. Overtaken at every checkpoint: nothing is written to the queue.
//! 4. A panic at every checkpoint.
//!
//! After each the end is the same as that of an undisturbed run.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use storage::clock::{Clock, Timestamp};
use storage::work::item::{ItemId, State, WorkItem};
use storage::work::queue::{Account, Charge, Settlement};
use strongroom::fault::Fault;
use strongroom::work::{About, Admit, Done, Flow, Job, Policy, Stage, Step};

use crate::harness::{Rig, leak, lock, secs};

/// Checkpoints disturbed one by one; of more, as many are chosen evenly.
const MOST: usize = 24;

/// A stage with something to do.
pub(crate) struct Case<'a, C: Send + Sync + 'static> {
    /// The flows the stage is in.
    pub(crate) flows: &'static [Flow<C>],
    /// The stage.
    pub(crate) topic: &'static str,
    /// A fresh rig over these flows, with one item in line at the stage and nothing else.
    pub(crate) prepare: &'a dyn Fn(&'static [Flow<C>]) -> (Rig<C>, ItemId),
    /// Everything the stage leaves behind, as text: files, rows, dossier; no times, no attempts.
    pub(crate) end: &'a dyn Fn(&Rig<C>, ItemId) -> String,
}

/// Exercises a stage; panics with what went wrong.
pub(crate) fn exercise<C: Send + Sync + 'static>(case: &Case<'_, C>) {
    let (calm, checkpoints) = undisturbed(case);
    let told = |end: &str, what: &str| assert_eq!(end, calm, "{}: {what}", case.topic);
    told(&repeated(case), "run twice from one claim");
    told(&unsettled(case), "run again after its settlement was lost");
    for at in chosen(checkpoints) {
        told(&interrupted(case, at), &format!("interrupted at checkpoint {at} of {checkpoints}"));
        told(&overtaken(case, at), &format!("overtaken at checkpoint {at} of {checkpoints}"));
        told(&panicked(case, at), &format!("a panic at checkpoint {at} of {checkpoints}"));
    }
}

/// Checkpoints to disturb, the first and the last among them.
fn chosen(checkpoints: usize) -> Vec<usize> {
    let few = checkpoints.min(MOST);
    let spread = |nth: usize| if few < 2 { 1 } else { 1 + nth * (checkpoints - 1) / (few - 1) };
    (0..few).map(spread).collect()
}

/// A rig whose stage does as `after` says once its own run has ended well.
fn rig_with<C: Send + Sync>(case: &Case<'_, C>, after: After<C>) -> (Rig<C>, ItemId) {
    let after = Arc::new(Mutex::new(Some(after)));
    let wrap = |stage: &&'static dyn Stage<C>| -> &'static dyn Stage<C> {
        if stage.about().topic != case.topic {
            return *stage;
        }
        Box::leak(Box::new(Watched { stage: *stage, after: Arc::clone(&after) }))
    };
    let flow = |flow: &Flow<C>| Flow {
        stages: leak(flow.stages.iter().map(wrap).collect()),
        name: flow.name,
        action: flow.action,
        cleanup: flow.cleanup,
    };
    (case.prepare)(leak(case.flows.iter().map(flow).collect()))
}

type After<C> = Box<dyn FnOnce(&dyn Stage<C>, &Job<'_, C>) -> Result<(), Fault> + Send>;

/// A stage, and what is done to it after its first good end.
struct Watched<C: 'static> {
    stage: &'static dyn Stage<C>,
    after: Arc<Mutex<Option<After<C>>>>,
}

impl<C: Send + Sync> Stage<C> for Watched<C> {
    fn about(&self) -> About {
        self.stage.about()
    }
    fn policy(&self) -> Policy {
        self.stage.policy()
    }
    fn admit(&self, item: &WorkItem, app: &C) -> Result<Admit, Fault> {
        self.stage.admit(item, app)
    }
    fn expected(&self, item: &WorkItem, app: &C) -> Option<Duration> {
        self.stage.expected(item, app)
    }
    fn run(&self, job: &Job<'_, C>) -> Result<Done, Fault> {
        let done = self.stage.run(job)?;
        let after = lock(&self.after).take();
        if let Some(after) = after {
            after(self.stage, job)?;
        }
        Ok(done)
    }
}

fn nothing<C>() -> After<C> {
    Box::new(|_, _| Ok(()))
}

/// Lets the item go on until it has left the stage, by whatever a person would do.
fn finish<C: Send + Sync>(case: &Case<'_, C>, rig: &Rig<C>, id: ItemId) -> String {
    for _ in 0..10 {
        let item = rig.item(id);
        if item.topic != case.topic || item.state.is_terminal() {
            break;
        }
        if matches!(item.state, State::Parked { .. }) {
            rig.controls().requeue(id, None, "the exercise").unwrap();
        }
        rig.clock.advance(secs(7200));
        rig.step();
    }
    end(case, rig, id)
}

fn end<C: Send + Sync>(case: &Case<'_, C>, rig: &Rig<C>, id: ItemId) -> String {
    let (word, topic) = rig.at(id);
    format!("{word} at {topic}\n{}", (case.end)(rig, id))
}

fn work<C: Send + Sync>(case: &Case<'_, C>, rig: &Rig<C>, id: ItemId) {
    assert_eq!(rig.step(), Step::Worked { topic: case.topic, item: id });
}

/// The end of a run that nobody disturbs, and how many checkpoints it passes.
fn undisturbed<C: Send + Sync>(case: &Case<'_, C>) -> (String, usize) {
    let (rig, id) = (case.prepare)(case.flows);
    let passed = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&passed);
    rig.shop().at_every_checkpoint(move || {
        counter.fetch_add(1, Ordering::SeqCst);
    });
    work(case, &rig, id);
    let item = rig.item(id);
    let left = item.topic != case.topic || matches!(item.state, State::Finished);
    assert!(left, "{} does not end well by itself: {item:?}", case.topic);
    (end(case, &rig, id), passed.load(Ordering::SeqCst))
}

fn repeated<C: Send + Sync>(case: &Case<'_, C>) -> String {
    let again: After<C> = Box::new(|stage, job| stage.run(job).map(|_| ()));
    let (rig, id) = rig_with(case, again);
    work(case, &rig, id);
    finish(case, &rig, id)
}

/// The attempt does all its work, but its lease has ended unnoticed: the settlement is refused.
fn unsettled<C: Send + Sync>(case: &Case<'_, C>) -> String {
    let shop: Arc<Mutex<Option<Lose>>> = Arc::default();
    let lose = Arc::clone(&shop);
    let (rig, id) = rig_with(
        case,
        Box::new(move |_, _| {
            let lose = lock(&lose).take().expect("it is there before the step");
            lose();
            Ok(())
        }),
    );
    let seen = Arc::new(Mutex::new(None));
    *lock(&shop) = Some(lose_lease(&rig, case.topic, Arc::clone(&seen), id));
    work(case, &rig, id);
    untouched(case, &rig, id, &seen);
    finish(case, &rig, id)
}

type Lose = Box<dyn FnOnce() + Send>;
/// The item as it was when its lease was taken away, and how much was told of it.
type Seen = Arc<Mutex<Option<(WorkItem, usize)>>>;

/// Ends the lease and gives the item to another worker. The steady clock does not move, so
/// nothing but a look at the queue can tell.
fn lose_lease<C: Send + Sync>(rig: &Rig<C>, topic: &'static str, seen: Seen, id: ItemId) -> Lose {
    let (shop, clock) = (Arc::downgrade(rig.shop()), Arc::clone(&rig.clock));
    Box::new(move || {
        let shop = shop.upgrade().expect("the rig is open");
        let lease = shop.chart.find(topic).expect("the topic is there").1.policy.lease;
        clock.jump_to(Timestamp(clock.now().after(lease).0 + 1));
        assert_eq!(shop.queue.reap().unwrap(), 1);
        let other = shop.queue.claim(topic, 1, lease).unwrap().pop().expect("it is in line again");
        let back = Settlement::Retry { at: Timestamp(0), charge: Charge::Free };
        shop.queue.settle(other.lease, &back, Account::default()).unwrap();
        let told = shop.queue.history(id, usize::MAX).unwrap().len();
        *lock(&seen) = Some((shop.queue.item(id).unwrap().unwrap(), told));
    })
}

/// Whether the overtaken attempt left the queue as it was.
fn untouched<C: Send + Sync>(case: &Case<'_, C>, rig: &Rig<C>, id: ItemId, seen: &Seen) {
    let (item, told) = lock(seen).take().expect("the lease was taken away");
    assert_eq!(rig.item(id), item, "{}: a stale lease wrote to the item", case.topic);
    assert_eq!(rig.history(id).len(), told, "{}: a stale lease told an attempt", case.topic);
}

/// Does `act` at the `at`-th checkpoint from now on.
fn act_at<C: Send + Sync>(rig: &Rig<C>, at: usize, act: impl Fn() + Send + Sync + 'static) {
    let passed = AtomicUsize::new(0);
    rig.shop().at_every_checkpoint(move || {
        if passed.fetch_add(1, Ordering::SeqCst) + 1 == at {
            act();
        }
    });
}

fn interrupted<C: Send + Sync>(case: &Case<'_, C>, at: usize) -> String {
    let (mut rig, id) = rig_with(case, nothing());
    let shop = Arc::downgrade(rig.shop());
    act_at(&rig, at, move || {
        let shop = shop.upgrade().expect("the rig is open");
        shop.ask_to_stop();
        // At the end of the grace also what may finish within it.
        shop.stop.insist();
    });
    work(case, &rig, id);
    let (at, attempts) = (rig.at(id), rig.strikes(id).attempts);
    let back = ("ready", case.topic.to_owned());
    assert_eq!((at, attempts), (back, 0), "{}: a stop is not passed on", case.topic);
    rig.restart();
    finish(case, &rig, id)
}

fn overtaken<C: Send + Sync>(case: &Case<'_, C>, at: usize) -> String {
    let (rig, id) = rig_with(case, nothing());
    let seen: Seen = Arc::default();
    let lose = Mutex::new(Some(lose_lease(&rig, case.topic, Arc::clone(&seen), id)));
    let clock = Arc::clone(&rig.clock);
    act_at(&rig, at, move || {
        lock(&lose).take().expect("once")();
        // Now the checkpoint looks at the queue.
        clock.advance(secs(10));
    });
    work(case, &rig, id);
    untouched(case, &rig, id, &seen);
    finish(case, &rig, id)
}

fn panicked<C: Send + Sync>(case: &Case<'_, C>, at: usize) -> String {
    let (rig, id) = rig_with(case, nothing());
    // Without the noise of a panic on the way.
    act_at(&rig, at, || resume_unwind(Box::new("the exercise breaks this attempt")));
    work(case, &rig, id);
    let word = rig.word(id);
    assert!(matches!(word, "delayed" | "parked"), "{}: a panic left it {word}", case.topic);
    finish(case, &rig, id)
}
