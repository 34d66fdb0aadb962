//! One file against all signatures: candidates, proof, and what is inside if it is a container.

use super::look::{Halt, Look};
use super::matching::{Found, find};
use crate::bounds::Bounds;
use crate::container::inside;
use crate::formats::Formats;
use crate::identification::Basis;
use crate::signature::Signature;
use crate::signature::pattern::{Anchor, Sequence};

/// What the signatures say of a file.
#[derive(Default)]
pub(crate) struct Hits<'s> {
    pub(crate) hits: Vec<Hit>,
    /// Signatures that match at the start of the file and not at its end.
    pub(crate) cut_off: Vec<&'s Signature>,
    /// Formats of signatures whose last part was not found in what was looked at, where there is
    /// more of the file.
    pub(crate) unseen: Vec<u16>,
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
    /// What may stand anywhere was not found in the parts that are looked at.
    AllButTheUnseen,
    All,
}

impl<'s> Hits<'s> {
    pub(crate) fn find(formats: &'s Formats, look: &mut Look<'_>) -> Result<Hits<'s>, Halt> {
        look.read_head(formats.index.head_bytes)?;
        look.read_tail(formats.index.tail_bytes)?;
        let mut found = Hits::default();
        let mut proven: Vec<&'s Signature> = Vec::new();
        for at in formats.index.candidates(look.head(), look.tail()) {
            let signature = &formats.set.signatures[usize::from(at)];
            // One signature is enough to name a format.
            if proven.iter().any(|it| it.format == signature.format) {
                continue;
            }
            match prove(signature, look)? {
                Reached::Nothing => {}
                Reached::AllButTheEnd => found.cut_off.push(signature),
                Reached::AllButTheUnseen => found.unseen.push(signature.format),
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

/// Tries all sequences of a signature near the ends of the file, and those that need it deeper.
fn prove(signature: &Signature, look: &mut Look<'_>) -> Result<Reached, Halt> {
    let bounds = look.budget.bounds();
    let mut deeper = Vec::new();
    let mut reached = Reached::Nothing;
    for anchor in [Anchor::Start, Anchor::Anywhere, Anchor::End] {
        for sequence in signature.sequences.iter().filter(|it| it.anchor == anchor) {
            match near(sequence, look)? {
                Found::At(_) => {}
                Found::Begun => deeper.push(sequence),
                Found::Nowhere if anchor == Anchor::End && deeper.is_empty() => return Ok(reached),
                Found::Nowhere => return Ok(Reached::Nothing),
            }
            // What has no start to show cannot be cut off.
            if anchor == Anchor::Start {
                reached = Reached::AllButTheEnd;
            }
        }
    }
    let size = look.size_bytes();
    let is_seen = |bytes: usize| size <= bytes as u64;
    for sequence in deeper {
        if is_seen(bounds.window_bytes) {
            return Ok(Reached::Nothing);
        }
        if deep(sequence, look, bounds)? == Found::Begun {
            let all = is_seen(bounds.deep_window_bytes.saturating_mul(2));
            return Ok(if all { Reached::Nothing } else { Reached::AllButTheUnseen });
        }
    }
    Ok(Reached::All)
}

/// Says where the sequences of a signature stand.
fn basis(signature: &Signature, look: &mut Look<'_>) -> Result<Basis, Halt> {
    let bounds = look.budget.bounds();
    let mut places = Vec::new();
    for sequence in &signature.sequences {
        let mut found = near(sequence, look)?;
        if found == Found::Begun {
            found = deep(sequence, look, bounds)?;
        }
        if let Found::At(place) = found {
            places.push(place);
        }
    }
    Ok(Basis::Signature { signature: signature.id, places })
}

/// Looks for a sequence as far as it may reach, or near the start if it may stand anywhere.
fn near(sequence: &Sequence, look: &mut Look<'_>) -> Result<Found, Halt> {
    let reach = sequence.reach_bytes().unwrap_or(look.budget.bounds().window_bytes);
    let (first, last) = if sequence.anchor == Anchor::End { (0, reach) } else { (reach, 0) };
    let (view, budget) = look.view(first, last)?;
    find(sequence, view, budget)
}

/// Looks for a sequence in much of the file.
fn deep(sequence: &Sequence, look: &mut Look<'_>, bounds: &Bounds) -> Result<Found, Halt> {
    let (view, budget) = look.view(bounds.deep_window_bytes, bounds.deep_window_bytes)?;
    find(sequence, view, budget)
}
