//! Bags put into folders, tars and zips, also into ones that lie.

use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use tempfile::TempDir;

use crate::bags::build::Draft;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Folder,
    Tar,
    Gnu,
    TarGz,
    Tgz,
    Zip,
    ZipStored,
}

pub(crate) const CONTAINERS: [Container; 7] = [
    Container::Folder,
    Container::Tar,
    Container::Gnu,
    Container::TarGz,
    Container::Tgz,
    Container::Zip,
    Container::ZipStored,
];

/// A packed bag, there as long as this is.
pub(crate) struct Packed {
    pub(crate) folder: TempDir,
    pub(crate) path: PathBuf,
}

/// Packs a bag under the top folder `bag`.
pub(crate) fn pack(draft: &Draft, container: Container) -> Packed {
    let entries: Vec<(Vec<u8>, Vec<u8>)> =
        draft.files.iter().map(|(p, b)| ([b"bag/", &p[..]].concat(), b.clone())).collect();
    match container {
        Container::Folder => {
            let folder = TempDir::new().unwrap();
            write_folder(folder.path(), &entries);
            let path = folder.path().join("bag");
            Packed { folder, path }
        }
        Container::Tar => keep("bag.tar", &tar_of(&entries, false)),
        Container::Gnu => keep("bag.tar", &tar_of(&entries, true)),
        Container::TarGz => keep("bag.tar.gz", &gz(&tar_of(&entries, false))),
        Container::Tgz => keep("bag.tgz", &gz(&tar_of(&reversed(entries), true))),
        Container::Zip => keep("bag.zip", &zip_of(&entries, true)),
        Container::ZipStored => keep("bag.zip", &zip_of(&reversed(entries), false)),
    }
}

fn reversed<T>(mut entries: Vec<T>) -> Vec<T> {
    entries.reverse();
    entries
}

pub(crate) fn keep(name: &str, bytes: &[u8]) -> Packed {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    File::put(&path, bytes);
    Packed { folder, path }
}

/// Writes without a durable helper: these files are gone in a moment.
pub(crate) struct File;

impl File {
    pub(crate) fn put(path: &Path, bytes: &[u8]) {
        fs::File::create(path).unwrap().write_all(bytes).unwrap();
    }
}

pub(crate) fn write_folder(root: &Path, entries: &[(Vec<u8>, Vec<u8>)]) {
    for (name, bytes) in entries {
        let path = root.join(std::ffi::OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::put(&path, bytes);
    }
}

/// A tar of files: POSIX with PAX attributes for long names, or GNU with its long names.
pub(crate) fn tar_of(entries: &[(Vec<u8>, Vec<u8>)], gnu: bool) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, bytes) in entries {
        push_entry(&mut tar, name, b'0', bytes, gnu);
    }
    end(tar)
}

pub(crate) fn end(mut tar: Vec<u8>) -> Vec<u8> {
    tar.extend([0; 1024]);
    tar
}

pub(crate) fn push_entry(tar: &mut Vec<u8>, name: &[u8], kind: u8, bytes: &[u8], gnu: bool) {
    if name.len() > 100 && gnu {
        push_block(tar, b"././@LongLink", b'L', &[name, b"\0"].concat(), true);
    } else if name.len() > 100 {
        let body = pax("path", name);
        push_block(tar, b"PaxHeader", b'x', &body, false);
    }
    push_block(tar, &name[..name.len().min(100)], kind, bytes, gnu);
}

pub(crate) fn pax(key: &str, value: &[u8]) -> Vec<u8> {
    let rest = key.len() + value.len() + 3;
    let mut len = rest + 1;
    while len != rest + len.to_string().len() {
        len = rest + len.to_string().len();
    }
    [format!("{len} {key}=").as_bytes(), value, b"\n"].concat()
}

pub(crate) fn push_block(tar: &mut Vec<u8>, name: &[u8], kind: u8, bytes: &[u8], gnu: bool) {
    tar.extend(header(name, kind, bytes.len() as u64, gnu));
    tar.extend(bytes);
    tar.resize(tar.len().div_ceil(512) * 512, 0);
}

pub(crate) fn header(name: &[u8], kind: u8, size: u64, gnu: bool) -> [u8; 512] {
    let mut block = [0; 512];
    block[..name.len()].copy_from_slice(name);
    block[100..107].copy_from_slice(b"0000644");
    block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    block[136..147].copy_from_slice(b"14000000000");
    block[156] = kind;
    block[257..265].copy_from_slice(if gnu { b"ustar  \0" } else { b"ustar\x0000" });
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// One entry of a zip; every field can be made to lie.
#[derive(Clone)]
pub(crate) struct ZipEntry {
    pub(crate) name: Vec<u8>,
    pub(crate) local_name: Vec<u8>,
    pub(crate) packed: Vec<u8>,
    pub(crate) size: u32,
    pub(crate) crc: u32,
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) mode: u32,
}

impl ZipEntry {
    pub(crate) fn new(name: &[u8], bytes: &[u8], deflate: bool) -> ZipEntry {
        let mut crc = Crc::new();
        crc.update(bytes);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        let packed = if deflate { encoder.finish().unwrap() } else { bytes.to_vec() };
        ZipEntry {
            name: name.to_vec(),
            local_name: name.to_vec(),
            packed,
            size: u32::try_from(bytes.len()).unwrap(),
            crc: crc.sum(),
            method: if deflate { 8 } else { 0 },
            flags: 1 << 11,
            mode: 0o100_644,
        }
    }
}

pub(crate) fn zip_of(entries: &[(Vec<u8>, Vec<u8>)], deflate: bool) -> Vec<u8> {
    let entries: Vec<_> = entries.iter().map(|(n, b)| ZipEntry::new(n, b, deflate)).collect();
    zip(&entries)
}

pub(crate) fn zip(entries: &[ZipEntry]) -> Vec<u8> {
    let (mut zip, mut central) = (Vec::new(), Vec::new());
    let half = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
    let word = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    for entry in entries {
        let at = zip.len();
        let mut common = Vec::new();
        common.extend(20_u16.to_le_bytes());
        common.extend(entry.flags.to_le_bytes());
        common.extend(entry.method.to_le_bytes());
        common.extend([0, 0, 0x21, 0x5a]);
        common.extend(entry.crc.to_le_bytes());
        common.extend(word(entry.packed.len()));
        common.extend(entry.size.to_le_bytes());
        zip.extend(b"PK\x03\x04");
        zip.extend(&common);
        zip.extend([half(entry.local_name.len()), half(0)].concat());
        zip.extend(&entry.local_name);
        zip.extend(&entry.packed);
        central.extend(b"PK\x01\x02\x14\x03");
        central.extend(&common);
        central.extend([half(entry.name.len()), half(0), half(0), half(0), half(0)].concat());
        central.extend((entry.mode << 16).to_le_bytes());
        central.extend(word(at));
        central.extend(&entry.name);
    }
    let at = zip.len();
    zip.extend(&central);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend([half(entries.len()), half(entries.len())].concat());
    zip.extend([word(central.len()), word(at)].concat());
    zip.extend([0, 0]);
    zip
}
