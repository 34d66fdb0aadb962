//! The rig: a real work state in a temporary folder, time that moves by hand, and flows of the
//! test's own. The work state is proved after every step; dropping the rig fails the test when
//! anything is left leased.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::house::DEADLINE;
use byteio::causes::chain;
use storage::clock::{Clock, SystemClock};
use storage::testing::{ManualClock, disagreements};
use storage::work::Store;
use storage::work::item::{
    Attempt, Finding, ItemId, Reason, Severity, State, Strikes, Subject, WorkItem,
};
use storage::work::queue::{NewItem, Queue};
use strongroom::config::{Config, Flags, Surroundings};
use strongroom::fault::{Failure, Fault, Kind};
use strongroom::work::{
    About, Admit, Chart, Controls, Done, Flow, Foreman, Job, Policy, Pools, Room, Stage, Step,
    Workshop,
};
use tempfile::TempDir;

/// Steps no test needs: a drain that does not end is a bug, not a long test.
const STEP_LIMIT: usize = 20_000;

pub(crate) fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// What a rig opens: the application and the workshop it works in.
pub(crate) type Opened<C> = (Arc<C>, Arc<Workshop>);

/// A work state, its foreman, and the means to move time and to die.
pub(crate) struct Rig<C: Send + Sync + 'static = World> {
    pub(crate) clock: Arc<ManualClock>,
    flows: &'static [Flow<C>],
    open: Box<dyn Fn() -> Opened<C>>,
    at_work: Option<AtWork<C>>,
    dir: TempDir,
}

struct AtWork<C: 'static> {
    foreman: Foreman<C>,
    app: Arc<C>,
    shop: Arc<Workshop>,
}

impl Rig<World> {
    /// A rig for these flows, on default settings.
    pub(crate) fn new(flows: &'static [Flow<World>]) -> Rig<World> {
        Rig::configured(flows, "")
    }

    /// A rig for these flows under a configuration file.
    pub(crate) fn configured(flows: &'static [Flow<World>], toml: &'static str) -> Rig<World> {
        Rig::around(flows, move |dir, clock| {
            let world = Arc::new(World::new(dir, Arc::clone(&clock)));
            Box::new(move || {
                let shop = open_shop(&world.dir, Arc::clone(&clock) as _, flows, toml);
                *lock(&world.shop) = Arc::downgrade(&shop);
                (Arc::clone(&world), shop)
            })
        })
    }
}

