//! Replicas in cold storage that are new, that were filled in part, or that lost what describes an object.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use storage::registry::{CopyState, EVENTS, EventType, MissingCopies, Outcome, Query, Sight};
use storage::work::item::{ItemId, State};
use strongroom::app::App;
use strongroom::config::ProfileChoice;
use strongroom::fixity::FixityDue;
use strongroom::flows::FLOWS;
use strongroom::work::Sweep;

use super::{
    LETTERS, bag, deposit, deposit_letters, keys, open, receiving, tree, tree_of_server, write_tar,
};
use crate::harness::{Rig, lock};
use crate::s3::{Door, Ill, SECRET, Server, write_keys};

/// An appliance with a hot replica `a` and the cold ones `c` and `d` in buckets, and one object that is
/// in the replicas that the storage option asks for.
struct Archive {
    rig: Rig<App>,
    door: Arc<Door>,
    option: Arc<Mutex<&'static str>>,
}

impl Archive {
    fn new(replicas: &'static str) -> Archive {
        let (option, door) = (Arc::new(Mutex::new(replicas)), Arc::new(Door::default()));
        let (chosen, outside) = (Arc::clone(&option), Arc::clone(&door));
        let rig = Rig::around(FLOWS, move |dir, clock| {
            let data = dir.join("data");
            let server = Server::start(&dir.join("s3"), &["bucket-c", "bucket-d"], outside);
            write_keys(&keys(dir), SECRET);
            let (endpoint, keys) = (&server.endpoint, keys(dir).display().to_string());
            let cold = |name: &str| {
                format!(
                    "[replica.{name}]\nurl = \"s3://bucket-{name}\"\nendpoint = \"{endpoint}\"\n\
                     allow_http = true\ncredentials = \"{keys}\"\nclass = \"cold\"\n"
                )
            };
            let replicas = format!("[replica.a]\nurl = \"vault/a\"\n{}{}", cold("c"), cold("d"));
            Box::new(move || {
                // The server ends with the rig.
                let _open = &server;
                let option = *lock(&chosen);
                let toml = format!("{replicas}[option.Standard]\nreplicas = [{option}]\n");
                open(FLOWS, &data, clock.clone(), (&toml, &ProfileChoice::Named))
            })
        });
        let first = deposit_letters(&rig);
        rig.drain_all();
        assert_eq!(rig.word(first), "finished", "{:#?}", rig.history(first));
        Archive { rig, door, option }
    }

    /// Has the option ask for these replicas.
    fn ask_for(&mut self, replicas: &'static str) {
        *lock(&self.option) = replicas;
        self.rig.restart();
    }

    fn bucket(&self, name: &str) -> PathBuf {
        self.rig.dir().join(format!("s3/bucket-{name}"))
    }

    /// What lies in a bucket, but for our own corner.
    fn cold(&self, name: &str) -> Vec<String> {
        let corner = |it: &String| !it.contains("strongroom-replica") && !it.starts_with('.');
        tree_of_server(&self.bucket(name)).into_iter().filter(corner).collect()
    }

    fn hot(&self) -> Vec<String> {
        let vault = self.rig.app().config.data.join("vault/a");
        tree(&vault).into_iter().filter(|it| !it.contains("strongroom-replica")).collect()
    }

    /// The files of the object in a bucket whose paths end in this.
    fn of_object(&self, name: &str, end: &str) -> Vec<PathBuf> {
        let is_of_object = |it: &String| {
            it.contains("/v1/") || it.contains("/logs/") || {
                let file = it.rsplit('/').next().unwrap();
                file.starts_with("inventory.json") || file.starts_with("0=ocfl_object")
            }
        };
        let names = self.cold(name).into_iter().filter(is_of_object);
        // Some are told without the digest of their bytes.
        let path = |it: String| self.bucket(name).join(it.split(' ').next().unwrap());
        names.map(path).filter(|path| path.to_str().unwrap().ends_with(end)).collect()
    }

    fn missing(&self) -> Vec<MissingCopies> {
        self.rig.app().registry.missing_copies(Sight::All).unwrap()
    }

    /// Looks for what is missing, and lets it be copied; how many items that made.
    fn fill(&self) -> usize {
        let made = FixityDue.sweep(self.rig.app(), 100).unwrap().made;
        self.rig.drain_all();
        made
    }

    /// Gives content that was asked for, or sent, since the request of a number.
    fn content(&self, method: &str, since: usize) -> Vec<String> {
        let requests = self.door.requests().split_off(since);
        let is_content = |it: &String| it.starts_with(method) && it.contains("/content/");
        let path = |it: String| it.split(['?', ' ']).nth(1).unwrap().to_owned();
        requests.into_iter().filter(is_content).map(path).collect()
    }

    fn states(&self, file: &str) -> Vec<CopyState> {
        let registry = &self.rig.app().registry;
        let file = registry.file_by_identifier(&format!("archive.local/{file}")).unwrap().unwrap();
        registry.copies(file.id, file.version).unwrap().iter().map(|it| it.state).collect()
    }

