//! The matcher against the plainest reading of a sequence: try everything, step into everything.

use proptest::prelude::*;

use crate::looking::look::Budget;
use crate::looking::matching::{Found, View, find};
use crate::signature::pattern::{Anchor, ByteSet, Choice, Gap, Sequence, Step, Unit};
use crate::{Looking, Place};

/// Every range that the sequence can take in the bytes.
fn ranges(sequence: &Sequence, bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let last = sequence.steps.len() - 1;
    // Cursor, the gap still open before it, the next step, and where the first step began.
    let mut open = vec![(0_usize, Gap::NONE, 0_usize, None)];
    while let Some((cursor, after, at, begun)) = open.pop() {
        if at > last {
            let rest = bytes.len() - cursor;
            let fits = |gap: Gap| {
                rest >= gap.min as usize && gap.max.is_none_or(|max| rest <= max as usize)
            };
            if sequence.anchor != Anchor::End || fits(after) {
                found.push((begun.unwrap(), cursor));
            }
            continue;
        }
        for choice in &sequence.steps[at].choices {
            let mut gap = after.and(choice.before);
            if at == 0 && sequence.anchor == Anchor::End {
                gap = Gap { min: 0, max: None };
            }
            for start in cursor..=bytes.len() {
                let between = start - cursor;
                let fits = between >= gap.min as usize
                    && gap.max.is_none_or(|max| between <= max as usize);
                if fits && choice.stands_at(&bytes[start..]) {
                    let end = start + choice.len();
                    open.push((end, choice.after, at + 1, begun.or(Some(start))));
                }
            }
        }
    }
    found
}

fn gap() -> impl Strategy<Value = Gap> {
    prop_oneof![
        4 => Just(Gap::NONE),
        3 => (0_u32..4, 0_u32..4).prop_map(|(min, more)| Gap { min, max: Some(min + more) }),
        1 => (0_u32..3).prop_map(|min| Gap { min, max: None }),
    ]
}

fn unit() -> impl Strategy<Value = Unit> {
    prop_oneof![
        3 => prop::collection::vec(0_u8..3, 1..4).prop_map(Unit::Bytes),
        1 => (0_u8..3).prop_map(|byte| Unit::OneOf(ByteSet::of(|it| it != byte))),
    ]
}

fn choice() -> impl Strategy<Value = Choice> {
    (gap(), prop::collection::vec(unit(), 1..3), gap()).prop_map(|(before, units, after)| Choice {
        before,
        after,
        ..Choice::new(units)
    })
}

fn sequence() -> impl Strategy<Value = Sequence> {
    let step = prop::collection::vec(choice(), 1..4).prop_map(|choices| Step { choices });
    let anchor = prop_oneof![Just(Anchor::Start), Just(Anchor::End), Just(Anchor::Anywhere)];
    (anchor, prop::collection::vec(step, 1..4)).prop_map(|(anchor, mut steps)| {
        // The outer gaps of sequences are as the files have them: none but on the anchored side.
        for choice in steps.first_mut().into_iter().flat_map(|step| &mut step.choices) {
            match anchor {
                Anchor::Start => {}
                Anchor::End => choice.before = Gap::NONE,
                Anchor::Anywhere => choice.before.max = None,
            }
        }
        for choice in steps.last_mut().into_iter().flat_map(|step| &mut step.choices) {
            if anchor != Anchor::End {
                choice.after = Gap::NONE;
            }
        }
        Sequence { anchor, steps }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_sequence_stands_where_trying_everything_finds_it(
        sequence in sequence(),
        bytes in prop::collection::vec(0_u8..3, 0..24),
    ) {
        let looking = Looking::default();
        let mut budget = Budget::new(&looking);
        let size_bytes = bytes.len() as u64;
        let view = View { head: &bytes, tail: &bytes, size_bytes };
        let expected = ranges(&sequence, &bytes);
        match find(&sequence, view, &mut budget).unwrap() {
            Found::At(Place { offset, length }) => {
                let range = (usize::try_from(offset).unwrap(), usize::try_from(offset + length).unwrap());
                let ends = expected.iter().map(|it| it.1);
                prop_assert!(expected.iter().any(|it| it.0 == range.0), "{range:?} {expected:?}");
                prop_assert!(ends.clone().any(|end| end == range.1), "{range:?} {expected:?}");
            }
            Found::Nowhere | Found::Begun => prop_assert_eq!(expected, []),
        }
    }

    #[test]
    fn what_lies_between_the_windows_costs_only_what_stands_there(
        sequence in sequence(),
        bytes in prop::collection::vec(0_u8..3, 2..24),
        first in 0_usize..24,
        last in 0_usize..24,
    ) {
        let looking = Looking::default();
        let mut budget = Budget::new(&looking);
        let len = bytes.len();
        let (head, tail) = (&bytes[..first.min(len)], &bytes[len - last.min(len)..]);
        let view = View { head, tail, size_bytes: len as u64 };
        if let Found::At(_) = find(&sequence, view, &mut budget).unwrap() {
            prop_assert!(!ranges(&sequence, &bytes).is_empty());
        }
    }
}
