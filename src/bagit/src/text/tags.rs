//! Tag files: `label: value` lines, folded by leading white space.

use std::io::{self, Read};

use super::encoding::Encoding;
use super::lines::Lines;
use crate::limits::Limits;

/// A tag file, read.
#[derive(Debug, Default)]
pub(crate) struct TagFile {
    /// Labels and values in order, repeated ones included.
    pub(crate) tags: Vec<(String, String)>,
    /// What is wrong, by line.
    pub(crate) flaws: Vec<(u64, Flaw)>,
    /// The first line that is not in the declared encoding.
    pub(crate) first_broken: Option<u64>,
    /// Whether it began with a byte order mark.
    pub(crate) bom: bool,
    /// Whether there was more than the limits allow.
    pub(crate) cut: bool,
}

/// Something wrong with one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Neither a tag nor the continuation of one.
    NoTag,
    /// White space other than one space or tab after the colon.
    Separator,
    TooLong,
}

impl TagFile {
    /// Whether this is a file of tags at all, and not some other text.
    pub(crate) fn is_tags(&self) -> bool {
        let stray = self.flaws.iter().any(|(_, flaw)| *flaw == Flaw::NoTag);
        !self.tags.is_empty() && !stray && self.first_broken.is_none()
    }
}

/// Reads a tag file. `loose` is how old versions allowed white space about the colon.
pub(crate) fn parse(
    reader: impl Read,
    encoding: Encoding,
    loose: bool,
    limits: &Limits,
) -> io::Result<TagFile> {
    let mut file = TagFile::default();
    let mut lines = Lines::new(reader, encoding, limits.line_bytes);
    let mut room = limits.tags_bytes;
    while let Some(line) = lines.next()? {
        if line.too_long {
            file.flaws.push((line.number, Flaw::TooLong));
            continue;
        }
        let text = line.text.as_ref();
        if text.trim().is_empty() {
            continue;
        }
        let cost = text.len() + size_of::<(String, String)>();
        if room < cost || file.tags.len() >= limits.tag_count || file.flaws.len() > 1_000 {
            file.cut = true;
            break;
        }
        room -= cost;
        if let Some(flaw) = take(&mut file.tags, text, loose) {
            file.flaws.push((line.number, flaw));
        }
    }
    file.first_broken = lines.first_broken();
    file.bom = lines.bom();
    Ok(file)
}

/// Takes one line that is not blank.
fn take(tags: &mut Vec<(String, String)>, text: &str, loose: bool) -> Option<Flaw> {
    let folded = text.starts_with([' ', '\t']);
    if folded && let Some((_, value)) = tags.last_mut() {
        join(value, text);
        return None;
    }
    match text.split_once(':') {
        Some((name, value)) if !folded && !name.trim().is_empty() => {
            let after = value.strip_prefix([' ', '\t']);
            let neat = name.trim_end() == name
                && (value.is_empty() || after.is_some_and(|rest| !rest.starts_with([' ', '\t'])));
            tags.push((name.trim().to_owned(), value.trim().to_owned()));
            (!loose && !neat).then_some(Flaw::Separator)
        }
        _ => {
            // Kept with the tag before it, as other readers do, so that nothing is lost.
            if let Some((_, value)) = tags.last_mut() {
                join(value, text);
            }
            Some(Flaw::NoTag)
        }
    }
}

fn join(value: &mut String, text: &str) {
    if !value.is_empty() {
        value.push(' ');
    }
    value.push_str(text.trim());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, loose: bool) -> TagFile {
        parse(text.as_bytes(), Encoding::Utf8, loose, &Limits::default()).unwrap()
    }

    fn check(text: &str, tags: &[(&str, &str)], flaws: &[(u64, Flaw)]) {
        let file = read(text, false);
        let found: Vec<_> = file.tags.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(found, tags, "{text:?}");
        assert_eq!(file.flaws, flaws, "{text:?}");
    }

    #[test]
    fn tags_are_read_folded_and_repeated_in_order() {
        check("A: 1\nB: 2\nA: 3\n", &[("A", "1"), ("B", "2"), ("A", "3")], &[]);
        check("A: 1\r\n  2\r\n\t3\r\nB:\r\n", &[("A", "1 2 3"), ("B", "")], &[]);
        check("Contact Name: a:b\n\n", &[("Contact Name", "a:b")], &[]);
        check("A:\tx\n", &[("A", "x")], &[]);
    }

    #[test]
    fn odd_lines_are_told_and_lose_nothing() {
        check(
            "A:1\nB : 2\nC:  3\n",
            &[("A", "1"), ("B", "2"), ("C", "3")],
            &[(1, Flaw::Separator), (2, Flaw::Separator), (3, Flaw::Separator)],
        );
        check("A: 1\nstray\n", &[("A", "1 stray")], &[(2, Flaw::NoTag)]);
        check("  lost\nA: 1\n: x", &[("A", "1 : x")], &[(1, Flaw::NoTag), (3, Flaw::NoTag)]);
        assert_eq!(read("A : 1\nB:2\n", true).flaws, []);
        assert!(read("A: 1\n", false).is_tags() && !read("just text\n", false).is_tags());
    }
}
