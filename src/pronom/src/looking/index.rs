//! Which signatures may match a file, found by a few bytes of each.
//!
//! Most signatures begin with bytes at a fixed place: comparing eight bytes under a mask rules
//! them out, and all of them are tried in a few microseconds. The others have a literal somewhere
//! in a stretch of the file: these are searched for together. What is found here is only a
//! candidate; [`matching`](super::matching) proves it.

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind, Span};

use crate::signature::pattern::{Anchor, Choice, Sequence, Step, Unit};
use crate::signature::{Signature, SignatureSet};

/// A step that may begin at no more places than this is tried at each of them.
const PLACES: u32 = 64;
/// Literals that lie within so many bytes of the start are searched for apart from the others, of
/// which there are few.
const NEAR_BYTES: usize = 8 << 10;

/// The index of a set.
pub(crate) struct Index {
    start: Probes,
    end: Probes,
    near: Literals,
    far: Literals,
    last: Literals,
    /// Signatures without anything to tell them by.
    always: Vec<u16>,
    /// How many bytes of the start and of the end must be at hand.
    pub(crate) head_bytes: usize,
    pub(crate) tail_bytes: usize,
}

/// Comparisons of eight bytes under a mask, sorted by their distance from one end of the file.
#[derive(Default)]
struct Probes {
    /// For each distance the end of its comparisons.
    places: Vec<(usize, usize)>,
    masks: Vec<u64>,
    values: Vec<u64>,
    signatures: Vec<u16>,
}

/// Literals to search for at once.
struct Literals {
    /// Says quickly where the next of them is; only for few of them.
    quick: Option<Searcher>,
    /// Says where each of them is.
    each: Option<AhoCorasick>,
    /// For each literal who it belongs to, and how far from the end of the file that it is
    /// searched from it may reach.
    owners: Vec<(u16, usize)>,
    reach: usize,
}

/// How a signature is to be told.
enum Sign {
    Probes { from_end: bool, probes: Vec<(usize, u64, u64)> },
    Literals { from_end: bool, literals: Vec<Vec<u8>>, reach: Option<usize> },
}

impl Index {
    pub(crate) fn new(set: &SignatureSet, window_bytes: usize) -> Index {
        let (mut start, mut end) = (Vec::new(), Vec::new());
        let (mut near, mut far, mut last) = (Vec::new(), Vec::new(), Vec::new());
        let mut always = Vec::new();
        for (at, signature) in (0..).zip(&set.signatures) {
            match best_sign(signature) {
                Some(Sign::Probes { from_end, probes }) => {
                    let side = if from_end { &mut end } else { &mut start };
                    side.extend(probes.into_iter().map(|probe| (probe, at)));
                }
                Some(Sign::Literals { from_end, literals, reach }) => {
                    let reach = reach.unwrap_or(window_bytes);
                    let side = match (from_end, reach > NEAR_BYTES) {
                        (true, _) => &mut last,
                        (false, true) => &mut far,
                        (false, false) => &mut near,
                    };
                    side.extend(literals.into_iter().map(|literal| (literal, at, reach)));
                }
                None => always.push(at),
            }
        }
        let (start, end) = (Probes::new(start), Probes::new(end));
        let [near, far, last] = [near, far, last].map(Literals::new);
        let head_bytes = window_bytes.max(start.reach()).max(near.reach).max(far.reach);
        let tail_bytes = end.reach().max(last.reach);
        Index { start, end, near, far, last, always, head_bytes, tail_bytes }
    }

    /// The signatures that may match, each once, in the order of the set.
    pub(crate) fn candidates(&self, head: &[u8], tail: &[u8]) -> Vec<u16> {
        let mut found = self.always.clone();
        self.start.run(|distance| head.get(distance..), &mut found);
        self.end.run(|distance| tail.get(tail.len().checked_sub(distance)?..), &mut found);
        self.near.run(head, false, &mut found);
        self.far.run(head, false, &mut found);
        self.last.run(tail, true, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Probes {
    fn new(mut probes: Vec<((usize, u64, u64), u16)>) -> Probes {
        probes.sort_unstable();
        let mut made = Probes::default();
        for ((distance, mask, value), signature) in probes {
            made.masks.push(mask);
            made.values.push(value);
            made.signatures.push(signature);
            let end = made.masks.len();
            match made.places.last_mut() {
                Some((last, last_end)) if *last == distance => *last_end = end,
                Some(_) | None => made.places.push((distance, end)),
            }
        }
        made
    }

    fn reach(&self) -> usize {
        self.places.last().map_or(0, |(distance, _)| distance + 8)
    }

    fn run<'b>(&self, bytes_at: impl Fn(usize) -> Option<&'b [u8]>, found: &mut Vec<u16>) {
        let mut from = 0;
        for &(distance, to) in &self.places {
            let Some(bytes) = bytes_at(distance).filter(|bytes| !bytes.is_empty()) else {
                from = to;
                continue;
            };
            // Bytes behind the end count as zeros here; the proof will notice.
            let mut eight = [0; 8];
            let len = bytes.len().min(8);
            eight[..len].copy_from_slice(&bytes[..len]);
            let here = u64::from_le_bytes(eight);
            let compared = self.masks[from..to].iter().zip(&self.values[from..to]);
            for (at, (mask, value)) in compared.enumerate() {
                if here & mask == *value {
                    found.push(self.signatures[from + at]);
                }
            }
            from = to;
        }
    }
}

impl Literals {
    fn new(literals: Vec<(Vec<u8>, u16, usize)>) -> Literals {
        let all = || literals.iter().map(|(literal, _, _)| literal);
        let each = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(all());
        let quick = packed::Config::new().builder().extend(all()).build();
        let reach = literals.iter().map(|(_, _, reach)| *reach).max().unwrap_or(0);
        let owners = literals.into_iter().map(|(_, owner, reach)| (owner, reach)).collect();
        Literals { quick, each: each.ok(), owners, reach }
    }

    fn run(&self, bytes: &[u8], from_end: bool, found: &mut Vec<u16>) {
        let Some(each) = self.each.as_ref().filter(|_| !self.owners.is_empty()) else {
            // Too large to build, or nothing to search for: the proof alone decides.
            found.extend(self.owners.iter().map(|(owner, _)| owner));
            return;
        };
        let stretch = self.reach.min(bytes.len());
        let bytes = if from_end { &bytes[bytes.len() - stretch..] } else { &bytes[..stretch] };
        // Most files have none of them. One that has is searched thoroughly from there on.
        let first = match &self.quick {
            Some(quick) => quick.find(bytes).map(|hit| hit.start()),
            None => Some(0),
        };
        let Some(first) = first else { return };
        let rest = aho_corasick::Input::new(bytes).span(Span { start: first, end: bytes.len() });
        for hit in each.find_overlapping_iter(rest) {
            let (owner, reach) = self.owners[hit.pattern().as_usize()];
            let span = if from_end { bytes.len() - hit.start() } else { hit.end() };
            if span <= reach && found.last() != Some(&owner) {
                found.push(owner);
            }
        }
    }
}

/// The sign that fewest other files have.
fn best_sign(signature: &Signature) -> Option<Sign> {
    let signs = signature
        .sequences
        .iter()
        .flat_map(|sequence| [probes(sequence), literals(sequence)].into_iter().flatten());
    signs.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, sign)| sign)
}

