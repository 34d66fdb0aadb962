//! Bags that are right, of every version in every container.

use std::collections::BTreeMap;

use bagit::facts::Serialization;
use bagit::{Class, FileReport, Limits, Options, Survey, judge};
use digests::{Algorithm, AlgorithmSet};

use crate::bags::build::{Draft, VERSIONS, codes_of, hex, sealed, verdict, verdict_with};
use crate::bags::pack::{CONTAINERS, Container, pack};

#[track_caller]
fn check_valid(draft: &Draft, container: Container) {
    let packed = pack(draft, container);
    let verdict = verdict(&packed.path);
    assert_eq!(codes_of(&verdict), [], "{container:?} {}: {verdict:#?}", draft.version);
    assert!(verdict.valid && verdict.complete);
    assert_eq!(verdict.facts.version.as_deref(), Some(draft.version));
    assert_eq!(verdict.files, draft.files.len() as u64);
}

#[test]
fn every_version_in_every_container_is_valid() {
    for version in VERSIONS {
        let mut draft = Draft::new(version);
        draft.algorithms = Algorithm::ALL.to_vec();
        draft.put(format!("data/{}/ü.txt", "long-".repeat(30)), "long name");
        let oxum = draft.oxum();
        let info = if version < "0.96" { "package-info.txt" } else { "bag-info.txt" };
        draft.append(info, &format!("Payload-Oxum: {oxum}\n"));
        let draft = draft.seal();
        for container in CONTAINERS {
            check_valid(&draft, container);
        }
    }
}

#[test]
fn odd_but_right_bags_are_valid() {
    let mut upper = sealed("1.0").with_manifest(|text| {
        let words = text.lines().map(|line| line.split_once("  ").unwrap());
        words.map(|(digest, path)| format!("{} {path}\r\n", digest.to_uppercase())).collect()
    });
    upper.put("bag-info.txt", "A: one\n two\nA: three\n");
    let upper = upper.seal_tags();

    let mut percent = Draft::new("1.0");
    percent.put("data/100%.txt", "x");
    percent.put("data/a%0Ab", "y");
    let percent = percent.seal();

    let mut bare = Draft::new("0.97");
    bare.tag_manifests = false;
    bare.remove("bag-info.txt");
    let bare = bare.seal();

    let mut partial = Draft::new("0.97").seal();
    partial
        .edit("manifest-md5.txt", |text| text.lines().skip(1).map(|l| format!("{l}\n")).collect());
    let partial = partial.seal_tags();

    let mut loose = sealed("0.96");
    loose.put("bagit.txt", "BagIt-Version : 0.96\nTag-File-Character-Encoding :UTF-8\n");
    loose.put("bag-info.txt", "Contact-Name :  A\nB:2\n");
    let loose = loose.seal_tags();

    for draft in [upper, percent, bare, partial, loose] {
        for container in CONTAINERS {
            check_valid(&draft, container);
        }
    }
}

