//! Names that are computed, so that whatever is repeated is told under the same name.

use digests::{Algorithm, digest_buffers};
use storage::registry::Uuid;

/// What does everything that we tell of, with its version.
pub(crate) const AGENT: &str = concat!("Strongroom ", env!("CARGO_PKG_VERSION"));

/// A UUID that is always the same for the same words (version 8, made of their sha256).
pub(crate) fn uuid_of(words: &[&str]) -> Uuid {
    let text = words.join("\0");
    let wanted = [Algorithm::Sha256].into_iter().collect();
    let digests = digest_buffers(wanted, &[text.as_bytes()]);
    let sha256 = digests.first().and_then(|it| it.get(Algorithm::Sha256)).unwrap_or_default();
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(sha256).for_each(|(to, from)| *to = *from);
    bytes[6] = bytes[6] & 0x0F | 0x80;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    Uuid(bytes)
}
