//! A whole appliance in this process: a temporary data directory, a real clock, a free port, and a
//! flow of three stages whose second does what an item's name says.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use storage::clock::{Clock, SystemClock};
use storage::registry::{NewUser, Role};
use storage::work::item::{Finding, ItemId, Severity, Subject, WorkItem};
use storage::work::queue::{NewItem, Queue};
use strongroom::accounts::make_link;
use strongroom::app::App;
use strongroom::appliance::{Appliance, Doorplate, StartError};
use strongroom::config::{Config, Flags, Surroundings};
use strongroom::fault::Fault;
use strongroom::fixity::FIXITY;
use strongroom::flows::{FLOWS, SWEEPS};
use strongroom::ingest::{INGEST, Receiving};
use strongroom::rights::Caller;
use strongroom::work::{About, Backoff, Chart, Done, Flow, Job, Policy, Pool, Stage, Sweep};
use tempfile::TempDir;

use crate::harness::{fatal, leak, transient};
use crate::ingest::write_tar;
use crate::wire::{self, Ask, Reply};

/// Nothing a test waits for takes this long, on however slow a machine: only what hangs does. The
/// runner ends a test a minute later, without saying what it waited for.
pub(crate) const DEADLINE: Duration = Duration::from_secs(540);

/// The password of everybody here.
pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) const TOPICS: [&str; 3] = ["test01_receive", "test02_check", "test03_store"];

/// What the test and its stages share.
#[derive(Default)]
pub(crate) struct Strings {
    /// Lets go of everything that hangs or spins.
    pub(crate) let_go: AtomicBool,
    /// How many hang or spin.
    pub(crate) held: AtomicUsize,
}

struct Scripted {
    at: usize,
    strings: Arc<Strings>,
}

impl Stage<App> for Scripted {
    fn about(&self) -> About {
        let label = ["Receive", "Check", "Store"][self.at];
        let env = ["TEST_RECEIVE", "TEST_CHECK", "TEST_STORE"][self.at];
        About { topic: TOPICS[self.at], label, env: Some(env) }
    }

    fn policy(&self) -> Policy {
        let moment = Duration::from_millis(20);
        let backoff = Backoff { most: moment, ..Backoff::MINUTE }.starting(moment);
        Policy { workers: 2, buffer: 4, max_attempts: 2, backoff, pool: Pool::Cpu, ..Policy::DISK }
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let name = job.item.subject.name.as_str();
        if self.at != 1 {
            return Ok(Done::Advance);
        }
        match name.split('-').next().unwrap_or_default() {
            "slow" => {
                let steps = name.rsplit('-').next().and_then(|text| text.parse().ok());
                self.crawl(job, steps.unwrap_or(10))?;
            }
            "retry" => return Err(transient("replica-away")),
            "fatal" => return Err(fatal("vault-closed")),
            // The first attempt in its life was at the first stage, the second is here.
            "mendable" if job.item.turns <= 2 => return Err(fatal("vault-closed")),
            "reject" => return Err(Fault::Rejected(findings())),
            "panic" => panic!("the bag is <inside out>"),
            "hang" => self.hold(|| std::thread::park_timeout(Duration::from_millis(5))),
            "spin" => {
                job.enter(Pool::Cpu, || {
                    rayon::scope(|scope| {
                        for _ in 0..2 * rayon::current_num_threads() {
                            scope.spawn(|_| self.hold(std::hint::spin_loop));
                        }
                    });
                });
            }
            _ => {}
        }
        job.note(format!("checked {name}"));
        Ok(Done::Advance)
    }
}

impl Scripted {
    fn crawl(&self, job: &Job<'_, App>, steps: u64) -> Result<(), Fault> {
        job.total(steps);
        for _ in 0..steps {
            job.checkpoint()?;
            std::thread::park_timeout(Duration::from_millis(20));
            job.advance(1);
        }
        Ok(())
    }

    fn hold(&self, pass: impl Fn()) {
        self.strings.held.fetch_add(1, Ordering::SeqCst);
        while !self.strings.let_go.load(Ordering::SeqCst) {
            pass();
        }
    }
}