#[test]
fn tag_files_are_read_in_the_declared_encoding() {
    type Encode = fn(&str) -> Vec<u8>;
    let wide: Encode = |text| {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let latin: Encode = |text| text.chars().map(|c| u8::try_from(c).unwrap()).collect();
    for (name, encode) in [("UTF-16", wide), ("ISO-8859-1", latin)] {
        let mut draft = Draft::new("1.0");
        draft.tag_manifests = false;
        draft.put("data/café.txt", "coffee");
        draft
            .put("bagit.txt", format!("BagIt-Version: 1.0\nTag-File-Character-Encoding: {name}\n"));
        let mut draft = draft.seal();
        draft.put("bag-info.txt", encode("Title: Café\n"));
        for manifest in ["manifest-md5.txt", "manifest-sha256.txt"] {
            draft.put(manifest, encode(&draft.text(manifest)));
        }
        let packed = pack(&draft, Container::Tar);
        let verdict = verdict(&packed.path);
        assert_eq!(codes_of(&verdict), [], "{name}: {verdict:#?}");
        assert_eq!(verdict.facts.values("bag-info.txt", "title").collect::<Vec<_>>(), ["Café"]);
    }
}

#[test]
fn facts_tell_what_the_bag_says() {
    let mut draft = Draft::new("1.0");
    draft.put("aptrust-info.txt", "Title: T\nAccess: Institution\n");
    draft.put("notes.txt", "no tags here, just words\n");
    draft.put("custom/extra.txt", "Key: value\n");
    let packed = pack(&draft.seal(), Container::Tar);
    let facts = verdict(&packed.path).facts;
    assert_eq!((facts.name.as_str(), facts.top_folder.as_deref()), ("bag", Some("bag")));
    assert_eq!(facts.serialization, Serialization::Tar);
    assert_eq!(facts.manifests, ["md5", "sha256"]);
    assert_eq!(facts.tag_manifests, ["md5", "sha256"]);
    let tag_files =
        ["aptrust-info.txt", "bag-info.txt", "bagit.txt", "custom/extra.txt", "notes.txt"];
    assert_eq!(facts.tag_files, tag_files);
    assert_eq!((facts.payload_count, facts.payload_bytes, facts.fetch_count), (3, 70_006, None));
    assert_eq!(facts.values("aptrust-info.txt", "TITLE").next(), Some("T"));
    assert_eq!(facts.values("custom/extra.txt", "Key").next(), Some("value"));
    assert_eq!(facts.values("bagit.txt", "BagIt-Version").next(), Some("1.0"));
}

/// A file as the survey told it: class, size, sha512, place in the tar, time.
type Told = (Class, u64, String, Option<u64>, Option<i64>);

#[derive(Default)]
struct Notes(BTreeMap<String, Told>);

impl Survey for Notes {
    fn file(&mut self, file: &FileReport<'_>) {
        let sha512 = file.digests.hex(Algorithm::Sha512).unwrap();
        let told = (file.class, file.size_bytes, sha512, file.tar_position, file.modified);
        assert!(self.0.insert(file.path.to_owned(), told).is_none());
    }
}

#[test]
fn every_file_is_surveyed_once_with_the_digests_asked_for() {
    let draft = sealed("1.0");
    for container in CONTAINERS {
        let packed = pack(&draft, container);
        let options = Options { algorithms: AlgorithmSet::FOUR, ..Options::default() };
        let mut notes = Notes::default();
        judge(&packed.path, &options, &mut notes).unwrap();
        assert_eq!(notes.0.len(), draft.files.len(), "{container:?}");
        for (path, bytes) in &draft.files {
            let path = str::from_utf8(path).unwrap();
            let (class, size, sha512, position, modified) = &notes.0[path];
            assert_eq!((*size, sha512), (bytes.len() as u64, &hex(Algorithm::Sha512, bytes)));
            assert_eq!(*class == Class::Payload, path.starts_with("data/"));
            assert!(modified.is_some());
            if matches!(container, Container::Tar | Container::Gnu) {
                let tar = std::fs::read(&packed.path).unwrap();
                let at = usize::try_from(position.unwrap()).unwrap();
                assert_eq!(&tar[at..at + bytes.len()], bytes);
            }
        }
    }
}

#[test]
fn progress_ends_at_the_total_and_stopping_stops() {
    for container in CONTAINERS {
        let packed = pack(&sealed("1.0"), container);
        let last = std::sync::Mutex::new((0, 1));
        let progress = |done, total| *last.lock().unwrap() = (done, total);
        let options = Options { progress: Some(&progress), ..Options::default() };
        judge(&packed.path, &options, &mut ()).unwrap();
        let (done, total) = *last.lock().unwrap();
        assert_eq!(done, total, "{container:?}");
        let stopping = Options { stop: Some(&|| true), ..Options::default() };
        assert!(judge(&packed.path, &stopping, &mut ()).is_err());
    }
}

#[test]
fn what_is_no_bag_is_a_clean_error() {
    let packed = pack(&sealed("1.0"), Container::Tar);
    let nowhere = packed.folder.path().join("nowhere.tar");
    let odd = packed.folder.path().join("letter.doc");
    crate::bags::pack::File::put(&odd, b"Dear Ann,\n");
    for path in [nowhere, odd] {
        assert!(judge(&path, &Options::default(), &mut ()).is_err());
    }
}

#[test]
fn a_bag_in_a_bag_and_a_top_folder_named_data_are_valid() {
    let mut outer = Draft::new("1.0");
    for (path, bytes) in sealed("0.97").files {
        outer.put([b"data/inner/", &path[..]].concat(), bytes);
    }
    check_valid(&outer.seal(), Container::TarGz);
    let entries: Vec<_> = sealed("1.0")
        .files
        .into_iter()
        .map(|(path, bytes)| ([b"data/", &path[..]].concat(), bytes))
        .collect();
    let tar = crate::bags::pack::tar_of(&entries, false);
    for packed in [
        crate::bags::pack::keep("x.tar", &tar),
        crate::bags::pack::keep("x.tgz", &crate::bags::pack::gz(&tar)),
    ] {
        let verdict = verdict_with(&packed.path, &Limits::default(), &mut ());
        assert!(verdict.valid, "{verdict:#?}");
    }
}
