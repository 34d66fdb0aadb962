//! Making bags: what others accept, the same bytes twice, and every refusal.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use bagit::code::Code;
use bagit::finding::Severity;
use bagit::make::{
    Content, Doubt, Entry, Form, Made, MakeError, Payload, Placing, Plan, Progress, Sheet, Times,
    Watch, create,
};
use bagit::profile::{self, Profile};
use bagit::{Options, judge};
use digests::{Algorithm, AlgorithmSet, Digests};
use jiff::civil::{Date, date};
use tempfile::TempDir;

use crate::bag_peer::{bagit_accepts, extract};

const DAY: Date = date(2026, 8, 22);

/// A room with a folder of some files to make bags of.
struct Room {
    dir: TempDir,
}

impl Room {
    fn new() -> Room {
        let room = Room { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(room.source()).unwrap();
        room
    }

    fn with(files: &[(&str, &[u8])]) -> Room {
        let room = Room::new();
        files.iter().for_each(|(path, bytes)| room.add(path, bytes));
        room
    }

    fn source(&self) -> PathBuf {
        self.at("source")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn add(&self, path: &str, bytes: &[u8]) {
        let path = self.source().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().write_all(bytes).unwrap();
    }

    fn plan(&self, target: &str) -> Plan<'_> {
        Plan::new("bag", Payload::Folder(self.source()), self.at(target), DAY)
    }

    fn folder_plan(&self, target: &str) -> Plan<'_> {
        Plan { form: Form::Folder(Placing::Copy), ..self.plan(target) }
    }

    /// What lies beside the source: the bag and nothing else.
    fn leftovers(&self) -> Vec<String> {
        let names = fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "source");
        names.sort();
        names
    }
}

fn small() -> Room {
    Room::with(&[("a.txt", b"alpha\n"), ("b/c.txt", b"gamma\n"), ("b/empty", b""), ("z", b"zeta")])
}

fn refusal(plan: &Plan<'_>) -> Vec<(Code, String)> {
    match create(plan) {
        Err(MakeError::Refused(findings)) => {
            assert!(findings.iter().all(|finding| !finding.sentence.is_empty()));
            let errors = findings.into_iter().filter(|one| one.severity == Severity::Error);
            errors.map(|finding| (finding.code, finding.place)).collect()
        }
        other => panic!("not refused: {other:?}"),
    }
}

