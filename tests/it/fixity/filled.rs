//! A replica that is new, emptied or replaced: what it lacks is counted, and copied to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use storage::registry::{CopyState, MissingCopies, Sight};
use strongroom::alerts::AlertWatch;
use strongroom::app::App;
use strongroom::config::ProfileChoice;
use strongroom::fixity::FixityDue;
use strongroom::flows::FLOWS;
use strongroom::work::Sweep;

use super::{object, states, told, vault};
use crate::harness::{Rig, lock, secs};
use crate::house::House;
use crate::ingest::ocfl::validate;
use crate::ingest::site::Place;
use crate::ingest::{
    LETTERS, bag, deposit, deposit_letters, keys, open, rig, tree, tree_of_server, write_tar,
};
use crate::s3::{Server, write_keys};

const PLACES: [Place; 2] = [Place::Folder, Place::Bucket];
const TWO: &str = "[option.Standard]\nreplicas = [\"a\", \"b\"]\n";
/// The new one is the first that is asked.
const THREE: &str = "[option.Standard]\nreplicas = [\"c\", \"a\", \"b\"]\n";

/// An appliance with three replicas, of which the option does not ask for `c` yet.
struct Growing {
    rig: Rig<App>,
    option: Arc<Mutex<&'static str>>,
    root: PathBuf,
}

impl Growing {
    fn new(place: Place) -> Growing {
        let option = Arc::new(Mutex::new(TWO));
        let chosen = Arc::clone(&option);
        let rig = Rig::around(FLOWS, move |dir, clock| {
            let data = dir.join("data");
            let server = Server::start(&dir.join("s3"), &["bucket-c"], Arc::default());
            write_keys(&keys(dir), crate::s3::SECRET);
            let (endpoint, keys) = (&server.endpoint, keys(dir).display().to_string());
            let third = match place {
                Place::Folder => "url = \"vault/c\"\n".to_owned(),
                Place::Bucket => format!(
                    "url = \"s3://bucket-c\"\nendpoint = \"{endpoint}\"\nallow_http = true\n\
                     credentials = \"{keys}\"\n"
                ),
            };
            let replicas = format!(
                "[replica.a]\nurl = \"vault/a\"\n[replica.b]\nurl = \"vault/b\"\n[replica.c]\n{third}"
            );
            Box::new(move || {
                // The server ends with the rig.
                let _open = &server;
                let toml = format!("{replicas}{}", *lock(&chosen));
                open(FLOWS, &data, clock.clone(), (&toml, &ProfileChoice::Named))
            })
        });
        let root = match place {
            Place::Folder => vault(&rig, "c"),
            Place::Bucket => rig.dir().join("s3/bucket-c"),
        };
        let first = deposit_letters(&rig);
        rig.drain_all();
        assert_eq!(rig.word(first), "finished", "{:#?}", rig.history(first));
        Growing { rig, option, root }
    }

    /// Has the option ask for `c`.
    fn grow(&mut self) {
        *lock(&self.option) = THREE;
        self.rig.restart();
    }

    /// What lies in `c`, but for our own corner.
    fn third(&self) -> Vec<String> {
        let corner = |name: &String| !name.contains("strongroom-replica") && !name.starts_with('.');
        tree_of_server(&self.root).into_iter().filter(corner).collect()
    }

    fn first(&self) -> Vec<String> {
        let corner = |name: &String| !name.contains("strongroom-replica");
        tree(&vault(&self.rig, "a")).into_iter().filter(corner).collect()
    }
}

fn missing(rig: &Rig<App>) -> Vec<MissingCopies> {
    rig.app().registry.missing_copies(Sight::All).unwrap()
}

fn codes(rig: &Rig<App>) -> Vec<String> {
    let findings = rig.app().desk().doctor(false).unwrap().findings;
    findings.into_iter().map(|it| it.code).collect()
}

/// The subjects of alerts that have not ended.
fn alerts(rig: &Rig<App>) -> Vec<String> {
    AlertWatch.sweep(rig.app(), 100).unwrap();
    let open = rig.app().registry.open_alerts("copies-missing", 10).unwrap();
    open.into_iter().map(|alert| alert.subject).collect()
}

/// Looks for what is missing, and lets it be copied.
fn fill(rig: &Rig<App>) {
    FixityDue.sweep(rig.app(), 100).unwrap();
    rig.drain_all();
}

fn changed(rig: &Rig<App>) -> storage::work::item::ItemId {
    let mut files = LETTERS.to_vec();
    files.push(("new.txt", b"new\n"));
    // Bytes that an earlier version holds under another name.
    files.push(("again.txt", b"alpha\n"));
    let make = |path: &Path| write_tar(path, "letters", &bag(&files));
    deposit(rig, "letters.tar", make).unwrap()
}

