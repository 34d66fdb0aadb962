//! Whether a sequence stands in some bytes.
//!
//! Step by step: the places where a step may begin are kept as ranges, everywhere in them that it
//! does stand is found, and from there follow the ranges for the next step. The work for one step
//! is at most the length of the bytes for each of its choices, whatever the bytes are: there is no
//! backtracking that hostile bytes could blow up.

use std::ops::Range;

use memchr::memmem::{Finder, FinderRev};

use super::look::{Budget, Halt};
use super::signature::pattern::{Anchor, Choice, Gap, Sequence, Step};

/// Which end of the bytes a sequence is read from. Places are distances from that end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Forward,
    Backward,
}

/// Distances, both ends included.
type Span = (usize, usize);

/// A choice that stands at a distance.
struct Standing<'s> {
    choice: &'s Choice,
    distance: usize,
}

/// Some bytes of a file, to look for sequences in.
#[derive(Clone, Copy)]
pub(crate) struct Window<'b> {
    pub(crate) bytes: &'b [u8],
    /// How many bytes of the file come before these.
    pub(crate) offset: u64,
}

/// Whether the sequence stands in the window. It must begin where the file begins, or end where it
/// ends, for a sequence that is anchored there.
pub(crate) fn stands(
    sequence: &Sequence,
    window: Window<'_>,
    budget: &mut Budget<'_>,
) -> Result<bool, Halt> {
    walk(sequence, window, budget, None)
}

/// Where in the window the sequence stands.
pub(crate) fn place(
    sequence: &Sequence,
    window: Window<'_>,
    budget: &mut Budget<'_>,
) -> Result<Option<Range<usize>>, Halt> {
    let reading = Reading::of(sequence.anchor);
    let mut trail = Vec::new();
    if !walk(sequence, window, budget, Some(&mut trail))? {
        return Ok(None);
    }
    // Back from the last step: each was found from one of those before it.
    let mut range: Option<Range<usize>> = None;
    let mut later: Option<&Standing<'_>> = None;
    for standings in trail.iter().rev() {
        let fits = |it: &&Standing<'_>| later.is_none_or(|later| reading.follows(it, later));
        let Some(standing) = standings.iter().find(fits) else { return Ok(None) };
        let end = range.map_or(standing.distance + standing.choice.len(), |range| range.end);
        range = Some(standing.distance..end);
        later = Some(standing);
    }
    let len = window.bytes.len();
    Ok(range.map(|range| match reading {
        Reading::Forward => range,
        Reading::Backward => len - range.end..len - range.start,
    }))
}

fn walk<'s>(
    sequence: &'s Sequence,
    window: Window<'_>,
    budget: &mut Budget<'_>,
    mut trail: Option<&mut Vec<Vec<Standing<'s>>>>,
) -> Result<bool, Halt> {
    let reading = Reading::of(sequence.anchor);
    let mut cursors: Vec<Span> = vec![(0, 0)];
    for at in 0..sequence.steps.len() {
        let Some(step) = reading.step(&sequence.steps, at) else { break };
        let next = reading.step(&sequence.steps, at + 1);
        let mut standings = Vec::new();
        for choice in &step.choices {
            let mut near = reading.near(choice);
            if at == 0 && sequence.anchor == Anchor::Anywhere {
                let passed = u32::try_from(window.offset).unwrap_or(u32::MAX);
                near.min = near.min.saturating_sub(passed);
            }
            // With room without end before the next step, the nearest place is as good as any.
            let nearest = next.is_none_or(|next| {
                let open = |it: &Choice| reading.near(it).max.is_none();
                reading.far(choice).max.is_none() || next.choices.iter().all(open)
            });
            let spans = merged(cursors.iter().map(|&(low, high)| {
                let most = near.max.map_or(usize::MAX, |max| high.saturating_add(max as usize));
                (low.saturating_add(near.min as usize), most)
            }));
            let mut search = Search { choice, reading, nearest, budget };
            search.run(&spans, window.bytes, &mut standings)?;
        }
        if standings.is_empty() {
            return Ok(false);
        }
        cursors = merged(standings.iter().map(|it| reading.beyond(it)));
        if let Some(trail) = &mut trail {
            trail.push(standings);
        }
    }
    Ok(true)
}

/// One choice, looked for.
struct Search<'s, 'b, 'c> {
    choice: &'s Choice,
    reading: Reading,
    /// Whether the place nearest to the anchor is enough.
    nearest: bool,
    budget: &'b mut Budget<'c>,
}

impl<'s> Search<'s, '_, '_> {
    fn run(
        &mut self,
        spans: &[Span],
        bytes: &[u8],
        standings: &mut Vec<Standing<'s>>,
    ) -> Result<(), Halt> {
        let len = self.choice.len();
        let Some(farthest) = bytes.len().checked_sub(len) else { return Ok(()) };
        for &(low, high) in spans {
            let high = high.min(farthest);
            if low > high {
                break;
            }
            let found = standings.len();
            self.run_span(low, high, bytes, standings)?;
            if self.nearest && standings.len() > found {
                break;
            }
        }
        Ok(())
    }