impl<C: Send + Sync + 'static> Rig<C> {
    /// A rig for any application: `prepare` is given an empty folder and the clock, and returns
    /// the way to open the application there, which is called again at every restart.
    pub(crate) fn around(
        flows: &'static [Flow<C>],
        prepare: impl FnOnce(&Path, Arc<ManualClock>) -> Box<dyn Fn() -> Opened<C>>,
    ) -> Rig<C> {
        let dir = folder();
        let clock = ManualClock::start();
        let open = prepare(dir.path(), Arc::clone(&clock));
        let mut rig = Rig { clock, flows, open, at_work: None, dir };
        rig.restart();
        rig
    }

    /// Drops everything as it stands, without settling, and opens the folder as a new run.
    pub(crate) fn restart(&mut self) {
        self.at_work = None;
        let (app, shop) = (self.open)();
        let foreman = Foreman::new(Arc::clone(&app), Arc::clone(&shop), self.flows);
        self.at_work = Some(AtWork { foreman, app, shop });
        self.prove();
    }

    /// The same, with something done to the folder while nobody has it open.
    pub(crate) fn reopen_after(&mut self, act: impl FnOnce()) {
        self.at_work = None;
        act();
        self.restart();
    }

    /// The foreman, to go to work on threads of its own.
    pub(crate) fn take_foreman(&mut self) -> Foreman<C> {
        let AtWork { foreman, app, shop } = self.at_work.take().unwrap();
        let stand_in = Foreman::new(Arc::clone(&app), Arc::clone(&shop), self.flows);
        self.at_work = Some(AtWork { foreman: stand_in, app, shop });
        foreman
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    fn at_work(&self) -> &AtWork<C> {
        self.at_work.as_ref().unwrap()
    }

    pub(crate) fn app(&self) -> &C {
        &self.at_work().app
    }

    pub(crate) fn shared_app(&self) -> Arc<C> {
        Arc::clone(&self.at_work().app)
    }

    pub(crate) fn shop(&self) -> &Arc<Workshop> {
        &self.at_work().shop
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.shop().queue
    }

    pub(crate) fn foreman(&self) -> &Foreman<C> {
        &self.at_work().foreman
    }

    pub(crate) fn controls(&self) -> Controls<'_> {
        self.shop().controls()
    }

    /// One step of the foreman.
    pub(crate) fn step(&self) -> Step {
        let step = self.foreman().step();
        self.prove();
        step
    }

    /// Steps until there is nothing to do now. Time does not move by itself.
    pub(crate) fn drain(&self) -> usize {
        let idle = (0..STEP_LIMIT).position(|_| self.step() == Step::Idle);
        idle.expect("the drain ends")
    }

    /// Steps until nothing is left to do, moving time to whatever waits for a moment.
    pub(crate) fn drain_all(&self) -> usize {
        let mut steps = self.drain();
        while let Some(due) = self.next_due() {
            self.clock.advance(due.since(self.clock.now()));
            let more = self.drain();
            assert!(more > 0, "something is due and is not worked on");
            steps += more;
            assert!(steps < STEP_LIMIT, "the drain does not end");
        }
        steps
    }

    fn next_due(&self) -> Option<storage::clock::Timestamp> {
        let stages = self.shop().chart.stages();
        stages.filter_map(|(_, stage)| self.queue().next_due(stage.topic).unwrap()).min()
    }

    /// What must hold after every step: state and index agree, nobody is attempted more often than
    /// the policy says, and every lease is of this run.
    pub(crate) fn prove(&self) {
        assert_eq!(disagreements(self.queue(), self.clock.now()).unwrap(), Vec::<String>::new());
        for item in self.items() {
            let policy = self.shop().chart.find(&item.topic).unwrap().1.policy;
            assert!(item.strikes.attempts <= policy.max_attempts + 1, "{item:?}");
            assert!(item.strikes.panics <= 1, "{item:?}");
            if let State::Leased(hold) = item.state {
                assert_eq!(hold.epoch, self.queue().epoch(), "{item:?}");
            }
        }
    }

    /// Puts an item in line at a topic.
    pub(crate) fn push(&self, topic: &str) -> ItemId {
        self.push_sized(topic, 1)
    }

    pub(crate) fn push_sized(&self, topic: &str, size_bytes: u64) -> ItemId {
        let (flow, _) = self.shop().chart.find(topic).expect("the topic is in a flow");
        let subject = Subject { name: "bag".into(), size_bytes, ..Subject::default() };
        let (flow, topic) = (flow.name.into(), topic.into());
        self.queue().push(NewItem { flow, topic, subject, ..NewItem::default() }).unwrap().id
    }

    pub(crate) fn items(&self) -> Vec<WorkItem> {
        self.queue().items(None, usize::MAX).unwrap()
    }

    pub(crate) fn item(&self, id: ItemId) -> WorkItem {
        self.queue().item(id).unwrap().expect("the item is there")
    }

    /// The word for an item's state, and its topic.
    pub(crate) fn at(&self, id: ItemId) -> (&'static str, String) {
        let item = self.item(id);
        (item.state.word(), item.topic)
    }

    pub(crate) fn word(&self, id: ItemId) -> &'static str {
        self.item(id).state.word()
    }

    pub(crate) fn strikes(&self, id: ItemId) -> Strikes {
        self.item(id).strikes
    }

    /// Why an item is parked or failed.
    pub(crate) fn reason(&self, id: ItemId) -> Reason {
        let item = self.item(id);
        if let State::Parked { because } | State::Failed { because } = item.state {
            return because;
        }
        panic!("item {id} is {}", item.state.word())
    }

    pub(crate) fn history(&self, id: ItemId) -> Vec<Attempt> {
        let told = self.queue().history(id, usize::MAX).unwrap();
        told.into_iter().map(|(_, attempt)| attempt).collect()
    }

    /// The outcomes of an item's attempts, in order.
    pub(crate) fn outcomes(&self, id: ItemId) -> Vec<String> {
        self.history(id).into_iter().map(|attempt| attempt.outcome).collect()
    }

    fn leased(&self) -> Vec<ItemId> {
        let leased = |item: &WorkItem| matches!(item.state, State::Leased(_));
        self.items().iter().filter(|item| leased(item)).map(|item| item.id).collect()
    }
}

