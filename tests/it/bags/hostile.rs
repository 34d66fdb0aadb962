//! Input that means harm, or is merely broken: a finding or a clean error, in bounded time.

use std::os::unix::fs::symlink;

use bagit::code::Code;
use bagit::fuzz::{fuzz_archive, fuzz_manifest, fuzz_tags};
use bagit::{Limits, Options, judge};

use crate::bags::build::{Draft, codes_of, sealed, verdict, verdict_with};
use crate::bags::codes_archive::entries;
use crate::bags::pack::{
    Container, ZipEntry, end, gz, header, keep, pack, pax, push_block, push_entry, tar_of, zip,
};

#[track_caller]
fn check_has(packed: &crate::bags::pack::Packed, limits: &Limits, code: Code) {
    let verdict = verdict_with(&packed.path, limits, &mut ());
    assert!(codes_of(&verdict).contains(&code), "{code:?}: {verdict:#?}");
    assert!(!verdict.valid);
}

#[test]
fn a_tar_cut_within_a_member_is_never_valid() {
    let mut draft = Draft::new("1.0");
    draft.put("data/sub/b.bin", vec![7; 3000]);
    let entries = entries(&draft.seal());
    let whole = tar_of(&entries, false);
    // From the header of a member to the last byte of its content.
    let mut start = 0;
    for (name, bytes) in &entries {
        let content = start + 512 + bytes.len();
        for cut in (start + 1..content).step_by(509).chain([start + 512, content - 1]) {
            if cut == content {
                continue;
            }
            let told = String::from_utf8_lossy(name);
            let packed = keep("bag.tar", &whole[..cut]);
            check_has(&packed, &Limits::default(), Code::ArchiveTruncated);
            let packed = keep("bag.tar.gz", &gz(&whole[..cut]));
            check_has(&packed, &Limits::default(), Code::ArchiveTruncated);
            println!("{told} cut at {cut} of {start} to {content}");
        }
        start = content.next_multiple_of(512);
    }
    check_has(&keep("bag.tar", &[]), &Limits::default(), Code::ArchiveTruncated);
    check_has(&keep("bag.tar.gz", &gz(&[])), &Limits::default(), Code::ArchiveTruncated);
}

#[test]
fn a_tar_cut_between_two_members_is_not_valid_while_a_manifest_misses_a_file() {
    let entries = entries(&sealed("1.0"));
    let whole = tar_of(&entries, false);
    let mut start = 0;
    for (name, bytes) in &entries {
        // A bag without one of its manifests is a bag, as long as another lists its payload.
        let is_listed = name.starts_with(b"bag/data/");
        let told = String::from_utf8_lossy(name);
        for packed in [keep("bag.tar", &whole[..start]), keep("bag.tgz", &gz(&whole[..start]))] {
            assert!(!is_listed || !verdict(&packed.path).valid, "cut before {told}");
        }
        start += 512 + bytes.len().next_multiple_of(512);
    }
}

#[test]
fn a_tar_without_its_end_is_not_valid_while_a_manifest_lists_a_file_that_does_not_come() {
    // What lists the files comes before them, so that a cut leaves all manifests as they were.
    let is_payload = |(name, _): &(Vec<u8>, Vec<u8>)| name.starts_with(b"bag/data/");
    let (payload, mut all): (Vec<_>, Vec<_>) =
        entries(&sealed("1.0")).into_iter().partition(is_payload);
    let listing = all.len();
    all.extend(payload);
    let whole = tar_of(&all, false);
    let mut start = 0;
    for (at, (name, bytes)) in all.iter().enumerate() {
        let tar = &whole[..start];
        start += 512 + bytes.len().next_multiple_of(512);
        if at < listing {
            continue;
        }
        let told = String::from_utf8_lossy(name);
        for packed in [keep("bag.tar", tar), keep("bag.tar.gz", &gz(tar))] {
            let verdict = verdict(&packed.path);
            let codes = codes_of(&verdict);
            for code in [Code::ArchiveEndMissing, Code::FileMissing] {
                assert!(codes.contains(&code), "cut before {told}: {code:?}: {verdict:#?}");
            }
            assert!(!verdict.valid, "cut before {told}");
        }
    }
    let verdict = verdict(&keep("bag.tar", &whole[..start]).path);
    assert_eq!(codes_of(&verdict), [Code::ArchiveEndMissing]);
    assert!(verdict.valid && verdict.complete, "{verdict:#?}");
}

