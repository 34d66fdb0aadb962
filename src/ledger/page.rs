//! One page: lines, and a last one that vouches for them.

use serde::{Deserialize, Serialize};

use crate::digest::{Algorithm, AlgorithmSet, Hasher};
use crate::vault::Sha512;

/// A page that was read and is whole.
pub(super) struct Page<'b> {
    /// Its lines, without the last.
    pub(super) body: &'b str,
    pub(super) line_count: u32,
    pub(super) sha512: Sha512,
}

#[derive(Serialize, Deserialize)]
struct Last {
    end: End,
}

#[derive(Serialize, Deserialize)]
struct End {
    lines: u32,
    sha512: String,
}

/// The page with these lines.
pub(super) fn write(body: &str) -> (Vec<u8>, Sha512) {
    let (sha512, hex) = digest(body);
    let lines = u32::try_from(body.lines().count()).unwrap_or(u32::MAX);
    let last = serde_json::json!(Last { end: End { lines, sha512: hex } });
    (format!("{body}{last}\n").into_bytes(), sha512)
}

/// Reads a page; none if it is not as it was written.
pub(super) fn read(bytes: &[u8]) -> Option<Page<'_>> {
    let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
    let at = text.rfind('\n').map_or(0, |at| at + 1);
    let (body, last) = text.split_at(at);
    let Last { end } = serde_json::from_str(last).ok()?;
    let (sha512, hex) = digest(body);
    let is_whole = hex == end.sha512 && body.lines().count() == end.lines as usize;
    is_whole.then_some(Page { body, line_count: end.lines, sha512 })
}

fn digest(body: &str) -> (Sha512, String) {
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    hasher.update(body.as_bytes());
    let digests = hasher.finish();
    let hex = digests.hex(Algorithm::Sha512).unwrap_or_default();
    let bytes = digests.get(Algorithm::Sha512).and_then(|bytes| bytes.try_into().ok());
    (bytes.unwrap_or([0; 64]), hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_whole_or_not_believed() {
        for body in ["", "{}\n", "{\"a\":1}\n{\"b\":2}\n"] {
            let (bytes, sha512) = write(body);
            let page = read(&bytes).unwrap();
            assert_eq!((page.body, page.sha512), (body, sha512));
            for cut in 0..bytes.len() {
                assert!(read(&bytes[..cut]).is_none(), "{body:?} cut at {cut}");
            }
            for at in 0..bytes.len() {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1;
                assert!(read(&flipped).is_none(), "{body:?} flipped at {at}");
            }
        }
    }
}
