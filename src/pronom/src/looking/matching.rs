//! Where a sequence stands in a file.
//!
//! Step by step: the places where a step may begin are kept as ranges, everywhere in them that it
//! does stand is found, and from there follow the ranges for the next step. The work for one step
//! is at most the length of the bytes for each of its choices, whatever the bytes are: there is no
//! backtracking that hostile bytes could blow up.
//!
//! A gap without an end cuts a sequence into parts. For each part the nearest place is as good as
//! any, so that the parts can be looked for one after the other, the later ones at the end of the
//! file when they are not near its start.

use std::ops::Range;

use memchr::memmem::{Finder, FinderRev};

use super::look::{Budget, Halt};
use crate::identification::Place;
use crate::signature::pattern::{Anchor, Choice, Gap, Sequence, Step};

/// The parts of a file that are at hand.
#[derive(Clone, Copy)]
pub(crate) struct View<'b> {
    /// The first bytes.
    pub(crate) head: &'b [u8],
    /// The last bytes; bytes between may be missing, and they may be the first ones as well.
    pub(crate) tail: &'b [u8],
    pub(crate) size_bytes: u64,
}

/// How far a sequence was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nowhere,
    /// The part that is tied to the start of the file, and not what may stand anywhere behind it.
    Begun,
    At(Place),
}

/// Looks for a sequence in the parts of a file that are at hand.
pub(crate) fn find(
    sequence: &Sequence,
    view: View<'_>,
    budget: &mut Budget<'_>,
) -> Result<Found, Halt> {
    if sequence.anchor == Anchor::End {
        let walk = Walk { reading: Reading::Backward, bytes: view.tail, budget };
        let found = walk.run(&sequence.steps, Cursor::default())?;
        let offset = view.size_bytes - view.tail.len() as u64;
        return Ok(found.map_or(Found::Nowhere, |part| Found::At(part.place(offset))));
    }
    let mut whole: Option<Place> = None;
    // Where the gap before the next part begins, counted from the start of the file; for all but
    // one that is tied to the start, there or anywhere behind.
    let (mut cursor, mut tied) = (0, sequence.anchor == Anchor::Start);
    for part in sequence.steps.chunk_by(|one, next| !is_open(one, next)) {
        let Some((found, next)) = find_part(part, (cursor, tied), view, budget)? else {
            // What may stand anywhere may be in what is not at hand.
            return Ok(if tied { Found::Nowhere } else { Found::Begun });
        };
        let offset = whole.map_or(found.offset, |whole| whole.offset);
        whole = Some(Place { offset, length: found.offset + found.length - offset });
        (cursor, tied) = (next, false);
    }
    Ok(whole.map_or(Found::Nowhere, Found::At))
}

/// Whether there is room without end between two steps, whatever the choice.
fn is_open(one: &Step, next: &Step) -> bool {
    one.choices.iter().all(|choice| choice.after.max.is_none())
        || next.choices.iter().all(|choice| choice.before.max.is_none())
}

/// Looks for steps from a place on: in the first bytes, then in the last. Also says where the gap
/// behind them ends at the earliest.
fn find_part(
    steps: &[Step],
    (from, tied): (u64, bool),
    view: View<'_>,
    budget: &mut Budget<'_>,
) -> Result<Option<(Place, u64)>, Halt> {
    let tail_at = view.size_bytes - view.tail.len() as u64;
    let distance = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    for (bytes, offset) in [(view.head, 0), (view.tail, tail_at)] {
        let cursor = Cursor {
            low: distance(from.saturating_sub(offset)),
            high: if tied { 0 } else { usize::MAX },
            behind: distance(offset.saturating_sub(from)),
        };
        let walk = Walk { reading: Reading::Forward, bytes, budget };
        if let Some(part) = walk.run(steps, cursor)? {
            return Ok(Some((part.place(offset), offset.saturating_add(part.next as u64))));
        }
        // There may be no second place to look at.
        if tied || view.head.len() as u64 == view.size_bytes {
            break;
        }
    }
    Ok(None)
}

/// Steps that stand one behind the other.
struct Part {
    range: Range<usize>,
    /// Where the gap behind them may end at the earliest.
    next: usize,
}

impl Part {
    fn place(&self, offset: u64) -> Place {
        Place { offset: offset + self.range.start as u64, length: self.range.len() as u64 }
    }
}

