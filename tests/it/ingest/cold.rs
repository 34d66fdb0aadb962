//! Objects that are in cold storage only: a deposit that brings nothing new is removed when every copy
//! was asked for and is there, and what is not there is stored again from it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use storage::registry::{EVENTS, EventType, Query};
use storage::work::item::{ItemId, State};
use strongroom::app::App;
use strongroom::fixity::FixityDue;
use strongroom::flows::FLOWS;
use strongroom::work::{Step, Sweep};

use super::power::Packed;
use super::{
    LETTERS, bag, deposit, deposit_letters, keys, open, receiving, tree_of_server, write_tar,
};
use crate::harness::{Rig, secs};
use crate::s3::{Door, Ill, SECRET, Server, Trouble, write_keys};

/// An appliance with one cold replica in a bucket, or with a hot one beside it, and one object.
pub(crate) fn rig(door: &Arc<Door>, packed: Packed, with_hot: bool) -> Rig<App> {
    let door = Arc::clone(door);
    let rig = Rig::around(FLOWS, move |dir, clock| {
        let data = dir.join("data");
        let server = Server::start(&dir.join("s3"), &["bucket-a"], door);
        write_keys(&keys(dir), SECRET);
        let mut toml = format!(
            "[replica.a]\nurl = \"s3://bucket-a\"\nendpoint = \"{}\"\nallow_http = true\n\
             credentials = \"{}\"\nclass = \"cold\"\n",
            server.endpoint,
            keys(dir).display()
        );
        if with_hot {
            toml.push_str("[replica.b]\nurl = \"vault/b\"\n");
        }
        Box::new(move || {
            let _open = &server;
            open(FLOWS, &data, clock.clone(), (&toml, &packed.profile()))
        })
    });
    let first = deposit_letters(&rig);
    rig.drain_all();
    assert_eq!(rig.word(first), "finished", "{:#?}", rig.history(first));
    rig
}

/// Every file of content in the bucket.
fn contents(rig: &Rig<App>) -> Vec<PathBuf> {
    let bucket = rig.dir().join("s3");
    let names = tree_of_server(&bucket).into_iter();
    let content = names.filter(|name| name.contains("/content/") && !name.contains("set-aside"));
    content.map(|name| bucket.join(name.rsplit_once(' ').unwrap().0)).collect()
}

fn same_again(rig: &Rig<App>, packed: Packed) -> ItemId {
    deposit(rig, packed.name(), |path| packed.write(path, &bag(LETTERS))).unwrap()
}

/// What Storage Validation said when it was done.
fn said(rig: &Rig<App>, id: ItemId) -> String {
    let is_done = |it: &storage::work::item::Attempt| {
        it.topic == "ingest07_storage_validation" && it.outcome == "advanced"
    };
    rig.history(id).into_iter().find(is_done).unwrap().note
}

fn repairs(rig: &Rig<App>) -> Vec<String> {
    let all = rig.app().registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
    let told = all.into_iter().filter(|it| it.event_type == EventType::Repair);
    told.map(|it| it.outcome_information).collect()
}

