//! `strongroom bag validate`: what it says of bags of every kind, and how it ends.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::bags::build::{Draft, sealed};
use crate::bags::pack::{CONTAINERS, Container, Packed, keep, pack};
use crate::command::{Ran, ran};

/// Runs `strongroom bag`; it needs no data directory and must not make one.
pub(super) fn bag(arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    command.env_clear().stdin(Stdio::null()).arg("bag").args(arguments);
    ran(command)
}

pub(super) fn validate(path: &Path, more: &[&str]) -> Ran {
    bag(&[&["validate", path.to_str().unwrap()], more].concat())
}

/// The one report in the array that JSON is.
pub(super) fn only(ran: Ran) -> Value {
    let reports = ran.json();
    assert_eq!(reports.as_array().map(Vec::len), Some(1), "{reports}");
    reports[0].clone()
}

fn broken() -> Draft {
    let mut draft = sealed("1.0");
    draft.put("data/a.txt", "alphA\n");
    draft
}

/// The same file with its end cut off, in place of the whole one.
fn cut(packed: Packed, part: usize) -> Packed {
    let bytes = fs::read(&packed.path).unwrap();
    let name = packed.path.file_name().unwrap().to_str().unwrap();
    keep(name, &bytes[..bytes.len() / part])
}

fn codes(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

#[test]
fn a_valid_bag_is_called_valid_in_every_container() {
    for container in CONTAINERS {
        let packed = pack(&sealed("1.0"), container);
        let ran = validate(&packed.path, &[]).is(0);
        let path = packed.path.display();
        assert_eq!(ran.out, format!("{path}: valid (9 files, {} bytes)\n", bytes_of(&packed)));
        assert_eq!(ran.err, "", "{container:?}");
    }
}

fn bytes_of(packed: &Packed) -> u64 {
    only(validate(&packed.path, &["--json"]))["bytes"].as_u64().unwrap()
}

#[test]
fn a_broken_bag_is_told_with_code_place_and_sentence_in_every_container() {
    for container in CONTAINERS {
        let packed = pack(&broken(), container);
        let ran = validate(&packed.path, &[]).is(1);
        let lines: Vec<&str> = ran.out.lines().collect();
        assert!(lines[0].contains(": complete, but not valid ("), "{ran:?}");
        let findings = &lines[1..];
        assert!(!findings.is_empty() && ran.err.is_empty(), "{ran:?}");
        for finding in findings {
            let said = finding.strip_prefix("  error digest-mismatch data/a.txt: ");
            assert!(said.is_some_and(|said| said.len() > 20 && said.ends_with('.')), "{finding}");
        }
    }
}

#[test]
fn a_tar_that_ends_after_its_last_member_is_valid_with_a_warning() {
    for container in [Container::Tar, Container::Gnu] {
        let whole = fs::read(&pack(&sealed("1.0"), container).path).unwrap();
        let ended = keep("bag.tar", &whole[..whole.len() - 1024]);
        let ran = validate(&ended.path, &[]).is(0);
        let lines: Vec<&str> = ran.out.lines().collect();
        assert!(lines[0].contains(": valid (9 files, "), "{ran:?}");
        let warning = "  warning archive-end-missing the archive: ";
        assert!(lines.len() == 2 && lines[1].starts_with(warning), "{ran:?}");
        let half = keep("bag.tar", &whole[..whole.len() - 512]);
        assert_eq!(validate(&half.path, &[]).is(0).out.lines().count(), 1);
        let more = keep("bag.tar", &[&whole[..whole.len() - 1024], b"garbage"].concat());
        let ran = validate(&more.path, &[]).is(1);
        assert!(ran.out.contains("  error archive-truncated "), "{ran:?}");
    }
}

#[test]
fn a_bag_that_is_incomplete_or_cut_short_is_not_valid() {
    let mut lacking = sealed("1.0");
    lacking.remove("data/a.txt");
    lacking.put("data/stowaway", "x");
    for container in CONTAINERS {
        let packed = pack(&lacking, container);
        let ran = validate(&packed.path, &[]).is(1);
        for words in [": not valid (", "file-missing data/a.txt: ", "file-unlisted data/stowaway: "]
        {
            assert!(ran.out.contains(words), "{words}: {ran:?}");
        }
        if container != Container::Folder {
            let ran = validate(&cut(packed, 2).path, &[]).is(1);
            assert!(ran.out.contains("  error archive-"), "{ran:?}");
        }
    }
}

#[test]
fn what_is_no_bag_at_all_ends_with_2_and_a_sentence() {
    let text = keep("letter.doc", b"Dear Ann");
    validate(&text.path, &[]).refused("is neither a folder nor a .tar, .tar.gz, .tgz or .zip file");
    let gone = text.folder.path().join("gone.tar");
    let ran = validate(&gone, &[]).refused("No such file or directory");
    assert_eq!(ran.err.matches("gone.tar").count(), 1, "the path is named once: {ran:?}");
    // A name must not steer the terminal, nor make two sentences of one.
    let odd = text.folder.path().join("a\n\u{1b}[2Jb.tar");
    let ran = validate(&odd, &[]).refused("a\u{FFFD}\u{FFFD}[2Jb.tar");
    assert!(!ran.err.contains('\u{1b}'));
    let report = only(validate(&gone, &["--json"]).is(2));
    assert!(report["error"].as_str().unwrap().contains("No such file"), "{report}");
    assert_eq!(report.get("valid"), None);
    bag(&["validate"]).is(2);
    let valid = pack(&sealed("1.0"), Container::Tar);
    validate(&valid.path, &["--digests"]).is(2);
}

#[test]
fn many_bags_are_told_in_the_order_asked_for_and_the_worst_decides() {
    let good = pack(&sealed("0.97"), Container::Zip);
    let mut large = Draft::new("1.0");
    // Judged last by far, and asked for first.
    large.put("data/large", vec![5; 20 << 20]);
    let large = pack(&large.seal(), Container::Folder);
    let bad = pack(&broken(), Container::TarGz);
    let gone = good.folder.path().join("gone.tar");
    let paths = [&large.path, &bad.path, &good.path, &large.path, &good.path, &bad.path];
    let texts: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    let ran = bag(&[&["validate"], &texts[..]].concat()).is(1);
    let heads = ran.out.lines().filter(|line| !line.starts_with("  "));
    let told: Vec<&str> = heads.map(|line| line.split_once(": ").unwrap().0).collect();
    assert_eq!(told, texts);

    let reports = bag(&[&["validate", "--json"], &texts[..]].concat()).is(1).json();
    let told: Vec<(&str, bool)> = reports
        .as_array()
        .unwrap()
        .iter()
        .map(|report| (report["path"].as_str().unwrap(), report["valid"].as_bool().unwrap()))
        .collect();
    let right = [true, false, true, true, true, false];
    assert_eq!(told, texts.iter().copied().zip(right).collect::<Vec<_>>());

    bag(&["validate", texts[0], texts[2]]).is(0);
    let ran = bag(&["validate", gone.to_str().unwrap(), texts[1], texts[2]]).is(2);
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    assert!(ran.out.contains(": valid (") && ran.out.contains(": complete, but"), "{ran:?}");
}

/// Large files go over a belt that threads wait at: two bags at once must not wait for each other.
#[test]
fn many_bags_of_large_files_at_once_come_to_an_end() {
    let mut draft = Draft::new("1.0");
    (0..3).for_each(|at| draft.put(format!("data/{at}"), vec![at; 3 << 20]));
    let draft = draft.seal();
    let packed: Vec<Packed> =
        (0..12).map(|at| pack(&draft, CONTAINERS[at % CONTAINERS.len()])).collect();
    let texts: Vec<&str> = packed.iter().map(|one| one.path.to_str().unwrap()).collect();
    let ran = bag(&[&["validate"], &texts[..]].concat()).is(0);
    assert_eq!(ran.out.matches(": valid (").count(), 12);
}

#[test]
fn json_has_the_verdict_the_facts_and_the_digests_if_asked() {
    for container in CONTAINERS {
        let packed = pack(&broken(), container);
        let report = only(validate(&packed.path, &["--json"]).is(1));
        let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
        for key in ["path", "profile", "valid", "complete", "files", "bytes", "counts", "facts"] {
            assert!(keys.iter().any(|it| *it == key), "no {key} in {keys:?}");
        }
        assert_eq!(report["profile"], "bagit");
        assert_eq!((&report["valid"], &report["complete"]), (&false.into(), &true.into()));
        assert_eq!(report["counts"]["errors"], report["findings"].as_array().unwrap().len());
        let finding = &report["findings"][0];
        assert_eq!(finding["code"], "digest-mismatch");
        assert_eq!(
            (&finding["severity"], &finding["place"]),
            (&"error".into(), &"data/a.txt".into())
        );
        assert!(finding["sentence"].as_str().unwrap().len() > 20);
        assert_eq!((report.get("contents"), report.get("error")), (None, None));

        let report = only(validate(&packed.path, &["--json", "--digests"]).is(1));
        let contents = report["contents"].as_array().unwrap();
        assert_eq!(contents.len() as u64, report["files"].as_u64().unwrap(), "{container:?}");
        let empty = contents.iter().find(|file| file["path"] == "data/sub/empty").unwrap();
        assert_eq!(empty["size_bytes"], 0);
        let digests = empty["digests"].as_object().unwrap();
        assert_eq!(digests.keys().collect::<Vec<_>>(), ["md5", "sha1", "sha256", "sha512"]);
        assert_eq!(digests["md5"], "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(digests["sha1"], "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    }
}

#[test]
fn a_profile_is_built_in_named_by_the_bag_or_in_a_file() {
    let packed = pack(&sealed("1.0"), Container::Folder);
    let report = only(validate(&packed.path, &["--json", "--profile", "aptrust"]).is(1));
    assert!(report["profile"].as_str().unwrap().contains("aptrust"), "{report}");
    assert!(codes(&report).contains(&"profile-serialization-required"), "{report}");
    let report = only(validate(&packed.path, &["--json", "--profile", "btr"]).is(1));
    assert!(report["profile"].as_str().unwrap().contains("btr"), "{report}");
    assert!(codes(&report).contains(&"profile-tag-required"), "{report}");
    // A bag that names none is a deposit by the first of them.
    let report = only(validate(&packed.path, &["--json", "--profile", "named"]).is(1));
    assert!(report["profile"].as_str().unwrap().contains("aptrust"), "{report}");
    validate(&packed.path, &["--profile", "bagit"]).is(0);

    let own = keep(
        "own.json",
        br#"{"BagIt-Profile-Info": {"BagIt-Profile-Identifier": "https://example.org/own",
             "BagIt-Profile-Version": "1.4.0"}, "Payload-Files-Required": ["data/LICENSE"]}"#,
    );
    let own = own.path.to_str().unwrap();
    for container in CONTAINERS {
        let packed = pack(&sealed("1.0"), container);
        let report = only(validate(&packed.path, &["--json", "--profile", own]).is(1));
        assert_eq!(report["profile"], "https://example.org/own");
        assert!(codes(&report).contains(&"profile-payload-file-required"), "{report}");
    }
}