fn warnings(made: &Made) -> Vec<(Code, &str)> {
    assert!(made.findings.iter().all(|one| one.severity == Severity::Warning));
    made.findings.iter().map(|finding| (finding.code, finding.place.as_str())).collect()
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_folder_becomes_a_bag() {
    let room = small();
    let mut plan = room.folder_plan("out");
    plan.sheets = vec![
        Sheet { file: "aptrust-info.txt".into(), tags: vec![("Title".into(), "T".into())] },
        Sheet {
            file: "bag-info.txt".into(),
            tags: vec![
                ("Source-Organization".into(), "Example".into()),
                ("payload-oxum".into(), "1.1".into()),
                ("External-Description".into(), "one\ntwo".into()),
                ("Payload-Oxum".into(), "2.2".into()),
            ],
        },
    ];
    let made = create(&plan).unwrap();
    assert_eq!((made.payload_count, made.payload_bytes, made.findings.len()), (4, 16, 0));
    let out = room.at("out");
    assert_eq!(
        text(out.join("bagit.txt")),
        "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
    );
    let expected = format!(
        "Source-Organization: Example\npayload-oxum: 16.4\nExternal-Description: one\n  two\n\
         Bag-Software-Agent: {}\nBagging-Date: 2026-08-22\nBag-Size: 16 B\n",
        plan.agent
    );
    assert_eq!(text(out.join("bag-info.txt")), expected);
    assert_eq!(text(out.join("aptrust-info.txt")), "Title: T\n");
    let manifest = text(out.join("manifest-md5.txt"));
    let names: Vec<&str> = manifest.lines().map(|line| &line[34..]).collect();
    assert_eq!(names, ["data/a.txt", "data/b/c.txt", "data/b/empty", "data/z"]);
    assert!(manifest.starts_with("9f9f90dbe3e5ee1218c86b8839db1995  data/a.txt\n"));
    assert!(manifest.contains("d41d8cd98f00b204e9800998ecf8427e  data/b/empty\n"));
    let listed: Vec<String> = text(out.join("tagmanifest-sha512.txt"))
        .lines()
        .map(|line| line.split_once("  ").unwrap().1.to_owned())
        .collect();
    let expected = [
        "aptrust-info.txt",
        "bag-info.txt",
        "bagit.txt",
        "manifest-md5.txt",
        "manifest-sha1.txt",
        "manifest-sha256.txt",
        "manifest-sha512.txt",
    ];
    assert_eq!(listed, expected);
    assert_eq!(text(out.join("data/b/c.txt")), "gamma\n");
    let about = fs::metadata(out.join("data/a.txt")).unwrap();
    assert_eq!((about.mode() & 0o777, about.mtime()), (0o644, 1_787_356_800));
    assert_eq!(room.leftovers(), ["out"]);
    assert_ne!(bagit_accepts(&out), Some(false));
}

#[test]
fn a_tar_is_accepted_once_it_is_extracted() {
    let room = small();
    room.add(&format!("{}/{}", "long".repeat(50), "name".repeat(50)), b"deep");
    room.add("ünïcödé/ß.txt", "ß".as_bytes());
    room.add("new\nline and\rreturn", b"odd");
    let made = create(&room.plan("bag.tar")).unwrap();
    assert_eq!(warnings(&made), [(Code::NameControl, "data/new\\nline and\\rreturn")]);
    assert_eq!(room.leftovers(), ["bag.tar"]);
    assert_eq!(fs::metadata(room.at("bag.tar")).unwrap().len() % 512, 0);
    if extract(&room.at("bag.tar"), &room.at("x")) {
        assert_eq!(bagit_accepts(&room.at("x/bag")), Some(true));
        assert_eq!(text(room.at("x/bag/data/new\nline and\rreturn")), "odd");
    }
}

/// Our own judge, with every rule it knows.
fn judged(bag: &Path, profile: Option<&Profile>) -> Vec<(Code, String)> {
    let options = Options { profile: profile.map(|profile| profile as _), ..Options::default() };
    let verdict = judge(bag, &options, &mut ()).unwrap();
    assert_eq!(verdict.valid, verdict.counts.errors == 0);
    verdict.findings.into_iter().map(|finding| (finding.code, finding.place)).collect()
}

#[test]
fn our_own_judge_accepts_what_is_made() {
    let room = small();
    room.add(&format!("{}/{}", "long".repeat(50), "name".repeat(50)), b"deep");
    room.add("ünïcödé/ß.txt", "ß".as_bytes());
    room.add("100%25", b"percent");
    room.add(" blank ", b"");
    for form in [Form::Tar, Form::Folder(Placing::Copy), Form::Folder(Placing::HardLink)] {
        let name = format!("{form:?}.tar");
        for algorithms in [AlgorithmSet::FOUR, Algorithm::ALL.into_iter().collect()] {
            create(&Plan { form, algorithms, ..room.plan(&name) }).unwrap();
            assert_eq!(judged(&room.at(&name), None), []);
            match form {
                Form::Tar => fs::remove_file(room.at(&name)).unwrap(),
                Form::Folder(_) => fs::remove_dir_all(room.at(&name)).unwrap(),
            }
        }
    }
    let tags = [("Title", "Photos"), ("Access", "Consortia")];
    let tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let sheets = vec![Sheet { file: "aptrust-info.txt".into(), tags }];
    let aptrust = Profile::builtin(profile::APTRUST);
    create(&Plan { profile: aptrust, sheets, ..room.plan("bag.tar") }).unwrap();
    assert_eq!(judged(&room.at("bag.tar"), aptrust), []);
}

#[test]
fn every_choice_of_algorithms_is_accepted() {
    let room = small();
    for algorithm in Algorithm::ALL {
        let name = format!("bag-{algorithm}");
        let algorithms = AlgorithmSet::EMPTY.with(algorithm);
        create(&Plan { algorithms, ..room.folder_plan(&name) }).unwrap();
        assert_ne!(bagit_accepts(&room.at(&name)), Some(false), "{algorithm}");
    }
}

#[test]
fn an_empty_payload_is_a_bag() {
    let room = Room::new();
    create(&room.folder_plan("out")).unwrap();
    assert!(room.at("out/data").is_dir());
    assert!(text(room.at("out/bag-info.txt")).contains("Payload-Oxum: 0.0\n"));
    create(&room.plan("out.tar")).unwrap();
    let mut tar = tar::Archive::new(File::open(room.at("out.tar")).unwrap());
    let names: Vec<String> = tar
        .entries()
        .unwrap()
        .map(|entry| String::from_utf8(entry.unwrap().path_bytes().into_owned()).unwrap())
        .collect();
    assert_eq!(names[..4], ["bag/", "bag/bagit.txt", "bag/bag-info.txt", "bag/data/"]);
    assert_eq!(names.len(), 4 + 8);
}

#[test]
fn the_same_input_and_date_give_the_same_bytes() {
    let one = small();
    // The same files, made in another order and at another time.
    let two = Room::with(&[
        ("z", b"zeta"),
        ("b/empty", b""),
        ("a.txt", b"alpha\n"),
        ("b/c.txt", b"gamma\n"),
    ]);
    for (at, room) in [&one, &two].into_iter().enumerate() {
        let file = File::options().append(true).open(room.source().join("z")).unwrap();
        file.set_modified(
            std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + at as u64),
        )
        .unwrap();
        fs::set_permissions(
            room.source().join("a.txt"),
            fs::Permissions::from_mode(if at == 0 { 0o600 } else { 0o777 }),
        )
        .unwrap();
        create(&room.plan("bag.tar")).unwrap();
        create(&room.folder_plan("bag")).unwrap();
    }
    assert_eq!(fs::read(one.at("bag.tar")).unwrap(), fs::read(two.at("bag.tar")).unwrap());
    for name in ["bag-info.txt", "manifest-sha1.txt", "tagmanifest-md5.txt"] {
        assert_eq!(text(one.at("bag").join(name)), text(two.at("bag").join(name)));
    }
    // Another date is another bag.
    create(&Plan { date: date(2026, 8, 23), ..one.plan("later.tar") }).unwrap();
    assert_ne!(fs::read(one.at("bag.tar")).unwrap(), fs::read(one.at("later.tar")).unwrap());
}