/// How many files of random bytes would show a sign, times a price for looking.
type Price = f64;

fn rarity(bytes: usize) -> Price {
    // Bytes of real files are far from random, and after eight of them others hardly matter.
    24_f64.powi(-i32::try_from(bytes.min(8)).unwrap_or(8))
}

/// Tells a sequence by its outermost step, if that stands at few places.
fn probes(sequence: &Sequence) -> Option<(Price, Sign)> {
    let (from_end, step) = match sequence.anchor {
        Anchor::Start => (false, sequence.steps.first()?),
        Anchor::End => (true, sequence.steps.last()?),
        Anchor::Anywhere => return None,
    };
    let mut probes = Vec::new();
    let mut price = 0.0;
    for choice in &step.choices {
        let gap = if from_end { choice.after } else { choice.before };
        let max = gap.max.filter(|max| max - gap.min <= PLACES)?;
        let (inset, mask, value) = eight_bytes(choice)?;
        for place in gap.min..=max {
            let place = place as usize;
            let distance = if from_end { place + choice.len() - inset } else { place + inset };
            probes.push((distance, mask, value));
            price += rarity(mask.count_ones() as usize / 8);
        }
    }
    Some((price, Sign::Probes { from_end, probes }))
}

/// The eight bytes of a choice with most literals, and how far in they begin.
fn eight_bytes(choice: &Choice) -> Option<(usize, u64, u64)> {
    let mut bytes: Vec<Option<u8>> = Vec::new();
    for unit in &choice.units {
        match unit {
            Unit::Bytes(literal) => bytes.extend(literal.iter().copied().map(Some)),
            Unit::OneOf(_) => bytes.push(None),
        }
    }
    let known = |at: &usize| bytes[*at..].iter().take(8).flatten().count();
    // Of equals the first.
    let inset = (0..bytes.len()).rev().max_by_key(known).filter(|at| known(at) > 0)?;
    let (mut mask, mut value) = ([0; 8], [0; 8]);
    for (at, byte) in bytes[inset..].iter().take(8).enumerate() {
        if let Some(byte) = byte {
            mask[at] = u8::MAX;
            value[at] = *byte;
        }
    }
    Some((inset, u64::from_le_bytes(mask), u64::from_le_bytes(value)))
}

/// Tells a sequence by the literals of one step, if each of its choices has one.
fn literals(sequence: &Sequence) -> Option<(Price, Sign)> {
    /// Searching costs so much more than comparing that it is for those with nothing to compare,
    /// or a single byte.
    const SEARCH: Price = 1_000_000.0;
    let from_end = sequence.anchor == Anchor::End;
    let mut steps: Vec<&Step> = sequence.steps.iter().collect();
    if from_end {
        steps.reverse();
    }
    let mut reach = (sequence.anchor != Anchor::Anywhere).then_some(0_usize);
    let mut best: Option<(Price, Sign)> = None;
    for step in steps {
        // The farthest this step may reach.
        let far = step.choices.iter().map(|choice| {
            let gap = choice.before.and(choice.after).max? as usize;
            reach?.checked_add(gap)?.checked_add(choice.len())
        });
        reach = far.collect::<Option<Vec<_>>>().and_then(|far| far.into_iter().max());
        let longest = step.choices.iter().map(|choice| choice.longest_literal());
        let Some(longest) = longest.collect::<Option<Vec<_>>>() else { continue };
        let literals: Vec<_> = longest.into_iter().map(|(_, literal)| literal.to_vec()).collect();
        let wide = reach.map_or(Price::from(u32::MAX), |reach| reach as Price);
        let rare = |literal: &Vec<u8>| rarity(literal.len());
        let price = SEARCH * wide * literals.iter().map(rare).sum::<Price>();
        if best.as_ref().is_none_or(|(least, _)| price < *least) {
            best = Some((price, Sign::Literals { from_end, literals, reach }));
        }
    }
    best
}
