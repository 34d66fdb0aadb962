//! The certificate that this appliance shows, and its key: read, held against each other, and asked
//! how long it is good for.
//!
//! A file that is not there, not understood or not of the pair is refused. One that is out of date
//! is not: browsers warn of it, and an appliance that stays closed for it would care for nothing.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use storage::clock::Timestamp;

use crate::config::TlsConfig;

/// Largest file that is read.
const LARGEST: u64 = 1 << 20;
/// How long before its end people are told.
const SOON: Duration = Duration::from_secs(14 * 24 * 3600);

/// Why a certificate cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file could not be read.
    #[error("cannot read {} ({setting})", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What names it.
        setting: &'static str,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// No certificate in it.
    #[error("{} (http.tls_certificate) holds no certificate in PEM", .0.display())]
    NoCertificate(PathBuf),
    /// No key in it.
    #[error("{} (http.tls_key) holds no key in PEM that can be read without a password", .0.display())]
    NoKey(PathBuf),
    /// A key nobody here can use.
    #[error("the key in {} (http.tls_key) is of a kind that is not used here: make one for RSA with 2048 bits, ECDSA P-256 or Ed25519", .0.display())]
    OddKey(PathBuf),
    /// One is not the other's.
    #[error("the key in {} (http.tls_key) does not belong to the certificate in {} (http.tls_certificate)", key.display(), certificate.display())]
    Apart {
        /// The key.
        key: PathBuf,
        /// The certificate.
        certificate: PathBuf,
    },
}

/// A certificate that can be shown.
pub struct Certificate {
    /// What connections are opened with.
    pub pair: CertifiedKey,
    /// From when and until when it is good, if it says so in a way we know.
    pub good: Option<(Timestamp, Timestamp)>,
}

impl Certificate {
    /// Reads the pair.
    pub fn load(tls: &TlsConfig, data: &Path) -> Result<Certificate, CertificateError> {
        let (certificate, key) = paths(tls, data);
        let chain: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(&read(&certificate, "http.tls_certificate")?).collect();
        let chain = chain.unwrap_or_default();
        let Some(first) = chain.first() else {
            return Err(CertificateError::NoCertificate(certificate));
        };
        let good = validity(first);
        let Ok(secret) = PrivateKeyDer::from_pem_slice(&read(&key, "http.tls_key")?) else {
            return Err(CertificateError::NoKey(key));
        };
        match CertifiedKey::from_der(chain, secret, &default_provider()) {
            Ok(pair) => Ok(Certificate { pair, good }),
            Err(rustls::Error::InconsistentKeys(_)) => {
                Err(CertificateError::Apart { key, certificate })
            }
            Err(rustls::Error::InvalidCertificate(_)) => {
                Err(CertificateError::NoCertificate(certificate))
            }
            Err(_) => Err(CertificateError::OddKey(key)),
        }
    }

    /// What people should know about its time: that it is over, has not begun, or ends soon.
    pub fn warning(&self, now: Timestamp) -> Option<String> {
        let (from, until) = self.good?;
        let renew = "put a new one in its place, it is taken up by itself";
        if now < from {
            let from = from.to_minute();
            return Some(format!(
                "the certificate is good only from {from} on: is the clock right?"
            ));
        }
        if now >= until {
            let until = until.to_minute();
            return Some(format!("the certificate has been out of date since {until}: {renew}"));
        }
        let is_soon = now >= until.before(SOON);
        is_soon.then(|| format!("the certificate ends at {}: {renew}", until.to_minute()))
    }
}

/// Where certificate and key are.
pub fn paths(tls: &TlsConfig, data: &Path) -> (PathBuf, PathBuf) {
    (tls.certificate.within(data), tls.key.within(data))
}

fn read(path: &Path, setting: &'static str) -> Result<Vec<u8>, CertificateError> {
    let unreadable =
        |source| CertificateError::Unreadable { path: path.to_owned(), setting, source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// From when and until when a certificate is good. Its outer parts in order: the whole, what is
/// signed, and in that an optional version, a number, a kind, a name, and the two times.
fn validity(der: &[u8]) -> Option<(Timestamp, Timestamp)> {
    const SEQUENCE: u8 = 0x30;
    const VERSION: u8 = 0xa0;
    let (_, whole, _) = element(der)?;
    let (_, mut rest, _) = element(whole)?;
    if rest.first() == Some(&VERSION) {
        rest = element(rest)?.2;
    }
    for _ in ["number", "kind", "name"] {
        rest = element(rest)?.2;
    }
    let (SEQUENCE, times, _) = element(rest)? else { return None };
    let (kind, from, rest) = element(times)?;
    let from = moment(kind, from)?;
    let (kind, until, _) = element(rest)?;
    Some((from, moment(kind, until)?))
}

/// The first element of some DER: its tag, what is in it, and what follows.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (bytes.iter().fold(0, |all, byte| all << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (inside, rest) = rest.split_at_checked(length)?;
    Some((*tag, inside, rest))
}

/// A time as certificates write it: with two digits for the year until 2049, with four after.
fn moment(kind: u8, text: &[u8]) -> Option<Timestamp> {
    const SHORT: u8 = 0x17;
    const LONG: u8 = 0x18;
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let text = match kind {
        SHORT if text.len() == 12 => {
            let century = if text.as_bytes().first()? < &b'5' { "20" } else { "19" };
            format!("{century}{text}")
        }
        LONG if text.len() == 14 => text.to_owned(),
        _ => return None,
    };
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let (year, month, day) = (part(0..4), part(4..6), part(6..8));
    let (hour, minute, second) = (part(8..10), part(10..12), part(12..14));
    Timestamp::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_both_spellings() {
        let read = |kind, text: &str| moment(kind, text.as_bytes()).map(|it| it.to_string());
        assert_eq!(read(0x17, "260102030405Z").unwrap(), "2026-01-02T03:04:05.000Z");
        assert_eq!(read(0x17, "991231235959Z").unwrap(), "1999-12-31T23:59:59.000Z");
        assert_eq!(read(0x18, "20500101000000Z").unwrap(), "2050-01-01T00:00:00.000Z");
        for bad in ["", "Z", "2601020304Z", "260102030405", "2601020304é5Z", "269902030405Z"] {
            assert_eq!(read(0x17, bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_times() {
        for bad in [
            &b""[..],
            b"\x30",
            b"\x30\x85\x01",
            b"\x30\x84\xff\xff\xff\xff",
            b"\x30\x03\x30\x01\xa0",
        ] {
            assert_eq!(validity(bad), None, "{bad:?}");
        }
    }
}
