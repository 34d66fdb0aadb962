//! Files that are small and would keep a processor busy for very long: each is refused, or read,
//! within a bound that follows from its size.

use nutrients::{Cancel, Code, Findings, Limits, read_features};
use rusqlite::Connection;
use strongroom::research::catalogue::{self, Format};

use super::hostile::{as_boundary, as_sites, costs_little};
use super::samples::{self, SQUARE, Shapefile, zipped};

/// A GeoPackage with one site, changed by `change`.
fn changed(change: impl FnOnce(&Connection)) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.gpkg");
    byteio::durable::write(&path, &samples::geopackage(), false).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").unwrap();
    change(&connection);
    connection.close().unwrap();
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.len() < 2 << 20, "{} bytes", bytes.len());
    bytes
}

/// It is refused with the one code, and this in its sentence.
fn is_refused_with(sentence: &str, what: &str, bytes: &[u8]) {
    for findings in [as_boundary("a.gpkg", bytes), as_sites("a.gpkg", bytes)] {
        let codes: Vec<Code> = findings.iter().map(|it| it.code).collect();
        assert_eq!(codes, [Code::UnreadableGeometryFile], "{what}: {findings:?}");
        assert!(findings[0].sentence.contains(sentence), "{what}: {findings:?}");
    }
}

fn is_refused(what: &str, bytes: &[u8]) {
    is_refused_with("", what, bytes);
}

#[test]
fn a_small_geopackage_whose_tables_join_to_very_many_rows_is_refused() {
    let bytes = changed(|connection| {
        let many = |table: &str, row: &str| {
            let sql = format!(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
                 INSERT INTO {table} SELECT {row} FROM n"
            );
            connection.execute_batch(&sql).unwrap();
        };
        // Without the key that keeps names apart.
        connection
            .execute_batch(
                "DROP TABLE gpkg_contents;
                 CREATE TABLE gpkg_contents (table_name TEXT, data_type TEXT, srs_id INTEGER)",
            )
            .unwrap();
        many("gpkg_contents", "'layer', 'features', 27700");
        many("gpkg_geometry_columns", "'layer', 'geom', 'POLYGON', 27700, 0, 0");
    });
    // Before anything is held against anything: joined, they would be refused as well, much later.
    is_refused_with("gpkg_contents has more than 1000 rows", "a join", &bytes);
    costs_little();
}

#[test]
fn a_column_that_is_computed_is_not_computed() {
    for table in ["gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys", "layer"] {
        let bytes = changed(|connection| {
            let sql = format!("SELECT sql FROM sqlite_master WHERE name = '{table}'");
            let made: String = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
            let long = "replace(hex(zeroblob(60000)), '0', hex(zeroblob(1500)))";
            let column = match table {
                "layer" => "geom BLOB",
                "gpkg_spatial_ref_sys" => "organization TEXT",
                _ => "table_name TEXT",
            };
            let end = made[made.find(column).unwrap()..].find([',', ')']).unwrap();
            let start = made.find(column).unwrap();
            let rest = &made[start + end..];
            let computed = format!("{}{column} AS ({long}){rest}", &made[..start]);
            connection.execute_batch(&format!("DROP TABLE {table}; {computed};")).unwrap();
            let names: Vec<String> = {
                let mut names = connection.prepare(&format!("PRAGMA table_info({table})")).unwrap();
                names.query_map([], |row| row.get(1)).unwrap().map(Result::unwrap).collect()
            };
            let insert = format!(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
                 INSERT INTO {table} ({}) SELECT NULL FROM n",
                names.last().unwrap()
            );
            connection.execute_batch(&insert).unwrap();
        });
        is_refused(table, &bytes);
    }
    costs_little();
}

#[test]
fn a_view_in_the_place_of_a_table_is_not_asked() {
    for table in ["gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys", "layer"] {
        let bytes = changed(|connection| {
            let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                SELECT i AS table_name, i AS geom, i AS srs_id, i AS data_type FROM n";
            let sql = format!("DROP TABLE {table}; CREATE VIEW {table} AS {endless}");
            connection.execute_batch(&sql).unwrap();
        });
        is_refused(table, &bytes);
    }
}

const PAGE: usize = 512;

