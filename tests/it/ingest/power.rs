//! The power is cut while deposits are on their way, at every flush and at every barrier of the work
//! state: what was flushed is kept, of the rest a subset by chance. The program is started again, and
//! nothing waits for a person, nothing is lost, and nothing is left over.
//!
//! A child process works until the moment of the cut, changes its own folders into what the disk would
//! hold, and is killed. Of the work state the last barrier is kept, or all marks made since; the
//! registry is kept as it is, because SQLite flushes every commit by itself.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use byteio::durable::Flush;
use byteio::testing::at_each_flush;
use fastrand::Rng;
use rustix::process::{Signal, getpid, kill_process};
use storage::testing::{ManualClock, after_each_barrier, copy_folder};
use strongroom::app::App;
use strongroom::config::ProfileChoice;
use strongroom::flows::FLOWS;
use strongroom::ingest::{LeftOvers, Receiving};
use strongroom::work::{Foreman, Step, Sweep};

use super::disk_model::Disk;
use super::flow::{write_folder, write_tar_gz, write_zip};
use super::site::FOLDERS;
use super::{INSTITUTION, bag, held, open, site, write_tar};
use crate::harness::{Opened, Rig, lock};

/// What the child is told: the folder, the moment of the cut (0 is never), and a seed.
const CHILD: &str = "STRONGROOM_POWER";
/// Cuts of one kind of deposit; all of them in a soak.
const CUTS: usize = 16;

/// How a deposit is packed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Packed {
    Tar,
    TarGz,
    Zip,
    Folder,
}

impl Packed {
    pub(super) const ALL: [Packed; 4] = [Packed::Tar, Packed::TarGz, Packed::Zip, Packed::Folder];

    pub(super) fn name(self) -> &'static str {
        match self {
            Packed::Tar => "letters.tar",
            Packed::TarGz => "letters.tar.gz",
            Packed::Zip => "letters.zip",
            Packed::Folder => "letters",
        }
    }

    /// Writes a bag like this.
    pub(super) fn write(self, path: &Path, files: &[(String, Vec<u8>)]) {
        match self {
            Packed::Tar => write_tar(path, "letters", files),
            Packed::TarGz => write_tar_gz(path, files),
            Packed::Zip => write_zip(path, files),
            Packed::Folder => write_folder(path, files),
        }
    }

    /// The profile that takes it: the usual one wants a tar.
    pub(super) fn profile(self) -> ProfileChoice {
        match self {
            Packed::Tar | Packed::TarGz => ProfileChoice::Named,
            Packed::Zip | Packed::Folder => ProfileChoice::BagIt,
        }
    }
}

/// Files of all sizes, one of them large enough to be copied in pieces.
pub(super) fn files() -> super::Files {
    let large = b"0123456789abcdef".repeat(20_000);
    let mut payload = super::LETTERS.to_vec();
    payload.push(("large.bin", &large));
    bag(&payload)
}

fn data(dir: &Path) -> PathBuf {
    dir.join("data")
}

/// Opens the data directory. What is found in it says how it was packed.
fn open_at(dir: &Path, clock: Arc<ManualClock>) -> Opened<App> {
    let packed = fs::read_to_string(dir.join("packed")).unwrap();
    let packed = Packed::ALL.into_iter().find(|it| it.name() == packed).unwrap();
    let toml = site::toml(dir, FOLDERS, None);
    open(FLOWS, &data(dir), clock, (&toml, &packed.profile()))
}

/// A data directory with one deposit that was received: it is whole and on the medium.
fn prepare(packed: Packed) -> tempfile::TempDir {
    // In memory where the system has such: the model says what is durable.
    let memory = PathBuf::from("/dev/shm");
    let below = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let dir = tempfile::Builder::new().prefix("strongroom-power-").tempdir_in(below).unwrap();
    let area = data(dir.path()).join("receiving").join(INSTITUTION);
    fs::create_dir_all(&area).unwrap();
    packed.write(&area.join(packed.name()), &files());
    super::make_old(&area.join(packed.name()));
    byteio::durable::write(&dir.path().join("packed"), packed.name().as_bytes(), false).unwrap();
    dir
}

/// Runs a child until the cut; tells how many moments it passed if there was none.
fn child(dir: &Path, cut: usize, seed: u64) -> Option<usize> {
    let told = Command::new("/proc/self/exe")
        .args(["--exact", "ingest::power::the_child_whose_power_is_cut", "--nocapture"])
        .env(CHILD, format!("{cut} {seed} {}", dir.display()))
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(cut > 0 || told.status.success(), "{text}");
    text.lines().find_map(|line| line.split_once("moments ")?.1.trim().parse().ok())
}

