//! One bag for every rule: it breaks that rule, and no other unless that cannot be avoided.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use bagit::code::Code;
use bagit::finding::Severity;
use bagit::{Limits, Options, judge};
use digests::Algorithm;

use super::{codes_archive, codes_text};
use crate::bags::build::{Draft, codes_of, hex, sealed};
use crate::bags::pack::{Container, Packed, pack};

/// A bag that breaks a rule.
pub(crate) struct Fixture {
    pub(crate) code: Code,
    /// Rules that are broken along with it.
    pub(crate) with: &'static [Code],
    pub(crate) packed: Packed,
    pub(crate) limits: Limits,
    /// What someone does to the bag after it was walked and before it is read.
    pub(crate) meddle: Option<fn(&Path)>,
}

pub(crate) fn fixture(code: Code, packed: Packed) -> Fixture {
    Fixture { code, with: &[], packed, limits: Limits::default(), meddle: None }
}

/// A sealed bag of version 1.0 in a folder, changed.
pub(crate) fn changed(code: Code, change: impl FnOnce(&mut Draft)) -> Fixture {
    let mut draft = sealed("1.0");
    change(&mut draft);
    fixture(code, pack(&draft, Container::Folder))
}

/// A bag changed before it is sealed.
pub(crate) fn made(code: Code, change: impl FnOnce(&mut Draft)) -> Fixture {
    let mut draft = Draft::new("1.0");
    change(&mut draft);
    fixture(code, pack(&draft.seal(), Container::Tar))
}

/// A bag with changed payload manifests.
pub(crate) fn listed(code: Code, edit: impl Fn(String) -> String) -> Fixture {
    fixture(code, pack(&sealed("1.0").with_manifest(edit), Container::Zip))
}

impl Fixture {
    pub(crate) fn with(self, with: &'static [Code]) -> Fixture {
        Fixture { with, ..self }
    }

    fn check(self) {
        // Three folders are walked, with a question before each; the fourth question comes after.
        let questions = AtomicU32::new(0);
        let stop = || {
            if questions.fetch_add(1, Ordering::Relaxed) == 3
                && let Some(meddle) = self.meddle
            {
                meddle(&self.packed.path);
            }
            false
        };
        let options =
            Options { limits: Some(&self.limits), stop: Some(&stop), ..Options::default() };
        let verdict = judge(&self.packed.path, &options, &mut ()).unwrap();
        let mut expected = vec![self.code];
        expected.extend(self.with);
        expected.sort_unstable();
        assert_eq!(codes_of(&verdict), expected, "{:?}: {verdict:#?}", self.code);
        let errors = expected.iter().any(|code| code.severity() == Severity::Error);
        assert_eq!(verdict.valid, !errors, "{:?}", self.code);
        for finding in &verdict.findings {
            assert!(finding.sentence.ends_with('.') && !finding.place.is_empty(), "{finding:?}");
            assert!(!finding.sentence.contains("  "), "{finding:?}");
        }
        let about_content = [Code::DigestMismatch, Code::FileChanged, Code::FileUnreadable];
        let lacks = expected
            .iter()
            .any(|code| code.severity() == Severity::Error && !about_content.contains(code));
        assert_eq!(verdict.complete, !lacks, "{:?}", self.code);
    }
}

#[test]
fn every_rule_has_a_bag_that_breaks_it() {
    let mut fixtures = structure();
    fixtures.extend(manifests());
    fixtures.extend(codes_text::fixtures());
    fixtures.extend(codes_archive::fixtures());
    let mut covered: Vec<Code> = fixtures.iter().map(|fixture| fixture.code).collect();
    fixtures.into_iter().for_each(Fixture::check);
    covered.sort_unstable();
    let foreign = ["profile-", "deposit-", "make-"];
    let own = |code: &Code| !foreign.iter().any(|prefix| code.name().starts_with(prefix));
    let all: Vec<Code> = Code::ALL.iter().copied().filter(own).collect();
    assert_eq!(covered, all);
}

fn structure() -> Vec<Fixture> {
    let bagit = |code, text: &'static str| made(code, move |draft| draft.put("bagit.txt", text));
    vec![
        made(Code::BagitTxtMissing, |draft| draft.remove("bagit.txt")),
        bagit(
            Code::BagitTxtBom,
            "\u{feff}BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
        ),
        bagit(Code::BagitTxtForm, "BagIt-Version : 1.0\nTag-File-Character-Encoding: UTF-8\n"),
        bagit(Code::VersionUnknown, "BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n"),
        bagit(Code::EncodingUnknown, "BagIt-Version: 1.0\nTag-File-Character-Encoding: KOI8-R\n"),
        made(Code::DataMissing, |draft| draft.files.retain(|path, _| !path.starts_with(b"data/"))),
        made(Code::ManifestMissing, |draft| draft.algorithms.clear()),
    ]
}

