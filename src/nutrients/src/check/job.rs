//! The rules for the shape of a queued job and for the sites of a batch: polygons of one part or
//! several, holes welcome, nothing repaired.

use super::validity::{Effort, Problem, problems, problems_within};
use crate::finding::{Code, Finding, Findings};
use crate::input::{Feature, Features, Geometry};
use crate::shape::{Bounds, Shape};

/// The ends of the National Grid.
const EAST_MAX: f64 = 700_000.0;
const NORTH_MAX: f64 = 1_300_000.0;

/// The shape of a job: all features as one.
pub fn check_job(features: &Features) -> Result<Shape, Findings> {
    let findings = job_findings(features);
    if !findings.is_empty() {
        return Err(Findings(findings));
    }
    let shapes = features.features.iter().filter_map(|it| it.geometry.shape());
    let shape = Shape::new(shapes.flat_map(|shape| shape.0.iter().cloned()).collect());
    // Features that overlap are each valid and not one site.
    match features.features.len() {
        0 | 1 => Ok(shape),
        _ => match problem_findings(&shape) {
            findings if findings.is_empty() => Ok(shape),
            findings => Err(Findings(findings)),
        },
    }
}

/// Everything that is wrong with the features, each by itself.
pub fn job_findings(features: &Features) -> Vec<Finding> {
    if features.features.is_empty() {
        let sentence = "there is no shape in it; draw the boundary of the site";
        return vec![Finding::new(Code::NoPolygonFound, sentence)];
    }
    let shapes = features.features.iter().filter_map(|it| it.geometry.shape());
    let effort = Effort::for_file(shapes.map(Shape::vertex_count).sum());
    let numbered = (1_u32..).zip(&features.features);
    numbered
        .flat_map(|(number, feature)| {
            let findings = feature_findings(feature, &effort);
            findings.into_iter().map(move |it| it.of_feature(number))
        })
        .collect()
}

fn feature_findings(feature: &Feature, effort: &Effort) -> Vec<Finding> {
    match &feature.geometry {
        Geometry::Null => {
            let sentence = "it has no geometry; draw its boundary";
            vec![Finding::new(Code::InvalidGeometry, sentence)]
        }
        Geometry::Other(kind) => {
            let sentence = format!("it is a {kind}, not a polygon; draw the area of the site");
            vec![Finding::new(Code::UnsupportedGeometryType, sentence)]
        }
        Geometry::Polygon(shape) | Geometry::MultiPolygon(shape) => {
            let mut findings = told(&problems_within(shape, effort));
            findings.extend(place_finding(shape));
            findings
        }
    }
}

/// One finding for each kind of problem, with all of its places.
pub(super) fn problem_findings(shape: &Shape) -> Vec<Finding> {
    told(&problems(shape))
}

fn told(found: &[Problem]) -> Vec<Finding> {
    type IsOne = fn(&Problem) -> bool;
    let kinds: [(IsOne, Code, &str); 4] = [
        (
            |it| matches!(it, Problem::NotFinite | Problem::NoArea(_)),
            Code::InvalidGeometry,
            "a ring encloses nothing or has a coordinate that is no number; draw it again",
        ),
        (
            |it| matches!(it, Problem::Crossing(_) | Problem::Overlap(_)),
            Code::SelfIntersectingGeometry,
            "the outline crosses or touches itself; mend it at the places shown",
        ),
        (
            |it| {
                matches!(
                    it,
                    Problem::HoleOutside(_) | Problem::PartInside(_) | Problem::Disconnected(_)
                )
            },
            Code::SelfIntersectingGeometry,
            "a hole or part does not lie where it may; mend it at the places shown",
        ),
        (
            |it| matches!(it, Problem::TooTangled),
            Code::TooLarge,
            "the outline is too tangled to be judged; simplify it",
        ),
    ];
    let mut findings = Vec::new();
    for (is_one, code, sentence) in kinds {
        let ours: Vec<&Problem> = found.iter().filter(|it| is_one(it)).collect();
        if !ours.is_empty() {
            let places = ours.iter().filter_map(|it| it.place()).collect();
            findings.push(Finding::new(code, sentence).at(places));
        }
    }
    findings
}

/// A site that is larger than the house assesses; 0 hectares mean that any is taken.
pub fn area_finding(shape: &Shape, most_ha: u32) -> Option<Finding> {
    let hectares = shape.area_m2() / 10_000.0;
    (most_ha > 0 && hectares > f64::from(most_ha)).then(|| {
        let sentence = format!(
            "it has {hectares:.2} hectares, and no site of more than {most_ha} is assessed here; \
             check its outline, or send its parts one by one"
        );
        Finding::new(Code::AreaTooLarge, sentence)
    })
}

/// Degrees are told before the ends of the grid, as they lie inside of it.
pub(super) fn place_finding(shape: &Shape) -> Option<Finding> {
    let Bounds { min_x, min_y, max_x, max_y } = shape.bounds();
    let degrees = min_x >= -180.0 && max_x <= 180.0 && min_y >= -90.0 && max_y <= 90.0;
    let inside = min_x >= 0.0 && max_x <= EAST_MAX && min_y >= 0.0 && max_y <= NORTH_MAX;
    let corners = vec![[min_x, min_y], [max_x, max_y]];
    if degrees {
        let sentence = "its coordinates look like degrees where metres of the National Grid are \
                        expected; say that it is EPSG:4326";
        Some(Finding::new(Code::LooksLikeDegrees, sentence).at(corners))
    } else if !inside {
        let sentence = format!(
            "it lies outside of the National Grid (0 to {EAST_MAX} east, 0 to {NORTH_MAX} north); \
             check its coordinate system"
        );
        Some(Finding::new(Code::OutsideGrid, sentence).at(corners))
    } else {
        None
    }
}
