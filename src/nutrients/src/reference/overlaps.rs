//! Plan areas, nutrient catchments and treatment works around a shape.

use std::collections::BTreeMap;

use ::geo::{Coord, Distance, Euclidean, Point};
use serde::{Deserialize, Serialize};

use super::open::Reference;
use crate::check::{IntersectingCatchment, IntersectingPlan, WireGeometry, places};
use crate::overlay::{Outline, intersection, shared_areas};
use crate::shape::{Bounds, Shape};

/// A treatment works near a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearbyWorks {
    pub wwtw_id: i64,
    /// Its name, or `WWTW` and its id.
    pub name: String,
    /// From the site's centroid to the catchment; 0 inside of it.
    pub distance_km: f64,
}

impl Reference {
    /// The number of the plan area of this name near a shape.
    pub fn plan_number(&self, shape: &Shape, name: &str) -> Option<i64> {
        let bounds = shape.bounds();
        let found = self.plans.near(&bounds).find(|area| area.name == name);
        found.map(|area| area.id)
    }

    /// The plan areas that a shape shares ground with, by id.
    pub fn intersecting_plans(&self, shape: &Shape) -> Vec<IntersectingPlan> {
        let outline = Outline::new(shape);
        let whole = shape.area_m2();
        let mut plans = self.plans.shares(&outline, whole);
        plans.sort_by_key(|(plan, _)| plan.id);
        let told = plans.into_iter().map(|(plan, area)| IntersectingPlan {
            label: plan.name.clone(),
            n2k_site_name: plan.name.clone(),
            geometry: WireGeometry::in_degrees(&plan.shape),
            intersection_geometry: WireGeometry::in_degrees(&intersection(&outline, &plan.outline)),
            overlap_area_ha: places(area / 10_000.0, 4),
            overlap_area_sqm: places(area, 2),
            overlap_percentage: places(area / whole * 100.0, 2),
        });
        told.collect()
    }

    /// The nutrient catchments that a shape shares ground with, by label. Where features of one
    /// label overlap, the ground counts once.
    pub fn intersecting_catchments(&self, shape: &Shape) -> Vec<IntersectingCatchment> {
        let outline = Outline::new(shape);
        let mut labels: BTreeMap<&str, Vec<&super::Area>> = BTreeMap::new();
        for (area, _) in self.catchments.shares(&outline, shape.area_m2()) {
            let label = if area.label.is_empty() { &area.name } else { &area.label };
            labels.entry(label).or_default().push(area);
        }
        let whole = shape.area_m2();
        let told = labels.into_iter().map(|(label, areas)| {
            let mut outlines = vec![&outline];
            outlines.extend(areas.iter().map(|area| &area.outline));
            let shared = shared_areas(&outlines, &outline.bounds());
            let inside = shared.combinations().filter(|(mask, _)| mask & 1 == 1 && *mask > 1);
            let area: f64 = inside.map(|(_, area)| area).sum();
            IntersectingCatchment {
                label: label.to_owned(),
                catchment_id: areas.iter().map(|area| area.id).min().unwrap_or(0),
                overlap_area_ha: places(area / 10_000.0, 4),
                overlap_percentage: places(area / whole * 100.0, 2),
            }
        });
        told.collect()
    }

    /// Treatment works whose catchment lies within `distance_m` of the centroid of a shape, the
    /// nearest first. Each works is told once.
    pub fn nearby_works(&self, shape: &Shape, distance_m: f64) -> Vec<NearbyWorks> {
        use ::geo::Centroid;
        let Some(centre) = shape.0.centroid() else { return Vec::new() };
        let at = Coord::from(centre);
        let window = Bounds::of(&[at]).grown(distance_m.max(0.0));
        let mut nearest: BTreeMap<i64, (f64, &str)> = BTreeMap::new();
        for works in self.works.near(&window) {
            let distance = Euclidean.distance(&Point::from(at), &works.shape.0);
            let known = nearest.entry(works.id).or_insert((f64::INFINITY, &works.name));
            if distance < known.0 {
                *known = (distance, &works.name);
            }
        }
        let mut found: Vec<(f64, i64, &str)> = nearest
            .into_iter()
            .filter(|(_, (distance, _))| *distance <= distance_m)
            .map(|(id, (distance, name))| (distance, id, name))
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let told = found.into_iter().map(|(distance, id, name)| NearbyWorks {
            wwtw_id: id,
            name: match name.is_empty() {
                true => format!("WWTW {id}"),
                false => name.to_owned(),
            },
            distance_km: places(distance / 1000.0, 1),
        });
        told.collect()
    }
}
