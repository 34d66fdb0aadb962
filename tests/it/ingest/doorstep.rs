//! Deposits received in a bucket, on a real server that can be away, deny, tear and lie.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::config::ProfileChoice;
use strongroom::flows::FLOWS;
use strongroom::ingest::{INGEST, Receiving};
use strongroom::work::{Step, Sweep};

use super::{LETTERS, bag, held, open, write_tar};
use crate::exercise::{Case, exercise};
use crate::harness::{Rig, secs};
use crate::house::House;
use crate::s3::{Door, Ill, SECRET, Server, Trouble, write_keys};

const AREA: &str = "archive.local";
const NEWER: &[(&str, &[u8])] = &[("newer.txt", b"newer\n")];
/// The middle of its tar is in the middle of its file.
const LARGE: &[(&str, &[u8])] = &[("large.bin", &[7; 100_000])];

fn toml(endpoint: &str, keys: &Path, more: &str) -> String {
    format!(
        "[ingest]\nreceiving = \"s3://inbox/drop\"\n{more}[receiving]\nendpoint = \"{endpoint}\"\n\
         allow_http = true\ncredentials = \"{}\"\n",
        keys.display()
    )
}

fn rig_with(
    flows: &'static [strongroom::work::Flow<App>],
    door: &Arc<Door>,
    more: &str,
) -> Rig<App> {
    let (door, more) = (Arc::clone(door), more.to_owned());
    Rig::around(flows, move |dir, clock| {
        let data = dir.join("data");
        let server = Server::start(&dir.join("s3"), &["inbox"], door);
        write_keys(&dir.join("keys"), SECRET);
        let toml = toml(&server.endpoint, &dir.join("keys"), &more);
        Box::new(move || {
            // The server ends with the rig.
            let _open = &server;
            open(flows, &data, clock.clone(), (&toml, &ProfileChoice::Named))
        })
    })
}

fn rig(door: &Arc<Door>) -> Rig<App> {
    rig_with(FLOWS, door, "")
}

/// The area as the server keeps it: objects are plain files.
fn area(rig: &Rig<App>) -> PathBuf {
    let area = rig.dir().join("s3/inbox/drop").join(AREA);
    fs::create_dir_all(&area).unwrap();
    area
}

/// Puts an object there whole, as S3 does.
fn put(rig: &Rig<App>, name: &str, payload: &[(&str, &[u8])]) {
    let draft = rig.dir().join("draft");
    write_tar(&draft, "letters", &bag(payload));
    byteio::durable::rename(&draft, &area(rig).join(name)).unwrap();
}

fn lies(rig: &Rig<App>) -> Vec<String> {
    let names = fs::read_dir(area(rig)).unwrap().map(|it| it.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn sweep(rig: &Rig<App>) -> String {
    rig.app().copy().unwrap();
    Receiving.sweep(rig.app(), 100).unwrap().note
}

fn newest(rig: &Rig<App>) -> ItemId {
    rig.items().into_iter().map(|item| item.id).max().unwrap()
}

fn taken(rig: &Rig<App>) -> ItemId {
    let note = sweep(rig);
    assert!(note.starts_with("deposits taken: 1"), "{note}");
    newest(rig)
}

fn step_to(rig: &Rig<App>, id: ItemId, topic: &str) {
    while rig.item(id).topic != topic {
        assert_ne!(rig.step(), Step::Idle, "{:?}", rig.item(id));
    }
}

#[test]
fn what_is_beyond_the_quota_in_a_bucket_stays_is_reported_and_is_taken_when_there_is_room() {
    const GB: u64 = 1 << 30;
    let door = Arc::new(Door::default());
    let rig = rig_with(FLOWS, &door, "receiving_max_gb = 1\n");
    let notes = area(&rig).join("notes.bin");
    File::create(&notes).unwrap().set_len(GB).unwrap();
    put(&rig, "letters.tar", LETTERS);
    let size = fs::metadata(area(&rig).join("letters.tar")).unwrap().len();
    let note = sweep(&rig);
    let said = "over the quota and waiting: 1, such as letters.tar of archive.local";
    assert!(note.contains(said), "{note}");
    assert_eq!(rig.items().len(), 0);
    let shown = rig.app().desk().deposits().unwrap().areas.remove(0);
    assert_eq!((shown.used_bytes, shown.quota_bytes), (Some(GB + size), Some(GB)));
    let letters = shown.deposits.iter().find(|it| it.name == "letters.tar").unwrap();
    assert!(letters.sentence.contains("no room for it below the quota"), "{}", letters.sentence);
    fs::remove_file(&notes).unwrap();
    let id = taken(&rig);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:?}", rig.outcomes(id));
}

#[test]
fn a_deposit_in_a_bucket_is_preserved_and_goes_and_may_come_again() {
    let door = Arc::new(Door::default());
    let rig = rig(&door);
    put(&rig, "letters.tar", LETTERS);
    for name in ["notes.txt", ".hidden.tar", "coming.tar.part"] {
        File::create(area(&rig).join(name)).unwrap();
    }
    fs::create_dir_all(area(&rig).join("a folder")).unwrap();
    File::create(area(&rig).join("a folder/x.tar")).unwrap();
    assert_eq!(sweep(&rig), "deposits taken: 1; no bags: 2, such as a folder");
    assert_eq!(sweep(&rig), "deposits taken: 0; no bags: 2, such as a folder");
    let id = newest(&rig);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:?}", rig.outcomes(id));
    let told = held(&rig);
    assert!(told.contains("archive.local/letters v1 6 files"), "{told}");
    assert!(!told.contains("staging "), "{told}");
    assert!(!lies(&rig).contains(&"letters.tar".to_owned()), "{:?}", lies(&rig));
    let gets =
        door.requests().into_iter().filter(|it| it.starts_with("GET") && it.contains("letters"));
    assert_eq!(gets.count(), 1, "it is fetched once: {:#?}", door.requests());

    // A newer one becomes the next version; the same bytes once more are recognised.
    put(&rig, "letters.tar", NEWER);
    let second = taken(&rig);
    rig.drain_all();
    assert_eq!(rig.word(second), "finished", "{:?}", rig.outcomes(second));
    assert!(held(&rig).contains("archive.local/letters v2 "), "{}", held(&rig));
    put(&rig, "letters.tar", NEWER);
    let third = taken(&rig);
    rig.drain_all();
    assert_eq!(rig.word(third), "finished", "{:?}", rig.outcomes(third));
    assert!(held(&rig).contains("archive.local/letters v2 "), "{}", held(&rig));
    assert!(!lies(&rig).contains(&"letters.tar".to_owned()));
}