#[test]
fn a_tar_without_two_zero_blocks_at_its_end_is_read() {
    // The content of its last file fills no whole block.
    let all = entries(&sealed("1.0"));
    let unpadded = all.last().unwrap().1.len() % 512;
    assert!(unpadded > 0, "{unpadded}");
    for gnu in [false, true] {
        let whole = tar_of(&all, gnu);
        let members = whole.len() - 1024;
        let padding = 512 - unpadded;
        for (end, warnings) in [
            (members, &[Code::ArchiveEndMissing][..]),
            (members - 1, &[Code::ArchiveEndMissing]),
            (members - padding, &[Code::ArchiveEndMissing]),
            (members + 300, &[Code::ArchiveEndMissing]),
            (members + 512, &[]),
            (members + 700, &[]),
            (members + 1024, &[]),
        ] {
            let tar = &whole[..end];
            for packed in [keep("bag.tar", tar), keep("bag.tar.gz", &gz(tar))] {
                let verdict = verdict(&packed.path);
                assert_eq!(codes_of(&verdict), warnings, "{end} of {members}: {verdict:#?}");
                assert!(verdict.valid && verdict.complete, "{verdict:#?}");
                assert_eq!(verdict.files, all.len() as u64);
            }
        }
    }
}

#[test]
fn what_follows_a_tar_without_its_end_is_not_passed_over() {
    let whole = tar_of(&entries(&sealed("1.0")), false);
    let open = &whole[..whole.len() - 1024];
    for (after, code) in [
        (&b"garbage"[..], Code::ArchiveTruncated),
        (&[b'x'; 512][..], Code::ArchiveDamaged),
        (&[b'x'; 2048][..], Code::ArchiveDamaged),
    ] {
        let tar = [open, after].concat();
        check_has(&keep("bag.tar", &tar), &Limits::default(), code);
        check_has(&keep("bag.tar.gz", &gz(&tar)), &Limits::default(), code);
    }
    // What was said of a member that never comes.
    for (name, kind, body) in [
        (&b"././@LongLink"[..], b'L', &b"bag/data/long"[..]),
        (b"././@LongLink", b'K', b"bag/data/long"),
        (b"pax", b'x', b"12 path=abc\n"),
    ] {
        let mut tar = open.to_vec();
        push_block(&mut tar, name, kind, body, true);
        check_has(&keep("bag.tar", &tar), &Limits::default(), Code::ArchiveTruncated);
    }
    // After a single zero block it is told, as it is after two.
    let tar = [open, &[0; 512], &[b'x'; 100]].concat();
    let verdict = verdict(&keep("bag.tar", &tar).path);
    assert_eq!(codes_of(&verdict), [Code::ArchiveTrailing]);
}

#[test]
fn a_gzip_or_zip_cut_anywhere_is_never_valid() {
    let all = entries(&sealed("1.0"));
    let packed = gz(&tar_of(&all, false));
    for cut in (0..packed.len()).step_by(97) {
        assert!(!verdict(&keep("bag.tgz", &packed[..cut]).path).valid, "{cut}");
    }
    let packed = crate::bags::pack::zip_of(&all, true);
    for cut in (0..packed.len()).step_by(97) {
        assert!(!verdict(&keep("bag.zip", &packed[..cut]).path).valid, "{cut}");
    }
}

