//! Bags that go to `bagit` from PyPI and come from there: both must say the same of them.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use bagit::{Verdict, judge};
use tempfile::TempDir;

use crate::command::{Ran, ran};
use crate::peer::BAGIT;

const ALGORITHMS: [&str; 6] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

/// Whether bagit accepts the bag; prints what it says.
pub(crate) fn bagit_accepts(bag: &Path) -> Option<bool> {
    let script = "import sys, bagit; bagit.Bag(sys.argv[1]).validate(); print('valid')";
    let out = Command::new(BAGIT.python()?).args(["-c", script]).arg(bag).output().unwrap();
    println!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    Some(out.status.success())
}

/// Extracts with Python's own reader: not the library our tests read with, nor our own code.
pub(crate) fn extract(tar: &Path, into: &Path) -> bool {
    let script = "import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])";
    BAGIT.python().is_some_and(|python| {
        runs(python, script, &[tar, into]);
        true
    })
}

fn runs(python: &Path, script: &str, arguments: &[&Path]) {
    let out = Command::new(python).args(["-c", script]).args(arguments).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// A folder with files that two tools could spell in two ways.
struct Letters {
    dir: TempDir,
}

impl Letters {
    fn new(name: &str) -> Letters {
        let letters = Letters { dir: tempfile::tempdir().unwrap() };
        for (path, bytes) in [
            ("a.txt", &b"alpha\n"[..]),
            ("empty", b""),
            ("one/two/three/deep.bin", &[7; 70_000]),
            ("Fotos/Größe/Café.jpg", b"composed"),
            ("Fotos/Größe/Cafe\u{301} de\u{301}compose\u{301}.jpg", b"decomposed"),
            ("日本語/手紙.txt", b"letter"),
            ("with blanks (and 'quotes').txt", b"quotes"),
        ] {
            letters.put(&format!("{name}/{path}"), bytes);
        }
        letters
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().write_all(bytes).unwrap();
    }

    /// Lets bagit make a bag of the folder `bag`, in place.
    fn bag_by_peer(&self, python: &Path, algorithms: &[&str]) -> PathBuf {
        let script = "\
import sys, bagit
bagit.make_bag(sys.argv[1], checksums=sys.argv[2].split(','), processes=2, bag_info={
    'Source-Organization': 'Zürich County Archive',
    'Contact-Name': ['Ann', 'Zoë'],
    'External-Description': 'a description so long that a tool might fold it, ' * 5,
    'Internal-Sender-Identifier': 'C:\\\\letters: 1',
})";
        let bag = self.at("bag");
        runs(python, script, &[&bag, Path::new(&algorithms.join(","))]);
        bag
    }

    /// A bag by our own command.
    fn bag_by_us(&self, output: &str, algorithms: &[&str]) -> PathBuf {
        let output = self.at(output);
        let mut command = Command::new(env!("CARGO_BIN_EXE_strongroom"));
        command.args(["bag", "create"]).arg(self.at("letters")).arg("--output").arg(&output);
        for algorithm in algorithms {
            command.args(["--algorithm", algorithm]);
        }
        // Of any algorithms: no profile asks for these.
        command.args(["--profile", "bagit"]);
        command.args(["--tag", "Source-Organization=Zürich County Archive"]);
        command.args(["--tag", "External-Description=one line\nand another: with a colon"]);
        command.args(["--tag", "letters-info.txt/Title=Käse"]);
        ran(command).is(0);
        output
    }
}

fn verdict(bag: &Path) -> Verdict {
    judge(bag, &Default::default(), &mut ()).unwrap()
}

fn validate(bag: &Path) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    command.args(["bag", "validate"]).arg(bag);
    ran(command)
}