#[test]
fn every_stage_stands_the_exercise_with_a_bucket() {
    for stage in &INGEST.stages[..4] {
        let topic = stage.about().topic;
        let prepare = |flows| {
            let rig = rig_with(flows, &Arc::default(), "");
            put(&rig, "letters.tar", LETTERS);
            let id = taken(&rig);
            step_to(&rig, id, topic);
            (rig, id)
        };
        let end = |rig: &Rig<App>, _: ItemId| format!("{}{:?}", held(rig), lies(rig));
        exercise(&Case { flows: FLOWS, topic, prepare: &prepare, end: &end });
    }
}

#[test]
fn one_that_is_replaced_on_the_way_gives_way_or_goes_on() {
    for (at, stage) in INGEST.stages.iter().enumerate() {
        let rig = rig(&Arc::default());
        put(&rig, "letters.tar", LETTERS);
        let id = taken(&rig);
        let topic = stage.about().topic;
        step_to(&rig, id, topic);
        put(&rig, "letters.tar", NEWER);
        let note = sweep(&rig);
        assert_eq!(note.ends_with("superseded: 1"), at < 4, "{topic}: {note}");
        rig.drain_all();
        let word = if at < 4 { "cancelled" } else { "finished" };
        assert_eq!(rig.word(id), word, "{topic}: {:?}", rig.outcomes(id));
        assert_eq!(lies(&rig), ["letters.tar"], "{topic}: the newer one is not ours to remove");
        let newer = taken(&rig);
        rig.drain_all();
        assert_eq!(rig.word(newer), "finished", "{topic}: {:?}", rig.outcomes(newer));
        let version = if at < 4 { "v1 3 files" } else { "v2 7 files" };
        assert!(held(&rig).contains(&format!("archive.local/letters {version}")), "{}", held(&rig));
        assert!(!held(&rig).contains("staging ") && lies(&rig).is_empty(), "{topic}");
    }
}

#[test]
fn one_that_is_replaced_or_gone_when_it_is_fetched_waits_for_a_person() {
    for gone in [true, false] {
        let rig = rig(&Arc::default());
        put(&rig, "letters.tar", LETTERS);
        let id = taken(&rig);
        if gone {
            fs::remove_file(area(&rig).join("letters.tar")).unwrap();
        } else {
            put(&rig, "letters.tar", NEWER);
        }
        rig.drain_all();
        assert_eq!(rig.word(id), "parked", "{:?}", rig.outcomes(id));
        assert_eq!(rig.reason(id).code, "deposit-changed");
        assert!(!held(&rig).contains("staging "), "{}", held(&rig));
        put(&rig, "letters.tar", NEWER);
        assert!(sweep(&rig).ends_with("superseded: 1"));
    }
}

