//! Archives that break rules.

use bagit::Limits;
use bagit::code::Code;

use crate::bags::build::{Draft, sealed};
use crate::bags::codes::{Fixture, fixture, made};
use crate::bags::pack::{
    Container, ZipEntry, end, gz, header, keep, pack, push_entry, tar_of, zip,
};

/// The entries of a bag in its folder.
pub(crate) fn entries(draft: &Draft) -> Vec<(Vec<u8>, Vec<u8>)> {
    draft.files.iter().map(|(p, b)| ([b"bag/", &p[..]].concat(), b.clone())).collect()
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    [tars(), zips(), bounded()].into_iter().flatten().collect()
}

fn tars() -> Vec<Fixture> {
    let whole = tar_of(&entries(&sealed("1.0")), false);
    let open = &whole[..whole.len() - 1024];
    let with = |code, name: &[u8], kind| {
        let mut tar = open.to_vec();
        push_entry(&mut tar, name, kind, b"", false);
        fixture(code, keep("bag.tar", &end(tar)))
    };
    let half = [open, &header(b"bag/data/a.txt", b'0', 6, false)[..300]].concat();
    let bare: Vec<_> = sealed("1.0").files.into_iter().collect();
    vec![
        fixture(Code::TopFolderMissing, keep("bag.tar", &tar_of(&bare, false))),
        with(Code::LooseFile, b"stray.txt", b'0'),
        with(Code::TopFolderSecond, b"other/x", b'0'),
        with(Code::EntryTwice, b"bag/data/a.txt", b'0'),
        made(Code::FileIsFolder, |draft| draft.put("data/a.txt/x", "x")),
        with(Code::LinkInBag, b"bag/data/link", b'2'),
        with(Code::DeviceInBag, b"bag/data/pipe", b'6'),
        with(Code::SparseEntry, b"bag/data/holes", b'S'),
        fixture(Code::ArchiveTruncated, keep("bag.tar.gz", &gz(&half))),
        fixture(Code::ArchiveEndMissing, keep("bag.tar.gz", &gz(open))),
        fixture(Code::ArchiveTrailing, keep("bag.tar", &[&whole[..], b"more"].concat())),
    ]
}

fn zips() -> Vec<Fixture> {
    let all = |change: &dyn Fn(&mut ZipEntry)| {
        let draft = sealed("1.0");
        let mut all: Vec<_> =
            entries(&draft).iter().map(|(n, b)| ZipEntry::new(n, b, true)).collect();
        let entry = all.iter_mut().find(|entry| entry.name == b"bag/data/a.txt").unwrap();
        change(entry);
        keep("bag.zip", &zip(&all))
    };
    let locked = {
        let mut all: Vec<_> =
            entries(&sealed("1.0")).iter().map(|(n, b)| ZipEntry::new(n, b, false)).collect();
        let mut entry = ZipEntry::new(b"bag/secret", b"x", true);
        entry.flags |= 1;
        all.push(entry);
        keep("bag.zip", &zip(&all))
    };
    let all_of = |change: &dyn Fn(&mut ZipEntry)| {
        let mut all: Vec<_> =
            entries(&sealed("1.0")).iter().map(|(n, b)| ZipEntry::new(n, b, true)).collect();
        all.iter_mut().for_each(change);
        keep("bag.zip", &zip(&all))
    };
    vec![
        fixture(Code::ArchiveUnknown, keep("bag.zip", &[b'x'; 5000])),
        fixture(Code::ArchiveEncrypted, all_of(&|entry| entry.flags |= 1)),
        fixture(Code::ArchiveCompression, all_of(&|entry| entry.method = 14)),
        fixture(Code::EntryUnsupported, locked),
        fixture(Code::ArchiveDamaged, all(&|entry| entry.crc ^= 1)),
        fixture(Code::ZipNamesDiffer, all(&|entry| entry.local_name = b"bag/data/b.txt".to_vec())),
    ]
}

fn bounded() -> Vec<Fixture> {
    let mut draft = Draft::new("1.0");
    draft.put("zz.bin", vec![0; 8 << 20]);
    let bomb = fixture(Code::ArchiveBomb, pack(&draft.seal(), Container::TarGz));
    let limits = Limits { unpacked_free: 1 << 20, unpack_ratio: 10, ..Limits::default() };
    let bomb = Fixture { limits, ..bomb };
    let small = Limits { tag_file_bytes: 10, ..Limits::default() };
    let limit = Fixture { limits: small, ..made(Code::LimitReached, |_| {}) };
    vec![bomb, limit]
}