#[test]
fn a_tar_is_ustar_in_order_with_fixed_owners() {
    let room = small();
    room.add("b.txt", b"between");
    create(&Plan { times: Times::Kept, ..room.plan("bag.tar") }).unwrap();
    let mut tar = tar::Archive::new(File::open(room.at("bag.tar")).unwrap());
    let mut names = Vec::new();
    let mut contents = BTreeMap::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        let header = entry.header();
        assert!(header.as_ustar().is_some());
        assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
        assert_eq!(header.mode().unwrap(), if name.ends_with('/') { 0o755 } else { 0o644 });
        let fixed = header.mtime().unwrap() == 1_787_356_800;
        assert_eq!(fixed, !name.starts_with("bag/data/") || name.ends_with('/'), "{name}");
        let mut content = String::new();
        entry.read_to_string(&mut content).unwrap();
        contents.insert(name.clone(), content);
        names.push(name);
    }
    let expected = [
        "bag/",
        "bag/bagit.txt",
        "bag/bag-info.txt",
        "bag/data/",
        "bag/data/a.txt",
        "bag/data/b.txt",
        "bag/data/b/",
        "bag/data/b/c.txt",
        "bag/data/b/empty",
        "bag/data/z",
        "bag/manifest-md5.txt",
        "bag/manifest-sha1.txt",
        "bag/manifest-sha256.txt",
        "bag/manifest-sha512.txt",
        "bag/tagmanifest-md5.txt",
        "bag/tagmanifest-sha1.txt",
        "bag/tagmanifest-sha256.txt",
        "bag/tagmanifest-sha512.txt",
    ];
    assert_eq!(names, expected);
    assert_eq!(contents["bag/data/b/c.txt"], "gamma\n");
    // The plain tar of the system reads it too.
    let out = Command::new("tar").arg("-tf").arg(room.at("bag.tar")).output();
    if let Ok(out) = out {
        assert_eq!(String::from_utf8(out.stdout).unwrap().lines().count(), expected.len());
        assert!(out.stderr.is_empty());
    }
}

