//! One file against all signatures: candidates, proof, and what is inside if it is a container.

use super::container::inside;
use super::formats::Formats;
use super::identification::{Basis, Place};
use super::look::{Halt, Look};
use super::matching::{Window, place, stands};
use super::signature::Signature;
use super::signature::pattern::{Anchor, Sequence};

/// What the signatures say of a file.
#[derive(Default)]
pub(crate) struct Hits {
    pub(crate) hits: Vec<Hit>,
    /// Signatures that match at the start of the file and not at its end.
    pub(crate) cut_off: Vec<u16>,
    /// Sentences about containers that could not be read.
    pub(crate) warnings: Vec<String>,
}

/// A format that a signature found.
pub(crate) struct Hit {
    pub(crate) format: u16,
    pub(crate) basis: Basis,
}

/// How far a signature got.
enum Reached {
    Nothing,
    AllButTheEnd,
    All,
}

impl Hits {
    pub(crate) fn find(formats: &Formats, look: &mut Look<'_>) -> Result<Hits, Halt> {
        look.read_head(formats.index.head_bytes)?;
        look.read_tail(formats.index.tail_bytes)?;
        let mut found = Hits::default();
        let mut proven: Vec<&Signature> = Vec::new();
        for at in formats.index.candidates(look.head(), look.tail()) {
            let signature = &formats.set.signatures[usize::from(at)];
            // One signature is enough to name a format.
            if proven.iter().any(|it| it.format == signature.format) {
                continue;
            }
            match prove(signature, look)? {
                Reached::Nothing => {}
                Reached::AllButTheEnd => found.cut_off.push(signature.format),
                Reached::All => proven.push(signature),
            }
        }
        for (kind, trigger) in &formats.set.triggers {
            if proven.iter().any(|it| it.format == *trigger) {
                inside::look_inside(formats, *kind, look, &mut found)?;
            }
        }
        for signature in proven {
            let gives_way = |hit: &Hit| {
                hit.format == signature.format
                    || formats.priorities.is_over(hit.format, signature.format)
            };
            if !found.hits.iter().any(gives_way) {
                let basis = basis(signature, look)?;
                found.hits.push(Hit { format: signature.format, basis });
            }
        }
        Ok(found)
    }
}

/// Tries the sequences of a signature, the cheap ones first.
fn prove(signature: &Signature, look: &mut Look<'_>) -> Result<Reached, Halt> {
    let mut reached = Reached::Nothing;
    for anchor in [Anchor::Start, Anchor::Anywhere, Anchor::End] {
        for sequence in signature.sequences.iter().filter(|it| it.anchor == anchor) {
            if !in_windows(sequence, look, |window, budget| stands(sequence, window, budget))? {
                return Ok(if anchor == Anchor::End { reached } else { Reached::Nothing });
            }
            // What has no start to show cannot be cut off.
            if anchor == Anchor::Start {
                reached = Reached::AllButTheEnd;
            }
        }
    }
    Ok(Reached::All)
}

/// Says where the sequences of a signature stand.
fn basis(signature: &Signature, look: &mut Look<'_>) -> Result<Basis, Halt> {
    let mut places = Vec::new();
    for sequence in &signature.sequences {
        in_windows(sequence, look, |window, budget| {
            let range = place(sequence, window, budget)?;
            places.extend(range.as_ref().map(|range| Place {
                offset: window.offset + range.start as u64,
                length: range.len() as u64,
            }));
            Ok(range.is_some())
        })?;
    }
    Ok(Basis::Signature { signature: signature.id, places })
}

/// Tries the parts of the file that a sequence may stand in, until one says yes.
fn in_windows<'a>(
    sequence: &Sequence,
    look: &mut Look<'a>,
    mut is_there: impl FnMut(Window<'_>, &mut super::look::Budget<'a>) -> Result<bool, Halt>,
) -> Result<bool, Halt> {
    let bounds = look.budget.bounds();
    let reach = sequence.reach_bytes().unwrap_or(bounds.window_bytes);
    match sequence.anchor {
        Anchor::Start => {
            look.read_head(reach)?;
            let (window, budget) = look.first(reach);
            is_there(window, budget)
        }
        Anchor::End => {
            look.read_tail(reach)?;
            let (window, budget) = look.last(reach);
            is_there(window, budget)
        }
        Anchor::Anywhere => {
            let deep = bounds.deep_window_bytes;
            for wanted in [bounds.window_bytes, deep] {
                look.read_head(wanted)?;
                let (window, budget) = look.first(wanted);
                if is_there(window, budget)? {
                    return Ok(true);
                }
                if look.has_all() {
                    return Ok(false);
                }
            }
            look.read_tail(deep)?;
            let (window, budget) = look.last(deep);
            is_there(window, budget)
        }
    }
}