#[test]
fn a_profile_that_cannot_be_used_is_refused_before_any_bag_is_read() {
    let packed = pack(&sealed("1.0"), Container::Folder);
    let refused = |profile: &str, words: &str| {
        validate(&packed.path, &["--profile", profile]).refused(words);
        let output = packed.folder.path().join("never.tar");
        let (from, output_text) = (packed.path.to_str().unwrap(), output.to_str().unwrap());
        bag(&["create", from, "--output", output_text, "--profile", profile]).refused(words);
        assert!(!output.try_exists().unwrap());
    };
    refused("nonsense", "profile nonsense: No such file");
    refused("nonsense", "the built-in ones are aptrust and btr");
    refused("/dev/zero", "it is not a file");
    refused(packed.path.to_str().unwrap(), "it is not a file");
    for text in [&b"{"[..], b"[]", b"{}", b"\xFF\xFE", b"{\"Serialization\": 7}"] {
        let file = keep("profile\n.json", text);
        refused(file.path.to_str().unwrap(), "profile\u{FFFD}.json: ");
    }
}

/// Runs `strongroom bag validate` with something on its standard input.
fn validate_stream(bytes: &[u8], more: &[&str]) -> Ran {
    let packed = keep("piped", bytes);
    let mut command = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    command.env_clear().args(["bag", "validate"]).args(more);
    // Through a pipe: it cannot be read at any position.
    let mut cat = Command::new("cat").arg(&packed.path).stdout(Stdio::piped()).spawn().unwrap();
    command.stdin(cat.stdout.take().unwrap());
    let ran = ran(command);
    cat.wait().unwrap();
    ran
}

