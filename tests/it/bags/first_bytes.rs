//! What an archive is, its first bytes say; what is none is told once.

use bagit::code::Code;
use bagit::facts::Serialization;
use bagit::profile::{PayloadWatch, Profile};
use bagit::{Options, Survey, judge, judge_stream};

use crate::bags::build::{codes_of, sealed, verdict};
use crate::bags::codes_archive::entries;
use crate::bags::pack::{
    CONTAINERS, Container, Packed, ZipEntry, gz, keep, pack, tar_of, zip, zip_of,
};

fn bytes_of(container: Container) -> Vec<u8> {
    std::fs::read(&pack(&sealed("1.0"), container).path).unwrap()
}

#[test]
fn an_archive_is_what_its_first_bytes_say_whatever_its_name() {
    for container in CONTAINERS.into_iter().filter(|it| *it != Container::Folder) {
        let bytes = bytes_of(container);
        let expected = match container {
            Container::TarGz | Container::Tgz => Serialization::TarGz,
            Container::Zip | Container::ZipStored => Serialization::Zip,
            Container::Folder | Container::Tar | Container::Gnu => Serialization::Tar,
        };
        for name in ["bag.tar", "bag.tar.gz", "bag.tgz", "bag.zip", "bag", "bag.TAR", "bag.rar"] {
            let verdict = verdict(&keep(name, &bytes).path);
            assert_eq!(codes_of(&verdict), [], "{container:?} as {name}: {verdict:#?}");
            assert_eq!(verdict.facts.serialization, expected, "{name}");
        }
    }
}

/// A profile that would have much to say of an empty bag.
fn demanding() -> Profile {
    Profile::parse(
        r#"{"BagIt-Profile-Info": {"BagIt-Profile-Identifier": "x", "BagIt-Profile-Version": "1.4.0"},
            "Bag-Info": {"Title": {"required": true}}, "Manifests-Required": ["md5"],
            "Payload-Files-Required": ["data/LICENSE"]}"#,
    )
    .unwrap()
}

#[track_caller]
fn check_alone(packed: &Packed, code: Code, words: &str) {
    let profile = demanding();
    let options = Options { profile: Some(&profile), ..Options::default() };
    let mut watch = profile.payload_watch().unwrap();
    let survey: &mut (dyn Survey + Send) = &mut watch;
    let mut verdict = judge(&packed.path, &options, survey).unwrap();
    verdict.also(PayloadWatch::findings(watch));
    let [only] = verdict.findings.as_slice() else { panic!("{verdict:#?}") };
    assert_eq!(only.code, code, "{only:?}");
    assert!(only.sentence.contains(words), "{only:?}");
    assert!(!verdict.valid && !verdict.complete);
    assert_eq!(verdict.counts.errors, 1);
}

#[test]
fn what_is_no_archive_is_told_once() {
    let text = "Dear Ann,\nit rains.\n".repeat(100);
    for name in ["bag.tar", "bag.tar.gz", "bag.tgz", "bag.zip"] {
        check_alone(&keep(name, text.as_bytes()), Code::ArchiveUnknown, "neither a tar");
        check_alone(&keep(name, b"short\n"), Code::ArchiveUnknown, "neither a tar");
        check_alone(&keep(name, &gz(text.as_bytes())), Code::ArchiveUnknown, "neither a tar");
    }
    let whole = zip_of(&entries(&sealed("1.0")), true);
    let cut = keep("bag.zip", &whole[..whole.len() / 2]);
    check_alone(&cut, Code::ArchiveTruncated, "no directory");
    check_alone(&keep("bag.tar", b""), Code::ArchiveTruncated, "ends in the middle");
}

#[test]
fn what_is_encrypted_or_packed_otherwise_is_told_once() {
    let body = [0x5a; 3000];
    for (start, code, words) in [
        (&b"\xfd7zXZ\0"[..], Code::ArchiveCompression, "packed with xz"),
        (b"BZh9", Code::ArchiveCompression, "bzip2"),
        (b"\x28\xb5\x2f\xfd", Code::ArchiveCompression, "Zstandard"),
        (b"7z\xbc\xaf\x27\x1c", Code::ArchiveCompression, "7-Zip"),
        (b"Rar!\x1a\x07\x01\0", Code::ArchiveCompression, "RAR"),
        (b"\x8c\x0d\x04\x09\x03\x08", Code::ArchiveEncrypted, "OpenPGP"),
        (b"-----BEGIN PGP MESSAGE-----\n", Code::ArchiveEncrypted, "OpenPGP"),
    ] {
        let bytes = [start, &body].concat();
        for name in ["bag.tar", "bag.tar.xz", "bag.zip", "bag"] {
            check_alone(&keep(name, &bytes), code, words);
        }
        check_alone(&keep("bag.tar.gz", &gz(&bytes)), code, words);
    }
    let all = |change: &dyn Fn(&mut ZipEntry)| {
        let mut all: Vec<_> =
            entries(&sealed("1.0")).iter().map(|(n, b)| ZipEntry::new(n, b, true)).collect();
        all.iter_mut().for_each(change);
        keep("bag.zip", &zip(&all))
    };
    check_alone(&all(&|entry| entry.flags |= 1), Code::ArchiveEncrypted, "encrypted (zip)");
    check_alone(&all(&|entry| entry.method = 93), Code::ArchiveCompression, "Zstandard");
}

#[test]
fn a_stream_is_called_by_its_top_folder() {
    let aptrust = Profile::builtin("aptrust").unwrap();
    for container in [Container::Tar, Container::TarGz, Container::Zip] {
        let packed = pack(&sealed("1.0"), container);
        let file = std::fs::File::open(&packed.path).unwrap();
        let options = Options { profile: Some(aptrust), ..Options::default() };
        let verdict = judge_stream(file, &options, &mut ()).unwrap();
        assert_eq!(verdict.facts.name, "bag");
        assert!(!codes_of(&verdict).contains(&Code::TopFolderName), "{verdict:#?}");
        assert_eq!(verdict.files, sealed("1.0").files.len() as u64);
    }
    // Something is wrong with it, so that it is read a second time.
    let mut broken = sealed("1.0");
    broken.put("data/a.txt", "other\n");
    let packed = keep("x", &gz(&tar_of(&entries(&broken), false)));
    let file = std::fs::File::open(&packed.path).unwrap();
    let verdict = judge_stream(file, &Options::default(), &mut ()).unwrap();
    assert_eq!(codes_of(&verdict), [Code::DigestMismatch]);
    assert!(verdict.findings[0].sentence.contains("its md5 is"), "{verdict:#?}");
    let none = keep("x", b"Dear Ann,\n");
    let file = std::fs::File::open(&none.path).unwrap();
    assert!(judge_stream(file, &Options::default(), &mut ()).is_err());
}