#[test]
fn copies_that_a_new_replica_lacks_are_counted_everywhere_and_made() {
    for place in PLACES {
        let mut growing = Growing::new(place);
        assert_eq!(missing(&growing.rig), []);
        assert_eq!(alerts(&growing.rig), [""; 0]);
        growing.grow();
        let rig = &growing.rig;
        let held = rig.app().registry.copy_counts(object(rig, "letters").id, 10).unwrap();
        let lacks = missing(rig);
        assert_eq!((lacks.len(), lacks[0].replica.as_str(), lacks[0].object_count), (1, "c", 1));
        assert_eq!(lacks[0].copy_count, held[0].copy_count);
        assert_eq!(lacks[0].since, rig.app().shop.clock.now());
        assert_eq!(rig.app().desk().fixity().unwrap().missing, lacks);
        assert!(codes(rig).contains(&"missing-copies".to_owned()), "{:?}", codes(rig));
        assert_eq!(alerts(rig), ["Copies missing in replica c: 1 object"]);
        let card = serde_json::to_string(&rig.app().desk().scorecard().unwrap()).unwrap();
        assert!(card.contains("Copies missing in replica c: 1 object ("), "{card}");
        assert_eq!(growing.third(), [""; 0], "nothing was written yet");

        fill(rig);
        assert_eq!(missing(rig), []);
        assert_eq!((codes(rig), alerts(rig)), (vec![], vec![]));
        assert_eq!(growing.third(), growing.first(), "{place:?}");
        assert_eq!(states(rig, "letters/data/a.txt"), [CopyState::Sound; 3]);
        let events = told(rig);
        assert!(events.iter().any(|it| it.starts_with("replication Success")), "{events:#?}");
        assert!(!events.iter().any(|it| it.contains("Failure")), "no copy failed: {events:#?}");
        assert_eq!(rig.app().registry.check().unwrap(), []);
        assert_eq!(FixityDue.sweep(rig.app(), 100).unwrap().made, 0, "nothing is left to do");
        if place == Place::Folder {
            validate(&[&growing.root]);
        }
    }
}

#[test]
fn what_is_missing_is_told_by_the_page_the_report_and_the_metrics() {
    let toml = "[replica.a]\nurl = \"vault/a\"\n[replica.b]\nurl = \"vault/b\"\n\
        [option.Standard]\nreplicas = [\"a\"]\n";
    let house = House::of_the_program(&format!("{toml}[ingest]\nsweep_s = 1\n"));
    house.receive("letters", &bag(LETTERS), 1);
    let told = |path: &str| house.get(path).is(200).text();
    assert!(told("/metrics").contains("strongroom_missing_objects{replica=\"b\"} 0\n"));
    let app = house.app();
    let wanted = ["a", "b"].map(|replica| ("Standard".to_owned(), replica.to_owned()));
    app.registry.want_replicas(&wanted, app.shop.clock.now()).unwrap();
    let metrics = told("/metrics");
    assert!(metrics.contains("strongroom_missing_objects{replica=\"b\"} 1\n"), "{metrics}");
    assert!(metrics.contains("strongroom_missing_objects{replica=\"a\"} 0\n"), "{metrics}");
    assert!(told("/fixity").contains("Copies missing in replica b: 1 object ("));
    assert!(told("/api/v1/fixity").contains("\"replica\":\"b\""));
}