    /// Finds the choice at distances from `low` to `high`, all of which leave room for it.
    fn run_span(
        &mut self,
        low: usize,
        high: usize,
        bytes: &[u8],
        standings: &mut Vec<Standing<'s>>,
    ) -> Result<(), Halt> {
        let choice = self.choice;
        let len = choice.len();
        let start = |distance: usize| match self.reading {
            Reading::Forward => distance,
            Reading::Backward => bytes.len() - distance - len,
        };
        let distance = start;
        if low == high {
            self.budget.pay(len)?;
            if choice.stands_at(&bytes[start(low)..]) {
                standings.push(Standing { choice, distance: low });
            }
            return Ok(());
        }
        let (first, last) = (start(low).min(start(high)), start(low).max(start(high)));
        let literal = choice.longest_literal();
        let (inset, needle) = literal.unwrap_or((0, &[]));
        // Where the literal may begin, and the bytes that it must lie in.
        let room = first + inset..last + inset + needle.len();
        self.budget.pay(room.len())?;
        let mut needle = Needle::new(needle, self.reading, room);
        while let Some(at) = needle.next(bytes) {
            self.budget.pay(len)?;
            let begin = at - inset;
            if choice.stands_at(&bytes[begin..]) {
                standings.push(Standing { choice, distance: distance(begin) });
                if self.nearest {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Finds literal bytes one after the other, those that overlap as well.
struct Needle<'n> {
    finder: Finders<'n>,
    /// Where the rest of them may lie; none when there is no rest.
    room: Option<Range<usize>>,
}

#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack")]
enum Finders<'n> {
    Forward(Finder<'n>),
    Backward(FinderRev<'n>),
}

impl<'n> Needle<'n> {
    fn new(needle: &'n [u8], reading: Reading, room: Range<usize>) -> Needle<'n> {
        let finder = match reading {
            Reading::Forward => Finders::Forward(Finder::new(needle)),
            Reading::Backward => Finders::Backward(FinderRev::new(needle)),
        };
        Needle { finder, room: Some(room) }
    }

    /// The next one on the way from the anchor.
    fn next(&mut self, bytes: &[u8]) -> Option<usize> {
        let room = self.room.take()?;
        let inside = bytes.get(room.clone())?;
        match &self.finder {
            Finders::Forward(finder) => {
                let at = room.start + finder.find(inside)?;
                self.room = (at < room.end).then_some(at + 1..room.end);
                Some(at)
            }
            Finders::Backward(finder) => {
                let at = room.start + finder.rfind(inside)?;
                let end = (at + finder.needle().len()).checked_sub(1);
                self.room = end.filter(|end| *end >= room.start).map(|end| room.start..end);
                Some(at)
            }
        }
    }
}

impl Reading {
    fn of(anchor: Anchor) -> Reading {
        match anchor {
            Anchor::Start | Anchor::Anywhere => Reading::Forward,
            Anchor::End => Reading::Backward,
        }
    }

    fn step(self, steps: &[Step], at: usize) -> Option<&Step> {
        match self {
            Reading::Forward => steps.get(at),
            Reading::Backward => steps.iter().rev().nth(at),
        }
    }

    /// The gap on the side of the anchor.
    fn near(self, choice: &Choice) -> Gap {
        match self {
            Reading::Forward => choice.before,
            Reading::Backward => choice.after,
        }
    }

    fn far(self, choice: &Choice) -> Gap {
        match self {
            Reading::Forward => choice.after,
            Reading::Backward => choice.before,
        }
    }

    /// Where the gap before the next step may begin.
    fn beyond(self, standing: &Standing<'_>) -> Span {
        let end = standing.distance + standing.choice.len();
        let Gap { min, max } = self.far(standing.choice);
        let most = max.map_or(usize::MAX, |max| end.saturating_add(max as usize));
        (end.saturating_add(min as usize), most)
    }

    /// Whether the gap between two choices is as both want it.
    fn follows(self, standing: &Standing<'_>, later: &Standing<'_>) -> bool {
        let end = standing.distance + standing.choice.len();
        let gap = self.far(standing.choice).and(self.near(later.choice));
        later.distance.checked_sub(end).is_some_and(|between| {
            between >= gap.min as usize && gap.max.is_none_or(|max| between <= max as usize)
        })
    }
}

/// The same distances in as few spans as possible, sorted.
fn merged(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut sorted: Vec<Span> = spans.collect();
    sorted.sort_unstable();
    sorted.dedup_by(|next, last| {
        let touches = next.0 <= last.1.saturating_add(1);
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
    sorted
}
