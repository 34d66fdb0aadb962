//! From the ground to the paper: a window around what matters, and the scale of it.
//!
//! Coordinates may be anything a file holds. What is no number is left out, and a window around
//! nothing, or around a single point, still has a size.

use super::outline::MapUnits;

/// The width of every drawing, in its own units.
pub(super) const WIDTH: f64 = 1000.0;
/// A drawing is at least this part of its width high, and at most that.
const HEIGHTS: (f64, f64) = (0.42, 0.72);
/// The part of the window that is left empty on each side.
const MARGIN: f64 = 0.12;

/// A window onto the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    west: f64,
    north: f64,
    /// Units of the drawing for one of the ground, from west to east and from north to south.
    scale: [f64; 2],
    /// The height of the drawing.
    pub(super) height: f64,
    /// How far what matters reaches, from west to east and from south to north.
    pub(super) reach: [f64; 2],
    units: MapUnits,
}

impl View {
    /// A window around these points; none when none of them is a place.
    pub(super) fn around(points: impl Iterator<Item = [f64; 2]>, units: MapUnits) -> Option<View> {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        // Far away numbers would make the scale nothing at all.
        let is_place = |point: &[f64; 2]| point.iter().all(|it| it.abs() < 1e12);
        for point in points.filter(is_place) {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        if low[0] > high[0] {
            return None;
        }
        let middle = [0, 1].map(|axis| f64::midpoint(low[axis], high[axis]));
        // A degree of longitude is shorter than one of latitude, the more so the further north.
        let squeeze = match units {
            MapUnits::Metres => 1.0,
            MapUnits::Degrees => middle[1].to_radians().cos().clamp(0.05, 1.0),
        };
        let reach = [0, 1].map(|axis| high[axis] - low[axis]);
        let least = match units {
            MapUnits::Metres => 1.0,
            MapUnits::Degrees => 1e-5,
        };
        let (wide, tall) = ((reach[0] * squeeze).max(least), reach[1].max(least));
        let height = WIDTH * (tall / wide).clamp(HEIGHTS.0, HEIGHTS.1);
        let room = 1.0 - 2.0 * MARGIN;
        let scale = (WIDTH * room / wide).min(height * room / tall);
        let across = scale * squeeze;
        Some(View {
            west: middle[0] - WIDTH / 2.0 / across,
            north: middle[1] + height / 2.0 / scale,
            scale: [across, scale],
            height: height.round(),
            reach,
            units,
        })
    }

    /// Where a point of the ground lies on the paper; none when it is no place.
    pub(super) fn place(&self, point: [f64; 2]) -> Option<[f64; 2]> {
        let x = (point[0] - self.west) * self.scale[0];
        let y = (self.north - point[1]) * self.scale[1];
        (x.abs() < 1e9 && y.abs() < 1e9).then_some([x, y])
    }

    /// A round number of metres and its length on the paper, a fifth of the width or a bit less.
    pub(super) fn scale_bar(&self) -> Option<(f64, f64)> {
        if self.units == MapUnits::Degrees {
            return None;
        }
        let room = WIDTH / 5.0 / self.scale[0];
        let power = 10_f64.powf(room.log10().floor());
        let metres = [5.0, 2.0, 1.0].map(|it| it * power).into_iter().find(|it| *it <= room)?;
        Some((metres, metres * self.scale[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_lies_in_the_middle_and_north_is_up() {
        let corners = [[500_000.0, 300_000.0], [500_200.0, 300_100.0]];
        let view = View::around(corners.into_iter(), MapUnits::Metres).unwrap();
        let [low, high] = corners.map(|corner| view.place(corner).unwrap());
        assert!((low[0] - 120.0).abs() < 0.5 && (high[0] - 880.0).abs() < 0.5, "{low:?} {high:?}");
        assert!(low[1] > high[1]);
        assert_eq!(view.scale_bar().map(|bar| bar.0), Some(50.0));
    }

    #[test]
    fn odd_numbers_make_no_drawing_or_a_sane_one() {
        let around = |points: &[[f64; 2]]| View::around(points.iter().copied(), MapUnits::Metres);
        assert!(around(&[]).is_none());
        assert!(around(&[[f64::NAN, 1.0], [f64::INFINITY, 0.0], [1e300, 1e300]]).is_none());
        let view = around(&[[1.0, 2.0]]).unwrap();
        let place = view.place([1.0, 2.0]).unwrap();
        assert!((place[0] - 500.0).abs() < 1e-6 && view.scale_bar().is_some());
        assert!(view.place([f64::NAN, 0.0]).is_none());
    }
}