#[test]
fn what_the_peer_makes_is_valid_here_as_a_folder_and_in_a_tar() {
    let Some(python) = BAGIT.python() else { return };
    let mut choices: Vec<Vec<&str>> = ALGORITHMS.iter().map(|name| vec![*name]).collect();
    choices.push(vec!["md5", "sha1", "sha256", "sha512"]);
    for algorithms in choices {
        let letters = Letters::new("bag");
        let bag = letters.bag_by_peer(python, &algorithms);
        let found = verdict(&bag);
        assert!(found.valid && found.findings.is_empty(), "{algorithms:?}: {:?}", found.findings);
        assert_eq!(found.facts.payload_count, 7);
        assert_eq!(found.facts.manifests, algorithms);
        let names: Vec<_> = found.facts.values("bag-info.txt", "Contact-Name").collect();
        assert_eq!(names, ["Ann", "Zoë"]);
        for format in ["USTAR_FORMAT", "GNU_FORMAT", "PAX_FORMAT"] {
            let tar = letters.at("bag.tar");
            let script = format!(
                "import sys, tarfile\n\
                 with tarfile.open(sys.argv[1], 'w', format=tarfile.{format}) as tar:\n\
                 \x20   tar.add(sys.argv[2], 'bag')"
            );
            runs(python, &script, &[&tar, &bag]);
            let packed = verdict(&tar);
            assert!(packed.valid && packed.findings.is_empty(), "{format}: {:?}", packed.findings);
            assert_eq!((packed.files, packed.bytes), (found.files, found.bytes), "{format}");
        }
        validate(&bag).is(0);
    }
}

#[test]
fn what_we_make_is_accepted_by_the_peer_as_a_folder_and_from_a_tar() {
    if BAGIT.python().is_none() {
        return;
    }
    for algorithms in [&["sha512"][..], &["md5", "sha224"], &ALGORITHMS, &[]] {
        let letters = Letters::new("letters");
        let folder = letters.bag_by_us("folder", algorithms);
        assert_eq!(bagit_accepts(&folder), Some(true), "{algorithms:?}");
        let tar = letters.bag_by_us("packed.tar", algorithms);
        assert!(extract(&tar, &letters.at("extracted")));
        assert_eq!(bagit_accepts(&letters.at("extracted/packed")), Some(true), "{algorithms:?}");
        validate(&folder).is(0);
        validate(&tar).is(0);
    }
}

#[test]
fn the_peer_reads_the_tags_that_we_write() {
    let Some(python) = BAGIT.python() else { return };
    let letters = Letters::new("letters");
    let bag = letters.bag_by_us("folder", &["sha256"]);
    let script = "\
import sys, bagit
info = bagit.Bag(sys.argv[1]).info
assert info['Source-Organization'] == 'Zürich County Archive', info
assert info['External-Description'].split() == 'one line and another: with a colon'.split(), info
assert info['Payload-Oxum'].endswith('.7'), info";
    runs(python, script, &[&bag]);
}

type Damage = fn(&Path);

#[test]
fn what_is_damaged_is_rejected_by_both() {
    let Some(python) = BAGIT.python() else { return };
    let damages: [(&str, Damage); 6] = [
        ("one byte differs", |bag| {
            fs::remove_file(bag.join("data/a.txt")).unwrap();
            File::create(bag.join("data/a.txt")).unwrap().write_all(b"alphA\n").unwrap();
        }),
        ("a file is gone", |bag| fs::remove_file(bag.join("data/日本語/手紙.txt")).unwrap()),
        ("a file came in", |bag| {
            File::create(bag.join("data/stowaway")).unwrap().write_all(b"x").unwrap();
        }),
        ("a tag was changed", |bag| {
            let mut info = File::options().append(true).open(bag.join("bag-info.txt")).unwrap();
            info.write_all(b"Contact-Name: Eve\n").unwrap();
        }),
        ("the declaration is gone", |bag| fs::remove_file(bag.join("bagit.txt")).unwrap()),
        ("the manifest is gone", |bag| fs::remove_file(bag.join("manifest-sha256.txt")).unwrap()),
    ];
    for (what, damage) in damages {
        let theirs = Letters::new("bag");
        let ours = Letters::new("letters");
        for bag in [theirs.bag_by_peer(python, &["sha256"]), ours.bag_by_us("folder", &["sha256"])]
        {
            assert_eq!(bagit_accepts(&bag), Some(true), "{what}");
            validate(&bag).is(0);
            damage(&bag);
            assert_eq!(bagit_accepts(&bag), Some(false), "{what}");
            validate(&bag).is(1);
        }
    }
}
