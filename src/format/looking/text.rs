//! Whether bytes read as text, and in which encoding: for files that no signature names.

use crate::format::identification::Encoding;

/// How much of a file is looked at.
pub(crate) const SAMPLE_BYTES: usize = 4096;

/// The encoding of the first bytes of a file; none if they are no text. `all` says that these are
/// the whole file, so that nothing is cut off at their end.
pub(crate) fn encoding(bytes: &[u8], all: bool) -> Option<Encoding> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let cut = !all || sample.len() < bytes.len();
    if let Some(rest) = sample.strip_prefix(b"\xFF\xFE") {
        return is_utf16(rest, u16::from_le_bytes).then_some(Encoding::Utf16Le);
    }
    if let Some(rest) = sample.strip_prefix(b"\xFE\xFF") {
        return is_utf16(rest, u16::from_be_bytes).then_some(Encoding::Utf16Be);
    }
    if sample.is_empty() || !sample.iter().all(|byte| *byte >= 0x80 || is_text(*byte)) {
        return None;
    }
    if sample.is_ascii() {
        return Some(Encoding::Ascii);
    }
    match std::str::from_utf8(sample) {
        Ok(_) => Some(Encoding::Utf8),
        // The last letter may be cut in two.
        Err(error) if cut && error.error_len().is_none() => Some(Encoding::Utf8),
        // From 0x80 to 0x9F ISO 8859 has controls, of which only the new line stands in texts; the
        // code pages of Windows and DOS have letters and quotation marks.
        Err(_) if sample.iter().all(|byte| !matches!(byte, 0x80..=0x84 | 0x86..=0x9F)) => {
            Some(Encoding::Latin)
        }
        Err(_) => Some(Encoding::CodePage),
    }
}

/// What stands in texts: letters, blanks, bell to carriage return, and escape.
fn is_text(byte: u8) -> bool {
    matches!(byte, 0x07..=0x0D | 0x1B | 0x20..=0x7E)
}

fn is_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> bool {
    let units = || bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    let known = |unit: u16| unit >= 0x80 || u8::try_from(unit).is_ok_and(is_text);
    units().all(|unit| known(unit) && unit != 0xFFFE && unit != 0xFFFF) && units().count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_bytes() {
        let cases: [(&[u8], Option<Encoding>); 9] = [
            (b"plain\r\n\ttext\x1b[0m", Some(Encoding::Ascii)),
            ("größer".as_bytes(), Some(Encoding::Utf8)),
            (b"gr\xF6\xDFer", Some(Encoding::Latin)),
            (b"smart \x93quotes\x94", Some(Encoding::CodePage)),
            (b"\xFF\xFEa\0b\0", Some(Encoding::Utf16Le)),
            (b"\xFE\xFF\0a\0b", Some(Encoding::Utf16Be)),
            (b"\xFF\xFE", None),
            (b"nul\0", None),
            (b"", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(encoding(bytes, true), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_letter_may_be_cut_at_the_end_of_the_sample_only() {
        let mut bytes = vec![b'a'; SAMPLE_BYTES - 1];
        bytes.extend("ö and more".as_bytes());
        assert_eq!(encoding(&bytes, true), Some(Encoding::Utf8));
        assert_eq!(
            encoding("abcö".as_bytes().split_last().unwrap().1, true),
            Some(Encoding::Latin)
        );
    }
}