    /// The code for which an item waits for a person, and what the person is told.
    fn parked(&self, id: ItemId) -> (String, String) {
        let State::Parked { because } = self.rig.item(id).state else {
            panic!("{:#?}", self.rig.history(id));
        };
        (because.code, because.advice)
    }

    fn is_received(&self) -> bool {
        receiving(&self.rig).join("letters.tar").is_file()
    }

    fn requeue(&self, id: ItemId) {
        self.rig.controls().requeue(id, None, "the test").unwrap();
        self.rig.drain_all();
    }
}

fn changed(rig: &Rig<App>) -> ItemId {
    let mut files = LETTERS.to_vec();
    files.push(("new.txt", b"new\n"));
    let make = |path: &Path| write_tar(path, "letters", &bag(&files));
    deposit(rig, "letters.tar", make).unwrap()
}

#[test]
fn the_same_deposit_again_has_a_new_cold_replica_filled_with_the_whole_object() {
    let mut archive = Archive::new("\"a\"");
    archive.ask_for("\"a\", \"c\"");
    let id = deposit_letters(&archive.rig);
    archive.rig.drain_all();
    assert_eq!(archive.rig.word(id), "finished", "{:#?}", archive.rig.history(id));
    assert_eq!(archive.cold("c"), archive.hot());
    assert_eq!(archive.missing(), []);
    assert_eq!(archive.states("letters/data/a.txt"), [CopyState::Sound; 2]);
}

#[test]
fn what_only_cold_replicas_hold_is_not_copied_for_ever_and_its_deposits_say_what_to_do() {
    let mut archive = Archive::new("\"c\"");
    archive.ask_for("\"c\", \"d\"");
    let rig = &archive.rig;
    assert_eq!(archive.missing().len(), 1, "it is counted as missing");
    assert_eq!(archive.fill(), 0, "nothing is begun that cannot be done");
    // A check of everything that somebody asks for ends, and says why.
    rig.app().desk().check_all().unwrap();
    rig.drain_all();
    let check = rig.items().into_iter().max_by_key(|item| item.id).unwrap();
    let State::Failed { because } = check.state else { panic!("{check:#?}") };
    assert_eq!(because.code, "only-cold");
    assert!(because.happened.contains("No hot replica"), "{because:?}");
    assert!(because.advice.contains("take that out of the storage option Standard"), "{because:?}");
    for is_new in [true, false] {
        let archive_before = archive.cold("d");
        let id = if is_new { changed(&archive.rig) } else { deposit_letters(&archive.rig) };
        archive.rig.drain_all();
        let (code, advice) = archive.parked(id);
        assert_eq!(code, "only-cold", "new: {is_new}");
        assert!(advice.contains("take the replica out of the storage option Standard"), "{advice}");
        assert!(archive.is_received(), "the deposit is kept");
        assert_eq!(archive.cold("d"), archive_before, "nothing was stored");
        archive.ask_for("\"c\"");
        archive.requeue(id);
        assert_eq!(archive.rig.word(id), "finished", "{:#?}", archive.rig.history(id));
        assert!(!archive.is_received());
        archive.ask_for("\"c\", \"d\"");
    }
}

#[test]
fn a_fill_of_a_cold_replica_goes_on_where_it_was_interrupted_and_reads_nothing_that_is_there() {
    let mut archive = Archive::new("\"a\"");
    archive.ask_for("\"a\", \"c\"");
    archive.door.expect_content(Ill::Odd, 3);
    FixityDue.sweep(archive.rig.app(), 100).unwrap();
    archive.rig.drain();
    let there: Vec<PathBuf> = archive.of_object("c", "");
    let there: Vec<String> = there
        .iter()
        .map(|path| path.to_str().unwrap().split("/s3").nth(1).unwrap().into())
        .collect();
    assert!(!there.is_empty() && there.len() < 5, "{there:?}");
    assert_eq!(archive.missing().len(), 1);
    let since = archive.door.requests().len();
    archive.rig.drain_all();
    archive.fill();
    assert_eq!(archive.missing(), []);
    assert_eq!(archive.cold("c"), archive.hot());
    for method in ["GET ", "PUT "] {
        let again: Vec<String> = archive.content(method, since);
        assert!(!again.iter().any(|it| there.contains(it)), "{method}{again:?} {there:?}");
    }
}

#[test]
fn copies_in_cold_storage_that_a_rebuilt_registry_does_not_know_are_asked_for_and_not_read() {
    let mut archive = Archive::new("\"a\"");
    archive.ask_for("\"a\", \"c\"");
    archive.fill();
    assert_eq!(archive.missing(), []);
    let before = archive.cold("c");
    archive.door.freezer.close("bucket-c");
    let registry = &archive.rig.app().registry;
    // What a rebuild knows: the deposit's own replicas, and none that was filled later.
    let rows = registry.replicas(10).unwrap();
    let row = rows.iter().find(|row| row.replica.name == "c").unwrap();
    registry.forget_copies(row.id, archive.rig.app().shop.clock.now()).unwrap();
    assert_eq!(archive.missing().len(), 1);
    let since = archive.door.requests().len();
    archive.fill();
    assert_eq!(archive.missing(), []);
    assert_eq!(archive.states("letters/data/a.txt"), [CopyState::Sound; 2]);
    assert_eq!(archive.cold("c"), before, "nothing was written");
    assert_eq!(archive.content("GET ", since), [""; 0]);
    let events = registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
    let of_c = events.iter().filter(|it| it.outcome_information.contains("replica c"));
    let is_read = |text: &str| text.contains("was read");
    assert!(of_c.clone().count() > 1 && of_c.clone().all(|it| !is_read(&it.outcome_information)));
}

