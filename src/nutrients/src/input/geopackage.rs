//! GeoPackages of sites.

use std::path::Path;

use super::archive::too_many;
use super::database::{Columns, Database};
use super::{Feature, Geometry, Raw, SiteColumns, geopackage_geometry};
use crate::finding::{Code, Finding, Findings};
use crate::limits::Limits;
use crate::shape::Shape;
use crate::transform::Crs;

fn unreadable(why: &str) -> Finding {
    let sentence = format!("the GeoPackage cannot be read: {why}; export it again");
    Finding::new(Code::UnreadableGeometryFile, sentence)
}

pub(super) fn read_bytes(bytes: &[u8], limits: &Limits) -> Result<Raw, Findings> {
    read(&Database::of_bytes(bytes, &limits.cancel).map_err(|why| unreadable(&why))?, limits)
}

pub(super) fn read_path(path: &Path, limits: &Limits) -> Result<Raw, Findings> {
    read(&Database::open(path, &limits.cancel).map_err(|why| unreadable(&why))?, limits)
}

fn read(database: &Database, limits: &Limits) -> Result<Raw, Findings> {
    let tables = database.feature_tables().map_err(|why| unreadable(&why))?;
    let [table] = tables.as_slice() else {
        let why = format!("it has {} layers where one is expected", tables.len());
        return Err(unreadable(&why).into());
    };
    let crs = match table.epsg {
        27700 => Crs::Bng,
        4326 => Crs::Wgs84,
        0 => {
            let sentence = "the GeoPackage does not tell its coordinate system; set it and export";
            return Err(Finding::new(Code::MissingCrs, sentence).into());
        }
        code => {
            let sentence =
                format!("the GeoPackage is in EPSG:{code}; save it in EPSG:27700 or EPSG:4326");
            return Err(Finding::new(Code::UnsupportedCrs, sentence).into());
        }
    };
    features(database, table, limits).map(|features| Raw { crs, features }).map_err(Findings::from)
}

fn features(
    database: &Database,
    table: &Columns,
    limits: &Limits,
) -> Result<Vec<Feature>, Finding> {
    let there = database.column_names(&table.table).map_err(|why| unreadable(&why))?;
    // Columns that are computed are not among them: what they compute may never end.
    if !there.contains(&table.geometry) {
        return Err(unreadable(&format!("its layer has no plain column {:?}", table.geometry)));
    }
    let mut wanted: Vec<&str> = vec![&table.geometry];
    wanted.extend(SiteColumns::NAMES.iter().filter(|name| there.iter().any(|it| it == **name)));
    let mut features = Vec::new();
    let mut left = limits.vertices_in_all;
    let mut over = None;
    let read = database.rows(&table.table, &wanted, |row| {
        if features.len() >= limits.features {
            over = Some(too_many("features", features.len() + 1, limits.features));
            return Err("too many features".to_owned());
        }
        let geometry = match row.blob(0) {
            Some(blob) => geopackage_geometry(blob, limits.vertices.min(left))
                .ok_or("a geometry is not in form, or has more vertices than allowed")?,
            None => Geometry::Null,
        };
        left -= geometry.shape().map_or(0, Shape::vertex_count).min(left);
        let mut columns = SiteColumns::default();
        for (at, name) in wanted.iter().enumerate().skip(1) {
            // The other formats keep blanks around a name, too.
            let text = row.padded_text(at).or_else(|| row.text(at));
            columns.take(name, Some(text.unwrap_or_default()));
        }
        features.push(Feature { geometry, columns });
        Ok(())
    });
    match (over, read) {
        (Some(finding), _) => Err(finding),
        (None, Err(why)) => Err(unreadable(&why)),
        (None, Ok(())) => Ok(features),
    }
}