#[test]
fn the_child_whose_power_is_cut() {
    let Some(told) = std::env::var_os(CHILD) else { return };
    let told = told.into_string().unwrap();
    let mut parts = told.splitn(3, ' ');
    let mut number = || parts.next().unwrap().parse::<u64>().unwrap();
    let (cut, seed) = (usize::try_from(number()).unwrap(), number());
    let dir = PathBuf::from(parts.next().unwrap());
    let (app, shop) = open_at(&dir, ManualClock::start());
    let work = app.home.dir().join("work");
    let roots: Vec<PathBuf> = ["staging", "vault", "receiving"]
        .map(|name| data(&dir).join(name))
        .into_iter()
        .inspect(|root| fs::create_dir_all(root).unwrap())
        .collect();
    let recorder = Recorder {
        disk: Disk::new(roots, &dir),
        image: dir.join("image"),
        work,
        app: Arc::downgrade(&app),
        random: Rng::with_seed(seed),
        moments: 0,
        cut,
    };
    recorder.copy_work();
    let recorder = Arc::new(Mutex::new(recorder));
    let at_barrier = Arc::clone(&recorder);
    after_each_barrier(shop.queue.store(), move || {
        let mut recorder = lock(&at_barrier);
        recorder.copy_work();
        recorder.moment(false);
    });
    let at_flush = Arc::clone(&recorder);
    at_each_flush(move |flush: &Flush<'_>, is_made| {
        // What the recorder flushes itself is no part of the run.
        if INSIDE.replace(true) {
            return;
        }
        let _leave = Leave;
        let mut recorder = lock(&at_flush);
        if !recorder.disk.concerns(flush) {
            return;
        }
        if is_made {
            recorder.disk.flushed(flush);
        }
        recorder.moment(true);
    });
    Receiving.sweep(&app, 100).unwrap();
    let foreman = Foreman::new(Arc::clone(&app), shop, FLOWS);
    while foreman.step() != Step::Idle {}
    println!("\nmoments {}", lock(&recorder).moments);
}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Leaves the recorder when it is dropped.
struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// Watches a run, and cuts it.
struct Recorder {
    disk: Disk,
    /// The work state as it was at the last barrier.
    image: PathBuf,
    work: PathBuf,
    app: Weak<App>,
    random: Rng,
    moments: usize,
    cut: usize,
}

impl Recorder {
    fn copy_work(&self) {
        drop(fs::remove_dir_all(&self.image));
        copy_folder(&self.work, &self.image).unwrap();
    }

    /// A moment at which the power may be cut.
    fn moment(&mut self, may_keep_marks: bool) {
        self.moments += 1;
        if self.moments != self.cut {
            return;
        }
        // What was marked since the last barrier may have reached the medium as well.
        if may_keep_marks
            && self.random.bool()
            && let Some(app) = self.app.upgrade()
        {
            app.shop.queue.store().barrier().unwrap();
            self.copy_work();
        }
        let mut random = self.random.fork();
        self.disk.cut(&mut random);
        kill_process(getpid(), Signal::KILL).unwrap();
        std::thread::park_timeout(Duration::from_secs(60));
    }
}

/// Starts the program after a cut and lets it come to rest; what is held then.
fn start_again(dir: &Path) -> String {
    let at = dir.to_owned();
    let rig = Rig::around(FLOWS, move |_, clock| Box::new(move || open_at(&at, clock.clone())));
    for _ in 0..3 {
        Receiving.sweep(rig.app(), 100).unwrap();
        rig.drain_all();
    }
    LeftOvers.sweep(rig.app(), 100).unwrap();
    let items = rig.items();
    let stuck: Vec<_> = items.iter().filter(|item| item.state.word() != "finished").collect();
    assert!(stuck.is_empty(), "{stuck:#?}");
    assert_eq!(rig.app().registry.check().unwrap(), Vec::new());
    for replica in ["a", "b"] {
        let corner = data(dir).join("vault").join(replica).join("extensions/strongroom-replica");
        for name in ["drafts", "parts"] {
            let left = fs::read_dir(corner.join(name)).map_or(0, Iterator::count);
            assert_eq!(left, 0, "{name} in replica {replica}");
        }
    }
    let staged = fs::read_dir(data(dir).join("staging")).unwrap().count();
    assert_eq!(staged, 0, "nothing is left in staging");
    held(&rig)
}

fn cut_everywhere(packed: Packed) {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let seed = number("STRONGROOM_SEED").unwrap_or_else(|| fastrand::u64(..100_000));
    println!("STRONGROOM_SEED={seed} replays this");
    let calm = prepare(packed);
    let moments = child(calm.path(), 0, seed).expect("the run comes to its end");
    let calm = start_again(calm.path());
    assert!(calm.contains("archive.local/letters v1 7 files"), "{calm}");
    let cuts = if number("STRONGROOM_SOAK_ROUNDS").is_some() { moments } else { CUTS };
    let step = (moments / cuts).max(1);
    let first = Rng::with_seed(seed).usize(..step);
    println!("{moments} moments, every {step} from {first} on");
    for at in (1 + first..=moments).step_by(step) {
        let dir = prepare(packed);
        let ended = child(dir.path(), at, seed + at as u64);
        assert_eq!(ended, None, "the child was to be cut at moment {at}");
        let work = data(dir.path()).join("work");
        fs::remove_dir_all(&work).unwrap();
        copy_folder(&dir.path().join("image"), &work).unwrap();
        println!("cut of {packed:?} at moment {at} of {moments}, seed {seed}");
        assert_eq!(start_again(dir.path()), calm, "cut at moment {at} of {moments}, seed {seed}");
    }
}

#[test]
fn a_power_cut_while_a_tar_is_ingested_needs_nobody() {
    cut_everywhere(Packed::Tar);
}

#[test]
fn a_power_cut_while_a_compressed_tar_is_ingested_needs_nobody() {
    cut_everywhere(Packed::TarGz);
}

#[test]
fn a_power_cut_while_a_zip_is_ingested_needs_nobody() {
    cut_everywhere(Packed::Zip);
}

#[test]
fn a_power_cut_while_a_folder_is_ingested_needs_nobody() {
    cut_everywhere(Packed::Folder);
}
