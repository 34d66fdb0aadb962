//! One line of a manifest: a digest, white space, a path.

use digests::Algorithm;

/// A digest of any algorithm, without an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest {
    bytes: [u8; 64],
    len: usize,
}

impl Digest {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Why a line is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Not two parts.
    Form,
    /// The first part is no digest of this algorithm.
    Digest,
}

/// Splits a line that is not blank. The path is as written.
pub(crate) fn split(line: &str) -> Result<(&str, &str), Flaw> {
    let (digest, rest) = line.split_once([' ', '\t']).ok_or(Flaw::Form)?;
    let path = rest.trim_start_matches([' ', '\t']);
    if digest.is_empty() || path.is_empty() { Err(Flaw::Form) } else { Ok((digest, path)) }
}

/// Reads a digest in hexadecimal of either case.
pub(crate) fn digest(algorithm: Algorithm, hex: &str) -> Result<Digest, Flaw> {
    let hex = hex.as_bytes();
    let len = algorithm.digest_len();
    if hex.len() != 2 * len {
        return Err(Flaw::Digest);
    }
    let mut bytes = [0; 64];
    let mut seen = 0;
    for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
        let (high, low) = (NIBBLES[usize::from(pair[0])], NIBBLES[usize::from(pair[1])]);
        *byte = high << 4 | low & 15;
        seen |= high | low;
    }
    if seen & NO_NIBBLE == 0 { Ok(Digest { bytes, len }) } else { Err(Flaw::Digest) }
}

/// Four bits for each hexadecimal digit: a million lines have a hundred million of them.
const NIBBLES: [u8; 256] = {
    let mut table = [NO_NIBBLE; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value as usize] as usize] = value;
        table[b"0123456789ABCDEF"[value as usize] as usize] = value;
        value += 1;
    }
    table
};
const NO_NIBBLE: u8 = 0x80;

/// The algorithm in the name of a manifest or tag manifest, as written.
pub(crate) fn algorithm_text(file_name: &str) -> &str {
    let name = file_name.strip_suffix(".txt").unwrap_or(file_name);
    name.split_once("manifest-").map_or("", |(_, algorithm)| algorithm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_at_any_white_space_and_paths_may_hold_some() {
        assert_eq!(split("ab  data/a b "), Ok(("ab", "data/a b ")));
        assert_eq!(split("ab\t data/a"), Ok(("ab", "data/a")));
        assert_eq!(split("ab *data/a"), Ok(("ab", "*data/a")));
        for flawed in ["ab", "ab ", " data/a", "data/a\t"] {
            assert_eq!(split(flawed), Err(Flaw::Form), "{flawed}");
        }
    }

    #[test]
    fn digests_are_read_in_either_case_and_must_fit_the_algorithm() {
        let hex = "00112233445566778899AAbbccddeeff";
        assert_eq!(digest(Algorithm::Md5, hex).unwrap().as_bytes()[10..12], [0xaa, 0xbb]);
        assert_eq!(digest(Algorithm::Sha1, hex), Err(Flaw::Digest));
        assert_eq!(digest(Algorithm::Md5, &hex.replace('7', "g")), Err(Flaw::Digest));
        assert_eq!(digest(Algorithm::Md5, "é".repeat(16).as_str()), Err(Flaw::Digest));
    }

    #[test]
    fn the_name_tells_the_algorithm() {
        assert_eq!(algorithm_text("manifest-md5.txt"), "md5");
        assert_eq!(algorithm_text("tagmanifest-SHA-256.txt"), "SHA-256");
        assert_eq!(algorithm_text("manifest-.txt"), "");
    }
}
