//! Secrets of second factors, sealed with a key that stands in a file of its own beside the registry.
//!
//! Codes are computed from a secret, so it cannot be kept as a digest. Sealed, it is of no use to who
//! reads a copy of the registry: the key is in no snapshot, no export and no vault. A sealed secret is
//! a version, a random nonce, and what ChaCha20-Poly1305 makes of the secret, bound to its user.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use byteio::durable;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use rusqlite::{Connection, TransactionBehavior, params};

use crate::registry::Error;

/// What the file is called.
pub(in crate::registry) const KEY_FILE: &str = "second-factors.key";
/// Bytes of a secret.
pub(super) const SECRET: usize = 20;
const VERSION: u8 = 1;
const NONCE: usize = 12;
const KEY: usize = 32;

/// The key, and where it is kept.
pub(in crate::registry) struct Sealing {
    path: PathBuf,
    key: Mutex<Option<[u8; KEY]>>,
}

impl Sealing {
    /// The key beside a registry; read if it is there, and made when it is first needed.
    pub(in crate::registry) fn beside(registry: &Path) -> Result<Sealing, Error> {
        let path = registry.with_file_name(KEY_FILE);
        let key = read(&path)?;
        Ok(Sealing { path, key: Mutex::new(key) })
    }

    /// Where the key is kept.
    pub(in crate::registry) fn path(&self) -> &Path {
        &self.path
    }

    /// The secret of a user, sealed.
    pub(in crate::registry) fn seal(
        &self,
        user: i64,
        secret: &[u8; SECRET],
    ) -> Result<Vec<u8>, Error> {
        let cipher = ChaCha20Poly1305::new(&Key::from(self.key()?));
        let nonce = random::<NONCE>().map_err(|source| self.failed(source))?;
        let message = Payload { msg: secret, aad: &bound_to(user) };
        let sealed = cipher.encrypt(&Nonce::from(nonce), message);
        let sealed =
            sealed.map_err(|_| self.failed(io::Error::other("a secret was not sealed")))?;
        let mut all = vec![VERSION];
        all.extend_from_slice(&nonce);
        all.extend_from_slice(&sealed);
        Ok(all)
    }

    /// The secret of a user; none when it was sealed with another key, for another user, or damaged.
    pub(in crate::registry) fn open(&self, user: i64, sealed: &[u8]) -> Option<[u8; SECRET]> {
        let key = (*self.key.lock().unwrap_or_else(PoisonError::into_inner))?;
        let (version, rest) = sealed.split_first()?;
        let (nonce, message) = rest.split_first_chunk::<NONCE>()?;
        if *version != VERSION {
            return None;
        }
        let cipher = ChaCha20Poly1305::new(&Key::from(key));
        let message = Payload { msg: message, aad: &bound_to(user) };
        cipher.decrypt(&Nonce::from(*nonce), message).ok()?.try_into().ok()
    }

    /// The key. Its file is on the medium before anything is sealed with it.
    fn key(&self) -> Result<[u8; KEY], Error> {
        let mut kept = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = *kept {
            return Ok(key);
        }
        let key = random::<KEY>().map_err(|source| self.failed(source))?;
        let text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        durable::write(&self.path, format!("{text}\n").as_bytes(), true)
            .map_err(|source| self.failed(source))?;
        *kept = Some(key);
        Ok(key)
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io { path: self.path.clone(), source }
    }
}

/// The key in the file; none when there is no file. One that is no key is not written over.
fn read(path: &Path) -> Result<Option<[u8; KEY]>, Error> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Io { path: path.to_owned(), source }),
    };
    let digits = text.trim().as_bytes();
    let mut key = [0; KEY];
    let mut whole = digits.len() == 2 * KEY;
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok().and_then(|it| u8::from_str_radix(it, 16).ok());
        whole &= pair.is_some();
        *byte = pair.unwrap_or_default();
    }
    if whole {
        return Ok(Some(key));
    }
    let why = "this is not the key of second factors: put it back from a copy, or move it away; \
        without it, second factors are set up anew";
    let source = io::Error::new(io::ErrorKind::InvalidData, why);
    Err(Error::Io { path: path.to_owned(), source })
}

fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// A secret that is moved to another user's row opens no more.
fn bound_to(user: i64) -> [u8; 15] {
    let mut bytes = *b"factor \0\0\0\0\0\0\0\0";
    bytes[7..].copy_from_slice(&user.to_be_bytes());
    bytes
}

/// Seals the secrets that stand plainly in the registry, as versions before have left them. All of
/// them or none: after a crash it is done at the next start. Says how many there were.
pub(in crate::registry) fn seal_plain(
    conn: &mut Connection,
    sealing: &Sealing,
) -> Result<usize, Error> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let plain: Vec<(i64, [u8; SECRET])> = tx
        .prepare("SELECT user_id, secret FROM factors WHERE length(secret) = 20")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (user, secret) in &plain {
        let sealed = sealing.seal(*user, secret)?;
        let sql = "UPDATE factors SET secret = ?2 WHERE user_id = ?1";
        tx.execute(sql, params![user, sealed])?;
    }
    tx.commit()?;
    Ok(plain.len())
}

/// How many second factors cannot be opened with the key that is there.
pub(in crate::registry) fn unreadable(conn: &Connection, sealing: &Sealing) -> Result<u64, Error> {
    let mut statement = conn.prepare("SELECT user_id, secret FROM factors")?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let (user, sealed): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
        count += u64::from(sealing.open(user, &sealed).is_none());
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_secret_opens_for_its_user_with_its_key_and_not_otherwise() {
        let dir = tempfile::tempdir().unwrap();
        let registry = dir.path().join("registry.sqlite");
        let sealing = Sealing::beside(&registry).unwrap();
        assert!(!sealing.path().try_exists().unwrap(), "no key is made before one is needed");
        let secret = b"12345678901234567890";
        let (one, two) = (sealing.seal(7, secret).unwrap(), sealing.seal(7, secret).unwrap());
        assert_ne!(one, two, "no nonce is used twice");
        assert_eq!(one.len(), 49);
        let again = Sealing::beside(&registry).unwrap();
        assert_eq!(again.open(7, &one).as_ref(), Some(secret));
        assert_eq!(again.open(8, &one), None, "of another user");
        for at in 0..one.len() {
            let mut damaged = one.clone();
            damaged[at] ^= 1;
            assert_eq!(again.open(7, &damaged), None, "byte {at}");
        }
        for short in [&one[..0], &one[..1], &one[..13], &one[..48]] {
            assert_eq!(again.open(7, short), None);
        }
        fs::remove_file(again.path()).unwrap();
        let other = Sealing::beside(&registry).unwrap();
        assert_eq!(other.open(7, &one), None, "without a key");
        other.seal(7, secret).unwrap();
        assert_eq!(other.open(7, &one), None, "with another key");
    }

    #[test]
    fn a_file_that_is_no_key_is_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let registry = dir.path().join("registry.sqlite");
        for text in ["", "abc", &"g".repeat(64), &"0".repeat(63), &"0".repeat(66)] {
            durable::write(&dir.path().join(KEY_FILE), text.as_bytes(), true).unwrap();
            let refused = Sealing::beside(&registry).err().unwrap().to_string();
            assert!(refused.contains(KEY_FILE), "{refused}");
            assert_eq!(fs::read_to_string(dir.path().join(KEY_FILE)).unwrap(), text);
        }
    }
}
