//! Which file a manifest means by what it writes.

use std::borrow::Cow;

use crate::code::Code;
use crate::ledger::{Ledger, PathId};
use crate::names::spelling::percent_decoded;
use crate::text::version::Version;

/// A path as it is meant.
#[derive(Debug)]
pub(crate) struct Meant<'t> {
    /// The path, decoded and without what tools put before it.
    pub(crate) path: Cow<'t, str>,
    /// Its number, if it was found or listed before.
    pub(crate) id: Option<PathId>,
    /// What was odd about the way it is written.
    pub(crate) oddities: Vec<Code>,
}

/// Finds the file that is meant: first as the version has it, then as tools get it wrong.
pub(crate) fn resolve<'t>(written: &'t str, version: Version, ledger: &Ledger) -> Meant<'t> {
    let mut oddities = Vec::new();
    let mut text = written;
    loop {
        if let Some(meant) = decoded(text, version, ledger, &mut oddities) {
            return Meant { path: meant.0, id: Some(meant.1), oddities };
        }
        if let Some(rest) = text.strip_prefix('*') {
            oddities.push(Code::ManifestStar);
            text = rest;
        } else if let Some(rest) = text.strip_prefix("./") {
            if !oddities.contains(&Code::ManifestDotSlash) {
                oddities.push(Code::ManifestDotSlash);
            }
            text = rest;
        } else {
            break;
        }
        if text.is_empty() {
            break;
        }
    }
    let path = percent_decoded(text, version.encodes_percent());
    if path.contains('\\') && !path.starts_with('\\') && path.as_bytes().get(1) != Some(&b':') {
        let slashed = path.replace('\\', "/");
        let id = ledger.find(slashed.as_bytes());
        if id.is_some() || slashed.starts_with("data/") && !path.starts_with("data/") {
            oddities.push(Code::PathBackslash);
            return Meant { path: Cow::Owned(slashed), id, oddities };
        }
    }
    if !path.is_ascii()
        && let Some(id) = ledger.find_by_form(&path)
    {
        oddities.push(Code::ManifestUnicode);
        return Meant { path, id: Some(id), oddities };
    }
    Meant { path, id: None, oddities }
}

/// The file meant by percent-encoding, as the version has it or as it is often got wrong.
fn decoded<'t>(
    text: &'t str,
    version: Version,
    ledger: &Ledger,
    oddities: &mut Vec<Code>,
) -> Option<(Cow<'t, str>, PathId)> {
    let plain = || ledger.find(text.as_bytes()).map(|id| (Cow::Borrowed(text), id));
    if !text.contains('%') {
        return plain();
    }
    let encoded = |also_percent| {
        let path = percent_decoded(text, also_percent);
        ledger.find(path.as_bytes()).map(|id| (path, id))
    };
    if version.encodes_percent() {
        return encoded(true).or_else(|| {
            // Most tools leave the percent sign alone.
            let found = plain();
            oddities.extend(found.is_some().then_some(Code::ManifestPercent));
            found
        });
    }
    plain().or_else(|| encoded(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Held;
    use crate::limits::Limits;

    fn ledger(paths: &[&str]) -> Ledger {
        let mut ledger = Ledger::default();
        for path in paths {
            let held = Held { size_bytes: 0, position: 0, modified_ns: 0 };
            ledger.take(path.as_bytes(), held, &Limits::default()).unwrap();
        }
        ledger.settle(b"", |_, _| {});
        ledger
    }

    fn check(present: &str, written: &str, version: Version, oddities: &[Code]) {
        let ledger = ledger(&[present]);
        let meant = resolve(written, version, &ledger);
        assert_eq!(meant.id, Some(0), "{written}");
        assert_eq!(meant.oddities, oddities, "{written}");
    }

    #[test]
    fn the_file_meant_is_found_however_it_is_written() {
        check("data/a", "data/a", Version::V10, &[]);
        check("data/a", "./data/a", Version::V10, &[Code::ManifestDotSlash]);
        check("data/a", "*data/a", Version::V10, &[Code::ManifestStar]);
        check("data/a/b", "data\\a\\b", Version::V10, &[Code::PathBackslash]);
        check("data/a\\b", "data/a\\b", Version::V10, &[]);
        check("data/e\u{301}", "data/é", Version::V10, &[Code::ManifestUnicode]);
        check("*odd.txt", "*odd.txt", Version::V10, &[]);
    }

    #[test]
    fn percent_signs_mean_what_the_version_says() {
        check("data/a\nb", "data/a%0Ab", Version::V10, &[]);
        check("data/100%", "data/100%25", Version::V10, &[]);
        check("data/a%0Ab", "data/a%250Ab", Version::V10, &[]);
        check("data/100%", "data/100%", Version::V10, &[]);
        check("data/a%25", "data/a%25", Version::V10, &[Code::ManifestPercent]);
        check("data/a%0A", "data/a%0A", Version::V097, &[]);
        check("data/a\n", "data/a%0A", Version::V097, &[]);
        check("data/a%25", "data/a%25", Version::V096, &[]);
    }

    #[test]
    fn what_is_not_there_is_named_plainly() {
        let meant = resolve("*./data/gone", Version::V10, &ledger(&[]));
        assert_eq!((meant.path.as_ref(), meant.id), ("data/gone", None));
        assert_eq!(resolve("data\\gone", Version::V10, &ledger(&[])).path, "data/gone");
    }
}
