//! Shapes for maps, as GeoJSON in degrees.

use serde_json::{Value, json};

use crate::assess::{Assessment, Piece};
use crate::check::WireGeometry;
use crate::overlay::{Outline, Part};
use crate::reference::Reference;
use crate::shape::{Bounds, Shape};

/// The site with its figures, the catchments around it, and its pieces.
pub fn map_geojson(assessment: &Assessment, reference: Option<&Reference>) -> Value {
    let [nitrogen, phosphorus] = assessment.totals().map(|it| it.map(|it| it.rounded));
    let site = json!({
        "type": "Feature",
        "geometry": WireGeometry::in_degrees(&assessment.site),
        "properties": {
            "kind": "site",
            "id": assessment.development.id,
            "outcome": assessment.outcome,
            "nitrogen_total_kg": nitrogen,
            "phosphorus_total_kg": phosphorus,
        },
    });
    let mut features = vec![site];
    if let Some(reference) = reference {
        features.extend(around(assessment, reference));
    }
    let site = &assessment.development.id;
    features.extend(assessment.pieces.iter().map(|it| of_site(piece(it), site)));
    json!({ "type": "FeatureCollection", "features": features })
}

/// Only the pieces.
pub fn pieces_geojson(pieces: &[Piece]) -> Value {
    let features: Vec<Value> = pieces.iter().map(piece).collect();
    json!({ "type": "FeatureCollection", "features": features })
}

/// A feature that says which site it is about: a batch has those of many.
fn of_site(mut feature: Value, site: &str) -> Value {
    feature["properties"]["site"] = site.into();
    feature
}

fn piece(piece: &Piece) -> Value {
    json!({
        "type": "Feature",
        "geometry": WireGeometry::in_degrees(&piece.shape),
        "properties": {
            "kind": "piece",
            "parcel": piece.parcel,
            "land_use": piece.land_use,
            "catchment_id": piece.catchment_id,
            "area_ha": piece.area_ha,
            "nitrogen_uplift_kg": piece.nitrogen_uplift.map(|it| it.exact),
            "phosphorus_uplift_kg": piece.phosphorus_uplift.map(|it| it.exact),
        },
    })
}

fn around(assessment: &Assessment, reference: &Reference) -> Vec<Value> {
    let window = map_window(&assessment.site);
    reference
        .catchments_in(&window)
        .into_iter()
        .map(|(name, shape)| {
            let bounds = shape.bounds();
            let is_clipped = bounds.min_x <= window.min_x
                || bounds.min_y <= window.min_y
                || bounds.max_x >= window.max_x
                || bounds.max_y >= window.max_y;
            let feature = json!({
                "type": "Feature",
                "geometry": WireGeometry::in_degrees(&shape),
                "properties": {
                    "kind": "catchment",
                    "id": name.id,
                    "name": name.name,
                    "label": name.told(),
                    // Its edge along the window is no boundary.
                    "clipped": is_clipped,
                },
            });
            of_site(feature, &assessment.development.id)
        })
        .collect()
}

/// What a map of a shape may show: a square of twice its size. A picture is wider than high, so what
/// is narrow and tall has much land beside it.
pub fn map_window(shape: &Shape) -> Bounds {
    let Bounds { min_x, min_y, max_x, max_y } = shape.bounds();
    let half = (max_x - min_x).max(max_y - min_y).max(20.0);
    let (x, y) = (min_x.midpoint(max_x), min_y.midpoint(max_y));
    Bounds { min_x: x - half, min_y: y - half, max_x: x + half, max_y: y + half }
}

impl Reference {
    /// The nutrient catchments in a window of the grid, cut at it, for drawing, by id.
    pub fn catchments_in(&self, window: &Bounds) -> Vec<(crate::assess::CatchmentName, Shape)> {
        let corners = [
            [window.min_x, window.min_y],
            [window.max_x, window.min_y],
            [window.max_x, window.max_y],
            [window.min_x, window.max_y],
        ];
        let frame = Shape::from_coordinates(vec![vec![corners.to_vec()]]);
        let mut found: Vec<_> = self
            .catchments
            .near(window)
            .filter_map(|area| {
                let shape = match area.outline.part(window) {
                    Part::Nothing => return None,
                    Part::Everything => frame.clone(),
                    Part::Some(_) => {
                        crate::overlay::intersection(&Outline::new(&frame), &area.outline)
                    }
                };
                let name = crate::assess::CatchmentName {
                    id: area.id,
                    name: area.name.clone(),
                    label: area.label.clone(),
                };
                Some((name, shape))
            })
            .collect();
        found.sort_by_key(|(name, _)| name.id);
        found
    }
}
