//! What a file is, by its first bytes: an archive that is read here, or why it cannot be.

use std::fs::File;
use std::io;

use byteio::read_at::{FilePart, Range, ReadAt, fill};
use flate2::read::MultiGzDecoder;

use super::tar_header::{BLOCK_BYTES, Header};
use crate::code::Code;
use crate::facts::Serialization;

/// What the first bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An archive that is read here.
    Archive(Serialization),
    /// Something that is known and not read, and what it is called.
    Unread(Code, &'static str),
    /// Anything else.
    Unknown,
    /// Too short for an archive: perhaps one that was cut off.
    Short,
}

/// What is known by its first bytes and not read. Unpacking it is for whoever has the program.
const UNREAD: &[(&[u8], Code, &str)] = &[
    (b"\xfd7zXZ\0", Code::ArchiveCompression, "xz"),
    (b"BZh", Code::ArchiveCompression, "bzip2"),
    (b"\x28\xb5\x2f\xfd", Code::ArchiveCompression, "Zstandard"),
    (b"7z\xbc\xaf\x27\x1c", Code::ArchiveCompression, "7-Zip"),
    (b"Rar!\x1a\x07", Code::ArchiveCompression, "RAR"),
    (b"\x04\x22\x4d\x18", Code::ArchiveCompression, "LZ4"),
    (b"LZIP", Code::ArchiveCompression, "lzip"),
    (b"\x1f\x9d", Code::ArchiveCompression, "compress"),
    (b"-----BEGIN PGP MESSAGE", Code::ArchiveEncrypted, "OpenPGP"),
    (b"age-encryption.org/", Code::ArchiveEncrypted, "age"),
    (b"-----BEGIN AGE ENCRYPTED", Code::ArchiveEncrypted, "age"),
    (b"Salted__", Code::ArchiveEncrypted, "OpenSSL"),
];

/// Looks at the first bytes of a file, and of a gzip at the first that come out of it.
pub(crate) fn of(file: &File, size_bytes: u64) -> io::Result<Kind> {
    let mut block = [0; BLOCK_BYTES];
    let whole = FilePart::new(file, 0, size_bytes);
    let got = whole.fill_at(&mut block, 0)?;
    let found = of_block(&block[..got]);
    if found != Kind::Archive(Serialization::TarGz) {
        return Ok(found);
    }
    let mut decoder = MultiGzDecoder::new(Range::new(&whole, 0, size_bytes));
    Ok(match fill(&mut decoder, &mut block) {
        // What is wrong with it is told when it is read.
        Err(_) => found,
        Ok(got) => match of_block(&block[..got]) {
            Kind::Archive(Serialization::Tar) | Kind::Short => found,
            Kind::Archive(_) | Kind::Unknown => Kind::Unknown,
            unread @ Kind::Unread(..) => unread,
        },
    })
}

fn of_block(bytes: &[u8]) -> Kind {
    if bytes.starts_with(b"\x1f\x8b") {
        return Kind::Archive(Serialization::TarGz);
    }
    if [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"].iter().any(|mark| bytes.starts_with(*mark)) {
        return Kind::Archive(Serialization::Zip);
    }
    if is_tar(bytes) {
        return Kind::Archive(Serialization::Tar);
    }
    if let Some((_, code, name)) = UNREAD.iter().find(|(mark, ..)| bytes.starts_with(mark)) {
        return Kind::Unread(*code, name);
    }
    if is_openpgp(bytes) {
        return Kind::Unread(Code::ArchiveEncrypted, "OpenPGP");
    }
    // The beginning of a tar is a name, and names do not go over lines.
    if bytes.len() < BLOCK_BYTES && !bytes.contains(&b'\n') { Kind::Short } else { Kind::Unknown }
}

/// A header whose checksum is right, one that is damaged, or the end of an archive with nothing in it.
fn is_tar(bytes: &[u8]) -> bool {
    let Some(block) = bytes.first_chunk::<BLOCK_BYTES>() else { return false };
    Header::new(block).is_some()
        || &block[257..262] == b"ustar"
        || block.iter().all(|byte| *byte == 0)
}

/// The packet that says for whom, or with which password, a message is encrypted (RFC 9580, 5.1 and
/// 5.3). It has no mark but a tag, so that its length and its version must fit too.
fn is_openpgp(bytes: &[u8]) -> bool {
    let Some((tag, rest)) = bytes.split_first() else { return false };
    let (number, body) = match tag {
        // The old form: the number of the packet, and how many bytes its length takes.
        0x84..=0x86 | 0x8c..=0x8e => ((tag >> 2) & 15, 1_usize << (tag & 3)),
        0xc1 | 0xc3 => match rest.first() {
            Some(0..192) => (tag & 63, 1),
            Some(192..224) => (tag & 63, 2),
            _ => return false,
        },
        _ => return false,
    };
    let version = rest.get(body).copied().unwrap_or_default();
    match number {
        1 => [3, 6].contains(&version),
        _ => [4, 5, 6].contains(&version),
    }
}

/// What to tell a depositor about a file that is no archive of ours.
pub(crate) fn sentence(code: Code, name: &str) -> String {
    if code == Code::ArchiveEncrypted {
        format!("It is encrypted ({name}). Decrypt it and send it as a tar.")
    } else if code == Code::ArchiveCompression {
        format!(
            "It is packed with {name}, which is not read here. Unpack it and send it as a tar, a \
             tar with gzip, or a zip."
        )
    } else {
        "By its first bytes it is neither a tar, a tar with gzip, nor a zip. Check whether it is the \
         right file, or make the archive again."
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encrypted_or_packed_otherwise_is_known_by_its_first_bytes() {
        let check = |bytes: &[u8], code, name| {
            assert_eq!(of_block(bytes), Kind::Unread(code, name), "{bytes:?}");
        };
        check(b"\xfd7zXZ\0\0\x04", Code::ArchiveCompression, "xz");
        check(b"BZh91AY", Code::ArchiveCompression, "bzip2");
        check(b"\x8c\x0d\x04\x09\x03\x02", Code::ArchiveEncrypted, "OpenPGP");
        check(b"\x85\x01\x0c\x03\x12\x34", Code::ArchiveEncrypted, "OpenPGP");
        check(b"\xc1\xc0\x4c\x03\x12\x34", Code::ArchiveEncrypted, "OpenPGP");
        check(b"\xc3\x0d\x04\x09\x03\x08", Code::ArchiveEncrypted, "OpenPGP");
        for other in [&b"\x8c\x0d\x09"[..], b"letters/", b"", b"\x85"] {
            assert_eq!(of_block(other), Kind::Short, "{other:?}");
        }
        assert_eq!(of_block(&[b'x'; BLOCK_BYTES]), Kind::Unknown);
        assert_eq!(of_block(b"Dear Ann,\n"), Kind::Unknown);
    }

    #[test]
    fn archives_are_known_by_their_first_bytes() {
        let check = |bytes: &[u8], kind| assert_eq!(of_block(bytes), Kind::Archive(kind));
        check(b"\x1f\x8b\x08", Serialization::TarGz);
        check(b"PK\x03\x04", Serialization::Zip);
        check(&[0; BLOCK_BYTES], Serialization::Tar);
        let mut damaged = [b'x'; BLOCK_BYTES];
        damaged[257..262].copy_from_slice(b"ustar");
        check(&damaged, Serialization::Tar);
    }
}
