//! Deposits by `ingest`, and what `objects`, `files` and `events` say about what is held.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde_json::Value;
use strongroom::appliance::Doorplate;
use tempfile::TempDir;

use crate::command::{Ran, Server, folder, listing, open, run};
use crate::house::until;
use crate::wire::{get, send};

/// A data directory that is looked at every second, and a folder `letters` beside it.
pub(super) struct Archive {
    folder: TempDir,
    pub(super) data: PathBuf,
}

impl Archive {
    pub(super) fn new() -> Archive {
        let (folder, data) = folder();
        fs::create_dir_all(&data).unwrap();
        let archive = Archive { folder, data };
        let wishes = "[ingest]\nsweep_s = 1\nstill_s = 0\n";
        fs::File::create(archive.data.join("strongroom.toml"))
            .unwrap()
            .write_all(wishes.as_bytes())
            .unwrap();
        archive.letter("a.txt", "alpha\n");
        archive.letter("b.txt", "beta\n");
        archive
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn letter(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at("letters")).unwrap();
        let mut file = fs::File::create(self.at("letters").join(name)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Makes a bag of the letters with the program itself.
    pub(super) fn bag(&self, output: &str) -> String {
        let (from, to) = (self.at("letters"), self.at(output));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let to = to.to_str().unwrap().to_owned();
        let mut arguments = vec!["bag", "create", from.to_str().unwrap(), "--output", &to];
        // The rules want a tar; a folder is a bag all the same.
        if output.ends_with(".tar") {
            arguments.extend(["--profile", "aptrust"]);
        }
        arguments.extend(["--tag", "aptrust-info.txt/Title=Old Letters"]);
        arguments.extend(["--tag", "aptrust-info.txt/Access=Institution"]);
        arguments.extend(["--tag", "aptrust-info.txt/Storage-Option=Standard"]);
        arguments.extend(["--tag", "Source-Organization=County Archive"]);
        run(&self.data, &arguments).is(0);
        to
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Ran {
        run(&self.data, arguments)
    }

    pub(super) fn json(&self, arguments: &[&str]) -> Value {
        self.run(&[arguments, &["--json"]].concat()).is(0).json()
    }

    fn received(&self, name: &str) -> PathBuf {
        self.data.join("receiving/archive.local").join(name)
    }

    /// The names in the receiving area, drafts among them.
    fn area(&self) -> Vec<String> {
        let area = self.data.join("receiving/archive.local");
        let Ok(entries) = fs::read_dir(area) else { return Vec::new() };
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        entries.map(|entry| name(entry.unwrap())).collect()
    }
}

#[track_caller]
pub(super) fn says(text: &str, all: &[&str]) {
    for words in all {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
}

const OBJECT: &str = "archive.local/letters";
const LETTER: &str = "archive.local/letters/data/a.txt";

/// What is held after two deposits; the same whether the directory is served or not.
fn look(archive: &Archive) {
    let list = archive.json(&["objects", "list"]);
    assert_eq!((&list["count"], &list["count_is_exact"]), (&1.into(), &true.into()), "{list}");
    let object = &list["objects"][0];
    assert_eq!((&object["identifier"], &object["version"]), (&OBJECT.into(), &2.into()));
    let found = |arguments: &[&str]| archive.json(arguments)["count"].as_u64().unwrap();
    assert_eq!(found(&["objects", "list", "--title", "old letters", "--state", "A"]), 1);
    assert_eq!(found(&["objects", "list", "--access", "restricted"]), 0);
    assert_eq!(found(&["files", "list", "--object", OBJECT, "--path", "data/"]), 3);
    assert_eq!(found(&["files", "list", "--filter", "size__gt=1000000"]), 0);
    assert_eq!(found(&["events", "list", "--type", "ingestion", "--outcome", "Failure"]), 0);
    assert!(found(&["events", "list", "--object", OBJECT, "--type", "ingestion"]) >= 2);
    let table = archive.run(&["objects", "list"]).is(0).out;
    assert!(table.starts_with("OBJECT ") && table.ends_with("1 of 1 objects\n"), "{table}");
    let none = archive.run(&["objects", "list", "--identifier", "nobody"]).is(0).out;
    assert_eq!(none, "No objects.\n");

    let detail = archive.json(&["objects", "show", OBJECT]);
    assert_eq!(detail, archive.json(&["objects", "show", &object["id"].to_string()]));
    assert_eq!(detail["versions"].as_array().unwrap().len(), 2);
    let counts = detail["formats"].as_array().unwrap().iter().map(|it| it["file_count"].as_u64());
    assert_eq!(counts.map(Option::unwrap).sum::<u64>(), object["file_count"].as_u64().unwrap());
    let replica = &detail["replicas"][0];
    assert!(replica["copy_count"].as_u64() >= object["file_count"].as_u64(), "{replica}");
    assert_eq!(replica["unsound_count"], 0);
    let text = archive.run(&["objects", "show", OBJECT]).is(0).out;
    says(&text, &["Title: Old Letters", "Access: institution", "PUID", "REPLICA", "ingestion"]);
    says(&text, &["letters.tar", "Source organization: County Archive"]);

    let file = archive.json(&["files", "show", LETTER]);
    assert_eq!(file["file"]["md5"], "9f1a6124ecf235c6c10199565027df3b");
    assert_eq!(file["versions"].as_array().unwrap().len(), 2, "{file}");
    let copy = &file["copies"][0];
    assert!(copy["stored_at"].is_string() && copy["verified_at"].is_string(), "{copy}");
    let of_file = file["events"][0]["generic_file_identifier"].clone();
    assert_eq!(of_file, LETTER);
    for name in [file["file"]["id"].to_string(), file["file"]["uuid"].as_str().unwrap().into()] {
        assert_eq!(archive.json(&["files", "show", &name]), file);
    }
    let sha256 = file["file"]["sha256"].as_str().unwrap();
    assert_eq!(found(&["files", "list", "--sha256", sha256]), 1);
    let text = archive.run(&["files", "show", LETTER]).is(0).out;
    says(&text, &["sha512: ", "Format: ", "REPLICA", "sound", "IN THE VAULT", sha256]);

    let sought = archive.json(&["search", "OLD", "lett"]);
    assert_eq!(sought["objects"][0]["identifier"], OBJECT, "{sought}");
    assert_eq!(archive.json(&["search", &sha256[..10]])["files"][0]["sha256"], sha256);
    let text = archive.run(&["search", "txt"]).is(0).out;
    says(&text, &["FILE ", LETTER]);
    let nothing = archive.run(&["search", "zebra"]).is(1);
    says(&nothing.out, &["Nothing was found."]);
    archive.run(&["search"]).is(2);
    archive.run(&["search", "a", "--limit", "101"]).is(2);

    let event = archive.json(&["events", "list", "--object", OBJECT])["events"][0].clone();
    let uuid = event["identifier"].as_str().unwrap();
    assert_eq!(archive.json(&["events", "show", uuid])["event"], event);
    assert_eq!(archive.json(&["events", "show", &event["id"].to_string()])["event"], event);
    says(&archive.run(&["events", "show", uuid]).is(0).out, &[uuid, "Object: archive.local"]);

    for (kind, name) in [("objects", "archive.local/none"), ("files", "99999"), ("events", "x")] {
        let missing = archive.run(&[kind, "show", name]).is(1);
        says(&missing.err.to_lowercase(), &["there is no ", name]);
    }
    let typing = archive.run(&["events", "list", "--type", "party"]).is(2);
    says(&typing.err, &["it is one of access assignment, creation"]);
    archive.run(&["files", "list", "--filter", "colour=red"]).is(2);
    archive.run(&["objects", "list", "--filter", "size"]).is(2);
}

/// Exports everything to a folder, and looks at the PREMIS document in it.
fn export(archive: &Archive, name: &str) -> String {
    let (to, bare) = (archive.at(name), archive.at(&format!("{name}-bare")));
    let (to_text, bare_text) = (to.to_str().unwrap(), bare.to_str().unwrap());
    let said = archive.run(&["export", "--to", to_text]).is(0).out;
    says(&said, &["objects.jsonl", "premis with 1 objects"]);
    let path = to.join("premis/archive.local/letters.xml");
    let document = fs::read_to_string(&path).unwrap();
    says(&document, &["<premis ", OBJECT, ">Old Letters<", "</premis>\n"]);
    // One object alone, by either name, to a folder or to a reader.
    let one = ["export", "--object", OBJECT, "--to", bare_text];
    says(&archive.run(&one).is(0).out, &["premis/archive.local/letters.xml\n"]);
    let alone = bare.join("premis/archive.local/letters.xml");
    assert_eq!(fs::read_to_string(alone).unwrap(), document);
    assert_eq!(fs::read_dir(&bare).unwrap().count(), 1);
    for id in [OBJECT, "1"] {
        assert_eq!(archive.run(&["export", "--object", id, "--to", "-"]).is(0).out, document);
    }
    let missing = archive.run(&["export", "--object", "archive.local/none", "--to", "-"]).is(1);
    says(&missing.err.to_lowercase(), &["there is no object \"archive.local/none\""]);
    assert_eq!(missing.out, "");
    archive.run(&["export", "--to", "-"]).refused("name it with --object");
    archive.run(&["export", "--object", "1", "--no-premis"]).is(2);
    fs::remove_dir_all(&bare).unwrap();
    archive.run(&["export", "--no-premis", "--to", bare_text]).is(0);
    assert!(!bare.join("premis").try_exists().unwrap());
    assert!(listing(&to).keys().all(|path| path.extension().is_none_or(|it| it != "draft")));
    document
}

#[test]
fn deposits_become_versions_and_are_told() {
    let archive = Archive::new();
    let first = archive.bag("one/letters.tar");
    let mut server = Server::start(&archive.data);
    let ran = archive.run(&["ingest", &first, "--wait"]).is(0);
    says(&ran.out, &["is put at ", "preserved as archive.local/letters (item "]);
    assert!(Path::new(&first).is_file(), "the bag itself stays");
    assert_eq!(archive.area(), [""; 0]);

    archive.letter("a.txt", "alpha, and more\n");
    archive.letter("c.txt", "gamma\n");
    let second = archive.bag("two/letters.tar");
    let told = archive.json(&["ingest", &second, "--wait"]);
    assert_eq!((&told["item"]["status"], &told["linked"]), (&"Success".into(), &true.into()));
    assert_eq!(told["object_identifier"], OBJECT);
    look(&archive);

    let key = format!("Bearer {}", Doorplate::read(&archive.data).unwrap().key);
    let asked = |path: &str| send(server.address, &get(path).with("authorization", &*key));
    for path in [OBJECT.to_owned(), OBJECT.replace('/', "%2F")] {
        let reply = asked(&format!("/api/v1/objects/{path}"));
        assert_eq!(reply.json()["object"]["identifier"], OBJECT);
    }
    let served = export(&archive, "served");
    for path in [OBJECT.to_owned(), OBJECT.replace('/', "%2F"), "1".to_owned()] {
        let reply = asked(&format!("/api/v1/objects/{path}/premis")).is(200);
        assert_eq!(reply.header("content-type"), Some("application/xml"));
        assert_eq!(reply.text(), served);
    }
    let nobody = "/api/v1/objects/archive.local/nobody/premis";
    assert_eq!(asked(nobody).is(404).code(), "no-such-object");
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, Some(0));
    look(&archive);
    assert_eq!(export(&archive, "closed"), served);

    // The very same file once more is a deposit of its own.
    let _server = Server::start(&archive.data);
    let again = archive.json(&["ingest", &second, "--wait"]);
    assert_eq!((&again["item"]["status"], &again["linked"]), (&"Success".into(), &false.into()));
    // It brings nothing new, so that it makes no version.
    assert_eq!(archive.json(&["objects", "show", OBJECT])["object"]["version"], 2);
    assert_eq!(archive.json(&["items", "list", "--name", "letters.tar"])["count"], 3);
}

#[test]
fn a_bag_made_with_nothing_but_a_folder_is_preserved() {
    let archive = Archive::new();
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_234_567_890);
    let letter = fs::File::options().write(true).open(archive.at("letters/a.txt")).unwrap();
    letter.set_modified(written).unwrap();
    let (from, to) = (archive.at("letters"), archive.at("letters.tar"));
    let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
    archive.run(&["bag", "create", from, "--output", to]).is(0);
    let _server = Server::start(&archive.data);
    archive.run(&["ingest", to, "--wait"]).is(0);
    let detail = archive.json(&["objects", "show", OBJECT]);
    assert_eq!(detail["object"]["title"], "letters");
    assert_eq!(detail["object"]["access"], "institution");
    let file = archive.json(&["files", "show", LETTER]);
    let modified = file["file"]["mtime"].as_str().unwrap_or_else(|| panic!("{file}"));
    assert!(modified.starts_with("2009-02-13T23:31:30"), "{file}");
}

#[test]
fn a_bag_that_is_turned_away_says_why() {
    let archive = Archive::new();
    let bag = archive.bag("one/folder");
    let mut letter = fs::File::create(Path::new(&bag).join("data/a.txt")).unwrap();
    letter.write_all(b"alphA\n").unwrap();
    let mut server = Server::start(&archive.data);
    let ran = archive.run(&["ingest", &bag, "--wait"]).is(1);
    says(&ran.out, &["needs a person at Validate", "error", "data/a.txt"]);
    // It is still there, and is not replaced.
    assert_eq!(archive.area(), ["folder"]);
    archive.run(&["ingest", &bag]).refused("is there already");
    let list = archive.json(&["items", "list", "--filter", "name=folder"]);
    let id = list["items"][0]["id"].to_string();
    let told = archive.json(&["items", "show", &id]);
    assert_eq!(told["item"]["status"], "Suspended");
    assert!(!told["findings"].as_array().unwrap().is_empty());
    // The report for the depositor is the same whether the directory is served or not.
    let report = archive.run(&["items", "report", &id]).is(0).out;
    says(&report, &["Report on a deposit", "folder", "not accepted", "data/a.txt", "Judged by:"]);
    archive.run(&["items", "report", "9999"]).is(1);
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, Some(0));
    assert_eq!(archive.run(&["items", "report", &id]).is(0).out, report);
    archive.run(&["items", "report", "9999"]).is(1);
    // Last, because a later deposit of the object ends the item of the rejected one.
    let good = archive.bag("two/folder.tar");
    let _server = Server::start(&archive.data);
    let behind = archive.run(&["ingest", &good, "--wait"]).is(1);
    says(&behind.err, &[&format!("waits behind item {id}, an earlier deposit")]);
}

#[test]
fn without_an_appliance_deposits_wait_for_its_start() {
    let archive = Archive::new();
    open(&archive.data).settle();
    let (tar, bag) = (archive.bag("out/tarred.tar"), archive.bag("out/foldered"));
    archive.run(&["ingest", &tar, "--wait"]).refused("--wait needs a running appliance");
    assert_eq!(archive.area(), [""; 0]);
    let ran = archive.run(&["ingest", &tar, &bag]).is(0);
    says(&ran.out, &["tarred.tar is put at", "foldered is put at", "No appliance runs"]);
    let inode = |path: &Path| fs::metadata(path).unwrap().ino();
    assert_eq!(inode(&archive.received("tarred.tar")), inode(Path::new(&tar)));
    let mut area = archive.area();
    area.sort();
    assert_eq!(area, ["foldered", "tarred.tar"]);
    run(&archive.data, &["bag", "validate", archive.received("foldered").to_str().unwrap()]).is(0);

    let _server = Server::start(&archive.data);
    let status = |name: &str| {
        let list = archive.json(&["items", "list", "--filter", &format!("name={name}")]);
        list["items"][0]["status"].as_str().unwrap_or_default().to_owned()
    };
    until("the tar is held", || status("tarred.tar") == "Success");
    // A folder is taken as well, and judged by the rules.
    until("the folder is judged", || status("foldered") == "Suspended");
}

#[test]
fn a_bag_that_is_beyond_the_quota_is_not_put() {
    let archive = Archive::new();
    let wishes = "[ingest]\nreceiving_max_gb = 1\n";
    let mut file = fs::File::create(archive.data.join("strongroom.toml")).unwrap();
    file.write_all(wishes.as_bytes()).unwrap();
    open(&archive.data).settle();
    let (tar, bag) = (archive.bag("out/letters.tar"), archive.bag("out/letters"));
    let notes = archive.received("notes.bin");
    fs::create_dir_all(notes.parent().unwrap()).unwrap();
    fs::File::create(&notes).unwrap().set_len((1 << 30) - 10).unwrap();
    for bag in [&tar, &bag] {
        archive.run(&["ingest", bag]).refused("ingest.receiving_max_gb");
        assert_eq!(archive.area(), ["notes.bin"]);
    }
    fs::remove_file(&notes).unwrap();
    archive.run(&["ingest", &tar]).is(0);
}

#[test]
fn what_is_no_bag_is_not_put() {
    let archive = Archive::new();
    open(&archive.data).settle();
    let letter = archive.at("letters/a.txt");
    let letters = archive.at("letters");
    let bag = archive.bag("out/letters");
    archive.run(&["ingest", letter.to_str().unwrap()]).refused("is not a bag: a bag is a folder");
    archive.run(&["ingest", letters.to_str().unwrap()]).refused("there is no bagit.txt in it");
    archive.run(&["ingest", "/nowhere/letters.tar"]).refused("cannot find /nowhere/letters.tar");
    archive
        .run(&["ingest", &bag, "--institution", "../x"])
        .refused("there is no institution \"../x\"; there is archive.local");
    symlink("/etc/passwd", Path::new(&bag).join("data/link")).unwrap();
    archive.run(&["ingest", &bag]).refused("a bag has files and folders only");
    assert_eq!(archive.area(), [""; 0], "not even a draft is left");
    archive.run(&["ingest"]).is(2);
}

#[test]
fn reports_are_tables_json_and_csv_with_and_without_an_appliance() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut server = Server::start(&data);
    for is_running in [true, false] {
        for kind in ["deposits", "growth", "formats", "storage", "ndsa"] {
            run(&data, &["report", kind]).is(0);
            assert!(run(&data, &["report", kind, "--json"]).is(0).json().is_object(), "{kind}");
            let table = run(&data, &["report", kind, "--csv"]).is(0).out;
            assert!(table.lines().next().is_some_and(|head| head.contains(',')), "{kind}: {table}");
        }
        let card = run(&data, &["report", "ndsa"]).is(0).out;
        assert!(card.contains("Control    level 0 of 4"), "{card}");
        let refused = run(&data, &["report", "deposits", "--institution", "nobody"]).is(1);
        assert!(refused.err.contains("nobody"), "{}", refused.err);
        run(&data, &["report", "deposits", "--date", "soon"]).is(2);
        run(&data, &["report", "growth", "--csv", "--json"]).is(2);
        if is_running {
            server.signal(Signal::TERM);
            server.ended();
        }
    }
}