#[test]
fn a_bucket_that_is_away_is_waited_for() {
    let door = Arc::new(Door::default());
    let rig = rig(&door);
    put(&rig, "letters.tar", LETTERS);
    let page = |rig: &Rig<App>| rig.app().desk().deposits().unwrap().areas.remove(0);
    assert!(page(&rig).note.unwrap().contains("not been looked at"));
    door.expect(Trouble::always(Ill::Odd, 0));
    let note = sweep(&rig);
    assert!(note.contains("trouble: the receiving area s3://inbox/drop is away"), "{note}");
    let note = page(&rig).note.unwrap();
    assert!(note.contains("could not be looked at since"), "{note}");
    door.mend();
    let id = taken(&rig);
    let before = door.requests().len();
    rig.app().copy().unwrap();
    let listed = page(&rig);
    assert_eq!((listed.note, listed.deposits.len()), (None, 1));
    assert_eq!(listed.folder, "s3://inbox/drop/archive.local/");
    assert!(listed.deposits[0].sentence.contains("in process"), "{}", listed.deposits[0].sentence);
    assert_eq!(door.requests().len(), before, "a page asks nobody");

    // Away before the fetch, in the middle of it, at staging, and when it is to be removed.
    for topic in ["ingest01_prefetch", "ingest04_staging", "ingest09_cleanup"] {
        step_to(&rig, id, topic);
        door.expect(Trouble::always(Ill::Odd, 0));
        for _ in 0..5 {
            rig.drain();
            assert_eq!(rig.at(id), ("delayed", topic.into()), "{:?}", rig.outcomes(id));
            assert!(rig.item(id).note.contains("is away"), "{}", rig.item(id).note);
            rig.clock.advance(secs(61));
        }
        door.mend();
    }
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:?}", rig.outcomes(id));
    assert!(lies(&rig).is_empty());
}

#[test]
fn whatever_request_fails_once_the_end_is_the_same() {
    let walk = |door: &Arc<Door>, trouble: Option<Trouble>| {
        let rig = rig(door);
        put(&rig, "letters.tar", LETTERS);
        if let Some(trouble) = trouble {
            door.expect(trouble);
        }
        let taken = (0..3).any(|_| sweep(&rig).starts_with("deposits taken: 1"));
        assert!(taken, "{trouble:?}");
        let id = newest(&rig);
        rig.drain_all();
        if rig.word(id) == "parked" {
            assert_eq!(rig.reason(id).code, "receiving-denied", "{trouble:?}");
            rig.controls().requeue(id, None, "the test").unwrap();
            rig.drain_all();
        }
        assert_eq!(rig.word(id), "finished", "{trouble:?}: {:#?}", rig.history(id));
        assert!(lies(&rig).is_empty(), "{trouble:?}");
        held(&rig)
    };
    let door = Arc::new(Door::default());
    let calm = walk(&door, None);
    let requests = door.requests().len();
    assert!(requests >= 6, "{:#?}", door.requests());
    for at in 1..=requests {
        for ill in [Ill::Torn, Ill::Lost, Ill::Odd, Ill::Denied] {
            assert_eq!(
                walk(&Arc::default(), Some(Trouble::once(ill, at))),
                calm,
                "{ill:?} at {at}"
            );
        }
    }
}

#[test]
fn wrong_keys_are_said_and_right_ones_are_read_without_a_restart() {
    let rig = rig(&Arc::default());
    put(&rig, "letters.tar", LETTERS);
    let keys = rig.dir().join("keys");
    write_keys(&keys, "wrong");
    let note = sweep(&rig);
    assert!(note.contains("s3://inbox/drop denies access"), "{note}");
    fs::remove_file(&keys).unwrap();
    let note = sweep(&rig);
    assert!(note.contains("the credentials in") && note.contains("cannot be used"), "{note}");
    write_keys(&keys, SECRET);
    let id = taken(&rig);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished");
}

#[test]
fn what_was_turned_away_stays_in_the_bucket_as_long_as_promised() {
    let rig = rig_with(FLOWS, &Arc::default(), "keep_turned_away_days = 1\n");
    let mut files = bag(LETTERS);
    files.retain(|(path, _)| path != "data/empty");
    write_tar(&area(&rig).join("letters.tar"), "letters", &files);
    let id = taken(&rig);
    rig.drain_all();
    assert_eq!(rig.reason(id).code, "rejected");
    rig.clock.advance(secs(24 * 3600 - 60));
    assert_eq!(sweep(&rig), "deposits taken: 0");
    assert_eq!(lies(&rig), ["letters.tar"]);
    rig.clock.advance(secs(60));
    assert_eq!(sweep(&rig), "deposits taken: 0; rejected and now removed: 1");
    assert!(lies(&rig).is_empty());
    rig.drain_all();
    assert_eq!(rig.word(id), "cancelled");
    assert!(!held(&rig).contains("staging "), "{}", held(&rig));
}

