//! A file for every signature, made of nothing but the signature itself, and identified back.

use std::collections::BTreeMap;

use crate::format::signature::pattern::{Anchor, Choice, Sequence, Unit};
use crate::format::signature::{Signature, SignatureSet};
use crate::format::{Basis, Formats, Identification, Looking};

/// Bytes between those that a signature asks for.
const FILLER: u8 = 0xEE;
/// Gaps tried before a sequence is said to have no room.
const TRIES: u32 = 4096;

/// Bytes that are settled, and others that may still become anything.
#[derive(Clone, Default)]
struct Draft {
    bytes: Vec<Option<u8>>,
}

impl Draft {
    /// Writes a choice at a place, if what stands there already allows it.
    fn write(&mut self, at: usize, choice: &Choice) -> bool {
        let mut wanted: Vec<Vec<u8>> = Vec::new();
        for unit in &choice.units {
            match unit {
                Unit::Bytes(bytes) => wanted.extend(bytes.iter().map(|byte| vec![*byte])),
                // Filler where it serves, so that as little as possible is said.
                Unit::OneOf(set) => {
                    let mut all: Vec<u8> = (0..=u8::MAX).filter(|byte| set.has(*byte)).collect();
                    all.sort_by_key(|byte| *byte != FILLER);
                    wanted.push(all);
                }
            }
        }
        if self.bytes.len() < at + wanted.len() {
            self.bytes.resize(at + wanted.len(), None);
        }
        let here = &mut self.bytes[at..at + wanted.len()];
        let free = |(byte, wanted): (&Option<u8>, &Vec<u8>)| {
            byte.is_none_or(|byte| wanted.contains(&byte))
        };
        if !here.iter().zip(&wanted).all(free) {
            return false;
        }
        for (byte, wanted) in here.iter_mut().zip(wanted) {
            *byte = byte.or(Some(wanted[0]));
        }
        true
    }
}

/// Writes the steps of a sequence from `at` on, with the least gaps that leave room for them.
/// A choice with no room gives way to the next; so does a gap.
fn write_steps(
    draft: &Draft,
    steps: &[(&Choice, u32, Option<u32>, &[Choice])],
    at: usize,
) -> Option<Draft> {
    let Some(((_, min, max, choices), rest)) = steps.split_first() else {
        return Some(draft.clone());
    };
    let most = max.unwrap_or(u32::MAX).min(min + TRIES);
    for gap in *min..=most {
        for choice in *choices {
            let mut next = draft.clone();
            let place = at + gap as usize;
            if next.write(place, choice)
                && let Some(done) = write_steps(&next, rest, place + choice.len())
            {
                return Some(done);
            }
        }
    }
    None
}

fn lay(sequence: &Sequence, draft: &Draft, at: usize) -> Option<Draft> {
    // Gaps after a choice belong to the step behind it; all choices of a step have the same here.
    let mut steps = Vec::new();
    let mut before = (0, Some(0));
    for step in &sequence.steps {
        let first = &step.choices[0];
        let gap = first.before;
        let max = gap.max.zip(before.1).map(|(one, two)| one + two);
        steps.push((first, gap.min + before.0, max, step.choices.as_slice()));
        before = (first.after.min, first.after.max);
    }
    write_steps(draft, &steps, at)
}

/// A file that the signature describes; none if its sequences leave no room for one another.
pub(super) fn file(signature: &Signature) -> Option<Vec<u8>> {
    let mut head = Draft::default();
    // Those with the least room to move come first.
    let mut starting: Vec<_> =
        signature.sequences.iter().filter(|it| it.anchor == Anchor::Start).collect();
    starting.sort_by_key(|sequence| {
        let gap = sequence.steps[0].choices[0].before;
        (gap.max.unwrap_or(u32::MAX) - gap.min, gap.min)
    });
    for sequence in starting {
        head = lay(sequence, &head, 0)?;
    }
    for sequence in signature.sequences.iter().filter(|it| it.anchor == Anchor::Anywhere) {
        let end = head.bytes.len();
        head = lay(sequence, &head, end)?;
    }
    let mut tail = Draft::default();
    for sequence in signature.sequences.iter().filter(|it| it.anchor == Anchor::End) {
        tail = lay_end(sequence, &tail)?;
    }
    let bytes = head.bytes.into_iter().chain([None; 3]).chain(tail.bytes);
    Some(bytes.map(|byte| byte.unwrap_or(FILLER)).collect())
}

/// Lays a sequence so that it ends at its distance from the end; `tail` ends where the file does.
fn lay_end(sequence: &Sequence, tail: &Draft) -> Option<Draft> {
    let distance = sequence.steps.last()?.choices[0].after;
    let alone = lay(sequence, &Draft::default(), 0)?;
    for gap in distance.min..=distance.max?.min(distance.min + TRIES) {
        let mut placed: Vec<Option<u8>> = alone.bytes.clone();
        placed.extend(std::iter::repeat_n(None, gap as usize));
        let len = placed.len().max(tail.bytes.len());
        let mut both = vec![None; len - placed.len()];
        both.extend(placed);
        let offset = len - tail.bytes.len();
        let mut fits = true;
        for (at, byte) in tail.bytes.iter().enumerate() {
            let here = &mut both[offset + at];
            fits &= here.is_none() || byte.is_none() || *here == *byte;
            *here = here.or(*byte);
        }
        if fits {
            return Some(Draft { bytes: both });
        }
    }
    None
}

/// How a file made for a format was identified.
fn outcome(formats: &Formats, wanted: u16, found: &Identification<'_>) -> &'static str {
    let set: &SignatureSet = formats.set();
    let place = |puid: &str| (0..).zip(&set.formats).find(|(_, it)| it.puid == puid).unwrap().0;
    let names: Vec<u16> = found.matches.iter().map(|it| place(&it.format.puid)).collect();
    let by_signature = found
        .matches
        .iter()
        .all(|it| matches!(it.basis, Basis::Signature { .. } | Basis::Container { .. }));
    match (names.contains(&wanted), names.len()) {
        _ if !by_signature => "not by a signature",
        (true, 1) => "itself",
        (true, _) => "itself and others",
        (false, _) if names.iter().any(|it| formats.priorities.is_over(*it, wanted)) => {
            "gives way by priority"
        }
        (false, _) => "another",
    }
}

#[test]
fn every_signature_is_found_in_a_file_made_of_it() {
    let formats = Formats::built_in().unwrap();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut exceptions = Vec::new();
    for signature in &formats.set.signatures {
        let format = &formats.set.formats[usize::from(signature.format)];
        let Some(bytes) = file(signature) else {
            exceptions.push(format!("{} {}: no room", format.puid, signature.id));
            continue;
        };
        let found = formats.identify(&bytes.as_slice(), "file", &Looking::default()).unwrap();
        let outcome = outcome(&formats, signature.format, &found);
        *counts.entry(outcome).or_default() += 1;
        if !["itself", "itself and others", "gives way by priority"].contains(&outcome) {
            let names: Vec<_> = found.matches.iter().map(|it| it.format.puid.as_str()).collect();
            exceptions.push(format!(
                "{} {}: {outcome} {names:?} {:?}",
                format.puid, signature.id, found.unknown
            ));
        }
    }
    println!("{counts:?}");
    println!("{}", exceptions.join("\n"));
    assert!(exceptions.is_empty());
}
