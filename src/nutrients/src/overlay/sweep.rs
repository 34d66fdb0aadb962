//! Measures what several outlines share, strip by strip.
//!
//! Between two neighbouring heights at which a vertex lies or edges cross, edges do not meet, so
//! what lies between two of them is a trapezoid: its width halfway up times its height is its area.
//! Edges that lie on one another enclose nothing and need no special case.

use ::geo::Coord;

/// Outlines that can be told apart in one pass: bits of a mask.
pub(crate) const LAYERS_MAX: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The lower end.
    low: Coord<f64>,
    high: Coord<f64>,
    layer: u32,
}

impl Edge {
    fn x_at(&self, y: f64) -> f64 {
        let share = (y - self.low.y) / (self.high.y - self.low.y);
        self.low.x + (self.high.x - self.low.x) * share
    }
}

/// The edges of one ring, as those of `layer` and seen from `origin`; level ones bound no strip.
pub(crate) fn add_edges(
    edges: &mut Vec<Edge>,
    ring: &[Coord<f64>],
    origin: Coord<f64>,
    layer: u32,
) {
    let Some(&first) = ring.first() else { return };
    let mut a = first - origin;
    // The side that closes the ring comes last.
    for &end in ring[1..].iter().chain([&first]) {
        let b = end - origin;
        match a.y.total_cmp(&b.y) {
            std::cmp::Ordering::Less => edges.push(Edge { low: a, high: b, layer }),
            std::cmp::Ordering::Greater => edges.push(Edge { low: b, high: a, layer }),
            std::cmp::Ordering::Equal => {}
        }
        a = b;
    }
}

/// Calls `visit` with the layers inside of which a trapezoid lies, and with its area.
pub(crate) fn sweep(edges: &mut [Edge], mut visit: impl FnMut(u64, f64)) {
    edges.sort_unstable_by(|a, b| {
        a.low
            .y
            .total_cmp(&b.low.y)
            .then_with(|| a.low.x.total_cmp(&b.low.x))
            .then_with(|| a.high.x.total_cmp(&b.high.x).then_with(|| a.high.y.total_cmp(&b.high.y)))
    });
    let heights = heights(edges);
    let mut active: Vec<Edge> = Vec::new();
    let mut crossed: Vec<(f64, u32)> = Vec::new();
    let mut next = 0;
    for pair in heights.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        active.retain(|edge| edge.high.y >= high);
        while next < edges.len() && edges[next].low.y <= low {
            if edges[next].high.y >= high {
                active.push(edges[next]);
            }
            next += 1;
        }
        let middle = low.midpoint(high);
        crossed.clear();
        crossed.extend(active.iter().map(|edge| (edge.x_at(middle), edge.layer)));
        crossed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let mut inside = 0_u64;
        for pair in crossed.windows(2) {
            inside ^= 1 << pair[0].1;
            let area = (pair[1].0 - pair[0].0) * (high - low);
            if inside != 0 && area > 0.0 {
                visit(inside, area);
            }
        }
    }
}

/// Every height at which something changes, in order, each once.
fn heights(edges: &[Edge]) -> Vec<f64> {
    let mut heights: Vec<f64> = edges.iter().flat_map(|edge| [edge.low.y, edge.high.y]).collect();
    let mut active: Vec<&Edge> = Vec::new();
    for edge in edges {
        active.retain(|other| other.high.y > edge.low.y);
        let (left, right) = (edge.low.x.min(edge.high.x), edge.low.x.max(edge.high.x));
        for other in &active {
            // Edges of one outline meet at vertices only.
            let apart = other.layer == edge.layer
                || other.low.x.min(other.high.x) > right
                || other.low.x.max(other.high.x) < left;
            if !apart {
                heights.extend(crossing_height(edge, other));
            }
        }
        active.push(edge);
    }
    heights.sort_unstable_by(f64::total_cmp);
    heights.dedup();
    heights
}

/// The height at which two edges cross, if they do inside both.
fn crossing_height(a: &Edge, b: &Edge) -> Option<f64> {
    let (low, high) = (a.low.y.max(b.low.y), a.high.y.min(b.high.y));
    let (before, after) = (a.x_at(low) - b.x_at(low), a.x_at(high) - b.x_at(high));
    if before * after >= 0.0 {
        return None;
    }
    let height = low + (high - low) * (before / (before - after));
    (height > low && height < high).then_some(height)
}
