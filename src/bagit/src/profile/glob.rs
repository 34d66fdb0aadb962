//! Patterns for paths, as the reference validator of BagIt Profiles reads them.
//!
//! `*` stands for any characters, slashes too, because `*` alone allows every tag file and
//! `data/src/*` a whole tree; `?` for one character; `[a-z]` and `[!a-z]` for one of, or none of, a
//! set. Nothing escapes. Crates for globs were not taken: they stop `*` at a slash or know `**` and
//! braces, and each of those would give another verdict than the tools of the depositors.

/// A pattern taken apart once, for many paths.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Vec<char>);

impl Pattern {
    pub(super) fn new(pattern: &str) -> Pattern {
        Pattern(pattern.chars().collect())
    }

    /// Whether the whole path fits. Time is at most the product of the two lengths.
    pub(super) fn fits(&self, path: &[char]) -> bool {
        let Pattern(pattern) = self;
        let (mut at, mut seen) = (0, 0);
        // Where to resume when the rest does not fit: behind the last star, one character on.
        let mut resume: Option<(usize, usize)> = None;
        while seen < path.len() {
            if pattern.get(at) == Some(&'*') {
                at += 1;
                resume = Some((at, seen));
            } else if let Some(width) = fits_one(&pattern[at..], path[seen]) {
                at += width;
                seen += 1;
            } else if let Some((behind_star, start)) = resume {
                at = behind_star;
                seen = start + 1;
                resume = Some((behind_star, seen));
            } else {
                return false;
            }
        }
        pattern[at..].iter().all(|c| *c == '*')
    }
}

/// Whether the whole path fits the pattern.
pub(super) fn fits(pattern: &str, path: &str) -> bool {
    Pattern::new(pattern).fits(&path.chars().collect::<Vec<_>>())
}

/// How much of the pattern one character fits, if it does.
fn fits_one(pattern: &[char], c: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '[' => match set(pattern) {
            Some((members, negated, width)) => (holds(members, c) != negated).then_some(width),
            // A bracket that never closes is a plain character.
            None => (c == '[').then_some(1),
        },
        plain => (*plain == c).then_some(1),
    }
}

/// The members of a set, whether it is negated, and its width in the pattern.
fn set(pattern: &[char]) -> Option<(&[char], bool, usize)> {
    let negated = pattern.get(1) == Some(&'!');
    let start = if negated { 2 } else { 1 };
    // The first character is a member even if it is the closing bracket.
    let len = 1 + pattern.get(start + 1..)?.iter().position(|c| *c == ']')?;
    Some((&pattern[start..start + len], negated, start + len + 1))
}

fn holds(members: &[char], c: char) -> bool {
    let mut rest = members;
    while let Some(first) = rest.first() {
        if rest.len() >= 3 && rest[1] == '-' {
            if (*first..=rest[2]).contains(&c) {
                return true;
            }
            rest = &rest[3..];
        } else {
            if *first == c {
                return true;
            }
            rest = &rest[1..];
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_paths() {
        let check = |pattern, yes: &[&str], no: &[&str]| {
            yes.iter().for_each(|path| assert!(fits(pattern, path), "{pattern} {path}"));
            no.iter().for_each(|path| assert!(!fits(pattern, path), "{pattern} {path}"));
        };
        check("*", &["", "a", "a/b/c.txt"], &[]);
        check("", &[""], &["a"]);
        check("a.txt", &["a.txt"], &["b.txt", "a.txt2", "xa.txt", "A.txt"]);
        check("dir/*", &["dir/", "dir/a", "dir/a/b"], &["dir", "other/a"]);
        check("*.xml", &["a.xml", "d/e.xml", ".xml"], &["a.xmlx"]);
        check("a*b*c", &["abc", "aXbXbXc"], &["ab", "acb"]);
        check("m?ta", &["meta", "möta", "m/ta"], &["mta", "meeta"]);
        check("[0-9][!a-c]", &["0d", "9/"], &["0b", "a0", "0"]);
        check("[]x]", &["]", "x"], &["a"]);
        check("[abc", &["[abc"], &["a"]);
        check("[", &["["], &["a"]);
        check("[!", &["[!"], &["a"]);
        check("[-a]", &["-", "a"], &["b"]);
        check("**", &["", "a/b"], &[]);
    }

    #[test]
    fn many_stars_stay_quick() {
        let path = "a".repeat(4_000);
        assert!(!fits(&format!("{}c", "a*".repeat(2_000)), &path));
        assert!(!fits(&format!("{}b", "*a".repeat(50)), &path));
    }
}