fn findings() -> Vec<Finding> {
    let finding = |severity, code: &str, place: &str| Finding {
        severity,
        code: code.into(),
        place: place.into(),
        sentence: format!("{place} is not what the manifest says <b>"),
    };
    vec![
        finding(Severity::Error, "digest-differs", "data/a.tif"),
        finding(Severity::Warning, "tag-missing", "bag-info.txt"),
    ]
}

pub(crate) fn flows(strings: &Arc<Strings>) -> &'static [Flow<App>] {
    let stage = |at| {
        let scripted = Scripted { at, strings: Arc::clone(strings) };
        &*Box::leak(Box::new(scripted)) as &'static dyn Stage<App>
    };
    let stages = leak((0..3).map(stage).collect());
    leak(vec![Flow { name: "test", action: "Testing", stages, cleanup: None }])
}

/// What a house does.
enum Runs {
    /// The scripted flow of tests.
    Script,
    /// That, and deposits are taken in, and what is held is checked when asked for.
    Ingest,
    /// What the program does.
    Program,
}

/// An appliance and its data directory.
pub(crate) struct House {
    pub(crate) strings: Arc<Strings>,
    pub(crate) dir: TempDir,
    toml: String,
    vars: Vec<(&'static str, String)>,
    tune: fn(&mut Config),
    runs: Runs,
    appliance: Option<Appliance>,
}

impl House {
    pub(crate) fn new() -> House {
        House::configured("")
    }

    /// A house under this configuration file.
    pub(crate) fn configured(toml: &str) -> House {
        let mut house = House::closed(toml, &[]);
        house.start();
        house
    }

    /// A house with what the configuration file would not allow.
    pub(crate) fn tuned(toml: &str, tune: fn(&mut Config)) -> House {
        let mut house = House::closed(toml, &[]);
        house.tune = tune;
        house.start();
        house
    }

    /// A house that takes in what is put into its receiving folder.
    pub(crate) fn ingesting() -> House {
        let mut house = House::closed("[ingest]\nsweep_s = 1\n", &[]);
        house.runs = Runs::Ingest;
        house.start();
        house
    }

    /// A house that does what the program does.
    pub(crate) fn of_the_program(toml: &str) -> House {
        let mut house = House::closed_program(toml, |_| {});
        house.start();
        house
    }

    /// The same, not open yet, with what the configuration file would not allow.
    pub(crate) fn closed_program(toml: &str, tune: fn(&mut Config)) -> House {
        let mut house = House::closed(toml, &[]);
        house.runs = Runs::Program;
        house.tune = tune;
        house
    }

    /// Puts a bag into the receiving folder, and waits until this version of it is preserved.
    pub(crate) fn receive(&self, name: &str, files: &[(String, Vec<u8>)], version: u64) {
        self.lay(name, files, version);
        until(&format!("{name} is preserved"), || {
            let object = self.get(format!("/api/v1/objects/archive.local/{name}"));
            object.status == 200 && object.json()["object"]["version"] == version
        });
    }

    /// Puts a bag into the receiving folder, whatever becomes of it.
    pub(crate) fn lay(&self, name: &str, files: &[(String, Vec<u8>)], version: u64) {
        let folder = self.data().join("receiving/archive.local");
        byteio::durable::create_folder(&folder).unwrap();
        let path = folder.join(format!("{name}.tar"));
        write_tar(&path, name, files);
        // What was just written is not still before its time; what is old, is.
        let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + version);
        std::fs::File::open(&path).unwrap().set_modified(old).unwrap();
    }

