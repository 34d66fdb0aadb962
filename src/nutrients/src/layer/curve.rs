//! A curve through the National Grid that keeps neighbours together.

use crate::shape::Bounds;

const SIDE_M: f64 = 1_310_720.0;
const BITS: u32 = 16;

/// How far along Hilbert's curve the middle of a box lies; cells are twenty metres wide.
pub(super) fn place_of(bounds: &Bounds) -> u32 {
    let centre = bounds.centre();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 16 bits"
    )]
    let cell = |it: f64| ((it / SIDE_M).clamp(0.0, 1.0) * 65_535.0) as u32;
    hilbert(cell(centre.x), cell(centre.y))
}

fn hilbert(mut x: u32, mut y: u32) -> u32 {
    let mut place = 0;
    let mut side = 1 << (BITS - 1);
    while side > 0 {
        let (right, top) = (u32::from(x & side != 0), u32::from(y & side != 0));
        place += side * side * ((3 * right) ^ top);
        if top == 0 {
            if right == 1 {
                x = (side - 1).wrapping_sub(x) & 0xffff;
                y = (side - 1).wrapping_sub(y) & 0xffff;
            }
            std::mem::swap(&mut x, &mut y);
        }
        side >>= 1;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::hilbert;

    #[test]
    fn every_cell_has_a_place_of_its_own_and_neighbours_follow() {
        let mut places: Vec<(u32, u32, u32)> =
            (0..64).flat_map(|x| (0..64).map(move |y| (hilbert(x, y), x, y))).collect();
        places.sort_unstable();
        for pair in places.windows(2) {
            let ((a, ax, ay), (b, bx, by)) = (pair[0], pair[1]);
            assert!(a < b);
            assert_eq!(ax.abs_diff(bx) + ay.abs_diff(by), 1, "{a} and {b} are neighbours");
        }
    }
}
