//! How manifests write paths, and how tools get it wrong.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Undoes the percent-encoding of CR and LF, and of `%` itself where the version asks for it.
pub(crate) fn percent_decoded(text: &str, also_percent: bool) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let char = match rest.as_bytes().first_chunk::<2>() {
            Some(b"0A" | b"0a") => Some('\n'),
            Some(b"0D" | b"0d") => Some('\r'),
            Some(b"25") if also_percent => Some('%'),
            _ => None,
        };
        decoded.push(char.unwrap_or('%'));
        if char.is_some() {
            rest = &rest[2..];
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// The composed Unicode form of a name.
pub(crate) fn composed(name: &str) -> Cow<'_, str> {
    if name.is_ascii() || is_nfc_quick(name.chars()) == IsNormalized::Yes {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.nfc().collect())
    }
}

/// A name as a file system sees it that minds neither case nor Unicode form.
pub(crate) fn folded(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        let plain = !name.bytes().any(|byte| byte.is_ascii_uppercase());
        return if plain { Cow::Borrowed(name) } else { Cow::Owned(name.to_ascii_lowercase()) };
    }
    // Up and down again, so that ß meets ss and the two lower-case sigmas meet.
    let folded = name.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    Cow::Owned(folded.nfc().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_decoded_by_version() {
        let check = |text: &str, also: bool, expected: &str| {
            assert_eq!(percent_decoded(text, also), expected, "{text}");
        };
        check("a%0Ab%0dc", true, "a\nb\rc");
        check("a%250A", true, "a%0A");
        check("a%250A", false, "a%250A");
        check("100%", true, "100%");
        check("%é%2", true, "%é%2");
        check("%20", true, "%20");
    }

    #[test]
    fn forms_and_cases_meet() {
        assert_eq!(composed("e\u{301}"), "é");
        assert_eq!(folded("STRASSE"), folded("straße"));
        assert_eq!(folded("E\u{301}"), folded("é"));
        assert_ne!(folded("a"), folded("b"));
    }
}
