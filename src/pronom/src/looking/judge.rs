//! The verdict on a file: what the signatures found, weighed by priorities, and where they found
//! nothing, what its name and its text suggest. Everything doubtful is said.

use super::identify::{Hit, Hits};
use super::look::Look;
use super::text;
use crate::formats::Formats;
use crate::identification::{Basis, Encoding, Identification, Match};
use crate::signature::pattern::{Anchor, Choice, Step, Unit};
use crate::signature::{Format, Signature};

/// Formats named in one warning.
const NAMED: usize = 4;

impl Formats {
    pub(crate) fn judge(&self, found: Hits<'_>, look: &Look<'_>, name: &str) -> Identification<'_> {
        let Hits { hits, cut_off, unseen, mut warnings } = found;
        let extension = extension(name);
        warnings.extend(hits.iter().filter_map(|hit| self.not_inside(hit)));
        let hits = self.weigh(hits);
        if hits.is_empty() {
            let mut verdict = self.without_signature(look, extension.as_deref());
            warnings.extend(self.cut_off(&cut_off));
            warnings.extend(self.not_ruled_out(look, unseen.iter().copied()));
            warnings.append(&mut verdict.warnings);
            return Identification { warnings, ..verdict };
        }
        // Only what would tell more than what was found.
        let above = |at: &u16| hits.iter().any(|hit| self.priorities.is_over(*at, hit.format));
        warnings.extend(self.not_ruled_out(look, unseen.into_iter().filter(above)));
        let found = hits
            .into_iter()
            .filter_map(|hit| Some(Match { format: self.format(hit.format)?, basis: hit.basis }));
        let mut matches: Vec<Match<'_>> = found.collect();
        // Those that the name speaks for come first; whether it is right is for people to say.
        matches.sort_by_key(|it| mismatch(it.format, extension.as_deref()).is_some());
        if matches.len() > 1 {
            warnings.push(format!("the signatures leave {} formats open", matches.len()));
        }
        warnings.extend(matches.iter().filter_map(|it| mismatch(it.format, extension.as_deref())));
        Identification { matches, warnings, unknown: None }
    }

    /// The hits that no other hit is above. What is inside a container tells more than its bytes.
    fn weigh(&self, hits: Vec<Hit>) -> Vec<Hit> {
        let inside = |hit: &Hit| matches!(hit.basis, Basis::Container { .. });
        let gives_way = |hit: &Hit, other: &Hit| {
            self.priorities.is_over(other.format, hit.format)
                || inside(other)
                    && !inside(hit)
                    && !self.priorities.is_over(hit.format, other.format)
        };
        let stays: Vec<bool> =
            hits.iter().map(|hit| !hits.iter().any(|other| gives_way(hit, other))).collect();
        hits.into_iter().zip(stays).filter(|(_, stays)| *stays).map(|(hit, _)| hit).collect()
    }

    fn without_signature(&self, look: &Look<'_>, extension: Option<&str>) -> Identification<'_> {
        // A file that is not at hand as a whole must read as text at both ends.
        let cut = if look.has_all() { text::Cut::Nowhere } else { text::Cut::AtEnd };
        let ends = |encoding: &Encoding| match encoding {
            // Only its first two bytes say how the end would have to be read.
            Encoding::Utf16Le | Encoding::Utf16Be => true,
            Encoding::Ascii | Encoding::Utf8 | Encoding::Latin | Encoding::CodePage => {
                look.has_all() || text::encoding(look.tail(), text::Cut::AtStart).is_some()
            }
        };
        let encoding = text::encoding(look.head(), cut).filter(ends);
        let suggested = self.suggested_by(extension);
        let named_plain = self.plain_text.is_some_and(|plain| suggested.contains(&plain));
        let one = |format, basis, warnings| Identification {
            matches: vec![Match { format, basis }],
            warnings,
            unknown: None,
        };
        let mut unsigned = suggested.iter().filter(|at| !self.signed.contains(at));
        let first = unsigned.next().and_then(|at| self.format(*at));
        if let (Some(format), None, false, Some(extension)) =
            (first, unsigned.next(), named_plain, extension)
        {
            let mut warnings = vec!["its extension alone says so".to_owned()];
            let says_text = format.mimes.iter().any(|mime| mime.starts_with("text/"));
            if says_text && encoding.is_none() {
                warnings.push("its bytes do not read as text".to_owned());
            }
            return one(format, Basis::Extension { extension: extension.to_owned() }, warnings);
        }
        let suggestion = match (named_plain, encoding) {
            (true, Some(_)) => None,
            (true, None) => Some("its bytes do not read as text".to_owned()),
            (false, _) => self.suggestion(suggested),
        };
        let plain = self.plain_text.and_then(|at| self.format(at));
        if let (Some(format), Some(encoding)) = (plain, encoding) {
            let mut warnings: Vec<String> = suggestion.into_iter().collect();
            if !named_plain {
                let part = if look.has_all() { "it reads" } else { "its start and end read" };
                warnings.insert(0, format!("all that is known is that {part} as text"));
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
    fn suggested_by(&self, extension: Option<&str>) -> &[u16] {
        let places = extension.and_then(|extension| self.by_extension.get(extension));
        places.map_or(&[], Vec::as_slice)
    }

    fn suggestion(&self, suggested: &[u16]) -> Option<String> {
        let list = self.listed(suggested.iter().copied())?;
        Some(format!("its extension suggests {list}, whose signatures it does not have"))
    }

    fn format(&self, at: u16) -> Option<&Format> {
        self.set.formats.get(usize::from(at))
    }

    /// What to say of formats that could show in the part of a file that is not looked at.
    fn not_ruled_out(&self, look: &Look<'_>, formats: impl Iterator<Item = u16>) -> Option<String> {
        let list = self.listed(formats)?;
        let mib = look.budget.bounds().deep_window_bytes >> 20;
        Some(format!(
            "only the first and the last {mib} MiB were looked at: {list} cannot be ruled out"
        ))
    }

    /// Formats by name, each once.
    fn listed(&self, formats: impl Iterator<Item = u16>) -> Option<String> {
        let mut places: Vec<u16> = formats.collect();
        places.sort_unstable();
        places.dedup();
        let named = places.iter().filter_map(|at| self.format(*at));
        list(&named.collect::<Vec<_>>())
    }

    /// What to say of a format that should show inside a container, and shows outside only.
    fn not_inside(&self, hit: &Hit) -> Option<String> {
        let outside = matches!(hit.basis, Basis::Signature { .. });
        if !outside || !self.contained.contains(&hit.format) {
            return None;
        }
        let format = self.format(hit.format)?;
        Some(format!(
            "it begins like {} ({}) and is no whole container of that kind: it may be cut off",
            format.name, format.puid
        ))
    }

    /// Says what a file without a match begins like: the most general of the formats, and none that
    /// a few bytes would make of any file.
    fn cut_off(&self, signatures: &[&Signature]) -> Option<String> {
        const TELLING_BYTES: usize = 4;
        let telling = |signature: &&&Signature| start_bytes(signature) >= TELLING_BYTES;
        let begun: Vec<u16> = signatures.iter().filter(telling).map(|it| it.format).collect();
        let special = |at: &u16| begun.iter().any(|other| self.priorities.is_over(*at, *other));
        let list = self.listed(begun.iter().copied().filter(|at| !special(at)))?;
        Some(format!("it begins like {list} and does not end so: it may be cut off"))
    }
}

/// Literal bytes that a signature has at the start of the file, at the least.
fn start_bytes(signature: &Signature) -> usize {
    let starts = signature.sequences.iter().filter(|it| it.anchor == Anchor::Start);
    let literal = |choice: &Choice| {
        let bytes = choice.units.iter().map(|unit| match unit {
            Unit::Bytes(bytes) => bytes.len(),
            Unit::OneOf(_) => 0,
        });
        bytes.sum::<usize>()
    };
    let least = |step: &Step| step.choices.iter().map(literal).min().unwrap_or(0);
    starts.flat_map(|sequence| &sequence.steps).map(least).sum()
}

/// What to say if the extension is not one that the format has.
fn mismatch(format: &Format, extension: Option<&str>) -> Option<String> {
    let expected = &format.extensions;
    if expected.is_empty() || extension.is_some_and(|it| expected.iter().any(|one| one == it)) {
        return None;
    }
    const SHOWN: usize = 8;
    let mut usual: Vec<_> = expected.iter().take(SHOWN).map(|it| format!(".{it}")).collect();
    let more = expected.len().saturating_sub(SHOWN);
    if more > 0 {
        usual.push(format!("{more} more"));
    }
    let (puid, usual) = (&format.puid, usual.join(", "));
    Some(match extension {
        Some(extension) => format!("its extension is \".{extension}\"; {puid} has {usual}"),
        None => format!("it has no extension; {puid} has {usual}"),
    })
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