/// Where the gap before the first step begins.
#[derive(Clone, Copy, Default)]
struct Cursor {
    low: usize,
    high: usize,
    /// How many bytes of the gap may lie before the bytes at hand.
    behind: usize,
}

/// Which end of the bytes steps are read from. Places are distances from that end.
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

/// Steps, looked for in some bytes.
struct Walk<'b, 'a, 'c> {
    reading: Reading,
    bytes: &'b [u8],
    budget: &'a mut Budget<'c>,
}

impl Walk<'_, '_, '_> {
    /// Where the steps stand, so that they end nearest to the anchor.
    fn run(mut self, steps: &[Step], cursor: Cursor) -> Result<Option<Part>, Halt> {
        let mut cursors: Vec<Span> = vec![(cursor.low, cursor.high)];
        let mut behind = cursor.behind;
        let mut trail: Vec<Vec<Standing<'_>>> = Vec::with_capacity(steps.len());
        for at in 0..steps.len() {
            let Some(step) = self.reading.step(steps, at) else { break };
            let last = at + 1 == steps.len();
            let mut standings = Vec::new();
            for choice in &step.choices {
                let near = self.reading.near(choice);
                let spans = merged(cursors.iter().map(|&(low, high)| {
                    let most = near.max.map_or(usize::MAX, |max| high.saturating_add(max as usize));
                    let min = (near.min as usize).saturating_sub(behind);
                    (low.saturating_add(min), most)
                }));
                self.search(choice, &spans, last, &mut standings)?;
            }
            if standings.is_empty() {
                return Ok(None);
            }
            cursors = merged(standings.iter().map(|it| self.reading.beyond(it)));
            behind = 0;
            trail.push(standings);
        }
        let next = cursors.first().map_or(0, |(low, _)| *low);
        Ok(self.trace(&trail).map(|range| Part { range, next }))
    }

    /// Goes back from the last step: each was found from one of those before it.
    fn trace(&self, trail: &[Vec<Standing<'_>>]) -> Option<Range<usize>> {
        let (lasts, earlier) = trail.split_last()?;
        let mut later = lasts.iter().min_by_key(|it| it.distance + it.choice.len())?;
        let end = later.distance + later.choice.len();
        for standings in earlier.iter().rev() {
            later = standings.iter().find(|it| self.reading.follows(it, later))?;
        }
        let (range, len) = (later.distance..end, self.bytes.len());
        Some(match self.reading {
            Reading::Forward => range,
            Reading::Backward => len - range.end..len - range.start,
        })
    }

    /// Finds a choice that begins in the spans: everywhere, or only `nearest` to the anchor.
    fn search<'s>(
        &mut self,
        choice: &'s Choice,
        spans: &[Span],
        nearest: bool,
        standings: &mut Vec<Standing<'s>>,
    ) -> Result<(), Halt> {
        let Some(farthest) = self.bytes.len().checked_sub(choice.len()) else { return Ok(()) };
        for &(low, high) in spans {
            let high = high.min(farthest);
            if low > high {
                break;
            }
            let found = standings.len();
            self.search_span(choice, (low, high), nearest, standings)?;
            if nearest && standings.len() > found {
                break;
            }
        }
        Ok(())
    }

    /// The same in one span, all of which leaves room for the choice.
    fn search_span<'s>(
        &mut self,
        choice: &'s Choice,
        (low, high): Span,
        nearest: bool,
        standings: &mut Vec<Standing<'s>>,
    ) -> Result<(), Halt> {
        let (bytes, len) = (self.bytes, choice.len());
        // The same calculation leads back.
        let start = |distance: usize| match self.reading {
            Reading::Forward => distance,
            Reading::Backward => bytes.len() - distance - len,
        };
        if low == high {
            self.budget.pay(len)?;
            if choice.stands_at(&bytes[start(low)..]) {
                standings.push(Standing { choice, distance: low });
            }
            return Ok(());
        }
        let (first, last) = (start(low).min(start(high)), start(low).max(start(high)));
        let (inset, literal) = choice.longest_literal().unwrap_or((0, &[]));
        // The bytes that the literal must lie in.
        let room = first + inset..last + inset + literal.len();
        self.budget.pay(room.len())?;
        let mut needle = Needle::new(literal, self.reading, room);
        while let Some(at) = needle.next(bytes) {
            self.budget.pay(len)?;
            let begin = at - inset;
            if choice.stands_at(&bytes[begin..]) {
                standings.push(Standing { choice, distance: start(begin) });
                if nearest {
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
