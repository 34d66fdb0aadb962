//! A file for every signature, made of nothing but the signature itself, and identified back.

use std::collections::BTreeMap;

use crate::signature::pattern::{Anchor, Choice, Sequence, Unit};
use crate::{Basis, Formats, Identification, Looking};

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

/// Bytes that the sequences describe; none if they leave no room for one another.
pub(super) fn lay_out(sequences: &[Sequence]) -> Option<Vec<u8>> {
    let at = |anchor| sequences.iter().filter(move |it| it.anchor == anchor);
    let mut head = Draft::default();
    // Those with the least room to move come first.
    let mut starting: Vec<_> = at(Anchor::Start).collect();
    starting.sort_by_key(|sequence| {
        let gap = sequence.steps[0].choices[0].before;
        (gap.max.unwrap_or(u32::MAX) - gap.min, gap.min)
    });
    for sequence in starting {
        head = lay(sequence, &head, 0)?;
    }
    for sequence in at(Anchor::Anywhere) {
        let end = head.bytes.len();
        head = lay(sequence, &head, end)?;
    }
    let mut tail = Draft::default();
    for sequence in at(Anchor::End) {
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

/// How files made for signatures were identified.
#[derive(Default)]
pub(super) struct Counts {
    outcomes: BTreeMap<&'static str, usize>,
    exceptions: Vec<String>,
}

impl Counts {
    pub(super) fn no_room(&mut self, formats: &Formats, wanted: u16, id: u32) {
        let puid = &formats.set.formats[usize::from(wanted)].puid;
        self.exceptions.push(format!("{puid} by signature {id}: its sequences leave no room"));
    }

    pub(super) fn count(
        &mut self,
        formats: &Formats,
        wanted: u16,
        id: u32,
        found: &Identification<'_>,
    ) {
        let all = &formats.set.formats;
        let place = |puid: &str| (0..).zip(all).find(|(_, it)| it.puid == puid).unwrap().0;
        let signed =
            |basis: &Basis| matches!(basis, Basis::Signature { .. } | Basis::Container { .. });
        let names: Vec<&str> = found.matches.iter().map(|it| it.format.puid.as_str()).collect();
        let over = |puid: &&str| formats.priorities.is_over(place(puid), wanted);
        let puid = all[usize::from(wanted)].puid.as_str();
        let outcome = match (names.contains(&puid), names.len()) {
            _ if !found.matches.iter().all(|it| signed(&it.basis)) => None,
            (true, 1) => Some("itself"),
            (true, _) => Some("itself and others"),
            (false, _) if names.iter().any(over) => Some("what has priority over it"),
            (false, _) => None,
        };
        match outcome {
            Some(outcome) => *self.outcomes.entry(outcome).or_default() += 1,
            None => self.exceptions.push(format!("{puid} by signature {id}: {names:?}")),
        }
    }

    /// Prints the counts; fails if there are other exceptions than those that are known.
    pub(super) fn tell(&self, what: &str, known: &[&str]) {
        println!("{what}: {:?}, exceptions {}", self.outcomes, self.exceptions.len());
        assert_eq!(self.exceptions, known);
    }
}

#[test]
fn every_signature_is_found_in_a_file_made_of_it() {
    let formats = Formats::built_in().unwrap();
    let mut counts = Counts::default();
    for signature in &formats.set.signatures {
        let Some(bytes) = lay_out(&signature.sequences) else {
            counts.no_room(&formats, signature.format, signature.id);
            continue;
        };
        let found = formats.identify(&bytes.as_slice(), "file", &Looking::default()).unwrap();
        counts.count(&formats, signature.format, signature.id, &found);
    }
    counts.tell("signatures", &[]);
}