#[test]
fn sizes_that_lie_are_found_out() {
    let whole = tar_of(&entries(&sealed("1.0")), false);
    let open = &whole[..whole.len() - 1024];
    for size in [1 << 20, (1 << 33) - 1] {
        let tar = [open, &header(b"bag/data/big", b'0', size, false)].concat();
        check_has(&keep("bag.tar", &end(tar.clone())), &Limits::default(), Code::ArchiveTruncated);
        check_has(&keep("bag.tgz", &gz(&end(tar))), &Limits::default(), Code::ArchiveTruncated);
    }
    for huge in ["99999999999999999999", "9223372036854775807"] {
        let mut tar = open.to_vec();
        push_block(&mut tar, b"pax", b'x', &pax("size", huge.as_bytes()), false);
        push_entry(&mut tar, b"bag/data/big", b'0', b"x", false);
        assert!(!verdict(&keep("bag.tar", &end(tar)).path).valid);
    }
    let long = [open, &header(b"././@LongLink", b'L', 1 << 32, true)].concat();
    check_has(&keep("bag.tar", &end(long)), &Limits::default(), Code::ArchiveDamaged);
    for size in [0, 5, 7, u32::MAX] {
        let mut all: Vec<_> =
            entries(&sealed("1.0")).iter().map(|(n, b)| ZipEntry::new(n, b, true)).collect();
        let entry = all.iter_mut().find(|entry| entry.name.ends_with(b"a.txt")).unwrap();
        entry.size = size;
        assert!(!verdict(&keep("bag.zip", &zip(&all)).path).valid, "{size}");
    }
}

#[test]
fn bombs_are_not_unpacked() {
    let limits = Limits { unpacked_free: 1 << 20, unpack_ratio: 50, ..Limits::default() };
    let mut draft = Draft::new("1.0");
    draft.put("data/zeros", vec![0; 16 << 20]);
    let draft = draft.seal();
    for container in [Container::TarGz, Container::Tgz, Container::Zip] {
        check_has(&pack(&draft, container), &limits, Code::ArchiveBomb);
    }
    let absolute = Limits { unpacked_bytes: 1 << 20, ..Limits::default() };
    check_has(&pack(&draft, Container::TarGz), &absolute, Code::ArchiveBomb);
    check_has(&pack(&draft, Container::Zip), &absolute, Code::ArchiveBomb);
}

#[test]
fn counts_and_depths_are_bounded() {
    let limits = Limits { entry_count: 4, ..Limits::default() };
    for container in [Container::Folder, Container::Tar, Container::TarGz, Container::Zip] {
        check_has(&pack(&sealed("1.0"), container), &limits, Code::LimitReached);
    }
    let limits = Limits { paths_bytes: 60, ..Limits::default() };
    check_has(&pack(&sealed("1.0"), Container::Tar), &limits, Code::LimitReached);
    let limits = Limits { spool_bytes: 60, ..Limits::default() };
    check_has(&pack(&sealed("1.0"), Container::TarGz), &limits, Code::LimitReached);
    let limits = Limits { depth: 2, ..Limits::default() };
    check_has(&pack(&sealed("1.0"), Container::Folder), &limits, Code::PathTooDeep);
    let many = sealed("1.0").with_manifest(|text| {
        let digest = text.split(' ').next().unwrap().to_owned();
        (0..2000).fold(text, |text, n| text + &format!("{digest}  data/gone-{n}\n"))
    });
    let limits = Limits { entry_count: 1000, finding_count: 100, ..Limits::default() };
    let packed = pack(&many, Container::Tar);
    let verdict = verdict_with(&packed.path, &limits, &mut ());
    assert!(!verdict.valid && verdict.findings.len() == 101, "{}", verdict.findings.len());
}

#[test]
fn names_in_archives_cannot_lead_outside() {
    for (name, code) in [
        (&b"../escape"[..], Code::PathTraversal),
        (b"bag/../../escape", Code::PathTraversal),
        (b"/etc/passwd", Code::PathAbsolute),
        (b"C:/windows", Code::PathDrive),
        (b"~/x", Code::PathHome),
        (b"\\\\server\\x", Code::PathUnc),
        (b"bag/\xff\xfe", Code::NameNotUtf8),
        (b"bag/~x", Code::PathHome),
    ] {
        let mut all = entries(&sealed("1.0"));
        all.push((name.to_vec(), b"x".to_vec()));
        check_has(&keep("bag.tar", &tar_of(&all, false)), &Limits::default(), code);
        check_has(&keep("bag.tgz", &gz(&tar_of(&all, true))), &Limits::default(), code);
        check_has(
            &keep("bag.zip", &crate::bags::pack::zip_of(&all, true)),
            &Limits::default(),
            code,
        );
    }
}

