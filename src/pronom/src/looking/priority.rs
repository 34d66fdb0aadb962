//! Which format is a special case of which. PRONOM lists the direct cases; what follows from them
//! is worked out here: who is above a format is above all that it is above.

use crate::signature::SignatureSet;

/// For every format all those that give way to it, sorted.
pub(crate) struct Priorities {
    below: Vec<Vec<u16>>,
}

impl Priorities {
    pub(crate) fn new(set: &SignatureSet) -> Priorities {
        let below = (0..set.formats.len()).map(|at| {
            let mut seen: Vec<u16> = Vec::new();
            let mut open: Vec<u16> = set.formats[at].over.clone();
            while let Some(format) = open.pop() {
                if usize::from(format) != at && !seen.contains(&format) {
                    seen.push(format);
                    open.extend(&set.formats[usize::from(format)].over);
                }
            }
            seen.sort_unstable();
            seen
        });
        Priorities { below: below.collect() }
    }

    /// Whether `lower` gives way to `upper`. Two that are each above the other stand side by side.
    pub(crate) fn is_over(&self, upper: u16, lower: u16) -> bool {
        let above = |one: u16, other: u16| {
            self.below.get(usize::from(one)).is_some_and(|it| it.binary_search(&other).is_ok())
        };
        above(upper, lower) && !above(lower, upper)
    }
}