#[test]
fn a_bag_on_standard_input_is_judged_like_any_other() {
    for container in CONTAINERS.into_iter().filter(|it| *it != Container::Folder) {
        let bytes = fs::read(&pack(&sealed("1.0"), container).path).unwrap();
        let ran = validate_stream(&bytes, &["-"]).is(0);
        assert!(ran.out.starts_with("-: valid (9 files, "), "{container:?}: {ran:?}");
        let report = only(validate_stream(&bytes, &["-", "--json", "--digests"]).is(0));
        assert_eq!((&report["path"], &report["facts"]["name"]), (&"-".into(), &"bag".into()));
        assert_eq!(report["contents"].as_array().unwrap().len(), 9);
        let bytes = fs::read(&pack(&broken(), container).path).unwrap();
        let ran = validate_stream(&bytes, &["-"]).is(1);
        assert!(ran.out.contains("  error digest-mismatch data/a.txt: "), "{ran:?}");
    }
    validate_stream(b"Dear Ann,\n", &["-"]).refused("- is neither a folder nor a ");
    validate_stream(b"", &["-", "-"]).refused("standard input can be read once");
    // Beside others, in its place.
    let good = pack(&sealed("1.0"), Container::Folder);
    let path = good.path.to_str().unwrap();
    let tar = fs::read(&pack(&sealed("1.0"), Container::Tar).path).unwrap();
    let ran = validate_stream(&tar, &[path, "-", path]).is(0);
    assert_eq!(ran.out.matches(": valid (").count(), 3, "{ran:?}");
    assert!(ran.out.lines().nth(1).unwrap().starts_with("-: "), "{ran:?}");
}

#[test]
fn json_is_an_array_for_one_bag_and_for_many() {
    let good = pack(&sealed("1.0"), Container::Tar);
    let path = good.path.to_str().unwrap();
    for count in [1, 2] {
        let paths = vec![path; count];
        let reports = bag(&[&["validate", "--json"], &paths[..]].concat()).is(0).json();
        assert_eq!(reports.as_array().map(Vec::len), Some(count), "{reports}");
    }
}

#[test]
fn what_is_no_archive_is_one_problem() {
    for (name, bytes, code) in [
        ("bag.tar", &[b'x'; 5000][..], "archive-unknown"),
        ("bag.tar.xz", b"\xfd7zXZ\0 and so on", "archive-compression"),
        ("bag.tar.gpg", b"\x8c\x0d\x04\x09\x03\x08 and so on", "archive-encrypted"),
    ] {
        let file = keep(name, bytes);
        let ran = validate(&file.path, &["--profile", "aptrust"]).is(1);
        let lines: Vec<&str> = ran.out.lines().collect();
        assert_eq!((lines.len(), ran.err.as_str()), (2, ""), "{ran:?}");
        assert!(lines[1].starts_with(&format!("  error {code} the archive: ")), "{ran:?}");
    }
}