impl<C: Send + Sync + 'static> Drop for Rig<C> {
    fn drop(&mut self) {
        if std::thread::panicking() || self.at_work.is_none() {
            return;
        }
        self.prove();
        assert_eq!(self.leased(), [], "these items were left leased");
    }
}

/// An empty folder in memory where the system has such: what these tests are about is not whether
/// the medium keeps its promises.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let below = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("strongroom-it-").tempdir_in(below).unwrap()
}

/// Opens the work state in `dir` as a new run of the program.
pub(crate) fn open_shop<C>(
    dir: &Path,
    clock: Arc<dyn Clock>,
    flows: &'static [Flow<C>],
    toml: &str,
) -> Arc<Workshop> {
    let read = |_: &Path| Ok(toml.to_owned());
    let around = Surroundings { read: &read, ..Surroundings::BARE };
    let config = Config::load(&Flags::default(), &around, &Chart::known_stages(flows)).unwrap();
    let opened = until_unlocked(|| Store::open(&dir.join("work"), &dir.join("work.damaged")));
    assert!(opened.set_aside.is_none(), "{:?}", opened.set_aside);
    let queue = Arc::new(Queue::open(Arc::new(opened.store), Arc::clone(&clock)).unwrap());
    let room = Room::new(disk(dir), 1 << 20);
    let chart = Chart::of(flows, &config);
    Arc::new(Workshop::new(queue, clock, chart, Pools::new(config.pool), room, 7))
}

/// Opens what was closed a moment ago. A process that dies lets go of everything at once; dropped
/// instead, sled keeps its lock until its own threads have noticed.
pub(crate) fn until_unlocked<T, E: std::error::Error + 'static>(
    open: impl Fn() -> Result<T, E>,
) -> T {
    let clock = SystemClock::start();
    loop {
        match open() {
            Ok(opened) => return opened,
            Err(error) => {
                let why = chain(&error);
                let locked = why.contains("in use by another process");
                assert!(locked && clock.steady() < DEADLINE, "{why}");
                std::thread::park_timeout(Duration::from_millis(2));
            }
        }
    }
}

/// The way to the disk whose room is watched. It is a link, so that a test can point it at a file
/// system without any room.
fn disk(dir: &Path) -> PathBuf {
    let disk = dir.join("disk");
    if disk.symlink_metadata().is_err() {
        std::os::unix::fs::symlink(dir, &disk).unwrap();
    }
    disk
}

/// The application of most tests: what their stages share, and what they leave behind.
pub(crate) struct World {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) dir: PathBuf,
    shop: Mutex<Weak<Workshop>>,
    said: Mutex<Vec<String>>,
}

impl World {
    fn new(dir: &Path, clock: Arc<ManualClock>) -> World {
        let (shop, said) = (Mutex::new(Weak::new()), Mutex::default());
        World { clock, dir: dir.to_owned(), shop, said }
    }

    /// The workshop, for stages that do to themselves what others would.
    pub(crate) fn shop(&self) -> Arc<Workshop> {
        lock(&self.shop).upgrade().expect("the rig is open")
    }

    pub(crate) fn say(&self, what: impl Into<String>) {
        lock(&self.said).push(what.into());
    }

    pub(crate) fn said(&self) -> Vec<String> {
        lock(&self.said).clone()
    }

    /// How often something was said.
    pub(crate) fn count(&self, what: &str) -> usize {
        lock(&self.said).iter().filter(|said| *said == what).count()
    }

    /// Takes every free byte away, or gives them back.
    pub(crate) fn fill_disk(&self, full: bool) {
        let disk = self.dir.join("disk");
        std::fs::remove_file(&disk).unwrap();
        let to = if full { Path::new("/proc") } else { &self.dir };
        std::os::unix::fs::symlink(to, &disk).unwrap();
        self.shop().room.look();
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Run<C> = Box<dyn Fn(&Job<'_, C>) -> Result<Done, Fault> + Send + Sync>;
type Ask<C> = Box<dyn Fn(&WorkItem, &C) -> Result<Admit, Fault> + Send + Sync>;
type Guess = Box<dyn Fn(&WorkItem) -> Option<Duration> + Send + Sync>;

/// A stage made of closures.
pub(crate) struct Acted<C: 'static> {
    topic: &'static str,
    policy: Policy,
    admit: Ask<C>,
    expected: Guess,
    run: Run<C>,
}

/// A stage that does this. One at a time, so that what happens is what the test says.
pub(crate) fn stage<C: 'static>(
    topic: &'static str,
    run: impl Fn(&Job<'_, C>) -> Result<Done, Fault> + Send + Sync + 'static,
) -> Acted<C> {
    let policy = Policy { workers: 1, buffer: 1, ..Policy::DISK };
    let (admit, expected) = (Box::new(|_: &_, _: &_| Ok(Admit::Run)), Box::new(|_: &_| None));
    Acted { topic, policy, admit, expected, run: Box::new(run) }
}

/// A stage that says its topic and advances.
pub(crate) fn passing(topic: &'static str) -> Acted<World> {
    stage(topic, move |job: &Job<'_, World>| {
        job.app.say(topic);
        Ok(Done::Advance)
    })
}

impl<C> Acted<C> {
    pub(crate) fn policy(mut self, change: impl FnOnce(Policy) -> Policy) -> Acted<C> {
        self.policy = change(self.policy);
        self
    }

