//! The verdict on a file: what the signatures found, weighed by priorities, and where they found
//! nothing, what its name and its text suggest. Everything doubtful is said.

use super::identify::{Hit, Hits};
use super::look::Look;
use super::text;
use crate::format::formats::Formats;
use crate::format::identification::{Basis, Identification, Match};
use crate::format::signature::Format;

/// Plain text, for which PRONOM has no signature.
const PLAIN_TEXT: &str = "x-fmt/111";
/// Formats named in one warning.
const NAMED: usize = 4;

impl Formats {
    pub(crate) fn judge(&self, found: Hits, look: &Look<'_>, name: &str) -> Identification<'_> {
        let Hits { hits, cut_off, mut warnings } = found;
        let extension = extension(name);
        warnings.extend(hits.iter().filter_map(|hit| self.not_inside(hit)));
        let mut matches = self.weigh(hits);
        if matches.is_empty() {
            let mut verdict = self.without_signature(look, extension.as_deref());
            warnings.extend(self.cut_off(&cut_off));
            warnings.append(&mut verdict.warnings);
            return Identification { warnings, ..verdict };
        }
        // Those that the name speaks for come first; whether it is right is for people to say.
        matches.sort_by_key(|it| mismatch(it.format, extension.as_deref()).is_some());
        if matches.len() > 1 {
            warnings.push(format!("the signatures leave {} formats open", matches.len()));
        }
        warnings.extend(matches.iter().filter_map(|it| mismatch(it.format, extension.as_deref())));
        Identification { matches, warnings, unknown: None }
    }

    /// The hits that no other hit is above. What is inside a container tells more than its bytes.
    fn weigh(&self, hits: Vec<Hit>) -> Vec<Match<'_>> {
        let inside = |hit: &Hit| matches!(hit.basis, Basis::Container { .. });
        let gives_way = |hit: &Hit, other: &Hit| {
            self.priorities.is_over(other.format, hit.format)
                || inside(other)
                    && !inside(hit)
                    && !self.priorities.is_over(hit.format, other.format)
        };
        let stays: Vec<bool> =
            hits.iter().map(|hit| !hits.iter().any(|other| gives_way(hit, other))).collect();
        let kept = hits.into_iter().zip(stays).filter(|(_, stays)| *stays);
        let found = kept.filter_map(|(hit, _)| {
            let format = self.set.formats.get(usize::from(hit.format))?;
            Some(Match { format, basis: hit.basis })
        });
        found.collect()
    }

    fn without_signature(&self, look: &Look<'_>, extension: Option<&str>) -> Identification<'_> {
        let encoding = text::encoding(look.head(), look.has_all());
        let suggested = self.suggested_by(extension);
        let plain = self.set.formats.iter().find(|format| format.puid == PLAIN_TEXT);
        let named_plain =
            plain.is_some_and(|plain| suggested.iter().any(|it| it.puid == plain.puid));
        let one = |format, basis, warnings| Identification {
            matches: vec![Match { format, basis }],
            warnings,
            unknown: None,
        };
        let mut unsigned = suggested.iter().filter(|format| !self.is_signed(format));
        if let (Some(format), None, false, Some(extension)) =
            (unsigned.next(), unsigned.next(), named_plain, extension)
        {
            let mut warnings = vec!["its extension alone says so".to_owned()];
            let says_text = format.mimes.iter().any(|mime| mime.starts_with("text/"));
            if says_text && encoding.is_none() {
                warnings.push("its bytes do not read as text".to_owned());
            }
            return one(format, Basis::Extension { extension: extension.to_owned() }, warnings);
        }
        let suggestion = (!named_plain || encoding.is_none()).then(|| suggestion(&suggested));
        let suggestion = suggestion.flatten();
        if let (Some(format), Some(encoding)) = (plain, encoding) {
            let mut warnings: Vec<String> = suggestion.into_iter().collect();
            if !named_plain {
                warnings.insert(0, "all that is known is that it reads as text".to_owned());
            }
            return one(format, Basis::Text { encoding }, warnings);
        }
        Identification {
            matches: Vec::new(),
            warnings: suggestion.into_iter().collect(),
            unknown: Some("no signature matches".to_owned()),
        }
    }

    /// Formats that use this extension.
    fn suggested_by(&self, extension: Option<&str>) -> Vec<&Format> {
        let places = extension.and_then(|extension| self.by_extension.get(extension));
        let formats = places.into_iter().flatten();
        formats.filter_map(|at| self.set.formats.get(usize::from(*at))).collect()
    }

    fn is_signed(&self, format: &Format) -> bool {
        let at = self.set.formats.iter().position(|it| it.puid == format.puid);
        at.and_then(|at| u16::try_from(at).ok()).is_some_and(|at| self.signed.contains(&at))
    }

    /// What to say of a format that should show inside a container, and shows outside only.
    fn not_inside(&self, hit: &Hit) -> Option<String> {
        let outside = matches!(hit.basis, Basis::Signature { .. });
        if !outside || !self.contained.contains(&hit.format) {
            return None;
        }
        let format = self.set.formats.get(usize::from(hit.format))?;
        Some(format!(
            "it begins like {} ({}) and is no whole container of that kind: it may be cut off",
            format.name, format.puid
        ))
    }

    /// Says what a file without a match begins like.
    fn cut_off(&self, formats: &[u16]) -> Option<String> {
        let above = |at: &&u16| !formats.iter().any(|other| self.priorities.is_over(*other, **at));
        let mut named: Vec<_> = formats.iter().filter(above).collect();
        named.dedup();
        let named = named.into_iter().filter_map(|at| self.set.formats.get(usize::from(*at)));
        let list = list(&named.collect::<Vec<_>>())?;
        Some(format!("it begins like {list} and does not end so: it may be cut off"))
    }
}

/// What to say if the extension is not one that the format has.
fn mismatch(format: &Format, extension: Option<&str>) -> Option<String> {
    let expected = &format.extensions;
    if expected.is_empty() || extension.is_some_and(|it| expected.iter().any(|one| one == it)) {
        return None;
    }
    let usual = expected.iter().take(NAMED).map(|it| format!(".{it}")).collect::<Vec<_>>();
    let usual = usual.join(", ");
    let puid = &format.puid;
    Some(match extension {
        Some(extension) => format!("its extension is .{extension}; {puid} has {usual}"),
        None => format!("it has no extension; {puid} has {usual}"),
    })
}

fn suggestion(suggested: &[&Format]) -> Option<String> {
    let list = list(suggested)?;
    Some(format!("its extension suggests {list}, whose signatures it does not have"))
}

/// The first few formats by name.
fn list(formats: &[&Format]) -> Option<String> {
    let mut named: Vec<String> =
        formats.iter().take(NAMED).map(|it| format!("{} ({})", it.name, it.puid)).collect();
    let more = formats.len().saturating_sub(NAMED);
    if more > 0 {
        named.push(format!("{more} more"));
    }
    let (last, others) = named.split_last()?;
    if others.is_empty() {
        return Some(last.clone());
    }
    Some(format!("{} or {last}", others.join(", ")))
}

/// The extension of a name in lower case; none for `name`, `.name` and `name.`.
fn extension(name: &str) -> Option<String> {
    let (stem, extension) = name.rsplit_once('.')?;
    let stem = stem.rsplit('/').next().unwrap_or_default();
    let valid = !stem.is_empty() && !extension.is_empty() && !extension.contains('/');
    valid.then(|| extension.to_lowercase())
}