#[test]
fn a_deposit_whose_cold_copies_are_gone_is_stored_again_before_it_is_removed() {
    for packed in Packed::ALL {
        let door = Arc::new(Door::default());
        let rig = rig(&door, packed, false);
        let before = tree_of_server(&rig.dir().join("s3"));
        door.freezer.close("bucket-a");
        let gone = contents(&rig);
        assert_eq!(gone.len(), 5, "{gone:?}");
        gone.iter().for_each(|path| fs::remove_file(path).unwrap());
        let id = same_again(&rig, packed);
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{packed:?}: {:#?}", rig.history(id));
        assert!(!receiving(&rig).join(packed.name()).try_exists().unwrap(), "{packed:?}");
        assert_eq!(tree_of_server(&rig.dir().join("s3")), before, "{packed:?}");
        let said = said(&rig, id);
        assert!(said.contains("stored again from the deposit"), "{packed:?}: {said}");
        assert!(!said.contains("read back"), "nothing was read: {said}");
        let repairs = repairs(&rig);
        assert!(!repairs.is_empty() && repairs.iter().all(|it| it.contains("was missing")));
    }
}

#[test]
fn a_cold_copy_of_another_size_is_stored_again_and_what_was_there_is_kept() {
    for with_hot in [false, true] {
        let rig = rig(&Arc::default(), Packed::Tar, with_hot);
        let torn = contents(&rig).into_iter().find(|it| it.ends_with("data/a.txt")).unwrap();
        byteio::durable::write(&torn, b"alp", false).unwrap();
        let id = same_again(&rig, Packed::Tar);
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        assert_eq!(fs::read(&torn).unwrap(), b"alpha\n");
        let aside = tree_of_server(&rig.dir().join("s3"));
        assert_eq!(aside.iter().filter(|it| it.contains("set-aside")).count(), 1, "{aside:?}");
        let said = said(&rig, id);
        assert_eq!(said.contains("every copy in hot storage was read back"), with_hot, "{said}");
        assert!(repairs(&rig).iter().any(|it| it.contains("was not what was preserved")));
    }
}

#[test]
fn a_deposit_is_kept_while_cold_storage_does_not_say_whether_its_copies_are_there() {
    let door = Arc::new(Door::default());
    let rig = rig(&door, Packed::Tar, false);
    let id = same_again(&rig, Packed::Tar);
    while rig.item(id).topic != "ingest07_storage_validation" {
        rig.step();
    }
    contents(&rig).iter().for_each(|path| fs::remove_file(path).unwrap());
    let next = door.requests().len() + 1;
    door.expect(Trouble::always(Ill::Odd, next));
    for _ in 0..3 {
        rig.drain();
        rig.clock.advance(secs(61));
    }
    assert_eq!(rig.word(id), "delayed", "{:#?}", rig.history(id));
    assert!(receiving(&rig).join("letters.tar").is_file(), "the deposit stays");
    door.mend();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(contents(&rig).len(), 5);
}

#[test]
fn a_copy_that_was_not_seen_is_stored_again_whichever_question_about_it_had_no_answer() {
    let door = Arc::new(Door::default());
    let rig = rig(&door, Packed::Tar, false);
    for nth in 1.. {
        assert!(nth < 100, "the copies are sent at last");
        let id = same_again(&rig, Packed::Tar);
        while rig.item(id).topic != "ingest07_storage_validation" {
            assert_ne!(rig.step(), Step::Idle, "{nth}: {:#?}", rig.history(id));
        }
        contents(&rig).iter().for_each(|path| fs::remove_file(path).unwrap());
        door.expect(Trouble::once(Ill::Odd, door.requests().len() + nth));
        rig.drain();
        if rig.word(id) == "delayed" {
            assert!(receiving(&rig).join("letters.tar").is_file(), "{nth}: the deposit stays");
        }
        rig.drain_all();
        let struck = door.struck();
        let struck = struck.last().unwrap();
        assert_eq!(rig.word(id), "finished", "{nth} {struck}: {:#?}", rig.history(id));
        assert_eq!(contents(&rig).len(), 5, "{nth} {struck}");
        // From here on all copies were looked for.
        if struck.starts_with("PUT ") && struck.contains("/content/") {
            break;
        }
    }
    let looked = door.struck().into_iter().filter(|it| it.starts_with("HEAD "));
    assert!(looked.filter(|it| it.contains("/content/")).count() >= 5, "{:#?}", door.struck());
}

#[test]
fn a_new_version_that_relies_on_cold_copies_stores_those_again_that_are_gone() {
    let rig = rig(&Arc::default(), Packed::Tar, false);
    let before = contents(&rig);
    before.iter().for_each(|path| fs::remove_file(path).unwrap());
    let mut more = LETTERS.to_vec();
    more.push(("new.txt", b"new\n"));
    let make = |path: &Path| write_tar(path, "letters", &bag(&more));
    let id = deposit(&rig, "letters.tar", make).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    let after = contents(&rig);
    assert!(before.iter().all(|path| after.contains(path)), "{after:?}");
}

#[test]
fn a_deposit_whose_cold_copies_are_there_is_removed_and_says_that_they_were_asked_for() {
    let door = Arc::new(Door::default());
    let rig = rig(&door, Packed::Tar, false);
    door.freezer.close("bucket-a");
    let id = same_again(&rig, Packed::Tar);
    let requests = door.requests().len();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    let asked: Vec<String> = door.requests().split_off(requests);
    let looks = asked.iter().filter(|it| it.starts_with("HEAD ") && it.contains("/content/"));
    assert!(looks.count() >= 5, "{asked:?}");
    assert!(
        !asked.iter().any(|it| it.starts_with("PUT ") && it.contains("/content/")),
        "{asked:?}"
    );
    let said = said(&rig, id);
    assert!(
        said.ends_with("are there with the right size") && !said.contains("read back"),
        "{said}"
    );
    assert_eq!(repairs(&rig), Vec::<String>::new());
}

/// How storing a copy again is interrupted.
#[derive(Clone, Copy, Debug)]
enum Break {
    /// The second file is refused once.
    Refused,
    /// The files arrive, and the answers do not: as after a kill, nobody was told that they are there.
    Unanswered,
}

#[test]
fn every_cold_copy_that_is_stored_again_has_its_event_though_storing_was_interrupted() {
    for (broken, restarts) in [
        (Break::Refused, false),
        (Break::Refused, true),
        (Break::Unanswered, false),
        (Break::Unanswered, true),
    ] {
        let door = Arc::new(Door::default());
        let mut rig = rig(&door, Packed::Tar, false);
        contents(&rig).iter().for_each(|path| fs::remove_file(path).unwrap());
        let id = same_again(&rig, Packed::Tar);
        while rig.item(id).topic != "ingest07_storage_validation" {
            rig.step();
        }
        match broken {
            Break::Refused => door.expect_content(Ill::Odd, 2),
            Break::Unanswered => door.writes_meet(Some(Ill::Lost)),
        }
        rig.drain();
        assert_eq!(rig.word(id), "delayed", "{broken:?}: {:#?}", rig.history(id));
        let stored = contents(&rig).len();
        assert!((1..5).contains(&stored), "{broken:?}: {stored}");
        door.mend();
        door.writes_meet(None);
        if restarts {
            rig.restart();
        }
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{broken:?}: {:#?}", rig.history(id));
        assert_eq!(contents(&rig).len(), 5);
        let repairs = repairs(&rig);
        // Of the six files two have the same bytes, and share a copy.
        assert_eq!(repairs.len(), 6, "{broken:?}: {repairs:#?}");
        assert!(repairs.iter().all(|it| it.contains("was missing")), "{repairs:#?}");
    }
}

#[test]
fn a_check_of_an_object_in_cold_storage_alone_is_answered_in_words_and_not_repeated() {
    let rig = rig(&Arc::default(), Packed::Tar, false);
    let before = rig.items().len();
    let refused = rig.app().desk().check_object("archive.local/letters").unwrap_err().to_string();
    assert!(
        refused.contains("every copy of archive.local/letters is in cold storage (a)"),
        "{refused}"
    );
    assert!(refused.contains("restore it"), "{refused}");
    assert_eq!(rig.items().len(), before, "nothing was put in line");
    // Whoever asks for everything to be checked is told at the item, which ends.
    rig.app().desk().check_all().unwrap();
    rig.drain_all();
    let item = rig.items().into_iter().max_by_key(|item| item.id).unwrap();
    let State::Failed { because } = item.state else { panic!("{item:#?}") };
    assert_eq!(because.code, "only-cold");
    let made = rig.items().len();
    for _ in 0..3 {
        rig.clock.advance(secs(400 * 86_400));
        FixityDue.sweep(rig.app(), 100).unwrap();
        rig.drain_all();
    }
    assert_eq!(rig.items().len(), made, "no item is made of it again");
}