#[test]
fn a_new_version_is_ingested_into_a_replica_that_lacks_the_earlier_ones() {
    for place in PLACES {
        let mut growing = Growing::new(place);
        growing.grow();
        let rig = &growing.rig;
        let id = changed(rig);
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{place:?}: {:#?}", rig.history(id));
        assert_eq!(object(rig, "letters").version.0, 2);
        assert_eq!(missing(rig), []);
        assert_eq!(growing.third(), growing.first(), "{place:?}");
        for file in ["a.txt", "new.txt", "again.txt"] {
            let file = format!("letters/data/{file}");
            assert_eq!(states(rig, &file), [CopyState::Sound; 3], "{place:?} {file}");
        }
        assert_eq!(rig.app().registry.check().unwrap(), []);
    }
}

#[test]
fn the_same_deposit_again_fills_a_new_replica_and_ends() {
    for place in PLACES {
        let mut growing = Growing::new(place);
        growing.grow();
        let rig = &growing.rig;
        let id = deposit_letters(rig);
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{place:?}: {:#?}", rig.history(id));
        assert_eq!(object(rig, "letters").version.0, 1);
        assert_eq!(missing(rig), []);
        assert_eq!(growing.third(), growing.first(), "{place:?}");
    }
}

#[test]
fn a_new_replica_waits_for_the_replica_that_has_what_the_others_have_damaged() {
    for place in PLACES {
        let mut growing = Growing::new(place);
        growing.grow();
        let rig = &growing.rig;
        super::write(&super::place(rig, "a", "v1/content/data/a.txt"), b"alphA\n");
        let (root, elsewhere) = (vault(rig, "b"), vault(rig, "elsewhere"));
        byteio::durable::rename(&root, &elsewhere).unwrap();
        FixityDue.sweep(rig.app(), 100).unwrap();
        rig.drain();
        let id = rig.items().iter().find(|it| it.flow == "fixity").unwrap().id;
        let wait = rig.item(id).waiting.expect("it waits");
        assert_eq!((wait.cause.as_str(), wait.what.as_str()), ("replica-away", "b"));
        let registry = &rig.app().registry;
        let unsound = registry.unsound_copies(None, 10).unwrap();
        assert!(unsound.iter().all(|it| it.replica == "a" && !it.is_lost), "{unsound:#?}");
        assert_eq!((unsound.len(), missing(rig)[0].replica.as_str()), (2, "c"));
        assert!(registry.open_alerts("file-lost", 10).unwrap().is_empty());

        byteio::durable::rename(&elsewhere, &root).unwrap();
        rig.clock.advance(secs(600));
        rig.drain();
        assert_eq!(rig.word(id), "finished", "{place:?}: {:#?}", rig.history(id));
        assert_eq!(missing(rig), []);
        assert_eq!(states(rig, "letters/data/a.txt"), [CopyState::Sound; 3]);
        assert_eq!(growing.third(), growing.first(), "{place:?}");
    }
}

/// Removes everything that lies in `c`, and with it what says that it is a replica.
fn empty(root: &Path) {
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
    }
}

#[test]
fn a_replica_that_was_emptied_is_filled_when_a_person_says_that_it_was_replaced() {
    for place in PLACES {
        for again in [false, true] {
            let mut growing = Growing::new(place);
            growing.grow();
            fill(&growing.rig);
            let before = growing.third();
            let refused = growing.rig.app().vaults.take_replacement("c", secs_since(&growing.rig));
            assert!(refused.is_err(), "a replica that is there is not replaced");
            empty(&growing.root);
            growing.rig.restart();
            let rig = &growing.rig;
            // It may be a disk that is not mounted: nothing is written there.
            fill(rig);
            assert_eq!(growing.third(), [""; 0]);
            rig.app().vaults.take_replacement("c", secs_since(rig)).unwrap();
            assert_eq!(missing(rig).len(), 1);
            assert_eq!(alerts(rig), ["Copies missing in replica c: 1 object"]);
            assert_eq!(states(rig, "letters/data/a.txt").len(), 2);
            if again {
                let id = changed(rig);
                rig.drain_all();
                assert_eq!(rig.word(id), "finished", "{place:?}: {:#?}", rig.history(id));
                assert_eq!(growing.third(), growing.first(), "{place:?}");
            } else {
                fill(rig);
                assert_eq!(growing.third(), before, "{place:?}");
            }
            assert_eq!(missing(rig), []);
            assert_eq!(states(rig, "letters/data/a.txt"), [CopyState::Sound; 3]);
            assert_eq!(rig.app().registry.check().unwrap(), []);
        }
    }
}

fn secs_since(rig: &Rig<App>) -> storage::clock::Timestamp {
    rig.clock.advance(secs(1));
    rig.app().shop.clock.now()
}

#[test]
fn a_new_version_is_ingested_into_a_replica_whose_objects_were_removed() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    // Its marker stays: it counts as there.
    for entry in fs::read_dir(vault(&rig, "b")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("extensions") {
            fs::remove_dir_all(path).unwrap();
        }
    }
    let id = changed(&rig);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(states(&rig, "letters/data/a.txt"), [CopyState::Sound; 2]);
    validate(&[&vault(&rig, "a"), &vault(&rig, "b")]);
}

#[test]
fn the_only_replica_that_was_replaced_leaves_files_that_are_known_as_lost() {
    let toml = "[replica.a]\nurl = \"vault/a\"\n[option.Standard]\nreplicas = [\"a\"]\n";
    let mut rig = crate::ingest::rig_configured(FLOWS, toml.to_owned());
    deposit_letters(&rig);
    rig.drain_all();
    empty(&vault(&rig, "a"));
    rig.restart();
    rig.app().vaults.take_replacement("a", secs_since(&rig)).unwrap();
    let standing = rig.app().desk().fixity().unwrap();
    assert!(standing.lost_count > 0 && standing.lost_count == standing.unsound_count);
    assert!(codes(&rig).contains(&"lost-copy".to_owned()), "{:?}", codes(&rig));
}
