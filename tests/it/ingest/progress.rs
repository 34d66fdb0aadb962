//! Storing that fails, is stopped or is killed after most of the files: the rest is sent, and nothing that
//! the server has already. Counted at the door of a real S3 server.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustix::process::Signal;
use storage::work::dossier::Dossier;
use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::site::{self, BUCKETS, MIXED, rig_at};
use super::{Files, INSTITUTION, bag, deposit, write_tar};
use crate::command::{Server, run};
use crate::harness::{Rig, secs};
use crate::house::until;
use crate::s3::{self, Door, Ill, Trouble};

/// A bag whose version has so many files of content.
fn bag_of(count: usize) -> Files {
    let texts: Vec<(String, Vec<u8>)> = (0..count - 2)
        .map(|at| (format!("{at:04}.txt"), format!("letter {at}\n").into_bytes()))
        .collect();
    let payload: Vec<(&str, &[u8])> =
        texts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    bag(&payload)
}

/// A request that sends a file of content, or a part of one.
fn is_content(request: &str) -> bool {
    request.starts_with("PUT ") && request.contains("/content/")
}

fn count(requests: &[String]) -> usize {
    requests.iter().filter(|it| is_content(it)).count()
}

/// The number of the request that sends the `nth` file when nobody disturbs it.
fn number_of(files: &Files, nth: usize) -> (usize, usize) {
    let door = Arc::new(Door::default());
    let rig = rig_at(FLOWS, MIXED, &door);
    let id = put(&rig, files);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    let requests = door.requests();
    let numbered = (1..).zip(&requests).filter(|(_, request)| is_content(request));
    (numbered.map(|(at, _)| at).nth(nth - 1).unwrap(), count(&requests))
}

fn put(rig: &Rig<App>, files: &Files) -> ItemId {
    deposit(rig, "letters.tar", |path: &Path| write_tar(path, "letters", files)).unwrap()
}

/// How many marks of progress an item has.
fn marks(rig: &Rig<App>, id: ItemId) -> usize {
    Dossier::of(rig.queue().store(), id).done(usize::MAX).unwrap().len()
}

#[test]
fn after_a_failure_only_the_files_are_sent_that_a_replica_does_not_have() {
    let files = bag_of(100);
    let (at, total) = number_of(&files, 96);
    assert_eq!(total, 100);
    let door = Arc::new(Door::default());
    let rig = rig_at(FLOWS, MIXED, &door);
    door.expect(Trouble::always(Ill::Busy, at));
    let id = put(&rig, &files);
    rig.drain();
    assert_eq!(rig.at(id), ("delayed", "ingest06_storage".to_owned()), "{:#?}", rig.history(id));
    assert_eq!(count(&door.carried_out()), 95);
    // Of the folder all are stored, of the bucket those that it took; no more after another attempt.
    assert_eq!(marks(&rig, id), 100 + 95);
    rig.clock.advance(secs(61));
    rig.drain();
    assert_eq!(rig.word(id), "delayed", "{:#?}", rig.history(id));
    assert_eq!(marks(&rig, id), 100 + 95);
    door.mend();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(count(&door.carried_out()), 100, "5 were sent after 95");
    assert_eq!(marks(&rig, id), 0);
}

#[test]
fn after_a_failure_of_one_replica_nothing_is_sent_again_to_the_other() {
    let door = Arc::new(Door::default());
    let rig = rig_at(FLOWS, BUCKETS, &door);
    door.limit_content(Some(("bucket-b", 95)));
    let id = put(&rig, &bag_of(100));
    rig.drain();
    assert_eq!(rig.at(id), ("delayed", "ingest06_storage".to_owned()), "{:#?}", rig.history(id));
    let sent = || {
        let done = door.carried_out();
        ["/bucket-a/", "/bucket-b/"]
            .map(|bucket| done.iter().filter(|it| is_content(it) && it.contains(bucket)).count())
    };
    assert_eq!(sent(), [100, 95]);
    door.limit_content(None);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(sent(), [100, 100], "only those that bucket-b did not have");
}

/// The program with a replica in a folder and one in a bucket, and a deposit on its way.
struct Running {
    dir: tempfile::TempDir,
    door: Arc<Door>,
    _buckets: s3::Server,
}

impl Running {
    fn begin(files: &Files) -> Running {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        let area = data.join("receiving").join(INSTITUTION);
        byteio::durable::create_folder(&area).unwrap();
        let door = Arc::new(Door::default());
        let place = dir.path().join("s3");
        let buckets = s3::Server::start(&place, &["bucket-a", "bucket-b"], Arc::clone(&door));
        s3::write_keys(&site::keys(dir.path()), s3::SECRET);
        let replicas = site::toml(dir.path(), MIXED, Some(&buckets));
        let toml = format!("[ingest]\nsweep_s = 1\nstill_s = 0\n{replicas}");
        byteio::durable::write(&data.join("strongroom.toml"), toml.as_bytes(), false).unwrap();
        write_tar(&area.join("letters.tar"), "letters", files);
        Running { dir, door, _buckets: buckets }
    }

    /// Starts the program and lets it send files until so many were, then sends it a signal.
    fn signal_after(&self, sent: usize, signal: Signal) {
        self.signal_when(sent, &|done| count(done) >= sent, signal);
    }