    pub(crate) fn admit(
        mut self,
        admit: impl Fn(&WorkItem, &C) -> Result<Admit, Fault> + Send + Sync + 'static,
    ) -> Acted<C> {
        self.admit = Box::new(admit);
        self
    }

    pub(crate) fn expected(
        mut self,
        expected: impl Fn(&WorkItem) -> Option<Duration> + Send + Sync + 'static,
    ) -> Acted<C> {
        self.expected = Box::new(expected);
        self
    }
}

impl<C: Send + Sync> Stage<C> for Acted<C> {
    fn about(&self) -> About {
        About { topic: self.topic, label: self.topic, env: None }
    }

    fn policy(&self) -> Policy {
        self.policy
    }

    fn admit(&self, item: &WorkItem, app: &C) -> Result<Admit, Fault> {
        (self.admit)(item, app)
    }

    fn expected(&self, item: &WorkItem, _: &C) -> Option<Duration> {
        (self.expected)(item)
    }

    fn run(&self, job: &Job<'_, C>) -> Result<Done, Fault> {
        (self.run)(job)
    }
}

/// A flow of these stages.
pub(crate) fn flow<C: Send + Sync + 'static>(name: &'static str, stages: Vec<Acted<C>>) -> Flow<C> {
    let stages = stages.into_iter().map(|stage| &*Box::leak(Box::new(stage)) as _);
    Flow { name, action: "Test", stages: leak(stages.collect()), cleanup: None }
}

/// A flow whose last stage cleans up.
pub(crate) fn flow_with_cleanup<C: Send + Sync + 'static>(
    name: &'static str,
    stages: Vec<Acted<C>>,
) -> Flow<C> {
    let flow = flow(name, stages);
    let cleanup = flow.stages.last().map(|stage| stage.about().topic);
    Flow { cleanup, ..flow }
}

/// Flows as the engine wants them: for ever.
pub(crate) fn leak<T>(list: Vec<T>) -> &'static [T] {
    Box::leak(list.into_boxed_slice())
}

/// One flow of these stages.
pub(crate) fn only<C: Send + Sync + 'static>(stages: Vec<Acted<C>>) -> &'static [Flow<C>] {
    leak(vec![flow("test", stages)])
}

#[derive(Debug, thiserror::Error)]
#[error("the replica is away")]
struct Away;

fn failed(kind: Kind, code: &'static str) -> Fault {
    let advice = "bring it back".into();
    Fault::Failed(Failure { kind, code, advice, source: Box::new(Away) })
}

pub(crate) fn transient(code: &'static str) -> Fault {
    failed(Kind::Transient { retry_after: None }, code)
}

pub(crate) fn fatal(code: &'static str) -> Fault {
    failed(Kind::Fatal, code)
}

pub(crate) fn finding(place: &str) -> Finding {
    Finding {
        code: "bad-digest".into(),
        severity: Severity::Error,
        place: place.into(),
        sentence: "the digest is wrong".into(),
    }
}

/// Waits, woken by the queue's bell, until `done`; for tests with real threads.
pub(crate) fn wait_for(queue: &Queue, what: &str, mut done: impl FnMut() -> bool) {
    let clock = SystemClock::start();
    loop {
        let seen = queue.bell().count();
        if done() {
            return;
        }
        assert!(clock.steady() < DEADLINE, "waited in vain for {what}");
        queue.bell().wait(seen, Duration::from_millis(20));
    }
}