#[test]
fn names_are_encoded_as_the_standard_asks() {
    let room = Room::with(&[
        ("100%", b"a"),
        ("a%0Ab", b"b"),
        ("c\nd\re", b"c"),
        (" lead", b"d"),
        ("back\\slash", b"e"),
    ]);
    let made = create(&room.folder_plan("out")).unwrap();
    let manifest = text(room.at("out/manifest-md5.txt"));
    let names: Vec<&str> = manifest.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    assert_eq!(
        names,
        ["data/ lead", "data/100%25", "data/a%250Ab", "data/back\\slash", "data/c%0Ad%0De"]
    );
    assert_eq!(warnings(&made).len(), 5);
    let fragile = |(code, _): &&(Code, &str)| *code == Code::SourceNameFragile;
    assert_eq!(warnings(&made).iter().filter(fragile).count(), 4);
    assert!(warnings(&made).contains(&(Code::NameControl, "data/c\\nd\\re")));
}

#[test]
fn many_files_are_one_bag() {
    let room = Room::new();
    // More than are digested at once.
    let count = 10_000;
    for n in 0..count {
        if n % 100 == 0 {
            fs::create_dir_all(room.source().join(format!("{:03}", n / 100))).unwrap();
        }
        let path = room.source().join(format!("{:03}/{n}", n / 100));
        File::create(path).unwrap().write_all(n.to_string().as_bytes()).unwrap();
    }
    room.add("large", &vec![7; 9_000_000]);
    let made = create(&room.plan("bag.tar")).unwrap();
    assert_eq!(made.payload_count, count + 1);
    if extract(&room.at("bag.tar"), &room.at("x")) {
        assert_eq!(text(room.at("x/bag/manifest-sha256.txt")).lines().count() as u64, count + 1);
        assert_eq!(bagit_accepts(&room.at("x/bag")), Some(true));
    }
}

#[test]
fn links_devices_and_unreadable_things_are_refused_together() {
    let room = small();
    symlink("a.txt", room.source().join("link")).unwrap();
    symlink("b", room.source().join("folder-link")).unwrap();
    let fifo = room.source().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let bad = std::ffi::OsString::from_encoded(b"bad-\xff");
    File::create(room.source().join(bad)).unwrap();
    let mut found = refusal(&room.plan("bag.tar"));
    found.sort();
    let mut expected = vec![
        (Code::LinkInBag, "folder-link".to_owned()),
        (Code::LinkInBag, "link".to_owned()),
        (Code::DeviceInBag, "fifo".to_owned()),
        (Code::NameNotUtf8, "bad-\u{fffd}".to_owned()),
    ];
    expected.sort();
    assert_eq!(found, expected);
    assert!(room.leftovers().is_empty());
}

/// Bytes as a name, whatever they are.
trait FromEncoded {
    fn from_encoded(bytes: &[u8]) -> Self;
}
impl FromEncoded for std::ffi::OsString {
    fn from_encoded(bytes: &[u8]) -> Self {
        std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
    }
}