/// A GeoPackage in which the pages of a table point to one another so that its rows are counted in
/// numbers of twenty digits, though the file has a few kilobytes.
fn folded(table: &str) -> Vec<u8> {
    let mut root = 0_u32;
    let mut bytes = changed(|connection| {
        connection.execute_batch(&format!("PRAGMA page_size = {PAGE}; VACUUM")).unwrap();
        let sql = format!("SELECT rootpage FROM sqlite_master WHERE name = '{table}'");
        root = connection.query_row(&sql, [], |row| row.get::<_, u32>(0)).unwrap();
    });
    let root = usize::try_from(root).unwrap();
    let number = |page: usize| u32::try_from(page).unwrap().to_be_bytes();
    // A page that points thirty times, and once more at its end, to the next one.
    let inner = |next: usize| {
        let mut page = vec![0; PAGE];
        let (count, size) = (30_u16, 5_u16);
        let content = u16::try_from(PAGE).unwrap() - count * size;
        page[0] = 5;
        page[3..5].copy_from_slice(&count.to_be_bytes());
        page[5..7].copy_from_slice(&content.to_be_bytes());
        page[8..12].copy_from_slice(&number(next));
        for cell in 0..count {
            let at = content + cell * size;
            page[12 + 2 * usize::from(cell)..][..2].copy_from_slice(&at.to_be_bytes());
            page[usize::from(at)..][..4].copy_from_slice(&number(next));
            page[usize::from(at) + 4] = u8::try_from(cell + 1).unwrap();
        }
        page
    };
    let leaf = bytes[(root - 1) * PAGE..root * PAGE].to_vec();
    assert_eq!(leaf[0], 13, "the root of {table} is a leaf");
    let first = bytes.len() / PAGE + 1;
    const DEPTH: usize = 14;
    bytes[(root - 1) * PAGE..root * PAGE].copy_from_slice(&inner(first));
    for level in 1..=DEPTH {
        bytes.extend(inner(first + level));
    }
    bytes.extend(leaf);
    let pages = number(bytes.len() / PAGE);
    bytes[28..32].copy_from_slice(&pages);
    bytes
}

#[test]
fn pages_that_lead_to_one_another_are_not_followed_for_ever() {
    for table in ["gpkg_geometry_columns", "gpkg_spatial_ref_sys", "gpkg_contents"] {
        is_refused(table, &folded(table));
    }
    // Of a layer, more features than are taken may come first.
    for findings in [as_boundary("a.gpkg", &folded("layer")), as_sites("a.gpkg", &folded("layer"))]
    {
        let code = findings[0].code;
        assert!([Code::UnreadableGeometryFile, Code::TooLarge].contains(&code), "{findings:?}");
    }
    costs_little();
}

/// A parser that compares each attribute with each other would take minutes over two megabytes.
#[test]
fn kml_with_very_many_attributes_in_one_element_is_refused() {
    let attributes: String = (0..190_000).map(|at| format!("a{at:x}=\"\" ")).collect();
    let text = format!("<kml><Document {attributes}/></kml>");
    assert!(text.len() < 2 << 20, "{}", text.len());
    let findings = as_boundary("a.kml", text.as_bytes());
    assert_eq!(findings[0].code, Code::UnreadableGeometryFile, "{findings:?}");
    let nested: String = (0..90).map(|at| format!("<a xmlns:p{at}=\"x\">")).collect();
    let inside = "<b xmlns:q=\"x\"/>".repeat(60_000);
    let text = format!("<kml>{nested}{inside}{}</kml>", "</a>".repeat(90));
    as_boundary("a.kml", text.as_bytes());
    costs_little();
}

/// To count lines from the beginning for every entry would take the square of the file's size.
#[test]
fn a_feed_of_very_many_entries_is_read_in_one_pass() {
    let text = format!(
        "<rss><channel><title>x</title><!-- {} -->{}</channel></rss>",
        "\n".repeat(5 << 20),
        "<item/>\n".repeat(150_000)
    );
    let read = catalogue::read(&mut text.as_bytes(), Format::Rss).unwrap();
    assert_eq!(read.left_out, 150_000);
    let lines: Vec<usize> = read.findings.iter().map(|it| it.line).collect();
    assert_eq!(lines[..3], [(5 << 20) + 1, (5 << 20) + 2, (5 << 20) + 3]);
    let attributes: String = (0..900_000).map(|at| format!("a{at:x}=\"\" ")).collect();
    let text = format!("<rss><channel {attributes}/></rss>");
    assert!(catalogue::read(&mut text.as_bytes(), Format::Rss).is_err());
}

