//! Byte patterns, flat: steps one after another, each with its alternatives, and gaps between them.
//!
//! Every construct of PRONOM comes down to this: a fragment is a step, `??` a unit that takes any
//! byte, `{n-m}` and `*` are gaps, `(a|b)` is a step with two choices. Because nothing is nested,
//! matching needs no recursion and no backtracking.

use serde::{Deserialize, Serialize};

/// A byte sequence and where it must stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sequence {
    pub(crate) anchor: Anchor,
    /// In reading order, never empty.
    pub(crate) steps: Vec<Step>,
}

/// What the outer gap of a sequence is measured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Anchor {
    /// The gap before the first step is counted from the start of the file.
    Start,
    /// The gap after the last step is counted to the end of the file.
    End,
    Anywhere,
}

/// One of its choices must stand here; never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) choices: Vec<Choice>,
}

/// Bytes of a fixed length, with the gaps that they bring along on either side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Choice {
    pub(crate) before: Gap,
    /// Never empty, and literal bytes never stand beside literal bytes.
    pub(crate) units: Vec<Unit>,
    pub(crate) after: Gap,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unit {
    Bytes(Vec<u8>),
    OneOf(ByteSet),
}

/// How many bytes of any kind stand between; without `max` any number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gap {
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
}

/// Some of the 256 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ByteSet([u64; 4]);

impl Gap {
    pub(crate) const NONE: Gap = Gap { min: 0, max: Some(0) };

    /// Both gaps, one after the other.
    pub(crate) fn and(self, other: Gap) -> Gap {
        let max = self.max.zip(other.max).map(|(one, two)| one.saturating_add(two));
        Gap { min: self.min.saturating_add(other.min), max }
    }
}

impl ByteSet {
    pub(crate) const NONE: ByteSet = ByteSet([0; 4]);
    pub(crate) const ALL: ByteSet = ByteSet([u64::MAX; 4]);

    pub(crate) fn of(wanted: impl Fn(u8) -> bool) -> ByteSet {
        let mut set = ByteSet::NONE;
        (0..=u8::MAX).filter(|byte| wanted(*byte)).for_each(|byte| set.add(byte));
        set
    }

    pub(crate) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    pub(crate) fn with(self, other: ByteSet) -> ByteSet {
        ByteSet::of(|byte| self.has(byte) || other.has(byte))
    }

    pub(crate) fn inverted(self) -> ByteSet {
        ByteSet(self.0.map(|word| !word))
    }

    pub(crate) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The lowest byte; none if the set is empty.
    pub(crate) fn first(&self) -> Option<u8> {
        (0..=u8::MAX).find(|byte| self.has(*byte))
    }
}

impl std::fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries((0..=u8::MAX).filter(|byte| self.has(*byte))).finish()
    }
}

impl Unit {
    pub(crate) fn len(&self) -> usize {
        match self {
            Unit::Bytes(bytes) => bytes.len(),
            Unit::OneOf(_) => 1,
        }
    }
}

impl Choice {
    /// Puts units together as a choice without gaps; neighbouring literal bytes become one unit.
    pub(crate) fn new(units: impl IntoIterator<Item = Unit>) -> Choice {
        let mut joined: Vec<Unit> = Vec::new();
        for unit in units {
            // A set of one byte is that byte.
            let unit = match unit {
                Unit::OneOf(set) if set.count() == 1 => {
                    Unit::Bytes(set.first().into_iter().collect())
                }
                Unit::OneOf(_) | Unit::Bytes(_) => unit,
            };
            match (joined.last_mut(), unit) {
                (Some(Unit::Bytes(last)), Unit::Bytes(more)) => last.extend(more),
                (_, unit) => joined.push(unit),
            }
        }
        Choice { before: Gap::NONE, units: joined, after: Gap::NONE }
    }

    pub(crate) fn len(&self) -> usize {
        self.units.iter().map(Unit::len).sum()
    }

    /// Whether the bytes at the start of `bytes` are these.
    pub(crate) fn stands_at(&self, mut bytes: &[u8]) -> bool {
        self.units.iter().all(|unit| match unit {
            Unit::Bytes(wanted) => match bytes.split_at_checked(wanted.len()) {
                Some((here, rest)) => {
                    bytes = rest;
                    here == wanted
                }
                None => false,
            },
            Unit::OneOf(set) => match bytes.split_first() {
                Some((here, rest)) => {
                    bytes = rest;
                    set.has(*here)
                }
                None => false,
            },
        })
    }

    /// The longest run of literal bytes, and how far in it begins.
    pub(crate) fn longest_literal(&self) -> Option<(usize, &[u8])> {
        let mut at = 0;
        let mut longest: Option<(usize, &[u8])> = None;
        for unit in &self.units {
            if let Unit::Bytes(bytes) = unit
                && longest.is_none_or(|(_, best)| best.len() < bytes.len())
            {
                longest = Some((at, bytes));
            }
            at += unit.len();
        }
        longest
    }
}

impl Sequence {
    /// How many bytes from its anchor on the sequence can take; none if there is no such bound.
    pub(crate) fn reach_bytes(&self) -> Option<usize> {
        if self.anchor == Anchor::Anywhere {
            return None;
        }
        let longest = |step: &Step| {
            let reach = step.choices.iter().map(|choice| {
                let gap = choice.before.and(choice.after).max? as usize;
                gap.checked_add(choice.len())
            });
            reach.collect::<Option<Vec<_>>>()?.into_iter().max()
        };
        self.steps.iter().map(longest).try_fold(0_usize, |sum, next| sum.checked_add(next?))
    }
}
