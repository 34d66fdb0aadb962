//! Whether bytes read as text, and in which encoding: for files that no signature names.

use crate::identification::Encoding;

/// Where bytes may end or begin in the middle of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Nowhere,
    AtStart,
    AtEnd,
}

/// The encoding of some bytes of a file; none if they are no text.
pub(crate) fn encoding(bytes: &[u8], cut: Cut) -> Option<Encoding> {
    if let Some(rest) = bytes.strip_prefix(b"\xFF\xFE") {
        return is_utf16(rest, u16::from_le_bytes).then_some(Encoding::Utf16Le);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xFE\xFF") {
        return is_utf16(rest, u16::from_be_bytes).then_some(Encoding::Utf16Be);
    }
    if bytes.is_empty() || !bytes.iter().all(|byte| *byte >= 0x80 || is_text(*byte)) {
        return None;
    }
    if bytes.is_ascii() {
        return Some(Encoding::Ascii);
    }
    let letters = match cut {
        Cut::AtStart => after_cut(bytes),
        Cut::Nowhere | Cut::AtEnd => bytes,
    };
    match std::str::from_utf8(letters) {
        Ok(_) => Some(Encoding::Utf8),
        Err(error) if cut == Cut::AtEnd && error.error_len().is_none() => Some(Encoding::Utf8),
        // From 0x80 to 0x9F ISO 8859 has controls, of which only the new line stands in texts; the
        // code pages of Windows and DOS have letters and quotation marks.
        Err(_) if bytes.iter().all(|byte| !matches!(byte, 0x80..=0x84 | 0x86..=0x9F)) => {
            Some(Encoding::Latin)
        }
        Err(_) => Some(Encoding::CodePage),
    }
}

/// The bytes without what remains of a letter at their start: up to three that continue one.
fn after_cut(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|byte| matches!(byte, 0x80..=0xBF)).count();
    &bytes[rest..]
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
            assert_eq!(encoding(bytes, Cut::Nowhere), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_letter_may_be_cut_where_the_bytes_are() {
        let bytes = "öabcö".as_bytes();
        let (start, end) = (&bytes[1..], &bytes[..bytes.len() - 1]);
        assert_eq!(encoding(start, Cut::AtStart), Some(Encoding::Utf8));
        assert_eq!(encoding(end, Cut::AtEnd), Some(Encoding::Utf8));
        assert_eq!(encoding(start, Cut::AtEnd), Some(Encoding::Latin));
        assert_eq!(encoding(end, Cut::Nowhere), Some(Encoding::Latin));
        assert_eq!(encoding(b"\x80", Cut::AtStart), Some(Encoding::Utf8));
    }
}