#[test]
fn long_lines_hide_nothing() {
    let long = sealed("1.0").with_manifest(|text| format!("{text}{}\n", "f".repeat(200_000)));
    check_has(&pack(&long, Container::Tar), &Limits::default(), Code::LineTooLong);
    let listed = sealed("1.0").with_manifest(|text| "x".repeat(70_000) + "\n" + &text);
    let verdict = verdict(&pack(&listed, Container::Zip).path);
    assert_eq!(codes_of(&verdict), [Code::LineTooLong], "the lines after it are read");
}

#[test]
fn links_in_folders_are_not_followed() {
    let packed = pack(&sealed("1.0"), Container::Folder);
    std::fs::remove_file(packed.path.join("data/a.txt")).unwrap();
    symlink("/etc/passwd", packed.path.join("data/a.txt")).unwrap();
    symlink("..", packed.path.join("data/loop")).unwrap();
    let verdict = verdict(&packed.path);
    assert_eq!(codes_of(&verdict), [Code::LinkInBag, Code::FileMissing]);
    assert_eq!(verdict.counts.by_code[&Code::LinkInBag], 2);
}

#[test]
fn a_file_rewritten_in_place_while_read_is_seen() {
    let packed = pack(&sealed("1.0"), Container::Folder);
    let asked = std::sync::atomic::AtomicU32::new(0);
    let stop = || {
        if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 3 {
            let path = packed.path.join("data/a.txt");
            crate::bags::pack::File::put(&path, b"alpha\n");
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
        false
    };
    let options = Options { stop: Some(&stop), ..Options::default() };
    let verdict = judge(&packed.path, &options, &mut ()).unwrap();
    assert_eq!(codes_of(&verdict), [Code::FileChanged]);
}

#[test]
fn random_bytes_and_mutations_never_panic() {
    // A soak asks for more rounds, and for another beginning.
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let rounds = asked("BAG_FUZZ_ROUNDS").unwrap_or(300);
    let mut state = asked("BAG_FUZZ_SEED").unwrap_or(0x2545_f491_4f6c_dd1d);
    println!("replay with BAG_FUZZ_SEED={state} BAG_FUZZ_ROUNDS={rounds}");
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 8).unwrap()
    };
    let draft = sealed("1.0");
    let mut small = draft.clone();
    small.put("data/sub/b.bin", "short");
    let small = small.seal();
    let texts: Vec<Vec<u8>> = draft.files.values().filter(|b| b.len() < 5000).cloned().collect();
    let tar = tar_of(&entries(&small), true);
    let archives = [tar.clone(), gz(&tar), crate::bags::pack::zip_of(&entries(&small), true)];
    for round in 0..usize::try_from(rounds).unwrap() {
        let mutate = |bytes: &[u8], random: &mut dyn FnMut() -> usize| {
            let mut bytes = bytes.to_vec();
            for _ in 0..=random() % 8 {
                let at = random() % (bytes.len() + 1);
                match random() % 4 {
                    0 => bytes.insert(at, b"\0\n\r :%\xff7"[random() % 8]),
                    1 if at < bytes.len() => bytes[at] = random().to_le_bytes()[0],
                    2 => bytes.truncate(at),
                    _ if at < bytes.len() => bytes[at] ^= 1 << (random() % 8),
                    _ => {}
                }
            }
            bytes
        };
        let text = mutate(&texts[round % texts.len()], &mut random);
        fuzz_manifest(&text);
        fuzz_tags(&text);
        if round % 3 == 0 {
            fuzz_archive(&mutate(&archives[round / 3 % archives.len()], &mut random));
        }
    }
}
