//! Which works, authority and subcatchment a site belongs to: whichever it shares most ground with.

use std::collections::BTreeMap;

use crate::overlay::Outline;
use crate::reference::{Area, Layer};

/// The area with the largest share; of equal ones that of the lowest id.
pub(super) fn majority<'l>(layer: &'l Layer, outline: &Outline, area_m2: f64) -> Option<&'l Area> {
    let better = |a: &(&Area, f64), b: &(&Area, f64)| {
        a.1.total_cmp(&b.1).then_with(|| b.0.id.cmp(&a.0.id)).then_with(|| b.0.name.cmp(&a.0.name))
    };
    layer.shares(outline, area_m2).into_iter().max_by(better).map(|(area, _)| area)
}

/// The id with the largest share of all of its areas together; of equal ones the lowest.
pub(super) fn majority_by_id(layer: &Layer, outline: &Outline, area_m2: f64) -> Option<i64> {
    let mut shares = layer.shares(outline, area_m2);
    // Sums must not depend on the order of the layer.
    shares.sort_by(|a, b| a.0.id.cmp(&b.0.id).then_with(|| a.1.total_cmp(&b.1)));
    let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
    for (area, share) in shares {
        *sums.entry(area.id).or_default() += share;
    }
    let better = |a: &(i64, f64), b: &(i64, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
    sums.into_iter().max_by(better).map(|(id, _)| id)
}
