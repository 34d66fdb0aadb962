//! The check of an uploaded boundary: stricter than that of a job, and with all that a page needs
//! to show where the shape is bad.

use serde::{Deserialize, Serialize};

use super::job::{area_finding, check_job, place_finding, problem_findings};
use super::wire::{BoundaryMetadata, BoundaryWire, IntersectingCatchment, WireGeometry};
use crate::finding::{Code, Finding, Findings};
use crate::input::{Features, Geometry, read_features};
use crate::limits::Limits;
use crate::reference::Reference;
use crate::shape::Shape;
use crate::transform::{Crs, Transform};

/// A file that somebody sent.
#[derive(Clone, Copy, Debug)]
pub struct Upload<'b> {
    pub file_name: &'b str,
    pub bytes: &'b [u8],
    /// The bare name of the entry to use inside of a zip.
    pub inside: Option<&'b str>,
}

/// What a boundary may have beyond one plain polygon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoundaryRules {
    /// Parts of one feature, or several features: all are taken as one site, as jobs take them.
    pub several_parts: bool,
    pub holes: bool,
}

/// The answer: the wire form, and everything that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryCheck {
    pub wire: BoundaryWire,
    /// All that is wrong, the first in the order of the codes first; empty if nothing is.
    pub findings: Vec<Finding>,
    /// 200, or that of the first finding.
    pub http_status: u16,
    /// The shape in metres, good or bad, to be drawn.
    pub shape: Option<Shape>,
    /// How many features of the file it was made of.
    pub feature_count: usize,
    pub transform: Transform,
    pub catchments: Vec<IntersectingCatchment>,
}

/// Checks an uploaded boundary, and tells which plan areas it meets if there is reference data.
pub fn check_boundary(
    upload: &Upload<'_>,
    rules: BoundaryRules,
    limits: &Limits,
    reference: Option<&Reference>,
) -> BoundaryCheck {
    let read = read_features(upload.file_name, upload.bytes, upload.inside, limits);
    let features = match read {
        Ok(features) => features,
        Err(Findings(findings)) => return refused(findings),
    };
    let (shape, mut findings) = match rules.several_parts {
        true => joined(&features),
        false => first(&features, rules),
    };
    let Some(shape) = &shape else { return refused(findings) };
    // What is no place cannot be shown, nor written as JSON.
    if !shape.is_finite() {
        return refused(findings);
    }
    findings.extend(area_finding(shape, limits.area_ha));
    findings.sort_by_key(|finding| finding.code);
    let good = findings.is_empty();
    let mut wire = BoundaryWire {
        boundary_geometry_original: Some(WireGeometry::new(shape, Crs::Bng)),
        boundary_geometry_wgs84: WireGeometry::in_degrees(shape),
        intersecting_edps: Vec::new(),
        boundary_metadata: BoundaryMetadata::of(shape),
        error: findings.first().map(|finding| finding.code.name().to_owned()),
    };
    let mut catchments = Vec::new();
    if let (true, Some(reference)) = (good, reference) {
        wire.intersecting_edps = reference.intersecting_plans(shape);
        catchments = reference.intersecting_catchments(shape);
    }
    let http_status = findings.first().map_or(200, |finding| finding.code.http_status());
    let shape = Some(shape.clone());
    let feature_count = if rules.several_parts { features.features.len() } else { 1 };
    let transform = features.transform;
    BoundaryCheck { wire, findings, http_status, shape, feature_count, transform, catchments }
}

fn refused(mut findings: Vec<Finding>) -> BoundaryCheck {
    findings.sort_by_key(|finding| finding.code);
    let error = findings.first().map(|finding| finding.code.name().to_owned());
    BoundaryCheck {
        wire: BoundaryWire { error, ..BoundaryWire::default() },
        http_status: findings.first().map_or(200, |finding| finding.code.http_status()),
        findings,
        shape: None,
        feature_count: 0,
        transform: Transform::None,
        catchments: Vec::new(),
    }
}

/// All features as one, judged as a job's are, so that what is shown is what is assessed.
fn joined(features: &Features) -> (Option<Shape>, Vec<Finding>) {
    let findings = check_job(features).err().map_or_else(Vec::new, |findings| findings.0);
    let shapes = features.features.iter().filter_map(|it| it.geometry.shape());
    let parts: Vec<_> = shapes.flat_map(|shape| shape.0.iter().cloned()).collect();
    ((!parts.is_empty()).then(|| Shape::new(parts)), findings)
}

/// The first polygon alone, as the older service has it.
fn first(features: &Features, rules: BoundaryRules) -> (Option<Shape>, Vec<Finding>) {
    let chosen = first_polygon(features);
    let mut findings = chosen_findings(&chosen, features);
    let shape = chosen.and_then(Geometry::shape).cloned();
    findings.extend(shape.iter().flat_map(|shape| rule_findings(shape, rules)));
    (shape, findings)
}

/// The first polygon; if there is none, the first of several parts.
fn first_polygon(features: &Features) -> Option<&Geometry> {
    let all = || features.features.iter().map(|feature| &feature.geometry);
    all()
        .find(|it| matches!(it, Geometry::Polygon(_)))
        .or_else(|| all().find(|it| it.shape().is_some()))
}

fn chosen_findings(chosen: &Option<&Geometry>, features: &Features) -> Vec<Finding> {
    if chosen.is_some() {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = Vec::new();
    for (number, feature) in (1_u32..).zip(&features.features) {
        let finding = match &feature.geometry {
            Geometry::Null => {
                Finding::new(Code::InvalidGeometry, "it has no geometry; draw its boundary")
            }
            Geometry::Other(kind) => {
                let sentence = format!("it is a {kind}, not a polygon; draw the area of the site");
                Finding::new(Code::UnsupportedGeometryType, sentence)
            }
            Geometry::Polygon(_) | Geometry::MultiPolygon(_) => continue,
        };
        findings.push(finding.of_feature(number));
    }
    if findings.is_empty() {
        let sentence = "there is no polygon in the file; draw the boundary of the site";
        findings.push(Finding::new(Code::NoPolygonFound, sentence));
    }
    findings
}

fn rule_findings(shape: &Shape, rules: BoundaryRules) -> Vec<Finding> {
    let mut findings = Vec::new();
    if shape.0.0.len() > 1 {
        let sentence = "it has several parts; give the boundary as one polygon";
        findings.push(Finding::new(Code::UnsupportedGeometryType, sentence));
    }
    findings.extend(problem_findings(shape));
    let holes = shape.0.iter().flat_map(|polygon| polygon.interiors());
    let places: Vec<[f64; 2]> =
        holes.filter_map(|ring| ring.0.first()).map(|it| [it.x, it.y]).collect();
    if !places.is_empty() && !rules.holes {
        let sentence = "the polygon has holes; give the outer boundary only";
        findings.push(Finding::new(Code::GeometryHasHoles, sentence).at(places));
    }
    let twins: Vec<[f64; 2]> = shape
        .0
        .iter()
        .flat_map(|polygon| polygon.exterior().0.windows(2))
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| [pair[0].x, pair[0].y])
        .collect();
    if !twins.is_empty() {
        let sentence = "two equal vertices follow one another; remove one of them";
        findings.push(Finding::new(Code::DuplicateVertices, sentence).at(twins));
    }
    findings.extend(place_finding(shape));
    findings
}
