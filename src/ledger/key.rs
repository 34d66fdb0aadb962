//! The key by which this appliance signs the pages of its journal.
//!
//! It lies beside the registry, readable by its owner only. A replica, an export and a snapshot never
//! have it, so that whoever can write to a replica cannot write a page that this appliance believes.

use std::io::{self, Read};
use std::path::Path;

use digests::{Algorithm, AlgorithmSet, Hasher};

const LEN: usize = 32;
/// Bytes that SHA-512 takes at a time.
const BLOCK: usize = 128;

/// A key. It is never printed.
#[derive(Clone)]
pub struct Key([u8; LEN]);

impl Key {
    /// The key in this file; none if there is no such file.
    ///
    /// # Errors
    ///
    /// `InvalidData` for a file that holds no key.
    pub fn read(path: &Path) -> io::Result<Option<Key>> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let key = unhex(text.trim_end()).map(Key).ok_or_else(|| {
            let why = format!(
                "{} holds no key: put the key back from where it was kept, or move the file away and a \
                 new key is made",
                path.display()
            );
            io::Error::new(io::ErrorKind::InvalidData, why)
        })?;
        Ok(Some(key))
    }

    /// The key in this file; a new one is drawn if there is no such file.
    pub fn open(path: &Path) -> io::Result<Key> {
        if let Some(key) = Key::read(path)? {
            return Ok(key);
        }
        let mut bytes = [0; LEN];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        byteio::durable::write(path, format!("{}\n", hex(&bytes)).as_bytes(), true)?;
        Ok(Key(bytes))
    }

    /// Names the key without telling it.
    pub fn id(&self) -> String {
        hex(&sha512(&[&self.0])[..8])
    }

    /// HMAC-SHA512 of a text, in hexadecimal.
    pub(super) fn sign(&self, text: &str) -> String {
        hex(&hmac(&self.0, text.as_bytes()))
    }
}

/// RFC 2104, for keys that are no longer than a block.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 64] {
    let padded = |with: u8| {
        let mut block = [with; BLOCK];
        for (byte, key) in block.iter_mut().zip(key) {
            *byte ^= key;
        }
        block
    };
    sha512(&[&padded(0x5c), &sha512(&[&padded(0x36), text])])
}

pub(super) fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    for part in parts {
        hasher.update(part);
    }
    let digests = hasher.finish();
    digests.get(Algorithm::Sha512).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; 64])
}

/// The bytes of exactly so many hexadecimal digits.
pub(super) fn unhex<const LEN: usize>(text: &str) -> Option<[u8; LEN]> {
    let is_hex = text.len() == 2 * LEN && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let mut bytes = [0; LEN];
    for (at, byte) in bytes.iter_mut().enumerate().filter(|_| is_hex) {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    is_hex.then_some(bytes)
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// RFC 4231, cases 1, 2 and 3.
    #[test]
    fn signatures_are_those_of_rfc_4231() {
        let cases: [(&[u8], &[u8], &str); 3] = [
            (&[0x0b; 20], b"Hi There", "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec278"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd6",
            ),
            (&[0xaa; 20], &[0xdd; 50], "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a36"),
        ];
        for (key, text, begins) in cases {
            assert!(hex(&hmac(key, text)).starts_with(begins), "{}", hex(&hmac(key, text)));
        }
    }

    #[test]
    fn the_key_is_drawn_once_and_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.key");
        assert!(Key::read(&path).unwrap().is_none());
        let drawn = Key::open(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(Key::open(&path).unwrap().id(), drawn.id());
        assert!(!std::fs::read_to_string(&path).unwrap().contains(&drawn.id()));
        byteio::durable::write(&path, b"no key", true).unwrap();
        assert_eq!(Key::open(&path).err().unwrap().kind(), io::ErrorKind::InvalidData);
    }
}