    /// The same with no more than so many requests that send content, as soon as what was carried out is
    /// enough.
    fn signal_when(&self, most: usize, is_enough: &dyn Fn(&[String]) -> bool, signal: Signal) {
        self.door.close_gate(most);
        let mut server = Server::start(&self.dir.path().join("data"));
        until("the first files are sent", || is_enough(&self.door.carried_out()));
        server.signal(signal);
        if signal != Signal::KILL {
            self.door.open_gate();
        }
        server.ended();
        self.door.open_gate();
    }

    /// Lets the program come to its end; how many files were sent again.
    fn finish(&self) -> usize {
        let data = self.dir.path().join("data");
        let before = count(&self.door.carried_out());
        let server = Server::start(&data);
        until("the deposit is preserved", || {
            let items = run(&data, &["items", "list", "--json"]).is(0).json()["items"].take();
            items.as_array().unwrap().iter().all(|item| item["status"] == "Success")
                && fs::read_dir(data.join("receiving").join(INSTITUTION)).unwrap().count() == 0
        });
        drop(server);
        count(&self.door.carried_out()) - before
    }
}

#[test]
fn after_a_stop_only_the_files_are_sent_that_a_replica_does_not_have() {
    let running = Running::begin(&bag_of(600));
    running.signal_after(100, Signal::TERM);
    let sent = count(&running.door.carried_out());
    assert!((100..600).contains(&sent), "stopped on its way: {sent}");
    assert_eq!(running.finish(), 600 - sent);
}

#[test]
fn after_a_kill_few_files_are_sent_that_a_replica_has() {
    let running = Running::begin(&bag_of(400));
    running.signal_after(200, Signal::KILL);
    let sent = count(&running.door.carried_out());
    assert_eq!(sent, 200);
    let again = running.finish();
    // Those whose answer or whose mark was lost.
    assert!(again >= 400 - sent && again <= 400 - sent + 64, "{again} after {sent}");
}

/// A bag with one file of five parts.
fn bag_with_large() -> Files {
    bag_in_parts(5)
}

/// A bag with one file of so many parts.
fn bag_in_parts(count: usize) -> Files {
    let mut large = vec![7; ((count - 1) << 23) + 1];
    for (at, byte) in large.iter_mut().enumerate() {
        *byte = u8::try_from(at >> 20).unwrap();
    }
    bag(&[("large.bin", &large)])
}

fn parts(requests: &[String]) -> usize {
    requests.iter().filter(|it| it.starts_with("PUT ") && it.contains("partNumber=")).count()
}

#[test]
fn a_large_file_goes_on_where_its_upload_ended_while_the_server_has_its_parts() {
    let files = bag_with_large();
    let calm = Arc::new(Door::default());
    let rig = rig_at(FLOWS, MIXED, &calm);
    put(&rig, &files);
    rig.drain_all();
    assert_eq!(parts(&calm.requests()), 5);
    let is_fourth = |it: &String| it.starts_with("PUT ") && it.contains("partNumber=4");
    let fourth = calm.requests().iter().position(is_fourth).unwrap() + 1;
    for has_parts in [true, false] {
        let door = Arc::new(Door::default());
        let rig = rig_at(FLOWS, MIXED, &door);
        door.expect(Trouble::always(Ill::Odd, fourth));
        let id = put(&rig, &files);
        rig.drain();
        assert_eq!(rig.word(id), "delayed", "{:#?}", rig.history(id));
        let sent = parts(&door.carried_out());
        assert!((1..5).contains(&sent), "{:?}", door.carried_out());
        if !has_parts {
            for entry in fs::read_dir(rig.dir().join("s3")).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    fs::remove_file(path).unwrap();
                }
            }
        }
        door.mend();
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        let again = parts(&door.carried_out()) - sent;
        assert_eq!(again, if has_parts { 5 - sent } else { 5 }, "{:#?}", door.carried_out());
    }
}

/// The numbers of the parts that a server took, in the order it took them.
fn numbers(requests: &[String]) -> Vec<usize> {
    let number = |request: &String| {
        let rest = request.split_once("partNumber=").filter(|_| request.starts_with("PUT "))?.1;
        rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
    };
    requests.iter().filter_map(number).collect()
}

#[test]
fn after_a_stop_or_a_kill_no_part_of_a_large_file_is_sent_that_the_server_has() {
    const PARTS: usize = 9;
    for signal in [Signal::TERM, Signal::KILL] {
        let running = Running::begin(&bag_in_parts(PARTS));
        // Two small files are beside it, before or after.
        running.signal_when(4, &|done| numbers(done).len() >= 2, signal);
        let sent = numbers(&running.door.carried_out());
        assert!((2..PARTS).contains(&sent.len()), "stopped on its way: {signal:?} {sent:?}");
        running.finish();
        let all = numbers(&running.door.carried_out());
        for part in 1..=PARTS {
            let times = all.iter().filter(|it| **it == part).count();
            let is_right = if sent.contains(&part) { times == 1 } else { times >= 1 };
            assert!(is_right, "{signal:?}: part {part} was sent {times} times: {all:?}");
        }
    }
}