/// The frame of an object of one version: where its files end.
const FRAME: [&str; 6] = [
    "/0=ocfl_object_1.1",
    "/inventory.json",
    "/inventory.json.sha512",
    "/v1/inventory.json",
    "/v1/inventory.json.sha512",
    "/logs/v1.jsonl.sha512",
];

/// Takes one file of the frame away, and gives its bytes; the root's are not those of the version.
fn take_away(archive: &Archive, end: &str) -> (PathBuf, Vec<u8>) {
    let mut found = archive.of_object("c", end);
    found.retain(|path| end.contains("/v1/") || !path.to_str().unwrap().contains("/v1/"));
    assert_eq!(found.len(), 1, "{end}: {found:?}");
    let bytes = fs::read(&found[0]).unwrap();
    fs::remove_file(&found[0]).unwrap();
    (found.remove(0), bytes)
}

#[test]
fn what_describes_an_object_in_cold_storage_is_written_anew_before_its_deposit_is_removed() {
    let archive = Archive::new("\"c\"");
    let before = archive.cold("c");
    archive.door.freezer.close("bucket-c");
    for end in FRAME {
        let (path, bytes) = take_away(&archive, end);
        let id = deposit_letters(&archive.rig);
        archive.rig.drain_all();
        assert_eq!(archive.rig.word(id), "finished", "{end}: {:#?}", archive.rig.history(id));
        assert_eq!(archive.cold("c"), before, "{end}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "{end}");
        assert!(!archive.is_received());
    }
    let events = archive.rig.app().registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
    let of_frame = |wanted: EventType, outcome: Outcome| {
        let of_kind = events.iter().filter(|it| it.event_type == wanted && it.outcome == outcome);
        let about = "check of what describes the object in cold storage";
        of_kind.filter(|it| it.detail == about).count()
    };
    assert_eq!(of_frame(EventType::FixityCheck, Outcome::Failure), FRAME.len());
    assert_eq!(of_frame(EventType::Repair, Outcome::Success), FRAME.len());
}

#[test]
fn an_object_that_is_gone_from_cold_storage_is_stored_there_again_whole() {
    let archive = Archive::new("\"a\", \"c\"");
    let before = archive.cold("c");
    archive.of_object("c", "").iter().for_each(|path| fs::remove_file(path).unwrap());
    let id = deposit_letters(&archive.rig);
    archive.rig.drain_all();
    assert_eq!(archive.rig.word(id), "finished", "{:#?}", archive.rig.history(id));
    assert_eq!(archive.cold("c"), before);
    assert_eq!(archive.cold("c"), archive.hot());
}

#[test]
fn a_deposit_is_kept_when_nothing_describes_its_object_any_more() {
    for is_new in [false, true] {
        let archive = Archive::new("\"c\"");
        let before = archive.cold("c");
        let gone: Vec<(PathBuf, Vec<u8>)> = archive
            .of_object("c", "")
            .into_iter()
            .map(|path| (path.clone(), fs::read(&path).unwrap()))
            .collect();
        gone.iter().for_each(|(path, _)| fs::remove_file(path).unwrap());
        let left = archive.cold("c");
        let id = if is_new { changed(&archive.rig) } else { deposit_letters(&archive.rig) };
        archive.rig.drain_all();
        let (code, advice) = archive.parked(id);
        assert_eq!(code, "inventory-lost", "new: {is_new}");
        assert!(advice.contains("Bring back in c the files that describe the object"), "{advice}");
        assert!(archive.is_received(), "the deposit is kept");
        assert_eq!(archive.cold("c"), left, "no content lies there without an inventory");
        gone.iter().for_each(|(path, bytes)| crate::fixity::write(path, bytes));
        archive.requeue(id);
        assert_eq!(archive.rig.word(id), "finished", "{:#?}", archive.rig.history(id));
        assert!(is_new || archive.cold("c") == before);
    }
}

#[test]
fn a_new_version_is_ingested_where_cold_storage_lost_the_inventory_of_the_one_before() {
    let archive = Archive::new("\"c\"");
    for end in ["/v1/inventory.json", "/v1/inventory.json.sha512"] {
        take_away(&archive, end);
    }
    let id = changed(&archive.rig);
    archive.rig.drain_all();
    assert_eq!(archive.rig.word(id), "finished", "{:#?}", archive.rig.history(id));
    for end in ["/v1/inventory.json", "/v1/inventory.json.sha512"] {
        assert_eq!(archive.of_object("c", end).len(), 1, "{end}");
    }
    assert_eq!(archive.rig.app().registry.check().unwrap(), []);
}