    /// A house that is not open yet.
    pub(crate) fn closed(toml: &str, vars: &[(&'static str, String)]) -> House {
        let dir = tempfile::Builder::new().prefix("strongroom-it-").tempdir().unwrap();
        House::at(dir, toml, vars)
    }

    pub(crate) fn at(dir: TempDir, toml: &str, vars: &[(&'static str, String)]) -> House {
        let (strings, vars) = (Arc::default(), vars.to_vec());
        let (toml, tune) = (toml.to_owned(), (|_| {}) as fn(&mut Config));
        House { strings, dir, toml, vars, tune, runs: Runs::Script, appliance: None }
    }

    pub(crate) fn data(&self) -> std::path::PathBuf {
        self.dir.path().join("data")
    }

    pub(crate) fn start(&mut self) {
        self.try_start("127.0.0.1:0").unwrap();
    }

    pub(crate) fn try_start(&mut self, listen: &str) -> Result<(), StartError> {
        let script = flows(&self.strings);
        let (flows, sweeps): (_, &'static [&'static dyn Sweep<App>]) = match self.runs {
            Runs::Script => (script, &[]),
            Runs::Ingest => (leak(vec![Flow { ..script[0] }, INGEST, FIXITY]), &[&Receiving]),
            Runs::Program => (FLOWS, SWEEPS),
        };
        let mut config = config(&self.data(), listen, &self.toml, &self.vars, flows);
        (self.tune)(&mut config);
        let clock = Arc::new(SystemClock::start());
        self.appliance = Some(Appliance::start(config, flows, sweeps, clock)?);
        Ok(())
    }

    /// Stops and says how long it took.
    pub(crate) fn stop(&mut self) -> Duration {
        let clock = SystemClock::start();
        self.appliance.take().unwrap().stop();
        clock.steady()
    }

    pub(crate) fn appliance(&self) -> &Appliance {
        self.appliance.as_ref().unwrap()
    }

    pub(crate) fn app(&self) -> &App {
        self.appliance().app()
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.app().shop.queue
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.appliance().address()
    }

    pub(crate) fn key(&self) -> String {
        Doorplate::read(&self.data()).unwrap().key
    }

    /// Asks as the owner of the data directory, unless the request says itself who asks. What bears
    /// a session is marked as its pages would.
    pub(crate) fn ask(&self, ask: &Ask) -> Reply {
        wire::send(self.address(), &self.with_mark(&self.with_key(ask)))
    }

    /// The request with the mark of its session's forms, if it bears a session.
    pub(crate) fn with_mark(&self, ask: &Ask) -> Ask {
        let header = |wanted| ask.headers.iter().find(|(name, _)| *name == wanted);
        let changes = !["GET", "HEAD", "OPTIONS"].contains(&ask.method);
        let unmarked = header("x-csrf-token").is_none() && header("authorization").is_none();
        match header("cookie") {
            Some((_, cookie)) if changes && unmarked => match self.mark(cookie) {
                Some(mark) => ask.clone().with("x-csrf-token", mark),
                None => ask.clone(),
            },
            Some(_) | None => ask.clone(),
        }
    }

    /// Sends a form as the browser of somebody who has not signed in.
    pub(crate) fn ask_by_form(&self, ask: &Ask) -> Reply {
        let (cookie, mark) = self.unknown_browser();
        let borne = ask.headers.iter().filter(|(name, _)| *name == "cookie");
        let cookies = borne.fold(cookie, |all, (_, one)| format!("{all}; {one}"));
        self.ask_as_stranger(&ask.clone().with("cookie", cookies).with("x-csrf-token", mark))
    }

    /// The cookie of a browser that has seen the form to sign in, and the mark of that.
    pub(crate) fn unknown_browser(&self) -> (String, String) {
        let page = self.ask_as_stranger(&wire::get("/sign-in"));
        let cookie = page.all("set-cookie").concat();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let mark = self.mark(&cookie).unwrap();
        (cookie, mark)
    }

    /// The mark of the forms that a browser with this cookie is shown.
    pub(crate) fn mark(&self, cookie: &str) -> Option<String> {
        let page = wire::send(self.address(), &wire::get("/sign-in").with("cookie", cookie)).text();
        let (_, rest) = page.split_once("name=\"csrf\" value=\"")?;
        Some(rest.split_once('"')?.0.to_owned())
    }

    /// Asks as nobody in particular.
    pub(crate) fn ask_as_stranger(&self, ask: &Ask) -> Reply {
        wire::send(self.address(), ask)
    }

    /// The request with the key of the data directory, unless it says itself who asks.
    pub(crate) fn with_key(&self, ask: &Ask) -> Ask {
        match ask.says_who() {
            true => ask.clone(),
            false => ask.clone().with("authorization", format!("Bearer {}", self.key())),
        }
    }

    pub(crate) fn get(&self, path: impl Into<String>) -> Reply {
        self.ask(&wire::get(path))
    }

    /// Sends a form as our own page does.
    pub(crate) fn post(&self, path: impl Into<String>, body: &str) -> Reply {
        self.ask(&wire::post(path, body))
    }

    /// Adds a user with a password.
    pub(crate) fn person(&self, email: &str, role: Role) {
        self.person_of("archive.local", email, role);
    }

    pub(crate) fn person_of(&self, institution: &str, email: &str, role: Role) {
        let (registry, now) = (&self.app().registry, self.app().shop.clock.now());
        // Found by the desk, which makes the configured one when it is first needed.
        let institution = self.app().desk().institution(institution).unwrap().institution;
        let new = NewUser {
            name: email.split('@').next().unwrap().into(),
            email: email.into(),
            phone_number: None,
            institution_id: institution.id,
            role,
        };
        // Not by one command: two people whom one person made do not delete together.
        let user = registry.create_user(&new, storage::registry::without_note, now).unwrap();
        let (link, _) = make_link(registry, &Caller::Stranger, &user, now).unwrap();
        self.redeem(&format!("/password?token={}", link.text()));
    }

    /// Sets the usual password by a link.
    pub(crate) fn redeem(&self, path: &str) {
        let token = path.split_once('=').unwrap().1;
        let form = format!("token={token}&password={PASSWORD}&again={PASSWORD}");
        self.post("/password", &form.replace(' ', "+")).is(303);
    }

    /// Asks the API as our own command line does.
    pub(crate) fn command(&self, path: &str, body: &str) -> Reply {
        let ask = wire::post(path, body).without("sec-fetch-site");
        self.ask(&ask.with("authorization", format!("Bearer {}", self.key())))
    }

    pub(crate) fn push(&self, name: &str) -> u64 {
        push(self.queue(), name)
    }

    /// Pushes, and waits until it is in this state.
    pub(crate) fn bring(&self, name: &str, state: &str) -> u64 {
        let id = self.push(name);
        self.until_state(id, state);
        id
    }

    pub(crate) fn state(&self, id: u64) -> String {
        let reply = self.get(format!("/api/v1/items/{id}"));
        reply.json()["item"]["state"].as_str().unwrap_or("unknown").to_owned()
    }

    pub(crate) fn until_state(&self, id: u64, state: &str) {
        until(&format!("item {id} is {state}"), || self.state(id) == state);
    }

    pub(crate) fn live(&self, id: u64) -> Option<WorkItem> {
        self.queue().item(ItemId(id)).unwrap()
    }

    pub(crate) fn until_held(&self, count: usize) {
        until("something hangs", || self.strings.held.load(Ordering::SeqCst) >= count);
    }

    pub(crate) fn let_go(&self) {
        self.strings.let_go.store(true, Ordering::SeqCst);
    }

    /// Everything that people could have changed, as one text.
    pub(crate) fn everything(&self) -> String {
        let mut work = Vec::new();
        self.app().desk().export_work(&mut work).unwrap();
        let work = String::from_utf8(work).unwrap();
        // Sweeps go on by themselves.
        let by_people = |line: &&str| !line.contains(r#""kind":"schedule""#);
        work.lines().filter(by_people).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.let_go();
        if let Some(appliance) = self.appliance.take() {
            appliance.stop();
        }
    }
}

pub(crate) fn config(
    data: &Path,
    listen: &str,
    toml: &str,
    vars: &[(&'static str, String)],
    flows: &[Flow<App>],
) -> Config {
    let read = |_: &Path| Ok(toml.to_owned());
    let env = |name: &str| {
        vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone().into())
    };
    let around = Surroundings { read: &read, env: &env, cores: 2 };
    let data = Some(data.to_owned());
    let flags = Flags { data, listen: Some(listen.into()), config: None };
    let mut config = Config::load(&flags, &around, &Chart::known_stages(flows)).unwrap();
    // How full the disk of this machine is, is part of no test that does not say so.
    if !toml.contains("room_percent") {
        config.alerts.room_percent = 0;
    }
    config
}

pub(crate) fn push(queue: &Queue, name: &str) -> u64 {
    let subject = Subject {
        action: "Testing".into(),
        name: name.into(),
        user: "ann@example.org".into(),
        size_bytes: 1,
        ..Subject::default()
    };
    let (flow, topic) = ("test".into(), TOPICS[0].into());
    queue.push(NewItem { flow, topic, subject, ..NewItem::default() }).unwrap().id.0
}

/// Waits for a condition.
#[track_caller]
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let clock = SystemClock::start();
    while !holds() {
        assert!(clock.steady() < DEADLINE, "waited in vain until {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}
