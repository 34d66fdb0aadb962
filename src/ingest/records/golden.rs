//! The bytes of ingest records on disk: a data directory that was written by an earlier version must
//! stay readable. A record that gains a field gets new files with its new version; the old files
//! stay, and must decode.
//!
//! `STRONGROOM_WRITE_GOLDEN=1` writes files that are missing, never one that is there.

use std::fmt::Debug;
use std::path::Path;

use byteio::record::Record;
use byteio::testing::compare_golden;
use storage::registry::{Access, ObjectFacts, Tag, Version};
use storage::work::item::{Finding, Severity};

use super::{BagRecord, Fate, FileRecord, FormatNote, FourDigests, Moments, Packing};

fn check<R: Record + Debug>(name: &str, record: &R) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    compare_golden(&folder, name, record).unwrap();
}

fn text(value: &str) -> Option<String> {
    Some(value.into())
}

fn finding(severity: Severity) -> Finding {
    Finding {
        code: "tag-line-form".into(),
        severity,
        place: "bag-info.txt:7".into(),
        sentence: "The line is not a tag. Correct it.".into(),
    }
}

fn full_bag() -> BagRecord {
    BagRecord {
        object_identifier: "virginia.edu/bag_é".into(),
        facts: ObjectFacts {
            title: "Letters".into(),
            description: text("Letters of a family"),
            alt_identifier: text("alt-1"),
            access: Access::Restricted,
            etag: "0cc175b9c0f1b6a831c399e269772661".into(),
            bag_group_identifier: text("group"),
            storage_option: "Standard".into(),
            bagit_profile_identifier: "https://example.edu/profile.json".into(),
            source_organization: text("University"),
            internal_sender_identifier: text("sender-1"),
            internal_sender_description: text("a box"),
        },
        asked_option: "standard".into(),
        tags: vec![
            Tag { file: "bag-info.txt".into(), name: "Title".into(), value: "Letters".into() },
            Tag { file: "x/y.txt".into(), name: "".into(), value: "ü".into() },
        ],
        manifests: vec!["md5".into(), "sha256".into()],
        top_folder: "bag_é".into(),
        packing: Packing::Tar,
        findings: vec![finding(Severity::Error), finding(Severity::Warning)],
        file_count: 70_000,
        size_bytes: 5_000_000_000_000,
        version: Some(Version(300)),
        saved_file_count: 251,
        signatures: "DROID V122".into(),
        moments: Moments {
            surveyed: 1_794_813_641_000,
            validated: 1_794_813_642_000,
            identified: 1_794_813_643_000,
            stored: 1_794_813_644_000,
            verified: 1_794_813_645_000,
            recorded: u64::MAX,
        },
    }
}

fn bare_bag(access: Access) -> BagRecord {
    BagRecord {
        object_identifier: "a/b".into(),
        facts: ObjectFacts {
            title: String::new(),
            description: None,
            alt_identifier: None,
            access,
            etag: String::new(),
            bag_group_identifier: None,
            storage_option: "Standard".into(),
            bagit_profile_identifier: String::new(),
            source_organization: None,
            internal_sender_identifier: None,
            internal_sender_description: None,
        },
        asked_option: "Standard".into(),
        tags: Vec::new(),
        manifests: Vec::new(),
        top_folder: String::new(),
        packing: Packing::Files,
        findings: Vec::new(),
        file_count: 0,
        size_bytes: 0,
        version: None,
        saved_file_count: 0,
        signatures: String::new(),
        moments: Moments::default(),
    }
}

fn file(fate: Fate) -> FileRecord {
    FileRecord {
        size_bytes: 1 << 40,
        digests: FourDigests {
            md5: [1; 16],
            sha1: [2; 20],
            sha256: [3; 32],
            sha512: [[4; 32], [5; 32]],
        },
        payload: true,
        position: Some(512),
        modified_seconds: Some(-1),
        fate,
        format: Some(FormatNote {
            puid: "fmt/18".into(),
            name: "Acrobat PDF 1.4".into(),
            version: "1.4".into(),
            mime: "application/pdf".into(),
            basis: "signature".into(),
            warnings: vec!["extension-mismatch".into()],
        }),
        content_path: text("v1/content/data/a.pdf"),
        stored: true,
        verified: false,
    }
}

#[test]
fn records_of_bags_are_written_as_they_ever_were() {
    check("ingest-bag", &full_bag());
    check("ingest-bag-consortia", &bare_bag(Access::Consortia));
    check("ingest-bag-institution", &bare_bag(Access::Institution));
}

#[test]
fn records_of_files_are_written_as_they_ever_were() {
    for (name, fate) in [
        ("ingest-file-open", Fate::Open),
        ("ingest-file-not-preserved", Fate::NotPreserved),
        ("ingest-file-new", Fate::New),
        ("ingest-file-changed", Fate::Changed),
        ("ingest-file-unchanged", Fate::Unchanged),
    ] {
        check(name, &file(fate));
    }
    let bare = FileRecord {
        payload: false,
        position: None,
        modified_seconds: None,
        format: None,
        content_path: None,
        stored: false,
        verified: true,
        ..file(Fate::New)
    };
    check("ingest-file-bare", &bare);
}
