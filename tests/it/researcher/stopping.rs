//! Who is asked to stop does so within moments, tells what was found, and gives the rest back.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal, kill_process};
use storage::clock::SystemClock;
use storage::registry::{Recording, RecordingKind};
use strongroom::research::{LeaseNow, Report, Work};
use strongroom::researcher::media::{GoOn, Opened};
use strongroom::researcher::{Bench, InHouse, Office, OfficeError, Unopened, Wish, research};

use super::{Shelf, add, sound};
use crate::command::{folder, program};
use crate::house::{House, until};

/// An office that asks its researcher to stop with the first result.
struct Hasty<'a> {
    office: InHouse<'a>,
    stop: AtomicBool,
}

impl Office for Hasty<'_> {
    fn next_work(&self) -> Result<Option<Work>, OfficeError> {
        self.office.next_work()
    }

    fn heartbeat(&self, lease: &str) -> Result<bool, OfficeError> {
        self.office.heartbeat(lease)
    }

    fn record(&self, report: &Report) -> Result<LeaseNow, OfficeError> {
        self.stop.store(true, Ordering::Relaxed);
        self.office.record(report)
    }

    fn finish(&self, lease: &str) -> Result<(), OfficeError> {
        self.office.finish(lease)
    }

    fn open(
        &self,
        kind: RecordingKind,
        recording: &Recording,
        go_on: GoOn<'_>,
    ) -> Result<Opened, Unopened> {
        self.office.open(kind, recording, go_on)
    }
}

#[test]
fn what_was_found_is_told_and_the_rest_is_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::configured(&shelf.toml("clips = 60"));
    let clip = |number: u64| shelf.put(&format!("clip-{number}.wav"), &sound::clip(number));
    add(&house, "clips", &(1..=60).map(clip).collect::<Vec<_>>());
    add(&house, "episodes", &[shelf.put("show.wav", &sound::episode(1, 4.0, &[]))]);
    let office = Hasty { office: InHouse::new(house.app(), "hasty"), stop: AtomicBool::new(false) };
    let work = office.next_work().unwrap().unwrap();
    assert_eq!(work.clips.len(), 60);
    let watch = || match office.stop.load(Ordering::Relaxed) {
        true => Wish::WindDown,
        false => Wish::GoOn,
    };
    let (bench, clock) = (Bench::new(1), SystemClock::start());
    let done = research(&office, (&bench, &clock), &work, &watch);
    assert!(done.searched > 0 && done.searched < 60, "{done:?}");
    assert_eq!(done.given_back, 60 - done.searched, "{done:?}");
    assert_eq!((done.delivered.taken, done.delivered.lost), (done.searched, 0), "{done:?}");
    let said = format!("stopped on request, and {} are given back", done.given_back);
    assert!(done.sentence().contains(&said), "{}", done.sentence());
    // The next one has what is left, and no more.
    let next = InHouse::new(house.app(), "next").next_work().unwrap().unwrap();
    assert_eq!(next.clips.len(), done.given_back);
}

/// Whether a process has a handler for SIGINT.
fn catches_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    let interrupt = 1 << (Signal::INT.as_raw() - 1);
    u64::from_str_radix(caught.trim(), 16).unwrap() & interrupt != 0
}

#[test]
fn a_match_that_is_interrupted_says_so_and_prints_what_it_has() {
    let (folder, data) = folder();
    let shelf = Shelf::at(folder.path());
    shelf.put("show.wav", &sound::episode(1, 900.0, &[]));
    let mut arguments = vec!["research".to_owned(), "match".into(), "show.wav".into()];
    for number in 1..=60 {
        let name = format!("clip-{number}.wav");
        shelf.put(&name, &sound::clip(number));
        arguments.push(name);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = program(&data, &arguments);
    command.current_dir(&shelf.folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    until("it listens for Ctrl-C", || catches_interrupts(child.id()));
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(matches!(ended.status.code(), Some(1 | 2)), "{:?} {said}", ended.status);
    assert!(said.contains("stopped on request"), "{said}");
}
