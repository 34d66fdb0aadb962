//! Where the document of an object lies in an export: `institution/bag.xml`.
//!
//! A name of small letters, digits, `.`, `_` and `-` stays as it is. Any other, one of more than
//! 100 characters, one with a dot at its ends, and one that Windows keeps for a device is written in
//! those characters, with `_` for all others, cut to 60, and followed by `~` and 32 digits of the
//! identifier's sha256. So no disk refuses a name, folds two into one, or has to tell case apart.

use digests::{Algorithm, digest_buffers};

const PLAIN_LEN_MAX: usize = 100;
const SHOWN_LEN_MAX: usize = 60;
const DIGITS: usize = 32;

/// The path of an object's document below the folder `premis`, with slashes.
pub fn place(identifier: &str) -> String {
    let (institution, bag) = identifier.split_once('/').unwrap_or(("", identifier));
    format!("{}/{}.xml", name(institution, identifier), name(bag, identifier))
}

fn name(part: &str, identifier: &str) -> String {
    if is_plain(part) {
        return part.to_owned();
    }
    let shown = part.chars().take(SHOWN_LEN_MAX).map(|letter| match letter.to_ascii_lowercase() {
        letter if is_fit(letter) && letter != '.' => letter,
        _ => '_',
    });
    let wanted = [Algorithm::Sha256].into_iter().collect();
    let digests = digest_buffers(wanted, &[identifier.as_bytes()]);
    let digits = digests.first().and_then(|it| it.hex(Algorithm::Sha256)).unwrap_or_default();
    format!("{}~{}", shown.collect::<String>(), digits.get(..DIGITS).unwrap_or_default())
}

fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && part.len() <= PLAIN_LEN_MAX
        && part.chars().all(is_fit)
        && !part.starts_with('.')
        && !part.ends_with('.')
        && !is_device(part)
}

fn is_fit(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || "._-".contains(letter)
}

/// Names that are no files on Windows, with whatever extension.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default();
    let numbered = |stem: &str| {
        ["com", "lpt"].iter().any(|it| {
            stem.strip_prefix(it).is_some_and(|rest| {
                rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit())
            })
        })
    };
    ["con", "prn", "aux", "nul"].contains(&stem) || numbered(stem)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn plain_names_stay_and_odd_ones_are_told_apart() {
        assert_eq!(place("archive.local/letters-1901.v2"), "archive.local/letters-1901.v2.xml");
        let long = format!("archive.local/{}", "x".repeat(900));
        let odd = [
            "archive.local/Letters",
            "archive.local/LETTERS",
            "archive.local/Gr\u{f6}\u{df}e",
            "archive.local/Gro\u{308}\u{df}e",
            "archive.local/a:b",
            "archive.local/a?b",
            "archive.local/a~b",
            "archive.local/..",
            "archive.local/a.",
            "archive.local/con",
            "archive.local/nul.tar.gz",
            "archive.local/com7",
            "archive.local/a\0b",
            &long,
        ];
        let mut seen = HashSet::new();
        for identifier in odd {
            let place = place(identifier);
            let file = place.strip_prefix("archive.local/").unwrap();
            assert!(file.contains('~') && file.len() < 110, "{place}");
            let good = |it: char| is_fit(it) || it == '~';
            assert!(file.chars().all(good) && !is_device(file), "{place}");
            assert!(seen.insert(place.to_lowercase()), "{identifier} shares {place}");
        }
        assert_eq!(place("archive.local/console"), "archive.local/console.xml");
    }
}