/// Each outline takes about a second to judge; together they must not take minutes.
#[test]
fn many_tangled_outlines_cost_no_more_than_a_few() {
    let [x, y] = SQUARE[0];
    let comb = |shift: f64| {
        let mut ring: Vec<[f64; 2]> = Vec::new();
        for tooth in 0..1_200_u32 {
            let at = f64::from(tooth) * 0.2;
            ring.push([x + shift + at, y + at * 0.001]);
            ring.push([x + shift + at + 30_000.0, y + 30_000.0]);
        }
        ring.push([x + shift + 60_000.0, y]);
        ring.push(ring[0]);
        ring
    };
    let combs: Vec<Vec<[f64; 2]>> = (0..100_u32).map(|it| comb(f64::from(it) * 0.01)).collect();
    let records: Vec<Shapefile> = combs.iter().map(|ring| samples::shapefile(&[ring])).collect();
    let findings = as_sites("a.zip", &in_one_file(&records));
    assert!(findings.iter().any(|it| it.code == Code::TooLarge), "{findings:?}");
    costs_little();
}

/// The polygons of several shapefiles as the records of one.
fn in_one_file(records: &[Shapefile]) -> Vec<u8> {
    let mut shp = records[0].shp[..100].to_vec();
    for (number, record) in (1_u32..).zip(records) {
        let start = shp.len();
        shp.extend(&record.shp[100..]);
        shp[start..start + 4].copy_from_slice(&number.to_be_bytes());
    }
    let words = u32::try_from(shp.len() / 2).unwrap();
    shp[24..28].copy_from_slice(&words.to_be_bytes());
    let table = samples::table(u32::try_from(records.len()).unwrap());
    zipped(&[
        ("a.shp", &shp),
        ("a.shx", &records[0].shx),
        ("a.dbf", &table),
        ("a.prj", samples::GRID.as_bytes()),
    ])
}

/// To tell whose a hole is, each of its vertices is held against each side of the outlines. One shape
/// may cost so much; a file may not cost that for each of its shapes.
#[test]
fn shapes_that_are_each_just_allowed_are_not_allowed_together() {
    const VERTICES: u32 = 14_000;
    let [x, y] = SQUARE[0];
    // Clockwise, which is an outline.
    let outline = |radius: f64| -> Vec<[f64; 2]> {
        let each = -std::f64::consts::TAU / f64::from(VERTICES);
        let at = |step: u32| f64::from(step % VERTICES) * each;
        (0..=VERTICES)
            .map(|step| [x + 500.0 + radius * at(step).cos(), y + 500.0 + radius * at(step).sin()])
            .collect()
    };
    let mut hole = outline(200.0);
    hole.reverse();
    let one = || samples::shapefile(&[&outline(400.0), &hole]);
    let is_too_large = |records: &[Shapefile]| {
        let findings = as_sites("a.zip", &in_one_file(records));
        let words = "too many rings to tell which hole is whose";
        findings.iter().any(|it| it.code == Code::TooLarge && it.sentence.contains(words))
    };
    assert!(!is_too_large(&[one()]), "one is allowed");
    assert!(is_too_large(&[one(), one()]), "two are not");
    costs_little();
}

#[test]
fn a_geopackage_that_is_sent_needs_no_temporary_folder_whatever_its_journal() {
    const CHILD: &str = "STRONGROOM_GEOPACKAGE";
    let Some(sample) = std::env::var_os(CHILD) else {
        let dir = tempfile::tempdir().unwrap();
        let sample = dir.path().join("site.gpkg");
        byteio::durable::write(&sample, &samples::geopackage(), false).unwrap();
        let name = std::thread::current().name().unwrap().to_owned();
        let mut child = std::process::Command::new("/proc/self/exe");
        child.args(["--exact", &name]).env(CHILD, &sample).env("TMPDIR", "/nowhere");
        let ran = child.output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        return;
    };
    let bytes = std::fs::read(sample).unwrap();
    for versions in [[1, 1], [2, 2]] {
        let mut bytes = bytes.clone();
        // As the header says it: written in place, or by way of a log beside the file.
        bytes[18..20].copy_from_slice(&versions);
        let read = read_features("site.gpkg", &bytes, None, &Limits::default());
        assert!(read.is_ok(), "{versions:?}: {read:?}");
    }
}

#[test]
fn a_reader_ends_when_nobody_waits_for_the_answer_any_more() {
    let limits = Limits { cancel: Cancel::default(), ..Limits::default() };
    // Some samples do not say in which coordinates they are, which is another matter.
    let readable =
        |(name, bytes): &(&str, Vec<u8>)| read_features(name, bytes, None, &limits).is_ok();
    let samples: Vec<_> = samples::all().into_iter().filter(readable).collect();
    assert!(!samples.is_empty());
    limits.cancel.cancel();
    for (name, bytes) in samples {
        let Findings(found) = read_features(name, &bytes, None, &limits).unwrap_err();
        assert_eq!(found[0].code, Code::UnreadableGeometryFile, "{name}: {found:?}");
        assert!(found[0].sentence.contains("the request ended"), "{name}: {found:?}");
    }
}
