//! `strongroom bag create`: what it makes, what it refuses, and that it leaves nothing behind.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::bags::{bag, only, validate};
use crate::command::{Ran, listing};
use crate::house::until;

/// A folder `letters` to make bags of, with room beside it.
struct Room(TempDir);

impl Room {
    fn new() -> Room {
        let room = Room(tempfile::tempdir().unwrap());
        fs::create_dir_all(room.at("letters/1926/März")).unwrap();
        for (path, bytes) in [
            ("letters/a.txt", &b"alpha\n"[..]),
            ("letters/1926/März/Brief ß.txt", b"Liebe Ann"),
            ("letters/1926/large.bin", &[3; 300_000]),
        ] {
            File::create(room.at(path)).unwrap().write_all(bytes).unwrap();
        }
        room
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn create(&self, output: &str, more: &[&str]) -> Ran {
        let (from, to) = (self.at("letters"), self.at(output));
        let fixed = ["create", from.to_str().unwrap(), "--output", to.to_str().unwrap()];
        bag(&[&fixed, more].concat())
    }

    /// Fails unless the bag is not made, for a reason in the arguments, and nothing is left.
    #[track_caller]
    fn refuses(&self, output: &str, more: &[&str], words: &str) {
        let before = listing(self.0.path());
        self.create(output, more).refused(words);
        assert_eq!(listing(self.0.path()), before, "{more:?}");
    }

    /// Fails unless the bag is not made, for a finding, and nothing is left.
    #[track_caller]
    fn refuses_with(&self, output: &str, more: &[&str], words: &str) {
        let before = listing(self.0.path());
        let ran = self.create(output, more).is(1);
        assert!(ran.out.lines().any(|line| line.starts_with(words)), "no {words:?} in {ran:?}");
        assert_eq!(listing(self.0.path()), before, "{more:?}");
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }
}

#[test]
fn a_bag_is_made_as_a_folder_and_as_a_tar_and_is_valid() {
    let room = Room::new();
    for output in ["out.tar", "out", "OUT2.TAR", "a.folder"] {
        let ran = room.create(output, &[]).is(0);
        let path = room.at(output);
        let told = format!("{}: 3 files, 300015 bytes of payload\n", path.display());
        let is_tar = output.to_lowercase().ends_with(".tar");
        let advice = ran.out.strip_prefix(&told).unwrap_or_else(|| panic!("{ran:?}"));
        assert_eq!((advice.is_empty(), ran.err.as_str()), (is_tar, ""), "{ran:?}");
        assert!(is_tar || advice.starts_with("Ingest takes a bag as a tar by default"), "{advice}");
        let report = only(validate(&path, &["--json"]).is(0));
        assert_eq!(report["facts"]["payload_count"], 3, "{output}");
        assert_eq!(report["facts"]["manifests"].as_array().unwrap().len(), 4);
        assert_eq!(report["findings"].as_array().unwrap().len(), 0, "{report}");
        assert_eq!(path.is_file(), is_tar);
    }
    let report = only(validate(&room.at("OUT2.TAR"), &["--json"]));
    assert_eq!(report["facts"]["top_folder"], "OUT2");
}

#[test]
fn tags_algorithms_and_date_are_those_asked_for() {
    let room = Room::new();
    let wishes = [
        ["--tag", "Source-Organization=County = Archive"],
        ["--tag", "Contact-Name=Ann"],
        ["--tag", "Contact-Name=Zoë"],
        ["--tag", "aptrust-info.txt/Title=Letters/1926"],
        ["--tag", "meta/more.txt/Rights/Licence=CC0"],
        ["--tag", "aptrust-info.txt/Access=Institution"],
        ["--algorithm", "sha512"],
        ["--algorithm", "SHA-256"],
        ["--date", "1999-12-31"],
    ];
    room.create("out", &wishes.concat()).is(0);
    let info = room.text("out/bag-info.txt");
    assert!(info.starts_with("Source-Organization: County = Archive\n"), "{info}");
    assert!(info.contains("Contact-Name: Ann\nContact-Name: Zoë\n"), "{info}");
    assert!(info.contains("Bagging-Date: 1999-12-31\n"), "{info}");
    assert!(info.contains("Payload-Oxum: 300015.3\n"), "{info}");
    assert!(info.contains("Bag-Software-Agent: Strongroom "), "{info}");
    let title = "Title: Letters/1926\nAccess: Institution\n";
    assert_eq!(room.text("out/aptrust-info.txt"), title);
    assert_eq!(room.text("out/meta/more.txt"), "Rights/Licence: CC0\n");
    let report = only(validate(&room.at("out"), &["--json"]).is(0));
    assert_eq!(report["facts"]["manifests"], serde_json::json!(["sha256", "sha512"]));
    assert_eq!(report["facts"]["tag_manifests"], serde_json::json!(["sha256", "sha512"]));
}

#[test]
fn the_same_folder_tags_and_date_make_the_same_bytes() {
    let room = Room::new();
    fs::create_dir(room.at("again")).unwrap();
    let wishes = ["--date", "2026-02-28", "--tag", "Source-Organization=Example"];
    room.create("bag.tar", &wishes).is(0);
    room.create("again/bag.tar", &wishes).is(0);
    assert!(fs::read(room.at("bag.tar")).unwrap() == fs::read(room.at("again/bag.tar")).unwrap());
    room.create("bag", &wishes).is(0);
    room.create("again/bag", &wishes).is(0);
    let inside = |name: &str| -> Vec<(PathBuf, String)> {
        let root = room.at(name);
        let found = listing(&root).into_iter();
        found.map(|(path, said)| (path.strip_prefix(&root).unwrap().to_owned(), said)).collect()
    };
    assert_eq!(inside("bag"), inside("again/bag"));
}

#[test]
fn without_a_profile_a_bag_has_what_ingest_asks_for() {
    let room = Room::new();
    for (output, profile) in [("usual.tar", "named"), ("usual", "bagit")] {
        room.create(output, &[]).is(0);
        validate(&room.at(output), &["--profile", profile]).is(0);
        let report = only(validate(&room.at(output), &["--json"]).is(0));
        let tags = report["facts"]["tags"].as_array().unwrap();
        let said = |name: &str| {
            let own =
                |tag: &&serde_json::Value| tag["file"] == "aptrust-info.txt" && tag["name"] == name;
            tags.iter().filter(own).map(|tag| tag["value"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            (said("Title"), said("Access")),
            (vec!["letters".into()], vec!["Institution".into()])
        );
    }
    // What tags say is kept, and only what they do not say is added.
    room.create("own", &["--tag", "aptrust-info.txt/access=Restricted"]).is(0);
    assert_eq!(room.text("own/aptrust-info.txt"), "access: Restricted\nTitle: letters\n");
    // A bag that ingest would not take is not made, unless it is asked for.
    let ran = room.create("sha.tar", &["--algorithm", "sha512"]).is(1);
    assert!(ran.out.starts_with("profile-manifest-required "), "{ran:?}");
    assert!(ran.err.contains("with --profile bagit it follows no profile"), "{ran:?}");
    let plain = ["--algorithm", "sha512", "--profile", "bagit"];
    room.create("sha.tar", &plain).is(0);
    room.create("sha", &plain).is(0);
    assert!(!room.at("sha/aptrust-info.txt").try_exists().unwrap());
    // A folder that is named by where it is.
    let mut command = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    command.args(["bag", "create", ".", "--output", "../here"]).current_dir(room.at("letters"));
    crate::command::ran(command).is(0);
    assert_eq!(room.text("here/aptrust-info.txt"), "Title: letters\nAccess: Institution\n");
}

#[test]
fn files_keep_their_dates_in_a_bag() {
    let room = Room::new();
    let at = |seconds| std::time::UNIX_EPOCH + Duration::from_secs(seconds);
    let dated = [("a.txt", 86_400), ("1926/large.bin", 1_234_567_890)];
    for (path, seconds) in dated {
        let file = File::options().write(true).open(room.at("letters").join(path)).unwrap();
        file.set_modified(at(seconds)).unwrap();
    }
    for output in ["out.tar", "out", "linked"] {
        let more: &[&str] = if output == "linked" { &["--link"] } else { &[] };
        room.create(output, more).is(0);
    }
    for (path, seconds) in dated {
        for folder in ["out", "linked"] {
            let kept = fs::metadata(room.at(folder).join("data").join(path)).unwrap();
            assert_eq!(kept.modified().unwrap(), at(seconds), "{folder} {path}");
        }
        let mut tar = tar::Archive::new(File::open(room.at("out.tar")).unwrap());
        let name = format!("out/data/{path}");
        let entry = tar.entries().unwrap().map(Result::unwrap);
        let mut entry = entry.filter(|entry| entry.path_bytes() == name.as_bytes());
        assert_eq!(entry.next().unwrap().header().mtime().unwrap(), seconds, "{path}");
    }
}

#[test]
fn links_share_the_files_of_a_folder_and_are_not_for_a_tar() {
    let room = Room::new();
    let inode = |path: &str| fs::metadata(room.at(path)).unwrap().ino();
    room.create("linked", &["--link"]).is(0);
    assert_eq!(inode("linked/data/a.txt"), inode("letters/a.txt"));
    room.create("copied", &[]).is(0);
    assert_ne!(inode("copied/data/a.txt"), inode("letters/a.txt"));
    validate(&room.at("linked"), &[]).is(0);
    room.refuses("linked.tar", &["--link"], "--link is for folders");
}

#[test]
fn a_profile_that_is_broken_is_told_in_full_and_nothing_is_written() {
    let room = Room::new();
    let before = listing(room.0.path());
    let ran = room.create("out", &["--profile", "aptrust", "--algorithm", "sha384"]).is(1);
    for words in [
        "profile-serialization-required out: ",
        "profile-manifest-required ",
        "profile-manifest-not-allowed ",
        "profile-tag-required aptrust-info.txt Title: ",
        "profile-tag-required aptrust-info.txt Access: ",
    ] {
        assert!(ran.out.lines().any(|line| line.starts_with(words)), "{words}: {ran:?}");
    }
    assert_eq!(ran.err, "strongroom: the bag was not made, nothing was written\n");
    assert_eq!(listing(room.0.path()), before);

    let mut wishes = vec!["--profile", "aptrust", "--tag", "aptrust-info.txt/Title=Letters"];
    wishes.extend(["--tag", "aptrust-info.txt/Access=Institution"]);
    wishes.extend(["--tag", "Source-Organization=Example College"]);
    room.create("out.tar", &wishes).is(0);
    for profile in ["aptrust", "named"] {
        let report = only(validate(&room.at("out.tar"), &["--json", "--profile", profile]).is(0));
        assert!(report["profile"].as_str().unwrap().contains("aptrust"), "{report}");
    }
    let organisation = "Source-Organization=Example College";
    room.create("btr", &["--profile", "btr", "--tag", organisation]).is(0);
    validate(&room.at("btr"), &["--profile", "btr"]).is(0);
    let named = only(validate(&room.at("btr"), &["--json", "--profile", "named"]).is(0));
    assert!(named["profile"].as_str().unwrap().contains("btr"), "{named}");
}

#[test]
fn nothing_that_stands_at_the_target_is_replaced() {
    let room = Room::new();
    File::create(room.at("bag.tar")).unwrap().write_all(b"precious").unwrap();
    fs::create_dir(room.at("bag")).unwrap();
    symlink("nowhere", room.at("dangling")).unwrap();
    for output in ["bag.tar", "bag", "dangling"] {
        let ran = room.create(output, &[]).is(1);
        assert_eq!((ran.err.lines().count(), ran.out.as_str()), (1, ""), "{ran:?}");
        assert!(ran.err.contains(output), "{ran:?}");
    }
    assert_eq!(room.text("bag.tar"), "precious");
    assert_eq!(fs::read_dir(room.at("bag")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(room.0.path()).unwrap().count(), 4, "and no draft is left");
}

#[test]
fn wishes_that_make_no_sense_end_with_2_and_a_sentence() {
    let room = Room::new();
    for date in ["2026-02-30", "yesterday", "2026-1-1", "", "2026-01-01T00:00:00Z"] {
        room.refuses("out", &["--date", date], "is not YYYY-MM-DD");
    }
    room.refuses("out", &["--tag", "no equals sign"], "is not of the form Label=Value");
    room.refuses("out", &["--tag", "aptrust-info/Title=x"], "does not end in .txt");
    for name in ["crc32", "sha3-256", "", "md5 "] {
        room.refuses("out", &["--algorithm", name], "is not a digest algorithm known here");
    }
    room.refuses("out", &["--profile", "named"], "--profile named is for bags that are there");
    room.refuses("no/such/folder/out.tar", &[], "no/such/folder");
    room.refuses("letters/..", &[], "has no name for a bag");
    fs::remove_dir_all(room.at("letters")).unwrap();
    room.refuses("out.tar", &[], "letters");
    bag(&["create", "letters"]).is(2);
}

#[test]
fn tags_that_cannot_be_written_are_findings() {
    let room = Room::new();
    let before = listing(room.0.path());
    let ran = room.create("out", &["--tag", "=value", "--tag", "manifest-md5.txt/A=b"]).is(1);
    assert!(ran.out.contains("make-tag-unusable ") && ran.out.contains("make-path-taken "));
    assert_eq!(listing(room.0.path()), before);
}

#[test]
fn a_bag_of_an_odd_folder_says_what_others_may_trip_over() {
    let room = Room::new();
    File::create(room.at("letters/100%25 ")).unwrap();
    fs::create_dir(room.at("letters/nothing")).unwrap();
    let ran = room.create("out.tar", &[]).is(0);
    for words in ["make-name-fragile ", "make-empty-folder nothing: "] {
        assert!(ran.out.lines().any(|line| line.starts_with(words)), "{words}: {ran:?}");
    }
    validate(&room.at("out.tar"), &[]).is(0);
}

#[test]
fn a_target_inside_the_source_is_no_part_of_the_bag() {
    let room = Room::new();
    let ran = room.create("letters/bag.tar", &["--date", "2026-01-01"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report = only(validate(&room.at("letters/bag.tar"), &["--json"]).is(0));
    assert_eq!(report["facts"]["payload_count"], 3, "{report}");
}

#[test]
fn a_wish_to_stop_leaves_nothing_behind() {
    for output in ["out.tar", "out"] {
        let room = Room::new();
        // Long enough to be stopped in the middle of; on the disk it is nothing.
        File::create(room.at("letters/long")).unwrap().set_len(8 << 30).unwrap();
        let names = || fs::read_dir(room.0.path()).unwrap().count();
        let mut command = Command::new(env!("CARGO_BIN_EXE_strongroom"));
        command.args(["bag", "create"]).arg(room.at("letters"));
        command.arg("--output").arg(room.at(output)).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        until("the draft is there", || names() == 2);
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let code = child.wait().unwrap().code();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "strongroom: stopped before the bag was made\n");
        assert_eq!((code, names()), (Some(2), 1), "{output}");
    }
}

/// What `bag validate` would find wrong is found before anything is written.
#[test]
fn no_bag_is_made_that_validate_would_not_accept() {
    for name in ["no\u{a0}break", "bell\u{7}", "two\nlines", "spelled\\u0007", "tab\there"] {
        let room = Room::new();
        File::create(room.at("letters").join(name)).unwrap();
        let before = listing(room.0.path());
        let own = ["--profile", "aptrust", "--tag", "aptrust-info.txt/Title=L"];
        let own = [&own[..], &["--tag", "aptrust-info.txt/Access=Institution"]].concat();
        for more in [&[][..], &own] {
            let ran = room.create("out.tar", more).is(1);
            assert!(ran.out.starts_with("name-control-character data/"), "{name:?}: {ran:?}");
            assert_eq!(listing(room.0.path()), before, "{name:?}");
        }
        // Where it is a warning, the bag is made and valid, and says so both times.
        for (output, more) in [
            ("plain.tar", &["--profile", "bagit"][..]),
            ("plain", &["--profile", "bagit"]),
            ("btr", &["--profile", "btr", "--tag", "Source-Organization=Example"]),
        ] {
            let ran = room.create(output, more).is(0);
            assert!(ran.out.contains("name-control-character data/"), "{name:?}: {ran:?}");
            let ran = validate(&room.at(output), &more[..2]).is(0);
            assert!(ran.out.contains("  warning name-control-character data/"), "{ran:?}");
        }
        // The file that the bag was made of is refused by the profile when it is judged, too.
        validate(&room.at("plain.tar"), &["--profile", "aptrust"]).is(1);
    }
    let room = Room::new();
    room.refuses_with("~out.tar", &[], "path-home ~out: ");
    room.refuses_with("no\u{a0}break.tar", &[], "name-control-character no\u{a0}break: ");
    room.refuses_with("out", &["--tag", "~mine.txt/A=b"], "path-home ~mine.txt: ");
    let long = format!("A={}", "x".repeat(70_000));
    room.refuses_with("out", &["--tag", &long], "line-too-long bag-info.txt A: ");
}

#[test]
fn cr_lf_and_percent_in_names_are_written_and_read_encoded() {
    let room = Room::new();
    for name in ["a\rb", "a\nb", "50%", "a%0Ab"] {
        File::create(room.at("letters").join(name)).unwrap();
    }
    room.create("out", &["--profile", "bagit", "--algorithm", "md5"]).is(0);
    let manifest = room.text("out/manifest-md5.txt");
    for written in ["  data/a%0Db\n", "  data/a%0Ab\n", "  data/50%25\n", "  data/a%250Ab\n"] {
        assert!(manifest.contains(written), "{written:?}: {manifest}");
    }
    let report = only(validate(&room.at("out"), &["--json"]).is(0));
    assert_eq!(report["counts"]["by_code"], serde_json::json!({"name-control-character": 2}));
}
