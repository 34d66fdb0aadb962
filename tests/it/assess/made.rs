//! Layers made up for tests and benches: hexagons with coefficients, squares of catchments.

use std::path::Path;

use rusqlite::{Connection, params};

/// One feature: its geometry and the values of its columns.
pub(crate) type Made = (Vec<u8>, Vec<rusqlite::types::Value>);

/// Writes a GeoPackage of one layer in metres.
pub(crate) fn geopackage(path: &Path, columns: &str, features: impl Iterator<Item = Made>) {
    let mut connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = 1196444487;
             CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY,
               organization TEXT, organization_coordsys_id INTEGER, definition TEXT, description TEXT);
             CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT, identifier TEXT,
               description TEXT, last_change TEXT, min_x REAL, min_y REAL, max_x REAL, max_y REAL,
               srs_id INTEGER);
             CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT,
               geometry_type_name TEXT, srs_id INTEGER, z INTEGER, m INTEGER);
             INSERT INTO gpkg_spatial_ref_sys VALUES ('BNG', 27700, 'EPSG', 27700, 'undefined', '');
             INSERT INTO gpkg_contents VALUES ('layer', 'features', 'layer', '',
               '2026-01-01T00:00:00.000Z', 0, 0, 700000, 1300000, 27700);
             INSERT INTO gpkg_geometry_columns VALUES ('layer', 'geom', 'MULTIPOLYGON', 27700, 0, 0);",
        )
        .unwrap();
    connection
        .execute_batch(&format!(
            "CREATE TABLE layer (fid INTEGER PRIMARY KEY, geom BLOB, {columns})"
        ))
        .unwrap();
    let transaction = connection.transaction().unwrap();
    {
        let marks = ", ?".repeat(columns.split(',').count());
        let sql = format!("INSERT INTO layer VALUES (NULL, ?{marks})");
        let mut insert = transaction.prepare(&sql).unwrap();
        for (geometry, values) in features {
            let mut all = vec![rusqlite::types::Value::Blob(geometry)];
            all.extend(values);
            insert.execute(rusqlite::params_from_iter(all)).unwrap();
        }
    }
    transaction.commit().unwrap();
}

/// A polygon of one ring as a GeoPackage keeps it.
pub(crate) fn blob(ring: &[[f64; 2]]) -> Vec<u8> {
    let mut out = b"GP\0\x01".to_vec();
    out.extend(27700_i32.to_le_bytes());
    out.extend(b"\x01\x06\0\0\0\x01\0\0\0\x01\x03\0\0\0\x01\0\0\0");
    out.extend(u32::try_from(ring.len()).unwrap().to_le_bytes());
    for [x, y] in ring {
        out.extend(x.to_le_bytes());
        out.extend(y.to_le_bytes());
    }
    out
}

pub(crate) const COEFFICIENTS: &str = "cromeid TEXT, Land_use_cat TEXT, NN_Catchment TEXT, \
     SubCatchment TEXT, LU_CurrNcoeff REAL, LU_CurrPcoeff REAL, N_ResiCoeff REAL, P_ResiCoeff REAL";

/// Hexagons that tile the land from a corner on, `across` of them in a row.
pub(crate) fn hexagons(
    corner: [f64; 2],
    count: u32,
    across: u32,
    side: f64,
) -> impl Iterator<Item = Made> {
    let (wide, high) = (side * 3_f64.sqrt(), side * 1.5);
    (0..count).map(move |at| {
        let (column, row) = (at % across, at / across);
        let x = corner[0] + wide * (f64::from(column) + f64::from(row % 2) / 2.0);
        let y = corner[1] + high * f64::from(row);
        let half = wide / 2.0;
        let ring = [
            [x, y + side],
            [x - half, y + side / 2.0],
            [x - half, y - side / 2.0],
            [x, y - side],
            [x + half, y - side / 2.0],
            [x + half, y + side / 2.0],
            [x, y + side],
        ];
        let spread =
            |seed: u32| f64::from(at.wrapping_mul(2_654_435_761).rotate_left(seed) % 1000) / 1000.0;
        let values = vec![
            format!("RPA{at:09}").into(),
            ["Arable", "Grass", "Wood"][at as usize % 3].to_owned().into(),
            "The Broads SAC".to_owned().into(),
            "Bure".to_owned().into(),
            (5.0 + 30.0 * spread(3)).into(),
            (0.1 + spread(7)).into(),
            (11.3 + 2.3 * spread(11)).into(),
            (1.18 + 0.3 * spread(17)).into(),
        ];
        (blob(&ring), values)
    })
}

/// A table of lookups with one works.
#[allow(dead_code, reason = "only the bench makes them")]
pub(crate) fn lookups(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE rates_lookup (NN_Catchment TEXT, Occ_Rate REAL, Water_Usage_L_Day INTEGER);
             CREATE TABLE WwTw_lookup (Subcatchment_name TEXT, WwTW_name TEXT, WwTW_code TEXT,
               Nitrogen_2025_2030 TEXT, Nitrogen_2030_onwards REAL, Phosphorus_2025_2030 TEXT,
               Phosphorus_2030_onwards TEXT);
             INSERT INTO rates_lookup VALUES ('The Broads SAC', 2.4, 120);",
        )
        .unwrap();
    let sql = "INSERT INTO WwTw_lookup VALUES ('Bure', ?1, ?2, '27', 10, '1', '0.25')";
    connection.execute(sql, params!["Works", "938"]).unwrap();
}
