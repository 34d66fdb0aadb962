//! The sites of a batch.

use std::path::Path;

use super::{Feature, Features, SiteColumns, read_features_at};
use crate::check::job_findings;
use crate::finding::{Code, Finding, Findings};
use crate::limits::Limits;
use crate::site::Site;

/// Reads the sites of a file, or says everything that is wrong with it.
pub fn read_sites(path: &Path, limits: &Limits) -> Result<Vec<Site>, Findings> {
    sites(&read_features_at(path, limits)?)
}

/// The sites among the features of a file, numbered in its order. All of them, or what is wrong.
pub fn sites(features: &Features) -> Result<Vec<Site>, Findings> {
    let mut findings = Vec::new();
    findings.extend(missing_columns(features));
    findings.extend(job_findings(features));
    let mut sites = Vec::with_capacity(features.features.len());
    for (number, feature) in (1_u32..).zip(&features.features) {
        match site(number, feature, features) {
            Ok(site) => sites.extend(site),
            Err(finding) => findings.push(finding),
        }
    }
    match findings.is_empty() {
        true => Ok(sites),
        false => Err(Findings(findings)),
    }
}

fn missing_columns(features: &Features) -> Option<Finding> {
    type Has = fn(&SiteColumns) -> bool;
    let missing_anywhere = |has: Has| {
        !features.features.is_empty() && !features.features.iter().any(|it| has(&it.columns))
    };
    let columns: [(&str, Has); 6] = [
        ("id", |it| it.id.is_some()),
        ("Name", |it| it.name.is_some()),
        ("Dwel_Cat", |it| it.category.is_some()),
        ("Source", |it| it.source.is_some()),
        ("Dwellings", |it| it.dwellings.is_some()),
        ("Shape_Area", |it| it.has_area),
    ];
    let missing: Vec<&str> =
        columns.iter().filter(|(_, has)| missing_anywhere(*has)).map(|(name, _)| *name).collect();
    let sentence =
        || format!("columns are missing: {}; add them, even if they are empty", missing.join(", "));
    (!missing.is_empty()).then(|| Finding::new(Code::MissingColumns, sentence()))
}

fn site(number: u32, feature: &Feature, all: &Features) -> Result<Option<Site>, Finding> {
    let Some(shape) = feature.geometry.shape() else { return Ok(None) };
    let columns = &feature.columns;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let dwellings = columns.dwellings.as_deref().map_or(Ok(0), |text| count(number, text))?;
    Ok(Some(Site {
        number,
        id: text(&columns.id),
        name: text(&columns.name),
        category: text(&columns.category),
        source: text(&columns.source),
        dwellings,
        shape: shape.clone(),
        crs: all.crs,
        transform: all.transform,
        chosen_works: None,
        people: None,
    }))
}

/// A count of dwellings; tables write whole numbers with a point, too.
fn count(number: u32, text: &str) -> Result<u32, Finding> {
    let value: f64 = text.trim().parse().unwrap_or(f64::NAN);
    let whole = value.fract() == 0.0 && (0.0..=10_000_000.0).contains(&value);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let count = whole.then_some(value as u32);
    count.ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("\"{shown}\" is no count of dwellings; give a whole number from 0");
        Finding::new(Code::BadValue, sentence).of_feature(number)
    })
}
