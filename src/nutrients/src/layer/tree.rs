//! Boxes above boxes: which of many lie near a place. The order of the boxes is kept, so it works
//! well where neighbours follow one another.

use crate::shape::Bounds;

const FAN: usize = 16;

/// A tree whose leaves are boxes by their number.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// The boxes themselves first, then those around sixteen of them, and so on up to one.
    levels: Vec<Vec<Bounds>>,
}

impl Tree {
    pub(crate) fn new(boxes: Vec<Bounds>) -> Tree {
        let mut levels = vec![boxes];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            let around =
                |some: &[Bounds]| some.iter().fold(Bounds::NOTHING, |all, it| all.union(*it));
            let above = below.chunks(FAN).map(around).collect();
            levels.push(above);
        }
        Tree { levels }
    }

    /// The numbers of all boxes that meet `window`, in order.
    pub(crate) fn near(&self, window: &Bounds) -> Vec<usize> {
        let mut found = Vec::new();
        self.visit(self.levels.len() - 1, 0, window, &mut found);
        found
    }

    fn visit(&self, level: usize, group: usize, window: &Bounds, found: &mut Vec<usize>) {
        let boxes = &self.levels[level];
        for (at, bounds) in boxes.iter().enumerate().skip(group * FAN).take(FAN) {
            if bounds.meets(window) {
                match level {
                    0 => found.push(at),
                    _ => self.visit(level - 1, at, window, found),
                }
            }
        }
    }
}