#[test]
fn a_large_deposit_is_fetched_in_ranges_and_begun_anew_after_a_break() {
    let door = Arc::new(Door::default());
    let rig = rig(&door);
    let noise: Vec<u8> = (0..70_u32 << 20).map(|n| (n ^ (n >> 9)).to_le_bytes()[0]).collect();
    put(&rig, "letters.tar", &[("noise", &noise)]);
    let id = taken(&rig);
    // The second range breaks off, and so does every try to ask again.
    let until_second = door.requests().len() + 3;
    door.expect(Trouble::always(Ill::Odd, until_second));
    rig.drain();
    assert_eq!(rig.word(id), "delayed", "{:?}", rig.history(id));
    let staged = rig.app().config.staging().join(id.to_string()).join("received");
    assert!(staged.join("draft").metadata().unwrap().len() >= 32 << 20);
    door.mend();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:?}", rig.outcomes(id));
    let gets =
        door.requests().into_iter().filter(|it| it.starts_with("GET") && it.contains("letters"));
    assert_eq!(gets.count(), 2 + 3, "{:#?}", door.requests());
}

#[test]
fn bags_cannot_be_sent_where_a_bucket_receives_them() {
    let dir = tempfile::tempdir().unwrap();
    let door = Arc::new(Door::default());
    let server = Server::start(&dir.path().join("s3"), &["inbox"], door);
    let keys = dir.path().join("keys");
    write_keys(&keys, SECRET);
    let toml = toml(&server.endpoint, &keys, "sweep_s = 1\n");
    let house = House::of_the_program(&toml);
    let sentence = "eposits of this appliance are received in";
    let page = house.get("/deposits").is(200).text();
    assert!(page.contains(sentence) && page.contains("s3://inbox/drop"), "{page}");
    assert!(!page.contains("type=\"file\""), "{page}");
    let path = format!("/api/v1/deposits/{AREA}/letters.tar");
    let ask = crate::wire::Ask { body: b"x".to_vec(), ..crate::wire::get(path).method("PUT") };
    let refused = house.ask(&ask.with("authorization", format!("Bearer {}", house.key()))).is(409);
    assert_eq!(refused.code(), "received-elsewhere");
    assert!(refused.text().contains(sentence), "{}", refused.text());
    let area = dir.path().join("s3/inbox/drop").join(AREA);
    fs::create_dir_all(&area).unwrap();
    let draft = dir.path().join("draft");
    write_tar(&draft, "letters", &bag(LETTERS));
    byteio::durable::rename(&draft, &area.join("letters.tar")).unwrap();
    crate::house::until("it is preserved", || {
        house.get("/api/v1/items?action=Ingest&status=Success").json()["count"] == 1
    });
    let gone = fs::symlink_metadata(area.join("letters.tar")).unwrap_err();
    assert_eq!(gone.kind(), io::ErrorKind::NotFound);
}

/// The number that the next request to read the deposit will have, if nothing but a look comes before.
fn reading(door: &Door) -> usize {
    door.requests().len() + 2
}

fn readings(door: &Door) -> usize {
    let is_reading = |it: &&String| it.starts_with("GET ") && it.contains("letters.tar");
    door.requests().iter().filter(is_reading).count()
}

#[test]
fn bytes_that_were_altered_on_their_way_from_a_bucket_are_fetched_again() {
    let door = Arc::new(Door::default());
    let rig = rig(&door);
    put(&rig, "letters.tar", LARGE);
    let id = taken(&rig);
    let tag = rig.item(id).subject.etag.unwrap();
    assert!(tag.len() == 32 && tag.bytes().all(|it| it.is_ascii_hexdigit()), "an md5: {tag}");
    door.expect(Trouble::once(Ill::Altered, reading(&door)));
    rig.drain_all();
    assert_eq!(door.struck().len(), 1);
    assert!(door.struck()[0].starts_with("GET ") && door.struck()[0].contains("letters.tar"));
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(readings(&door), 2, "{:#?}", door.requests());
}

#[test]
fn a_bag_that_arrived_damaged_offers_receive_and_is_fetched_anew() {
    let door = Arc::new(Door::default());
    let rig = rig(&door);
    put(&rig, "letters.tar", LARGE);
    let id = taken(&rig);
    // Whoever alters the same byte every time cannot be told from a tag that is no md5.
    let first = reading(&door);
    door.expect(Trouble { ill: Ill::Altered, from: first, until: first + 2 });
    rig.drain_all();
    assert_eq!(rig.word(id), "parked", "{:#?}", rig.history(id));
    assert_eq!(rig.reason(id).code, "rejected");
    door.mend();
    let before = readings(&door);
    rig.app().desk().requeue(id.0, None).unwrap();
    assert_eq!(rig.item(id).topic, "ingest01_prefetch");
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(readings(&door), before + 1, "{:#?}", door.requests());
}