fn manifests() -> Vec<Fixture> {
    let first = |text: &str| text.lines().next().unwrap().to_owned() + "\n";
    let in_tag_manifest = |code, line: fn(&Draft) -> String| {
        changed(code, move |draft| draft.append("tagmanifest-md5.txt", &line(draft)))
    };
    let again = sealed("0.97").with_manifest(|text| first(&text) + &text);
    let mut fixtures = vec![
        changed(Code::AlgorithmUnknown, |draft| {
            draft.put("manifest-crc32.txt", "");
            *draft = draft.clone().seal_tags();
        }),
        changed(Code::AlgorithmSpelling, |draft| {
            let bytes = draft.files.remove(&b"manifest-sha256.txt"[..]).unwrap();
            draft.put("manifest-SHA-256.txt", bytes);
            *draft = draft.clone().seal_tags();
        }),
        changed(Code::AlgorithmTwice, |draft| {
            let twin = draft.text("manifest-sha256.txt");
            draft.put("manifest-sha-256.txt", twin);
            *draft = draft.clone().seal_tags();
        })
        .with(&[Code::AlgorithmSpelling]),
        listed(Code::ManifestLine, |text| text + "junk\n"),
        listed(Code::ManifestDigest, |text| text.replacen(&text[..4], "wxyz", 1)),
        listed(Code::ManifestStar, |text| text.replace("  data", " *data")),
        listed(Code::ManifestDotSlash, |text| text.replace("  data", "  ./data")),
        listed(Code::ManifestPathTwice, |text| first(&text) + &text),
        fixture(Code::ManifestPathAgain, pack(&again, Container::Zip)),
        listed(Code::ManifestContradicts, |text| {
            first(&text).replace("a.txt", "sub/b.bin") + &text
        })
        .with(&[Code::DigestMismatch]),
        changed(Code::ManifestOutside, |draft| {
            let line = format!("{}  bagit.txt\n", hex(Algorithm::Md5, draft.get("bagit.txt")));
            draft.append("manifest-md5.txt", &line);
            *draft = draft.clone().seal_tags();
        }),
        in_tag_manifest(Code::TagManifestListsTagManifest, |draft| {
            let other = draft.get("tagmanifest-sha256.txt");
            format!("{}  tagmanifest-sha256.txt\n", hex(Algorithm::Md5, other))
        }),
        in_tag_manifest(Code::TagManifestListsPayload, |draft| {
            format!("{}  data/a.txt\n", hex(Algorithm::Md5, draft.get("data/a.txt")))
        }),
        changed(Code::TagManifestIncomplete, |draft| {
            draft.edit("tagmanifest-sha256.txt", |text| {
                text.lines()
                    .filter(|l| !l.contains("manifest-md5"))
                    .map(|l| format!("{l}\n"))
                    .collect()
            });
        }),
    ];
    fixtures.extend(spelling());
    fixtures.extend(content());
    fixtures
}

fn content() -> Vec<Fixture> {
    vec![
        changed(Code::TagFileUnlisted, |draft| draft.put("note.txt", "new")),
        changed(Code::FileMissing, |draft| draft.remove("data/a.txt")),
        changed(Code::FileUnlisted, |draft| draft.put("data/new", "new")),
        changed(Code::DigestMismatch, |draft| draft.put("data/a.txt", "Alpha\n")),
        Fixture {
            meddle: Some(|bag| std::fs::remove_file(bag.join("data/a.txt")).unwrap()),
            ..changed(Code::FileUnreadable, |_| {})
        },
        Fixture {
            meddle: Some(|bag| {
                let mut file = OpenOptions::new();
                file.append(true).open(bag.join("data/a.txt")).unwrap().write_all(b"x").unwrap();
            }),
            ..changed(Code::FileChanged, |_| {})
        },
        Fixture {
            limits: Limits { finding_count: 1, ..Limits::default() },
            ..changed(Code::FindingsOmitted, |draft| {
                draft.remove("data/a.txt");
                draft.remove("data/sub/empty");
            })
            .with(&[Code::FileMissing])
        },
    ]
}

fn spelling() -> Vec<Fixture> {
    let mut percent = Draft::new("1.0");
    percent.put("data/a%25b", "x");
    let percent = percent.seal().with_manifest(|text| text.replace("%2525", "%25"));
    let mut unicode = Draft::new("1.0");
    unicode.put("data/cafe\u{301}", "x");
    let unicode = unicode.seal().with_manifest(|text| text.replace("e\u{301}", "é"));
    vec![
        fixture(Code::ManifestPercent, pack(&percent, Container::Folder)),
        fixture(Code::ManifestUnicode, pack(&unicode, Container::TarGz)),
    ]
}

#[test]
fn codes_and_their_meanings_are_all_different() {
    let names: std::collections::BTreeSet<_> = Code::ALL.iter().map(|code| code.name()).collect();
    let meanings: std::collections::BTreeSet<_> = Code::ALL.iter().map(|c| c.meaning()).collect();
    assert_eq!((names.len(), meanings.len()), (Code::ALL.len(), Code::ALL.len()));
}
