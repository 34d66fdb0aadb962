//! Names that BagIt allows and APTrust does not, from a deposit to the bag that is given back.

use bagit::profile::Rules;
use bagit::{Options, judge};

use super::*;

const BTR: &str = "https://github.com/dpscollaborative/btr_bagit_profile/releases/download/1.0/btr-bagit-profile.json";

const ODD: &[(&str, &[u8])] = &[
    ("bell\u{7}.txt", b"bell\n"),
    ("no\u{a0}break.txt", b"blank\n"),
    ("two\nlines.txt", b"lines\n"),
    ("100%.txt", b"percent\n"),
];

/// A bag of odd names, in the tags and manifests of a profile.
fn odd(is_btr: bool) -> Vec<(String, Vec<u8>)> {
    let encoded: Vec<(String, &[u8])> = ODD
        .iter()
        .map(|(name, bytes)| (name.replace('%', "%25").replace('\n', "%0A"), *bytes))
        .collect();
    let encoded: Vec<(&str, &[u8])> =
        encoded.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    let mut files = bag(&encoded);
    files.retain(|(path, _)| !path.starts_with("data/"));
    if is_btr {
        let bytes: usize = ODD.iter().map(|(_, bytes)| bytes.len()).sum();
        let info = files.iter_mut().find(|(path, _)| path == "bag-info.txt").unwrap();
        info.1.extend(
            format!(
                "Bagging-Date: 2026-01-31\nPayload-Oxum: {bytes}.{}\nBagIt-Profile-Identifier: {BTR}\n",
                ODD.len()
            )
            .into_bytes(),
        );
    }
    files.extend(ODD.iter().map(|(name, bytes)| (format!("data/{name}"), bytes.to_vec())));
    files
}

#[test]
fn names_that_btr_allows_are_kept_and_come_back_as_they_were() {
    let rig = rig(FLOWS);
    let id = deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &odd(true))).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    let findings = rig.history(id).into_iter().flat_map(|it| it.findings);
    assert_eq!(findings.filter(|it| it.code == "name-control-character").count(), 3);
    let back = ask(&rig, None);
    rig.drain_all();
    assert_eq!(rig.word(back), "finished", "{:#?}", rig.history(back));
    let tar = area(&rig).join("letters.tar");
    let mut expected: Vec<(String, Vec<u8>)> =
        ODD.iter().map(|(name, bytes)| (format!("data/{name}"), bytes.to_vec())).collect();
    expected.sort();
    assert_eq!(payload(&unpacked(&tar)), expected);
    let rules = Rules::builtin("btr").unwrap();
    let options = Options { profile: Some(&rules), ..Options::default() };
    assert!(judge(&tar, &options, &mut ()).unwrap().valid);
    assert_eq!(rig.app().registry.check().unwrap(), Vec::new());
}

#[test]
fn names_that_aptrust_forbids_are_rejected_on_their_way_in() {
    let rig = rig(FLOWS);
    let id = deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &odd(false))).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "parked");
    let findings: Vec<_> = rig.history(id).into_iter().flat_map(|it| it.findings).collect();
    let errors = findings.iter().filter(|it| it.severity == storage::work::item::Severity::Error);
    let codes: Vec<&str> = errors.map(|it| it.code.as_str()).collect();
    assert_eq!(codes, ["name-control-character"; 3], "{findings:#?}");
}
