//! What a site shares with other outlines, by area and, for maps, as geometry.

use ::geo::{BooleanOps, Coord, LineString, MultiPolygon, Polygon};

use super::outline::{Glance, Outline, Part, Room};
use super::sweep::{Edge, LAYERS_MAX, add_edges, sweep};
use crate::shape::{Bounds, Shape};

/// Edges of one pass. More are halved first: a pass costs edges times edges at one height.
const EDGES_MAX: usize = 192;

/// Halvings, so that edges that all meet in one point end as well.
const DEPTH_MAX: u32 = 24;

/// Square metres inside of each combination of outlines; bit `i` of a mask is the `i`th outline.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared(Vec<(u64, f64)>);

impl Shared {
    fn add(&mut self, mask: u64, area: f64) {
        match self.0.iter_mut().find(|(known, _)| *known == mask) {
            Some((_, sum)) => *sum += area,
            None => self.0.push((mask, area)),
        }
    }

    /// The area inside of all outlines of `mask` at once.
    pub(crate) fn inside_all(&self, mask: u64) -> f64 {
        self.0.iter().filter(|(known, _)| known & mask == mask).map(|(_, area)| area).sum()
    }

    /// Each combination of outlines with its area.
    pub(crate) fn combinations(&self) -> impl Iterator<Item = (u64, f64)> {
        self.0.iter().copied()
    }
}

/// Measures what outlines share inside of `window`. At most 64 of them; more are not looked at.
pub(crate) fn shared_areas(outlines: &[&Outline], window: &Bounds) -> Shared {
    let mut shared = Shared::default();
    let outlines = &outlines[..outlines.len().min(LAYERS_MAX)];
    measure(outlines, window, 0, &mut Work { room: Room::default(), shared: &mut shared });
    // The order of strips depends on the order of outlines; that of the sums must not.
    shared.0.sort_unstable_by_key(|(mask, _)| *mask);
    shared
}

/// Where it is cut and added up.
struct Work<'s> {
    room: Room,
    shared: &'s mut Shared,
}

fn measure(outlines: &[&Outline], window: &Bounds, depth: u32, work: &mut Work<'_>) {
    let (mut whole, mut edges) = (0_u64, Vec::new());
    // Coordinates near zero keep the digits that matter.
    let origin = window.centre();
    for (layer, outline) in (0_u32..).zip(outlines) {
        match outline.part_in(window, &mut work.room) {
            Glance::Nothing => {}
            Glance::Everything => whole |= 1 << layer,
            Glance::Ring => add_edges(&mut edges, work.room.ring(), origin, layer),
            Glance::Rings(rings) => {
                for ring in rings {
                    add_edges(&mut edges, &ring, origin, layer);
                }
            }
        }
    }
    if edges.len() > EDGES_MAX && depth < DEPTH_MAX {
        for half in halves(window) {
            measure(outlines, &half, depth + 1, work);
        }
        return;
    }
    add_strips(&mut edges, whole, window, work.shared);
}

fn add_strips(edges: &mut [Edge], whole: u64, window: &Bounds, shared: &mut Shared) {
    let mut partial = 0.0;
    sweep(edges, |mask, area| {
        partial += area;
        shared.add(whole | mask, area);
    });
    let rest = window.width() * window.height() - partial;
    if whole != 0 && rest > 0.0 {
        shared.add(whole, rest);
    }
}

fn halves(window: &Bounds) -> [Bounds; 2] {
    let centre = window.centre();
    match window.width() > window.height() {
        true => [Bounds { max_x: centre.x, ..*window }, Bounds { min_x: centre.x, ..*window }],
        false => [Bounds { max_y: centre.y, ..*window }, Bounds { min_y: centre.y, ..*window }],
    }
}

/// What two outlines share, as polygons: for maps, where a tenth of a millimetre does not show.
pub(crate) fn intersection(a: &Outline, b: &Outline) -> Shape {
    let nothing = Shape::new(Vec::new());
    let Some(window) = a.bounds().shared(b.bounds()) else { return nothing };
    if window.width() <= 0.0 || window.height() <= 0.0 {
        return nothing;
    }
    let window = window.grown(window.width().max(window.height()) * 0.01);
    match (a.part(&window), b.part(&window)) {
        (Part::Nothing, _) | (_, Part::Nothing) => nothing,
        (Part::Everything, Part::Everything) => nothing,
        (Part::Everything, Part::Some(rings)) | (Part::Some(rings), Part::Everything) => {
            Shape(even_odd(rings))
        }
        (Part::Some(first), Part::Some(second)) => {
            Shape(even_odd(first).intersection(&even_odd(second)))
        }
    }
}

/// Rings that lie inside of others become holes.
fn even_odd(rings: Vec<Vec<Coord<f64>>>) -> MultiPolygon<f64> {
    let alone = |ring| Polygon::new(LineString::new(ring), Vec::new());
    let mut rings = rings.into_iter().map(alone);
    let first = rings.next().map_or_else(|| MultiPolygon::new(Vec::new()), MultiPolygon::from);
    rings.fold(first, |all, ring| all.xor(&MultiPolygon::from(ring)))
}
