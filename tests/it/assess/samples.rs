//! One site in every format, made here: what the rules are tried with, and what is torn and flipped.

use std::io::{Cursor, Write};

use super::made;

/// A hectare in the Broads, in metres.
pub(crate) const SQUARE: [[f64; 2]; 5] = [
    [627_300.0, 309_500.0],
    [627_300.0, 309_600.0],
    [627_400.0, 309_600.0],
    [627_400.0, 309_500.0],
    [627_300.0, 309_500.0],
];

/// Somewhere there, in degrees.
const DEGREES: &str = "1.35,52.63,0 1.352,52.63,0 1.352,52.631,0 1.35,52.63,0";

/// The projection file of the National Grid, as far as it tells.
pub(crate) const GRID: &str = r#"PROJCS["British_National_Grid",GEOGCS["GCS_OSGB_1936"]]"#;

/// The properties that a batch needs.
pub(crate) fn columns() -> serde_json::Value {
    serde_json::json!({"id": "S1", "Name": "Mill Lane", "Dwel_Cat": "housing", "Source": "plan",
                       "Dwellings": 60, "Shape_Area": 1.5})
}

/// A collection in metres of these geometries, each with the properties of a site.
pub(crate) fn collection(geometries: &[serde_json::Value]) -> String {
    collection_in("urn:ogc:def:crs:EPSG::27700", geometries)
}

/// A collection in the coordinate system of this name.
pub(crate) fn collection_in(crs: &str, geometries: &[serde_json::Value]) -> String {
    let feature = |geometry: &serde_json::Value| serde_json::json!({"type": "Feature", "properties": columns(), "geometry": geometry});
    let features: Vec<_> = geometries.iter().map(feature).collect();
    serde_json::json!({"type": "FeatureCollection", "features": features,
                       "crs": {"type": "name", "properties": {"name": crs}}})
    .to_string()
}

/// A polygon of these rings.
pub(crate) fn polygon(rings: &[&[[f64; 2]]]) -> serde_json::Value {
    serde_json::json!({"type": "Polygon", "coordinates": rings})
}

pub(crate) fn geojson() -> String {
    collection(&[polygon(&[&SQUARE])])
}

pub(crate) fn kml() -> String {
    let data: String = columns()
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| format!("<Data name=\"{name}\"><value>{value}</value></Data>"))
        .collect();
    format!(
        "<?xml version=\"1.0\"?><kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document><Placemark>\
         <name>Mill Lane</name><ExtendedData>{data}</ExtendedData><Polygon><outerBoundaryIs>\
         <LinearRing><coordinates>{DEGREES}</coordinates></LinearRing></outerBoundaryIs></Polygon>\
         </Placemark></Document></kml>"
    )
}

/// The parts of a shapefile with one polygon of these rings.
pub(crate) struct Shapefile {
    pub(crate) shp: Vec<u8>,
    pub(crate) shx: Vec<u8>,
    pub(crate) dbf: Vec<u8>,
}

pub(crate) fn shapefile(rings: &[&[[f64; 2]]]) -> Shapefile {
    let record = polygon_record(rings);
    let head = |len: usize| {
        let mut head = vec![0; 100];
        head[..4].copy_from_slice(&9994_u32.to_be_bytes());
        head[24..28].copy_from_slice(&words(len).to_be_bytes());
        head[28..32].copy_from_slice(&1000_u32.to_le_bytes());
        head[32..36].copy_from_slice(&5_u32.to_le_bytes());
        head
    };
    let mut shp = head(108 + record.len());
    shp.extend(1_u32.to_be_bytes());
    shp.extend(words(record.len()).to_be_bytes());
    let mut shx = head(108);
    shx.extend(50_u32.to_be_bytes());
    shx.extend(words(record.len()).to_be_bytes());
    shp.extend(record);
    Shapefile { shp, shx, dbf: table(1) }
}

/// Lengths of shapefiles count words of two bytes.
fn words(bytes: usize) -> u32 {
    u32::try_from(bytes / 2).unwrap()
}

fn polygon_record(rings: &[&[[f64; 2]]]) -> Vec<u8> {
    let number = |it: usize| u32::try_from(it).unwrap().to_le_bytes();
    let mut record = 5_u32.to_le_bytes().to_vec();
    record.extend([0; 32]);
    record.extend(number(rings.len()));
    record.extend(number(rings.iter().map(|ring| ring.len()).sum()));
    let mut start = 0;
    for ring in rings {
        record.extend(number(start));
        start += ring.len();
    }
    for [x, y] in rings.iter().copied().flatten() {
        record.extend(x.to_le_bytes());
        record.extend(y.to_le_bytes());
    }
    record
}

/// The table beside it, with so many equal rows.
pub(crate) fn table(rows: u32) -> Vec<u8> {
    let fields = [
        ("id", "S1"),
        ("Name", "Mill Lane"),
        ("Dwel_Cat", "housing"),
        ("Source", "plan"),
        ("Dwellings", "60"),
        ("Shape_Area", "1.5"),
    ];
    const WIDE: usize = 12;
    let head_len = u16::try_from(32 + 32 * fields.len() + 1).unwrap();
    let record_len = u16::try_from(1 + WIDE * fields.len()).unwrap();
    let mut out = vec![3, 126, 1, 1];
    out.extend(rows.to_le_bytes());
    out.extend(head_len.to_le_bytes());
    out.extend(record_len.to_le_bytes());
    out.extend([0; 20]);
    for (name, _) in fields {
        let mut field = [0; 32];
        field[..name.len()].copy_from_slice(name.as_bytes());
        field[11] = b'C';
        field[16] = u8::try_from(WIDE).unwrap();
        out.extend(field);
    }
    out.push(b'\r');
    for _ in 0..rows {
        out.push(b' ');
        out.extend(fields.iter().flat_map(|(_, value)| format!("{value:<WIDE$}").into_bytes()));
    }
    out
}

/// A zip, packed as everybody packs them.
pub(crate) fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in entries {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn zipped_shapefile() -> Vec<u8> {
    let Shapefile { shp, shx, dbf } = shapefile(&[&SQUARE]);
    zipped(&[("a.shp", &shp), ("a.shx", &shx), ("a.dbf", &dbf), ("a.prj", GRID.as_bytes())])
}

pub(crate) fn geopackage() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("site.gpkg");
    let text = |it: &str| rusqlite::types::Value::from(it.to_owned());
    let values =
        vec![text("S1"), text("Mill Lane"), text("housing"), text("plan"), 60.into(), 1.5.into()];
    let columns = "id TEXT, Name TEXT, Dwel_Cat TEXT, Source TEXT, Dwellings INTEGER, \
                   Shape_Area REAL";
    made::geopackage(&path, columns, [(made::blob(&SQUARE), values)].into_iter());
    std::fs::read(path).unwrap()
}

/// A good file of every format, with its name.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("site.geojson", geojson().into_bytes()),
        ("site.json", polygon(&[&SQUARE]).to_string().into_bytes()),
        ("site.kml", kml().into_bytes()),
        ("site.zip", zipped_shapefile()),
        ("kml.zip", zipped(&[("in/site.kml", kml().as_bytes())])),
        ("site.gpkg", geopackage()),
    ]
}
