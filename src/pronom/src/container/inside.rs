//! Container signatures: which files a container holds, and what stands in them.

use std::collections::HashMap;

use super::contents::{Content, Contents};
use super::damage::Damage;
use crate::formats::Formats;
use crate::identification::{Basis, ContainerKind};
use crate::looking::identify::{Hit, Hits};
use crate::looking::look::{Budget, Halt, Look};
use crate::looking::matching::{Found, View, find};
use crate::signature::ContainerSignature;
use crate::signature::pattern::{Anchor, Sequence};

/// Adds what the inside of a container tells. One that is damaged is left to the signatures of its
/// bytes, with a warning.
pub(crate) fn look_inside(
    formats: &Formats,
    kind: ContainerKind,
    look: &mut Look<'_>,
    found: &mut Hits<'_>,
) -> Result<(), Halt> {
    look.budget.be_in_time()?;
    let (source, budget) = look.source();
    let bounds = budget.bounds();
    let paths = formats.wanted.get(&kind);
    let wanted = |path: &str| paths.is_some_and(|paths| paths.contains(path));
    let opened = match kind {
        ContainerKind::Zip => Contents::open_zip(source, &wanted, bounds),
        ContainerKind::Ole2 => Contents::open_ole2(source, &wanted, bounds),
    };
    let mut contents = match opened {
        Ok(contents) => contents,
        Err(damage) => return found.warn(damage),
    };
    let signatures: Vec<_> = formats
        .set
        .containers
        .iter()
        .filter(|it| it.kind == kind && it.files.iter().all(|file| contents.has(&file.path)))
        .collect();
    let mut entries = Entries::new(&signatures, bounds.entry_bytes);
    for signature in &signatures {
        if found.hits.iter().any(|hit| hit.format == signature.format) {
            continue;
        }
        let mut all = true;
        for file in signature.files.iter().filter(|file| !file.content.is_empty()) {
            let Some(content) = entries.read(&mut contents, &file.path, found)? else {
                all = false;
                break;
            };
            if !is_any(&file.content, content, budget)? {
                all = false;
                break;
            }
        }
        if all {
            let entries = signature.files.iter().map(|file| file.path.clone()).collect();
            let basis = Basis::Container { kind, signature: signature.id, entries };
            found.hits.push(Hit { format: signature.format, basis });
        }
    }
    contents.damage().into_iter().for_each(|damage| found.say(damage));
    Ok(())
}

/// Entries that were read, each once.
struct Entries<'f> {
    /// How many bytes of each entry the signatures want.
    wanted: HashMap<&'f str, usize>,
    read: HashMap<&'f str, Option<Content>>,
}

impl<'f> Entries<'f> {
    fn new(signatures: &[&'f ContainerSignature], most: usize) -> Entries<'f> {
        let mut wanted: HashMap<&str, usize> = HashMap::new();
        for file in signatures.iter().flat_map(|signature| &signature.files) {
            let reach = |sequence: &Sequence| match sequence.anchor {
                Anchor::Start => sequence.reach_bytes().unwrap_or(most),
                // Unpacking leads to the end only through all that comes before.
                Anchor::End | Anchor::Anywhere => most,
            };
            let bytes = file.content.iter().flatten().map(reach).max().unwrap_or(0);
            let known = wanted.entry(&file.path).or_default();
            *known = bytes.max(*known);
        }
        Entries { wanted, read: HashMap::new() }
    }

    /// The content of an entry; none, and a warning, if it cannot be read.
    fn read(
        &mut self,
        contents: &mut Contents<'_>,
        path: &'f str,
        found: &mut Hits<'_>,
    ) -> Result<Option<&Content>, Halt> {
        if !self.read.contains_key(path) {
            let most = self.wanted.get(path).copied().unwrap_or(0);
            let content = match contents.content(path, most) {
                Ok(content) => {
                    content.damage.iter().for_each(|damage| found.say(damage));
                    Some(content)
                }
                Err(damage) => {
                    found.warn(damage)?;
                    None
                }
            };
            self.read.insert(path, content);
        }
        Ok(self.read.get(path).and_then(Option::as_ref))
    }
}

/// Whether all sequences of one of the alternatives stand in an entry.
fn is_any(
    alternatives: &[Vec<Sequence>],
    content: &Content,
    budget: &mut Budget<'_>,
) -> Result<bool, Halt> {
    let (head, size_bytes) = (content.bytes.as_slice(), content.bytes.len() as u64);
    let view = View { head, tail: head, size_bytes };
    for sequences in alternatives {
        let mut all = true;
        for sequence in sequences {
            let reaches = sequence.anchor != Anchor::End || content.whole;
            all = all && reaches && matches!(find(sequence, view, budget)?, Found::At(_));
        }
        if all {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Hits<'_> {
    /// Keeps what is wrong with a container, or too much of it, as a warning. A source that cannot
    /// be read ends the looking.
    fn warn(&mut self, damage: Damage) -> Result<(), Halt> {
        if let Damage::Source(error) = damage {
            return Err(error.into());
        }
        self.say(&damage);
        Ok(())
    }

    fn say(&mut self, damage: &Damage) {
        let sentence = format!("its inside was not read in full: {damage}");
        if !self.warnings.contains(&sentence) {
            self.warnings.push(sentence);
        }
    }
}
