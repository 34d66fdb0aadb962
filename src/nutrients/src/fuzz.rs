//! What fuzzing drives: each takes any bytes and must neither panic nor use time or memory without
//! bound, and whatever is refused is refused with a sentence.

use super::check::{BoundaryRules, Upload, check_boundary, job_findings, problems};
use super::finding::Findings;
use super::input::{fuzz_parts, geopackage_geometry, read_features, sites};
use super::layer::fuzz_block;
use super::limits::Limits;
use super::message::read_job;

/// Reads bytes as a file of every format that sites come in but GeoPackages, which are another's
/// format and need a file each.
pub fn fuzz_sites(bytes: &[u8]) {
    for name in ["a.geojson", "a.kml", "a.zip"] {
        read_as(name, bytes);
    }
    fuzz_parts(bytes, &Limits::default());
    if let Some(geometry) = geopackage_geometry(bytes, Limits::default().vertices) {
        let _: Option<usize> = geometry.shape().map(|shape| problems(shape).len());
    }
    told(read_job(bytes, &Limits::default()).err());
}

/// Reads bytes as a GeoPackage.
pub fn fuzz_geopackage(bytes: &[u8]) {
    read_as("a.gpkg", bytes);
}

/// Reads bytes as a block of a layer file.
pub fn fuzz_layer(bytes: &[u8]) {
    fuzz_block(bytes);
}

fn read_as(name: &str, bytes: &[u8]) {
    let upload = Upload { file_name: name, bytes, inside: None };
    let checked = check_boundary(&upload, BoundaryRules::default(), &Limits::default(), None);
    assert_eq!(checked.findings.is_empty(), checked.http_status == 200);
    let limits = Limits { file_bytes: Limits::default().file_bytes, ..Limits::batch() };
    match read_features(name, bytes, None, &limits) {
        Ok(features) => {
            job_findings(&features);
            told(sites(&features).err());
        }
        Err(findings) => told(Some(findings)),
    }
}

fn told(refused: Option<Findings>) {
    if let Some(Findings(findings)) = refused {
        assert!(!findings.is_empty() && findings.iter().all(|it| !it.sentence.is_empty()));
    }
}