#[test]
fn unreadable_files_are_refused() {
    let room = small();
    fs::set_permissions(room.source().join("a.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(room.source().join("a.txt")).is_ok() {
        println!("skipped: this user reads everything");
        return;
    }
    assert_eq!(refusal(&room.plan("bag.tar")), [(Code::FileUnreadable, "a.txt".to_owned())]);
}

#[test]
fn empty_folders_are_mentioned_and_left_out() {
    let room = small();
    fs::create_dir_all(room.source().join("e/f")).unwrap();
    let made = create(&room.folder_plan("out")).unwrap();
    assert_eq!(warnings(&made), [(Code::SourceFolderEmpty, "e/f")]);
    assert!(!room.at("out/data/e").is_dir());
}

#[test]
fn nothing_is_replaced() {
    let room = small();
    File::create(room.at("bag.tar")).unwrap().write_all(b"precious").unwrap();
    assert!(matches!(create(&room.plan("bag.tar")), Err(MakeError::Exists(_))));
    assert_eq!(text(room.at("bag.tar")), "precious");
    fs::create_dir(room.at("out")).unwrap();
    assert!(matches!(create(&room.folder_plan("out")), Err(MakeError::Exists(_))));
    symlink("nowhere", room.at("dangling")).unwrap();
    assert!(matches!(create(&room.folder_plan("dangling")), Err(MakeError::Exists(_))));
    assert!(matches!(create(&room.plan("no/such/place.tar")), Err(MakeError::Write { .. })));
    let missing = Plan::new("bag", Payload::Folder(room.at("none")), room.at("new.tar"), DAY);
    assert!(matches!(create(&missing), Err(MakeError::Folder { .. })));
    assert_eq!(room.leftovers(), ["bag.tar", "dangling", "out"]);
}

/// Stops after some bytes, or puts something in the way.
#[derive(Default)]
struct Onlooker {
    stop_after: Option<u64>,
    seen: AtomicU64,
    files: AtomicU64,
    in_the_way: Option<PathBuf>,
}

impl Watch for Onlooker {
    fn progress(&self, progress: Progress) {
        assert!(progress.done_bytes <= progress.total_bytes);
        self.seen.fetch_max(progress.done_bytes, Ordering::Relaxed);
        if let Some(path) = &self.in_the_way {
            File::create(path).unwrap();
        }
    }

    fn stopped(&self) -> bool {
        self.stop_after.is_some_and(|bytes| self.seen.load(Ordering::Relaxed) >= bytes)
    }

    fn file(&self, path: &str, _size_bytes: u64, digests: &Digests) {
        assert!(!path.is_empty() && digests.algorithms() == AlgorithmSet::FOUR);
        self.files.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn stopping_anywhere_leaves_nothing() {
    let room = Room::new();
    (0..40).for_each(|n| room.add(&format!("{n}"), &vec![n; 700_000]));
    for stop_after in [0, 1, 1 << 20, 10 << 20, 20 << 20] {
        let watch = Onlooker { stop_after: Some(stop_after), ..Onlooker::default() };
        for plan in [room.plan("bag.tar"), room.folder_plan("out")] {
            let plan = Plan { watch: &watch, ..plan };
            assert!(matches!(create(&plan), Err(MakeError::Stopped)), "{stop_after}");
            assert!(room.leftovers().is_empty());
        }
    }
    let watch = Onlooker::default();
    create(&Plan { watch: &watch, ..room.plan("bag.tar") }).unwrap();
    assert!(watch.seen.into_inner() >= 28_000_000);
    assert_eq!(watch.files.into_inner(), 42);
}

#[test]
fn a_name_taken_in_the_meantime_is_not_replaced() {
    let room = small();
    for form in [Form::Tar, Form::Folder(Placing::Copy)] {
        let watch = Onlooker { in_the_way: Some(room.at("bag")), ..Onlooker::default() };
        let plan = Plan { watch: &watch, form, ..room.plan("bag") };
        assert!(matches!(create(&plan), Err(MakeError::Exists(_))));
        assert_eq!(room.leftovers(), ["bag"]);
        assert_eq!(text(room.at("bag")), "");
        fs::remove_file(room.at("bag")).unwrap();
    }
}

#[test]
fn hard_links_share_the_file() {
    let room = small();
    let plan = Plan { form: Form::Folder(Placing::HardLink), ..room.plan("out") };
    create(&plan).unwrap();
    let inode = |path: PathBuf| fs::metadata(path).unwrap().ino();
    assert_eq!(inode(room.at("out/data/a.txt")), inode(room.source().join("a.txt")));
    assert_eq!(text(room.at("out/data/b/c.txt")), "gamma\n");
    assert_ne!(bagit_accepts(&room.at("out")), Some(false));
}

fn entry<'a>(path: &str, bytes: &[u8]) -> Entry<'a> {
    Entry {
        path: path.into(),
        size_bytes: bytes.len() as u64,
        modified: None,
        expected: None,
        content: Content::Bytes(bytes.to_vec()),
    }
}

#[test]
fn entries_come_from_anywhere() {
    let room = small();
    let opened = Entry {
        content: Content::Open(Box::new(|| {
            Ok(Box::new(std::io::repeat(b'x').take(70_000)) as Box<dyn Read + Send>)
        })),
        size_bytes: 70_000,
        modified: Some(-1),
        ..entry("read/er", b"")
    };
    let file = Entry {
        content: Content::File(room.source().join("a.txt")),
        expected: Some((Algorithm::Sha224, "0".repeat(56))),
        ..entry("file", b"alpha\n")
    };
    let entries = |extra: Vec<Entry<'static>>| {
        let mut all = vec![entry("z", b"zz")];
        all.extend(extra);
        Payload::Entries(all)
    };
    let tag_files = vec![entry("meta/about.xml", b"<a/>")];
    let plan = Plan { payload: entries(vec![opened]), tag_files, ..room.folder_plan("out") };
    let plan = Plan { times: Times::Kept, ..plan };
    create(&plan).unwrap();
    assert_eq!(text(room.at("out/data/read/er")).len(), 70_000);
    assert_eq!(fs::metadata(room.at("out/data/read/er")).unwrap().mtime(), -1);
    assert!(text(room.at("out/tagmanifest-md5.txt")).contains("  meta/about.xml\n"));
    assert_ne!(bagit_accepts(&room.at("out")), Some(false));
    // Something else than expected.
    let plan = Plan { payload: Payload::Entries(vec![file]), ..room.folder_plan("no") };
    assert_eq!(refusal(&plan), [(Code::DigestMismatch, "data/file".to_owned())]);
    // Shorter and longer than said.
    for size_bytes in [1, 3, 1 << 30] {
        for form in [Form::Tar, Form::Folder(Placing::Copy)] {
            let lying = Entry { size_bytes, ..entry("lying", b"ab") };
            let plan = Plan { payload: Payload::Entries(vec![lying]), form, ..room.plan("no") };
            assert_eq!(refusal(&plan), [(Code::FileChanged, "data/lying".to_owned())]);
        }
    }
    let broken = Content::Open(Box::new(|| Err(std::io::Error::other("the line is cut"))));
    let broken = Entry { content: broken, ..entry("broken", b"") };
    let plan = Plan { payload: Payload::Entries(vec![broken]), ..room.folder_plan("no") };
    assert_eq!(refusal(&plan), [(Code::FileUnreadable, "data/broken".to_owned())]);
    assert_eq!(room.leftovers(), ["out"]);
}

/// Has other bytes for what is doubted, for as many times as there are copies.
struct Librarian {
    tries: AtomicUsize,
    copies: usize,
}

impl Watch for Librarian {
    fn again(&self, path: &str, _: &Doubt<'_>) -> bool {
        assert_eq!(path, "data/doubted");
        self.tries.fetch_add(1, Ordering::SeqCst) + 1 < self.copies
    }
}

#[test]
fn what_is_doubted_is_read_again_and_written_over() {
    let copies: [&[u8]; 5] = [b"alphA\n", b"alpha", b"alpha\nand", b"", b"alpha\n"];
    for form in [Form::Tar, Form::Folder(Placing::Copy)] {
        let room = small();
        let librarian = Librarian { tries: AtomicUsize::new(0), copies: copies.len() };
        let open = || {
            let at = librarian.tries.load(Ordering::SeqCst);
            if copies[at].is_empty() {
                return Err(std::io::Error::other("the line is cut"));
            }
            Ok(Box::new(copies[at]) as Box<dyn Read + Send>)
        };
        let expected = Some((Algorithm::Md5, "9f9f90dbe3e5ee1218c86b8839db1995".to_owned()));
        let content = Content::Open(Box::new(open));
        let doubted = Entry { content, expected, ..entry("doubted", b"alpha\n") };
        let payload = Payload::Entries(vec![entry("a", b"before"), doubted, entry("z", b"after")]);
        let name = if form == Form::Tar { "bag.tar" } else { "bag" };
        let plan = Plan { payload, form, watch: &librarian, ..room.plan(name) };
        let made = create(&plan).unwrap();
        let verdict = judge(&made.path, &Default::default(), &mut ()).unwrap();
        assert!(verdict.valid, "{:?}", verdict.findings);
        assert_eq!(librarian.tries.load(Ordering::SeqCst), 4);
        // One copy less, and there is none that is good.
        librarian.tries.store(0, Ordering::SeqCst);
        let fewer = Librarian { tries: AtomicUsize::new(1), copies: 3 };
        let plan = Plan { watch: &fewer, target: room.at("none"), ..plan };
        assert_eq!(refusal(&plan), [(Code::DigestMismatch, "data/doubted".to_owned())]);
    }
}

#[test]
fn plans_that_cannot_be_are_refused_in_full() {
    let room = small();
    let entries =
        |paths: &[&str]| Payload::Entries(paths.iter().map(|path| entry(path, b"")).collect());
    let check = |paths: &[&str], code: Code, place: &str| {
        let plan = Plan { payload: entries(paths), ..room.plan("bag.tar") };
        assert_eq!(refusal(&plan), [(code, place.to_owned())], "{paths:?}");
    };
    check(&["../x"], Code::SourceNameUnusable, "data/../x");
    check(&["/etc"], Code::SourceNameUnusable, "data//etc");
    check(&["a//b"], Code::SourceNameUnusable, "data/a//b");
    check(&["./b"], Code::SourceNameUnusable, "data/./b");
    check(&[""], Code::SourceNameUnusable, "data/");
    check(&["a\0"], Code::SourceNameUnusable, "data/a\\u{0}");
    check(&[&"x".repeat(256)], Code::SourceNameUnusable, &format!("data/{}", "x".repeat(256)));
    check(&["a", "b", "a"], Code::SourcePathTaken, "data/a");
    check(&["a", "a.b", "a/b"], Code::SourcePathTaken, "data/a/b");
    let huge = |path| Entry { size_bytes: u64::MAX, ..entry(path, b"") };
    let plan =
        Plan { payload: Payload::Entries(vec![huge("a"), huge("b")]), ..room.plan("bag.tar") };
    assert_eq!(refusal(&plan), [(Code::LimitReached, "the plan".to_owned())]);
    for name in ["bagit.txt", "manifest-md5.txt", "data/x", "fetch.txt", "bag-info.txt"] {
        let plan = Plan { tag_files: vec![entry(name, b"")], ..room.plan("bag.tar") };
        assert_eq!(refusal(&plan)[0], (Code::SourcePathTaken, name.to_owned()));
        let sheet = Sheet { file: name.into(), tags: vec![] };
        if name != "bag-info.txt" {
            let plan = Plan { sheets: vec![sheet], ..room.plan("bag.tar") };
            assert_eq!(refusal(&plan), [(Code::SourcePathTaken, name.to_owned())]);
        }
    }
    for (name, value) in [("", "v"), ("a:b", "v"), ("a\nb", "v"), (" a", "v"), ("a", "\u{7}")] {
        let tags = vec![(name.to_owned(), value.to_owned())];
        let plan = Plan {
            sheets: vec![Sheet { file: "bag-info.txt".into(), tags }],
            ..room.plan("bag.tar")
        };
        assert_eq!(refusal(&plan)[0].0, Code::PlanTagUnusable, "{name:?}");
    }
    for name in ["", ".", "..", "a/b", "a\\b", "a\nb", &"n".repeat(256)] {
        let plan = Plan { name: name.into(), ..room.plan("bag.tar") };
        assert_eq!(refusal(&plan)[0].0, Code::PlanNameUnusable, "{name:?}");
    }
    let plan = Plan { algorithms: AlgorithmSet::EMPTY, name: "..".into(), ..room.plan("bag.tar") };
    let found: Vec<Code> = refusal(&plan).into_iter().map(|(code, _)| code).collect();
    assert_eq!(found, [Code::PlanAlgorithms, Code::PlanNameUnusable]);
    assert!(room.leftovers().is_empty());
}

#[test]
fn a_profile_is_asked_before_anything_is_written() {
    let room = small();
    let aptrust = Profile::builtin(profile::APTRUST);
    let plan = Plan { profile: aptrust, ..room.folder_plan("out") };
    let found = refusal(&plan);
    let expected = [
        (Code::SerializationRequired, "out"),
        (Code::TagRequired, "aptrust-info.txt Title"),
        (Code::TagRequired, "aptrust-info.txt Access"),
    ];
    assert_eq!(found, expected.map(|(code, place)| (code, place.to_owned())));
    let plan = Plan {
        profile: aptrust,
        algorithms: AlgorithmSet::EMPTY.with(Algorithm::Sha384),
        ..room.plan("bag.tar")
    };
    let found: Vec<Code> = refusal(&plan).into_iter().map(|(code, _)| code).collect();
    assert_eq!(
        found[..3],
        [Code::ManifestRequired, Code::ManifestNotAllowed, Code::TagManifestNotAllowed]
    );
    assert!(room.leftovers().is_empty());

    let tags = [("Title", "Photos"), ("Access", "Consortia")];
    let tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let sheets = vec![Sheet { file: "aptrust-info.txt".into(), tags }];
    let made = create(&Plan { profile: aptrust, sheets, ..room.plan("bag.tar") }).unwrap();
    assert_eq!(made.findings, []);
    // BTR: everything it requires but the organisation can be filled in.
    let btr = Profile::builtin(profile::BTR);
    let found = refusal(&Plan { profile: btr, ..room.folder_plan("btr") });
    assert_eq!(found, [(Code::TagRequired, "bag-info.txt Source-Organization".to_owned())]);
    let tags = vec![("Source-Organization".to_owned(), "Example".to_owned())];
    let sheets = vec![Sheet { file: "bag-info.txt".into(), tags }];
    let made = create(&Plan { profile: btr, sheets, ..room.folder_plan("btr") }).unwrap();
    assert_eq!(made.findings, []);
    assert!(
        text(room.at("btr/bag-info.txt"))
            .contains("BagIt-Profile-Identifier: https://github.com/dpsc")
    );
}

#[test]
fn payload_rules_of_a_profile_are_asked_too() {
    let room = small();
    let profile = Profile::parse(
        r#"{"BagIt-Profile-Info": {"BagIt-Profile-Identifier": "x", "BagIt-Profile-Version": "1.4.0"},
            "Payload-Files-Required": ["data/LICENSE"], "Payload-Files-Allowed": ["data/b/*", "data/LICENSE"]}"#,
    )
    .unwrap();
    let found = refusal(&Plan { profile: Some(&profile), ..room.plan("bag.tar") });
    let expected = [
        (Code::PayloadFileRequired, "data/LICENSE"),
        (Code::PayloadFileNotAllowed, "data/a.txt"),
        (Code::PayloadFileNotAllowed, "data/z"),
    ];
    assert_eq!(found, expected.map(|(code, place)| (code, place.to_owned())));
}
