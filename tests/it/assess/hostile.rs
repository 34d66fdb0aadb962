//! Site files that are torn, garbled, or out to do harm: each is refused with a sentence or read as
//! what it is, soon, in little memory, and nothing falls over.

use std::time::Duration;

use nutrients::{
    BoundaryRules, Code, Finding, Findings, Limits, Upload, check_boundary, read_features,
    read_features_at, read_job, read_sites, sites,
};
use serde_json::json;
use storage::clock::{Clock, SystemClock};

use super::samples::{self, GRID, SQUARE, Shapefile, collection, polygon, shapefile, zipped};
use crate::house::DEADLINE;

/// What one file may take, on a slow machine and unoptimised.
const SOON: Duration = DEADLINE;

/// What all files together may take of memory.
const RESIDENT_MIB: f64 = 700.0;

/// Does everything with a file that can be done with one. The findings of its refusal, if it is.
fn use_all(name: &str, bytes: &[u8]) -> Vec<Finding> {
    as_sites(name, bytes);
    as_boundary(name, bytes)
}

/// Looks at a file as the boundary of one site.
pub(super) fn as_boundary(name: &str, bytes: &[u8]) -> Vec<Finding> {
    let clock = SystemClock::start();
    let upload = Upload { file_name: name, bytes, inside: None };
    let checked = check_boundary(&upload, BoundaryRules::default(), &Limits::default(), None);
    let json = serde_json::to_string(&checked.wire).unwrap();
    assert!(serde_json::from_str::<nutrients::BoundaryWire>(&json).is_ok(), "{json}");
    assert_eq!(checked.findings.is_empty(), checked.wire.error.is_none());
    assert_eq!(checked.findings.is_empty(), checked.http_status == 200);
    are_told(name, bytes, &clock, &checked.findings);
    checked.findings
}

/// Reads a file as the sites of a batch, each judged as a job's is.
pub(super) fn as_sites(name: &str, bytes: &[u8]) -> Vec<Finding> {
    let clock = SystemClock::start();
    let read = read_features(name, bytes, None, &Limits::batch());
    let refused = match read {
        Ok(features) => sites(&features).err(),
        Err(findings) => Some(findings),
    };
    let all: Vec<Finding> = refused.into_iter().flat_map(|Findings(all)| all).collect();
    are_told(name, bytes, &clock, &all);
    all
}

/// It was soon, and every finding is a sentence that can be written down.
fn are_told(name: &str, bytes: &[u8], clock: &SystemClock, findings: &[Finding]) {
    let took = clock.steady();
    assert!(took < SOON, "{name} of {} bytes took {took:?}", bytes.len());
    for finding in findings {
        assert!(finding.sentence.len() > 15, "{finding}");
        let told = serde_json::to_string(finding).unwrap();
        assert_eq!(serde_json::from_str::<Finding>(&told).unwrap(), *finding, "{told}");
    }
}

/// Each test is a process of its own, so the most it ever had is what its files cost.
pub(super) fn costs_little() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|it| it.trim().trim_end_matches(" kB").parse::<f64>().ok());
    let mib = kib.unwrap_or(0.0) / 1024.0;
    assert!(mib < RESIDENT_MIB, "{mib} MiB");
}

/// Some two hundred places of a file, the first and last of them all.
fn places(len: usize) -> impl Iterator<Item = usize> {
    let step = (len / 150).max(1);
    (0..len).filter(move |at| at % step == 0 || *at < 40 || at + 40 > len)
}

#[test]
fn a_file_may_end_anywhere() {
    for (name, bytes) in samples::all() {
        for len in places(bytes.len()) {
            let findings = use_all(name, &bytes[..len]);
            // A database may end after its last row, and a zip has two bytes that say nothing.
            let may_be_whole =
                name == "site.gpkg" || name.ends_with("zip") && len + 2 >= bytes.len();
            assert!(!findings.is_empty() || may_be_whole, "{name} cut to {len}");
        }
    }
    costs_little();
}

#[test]
fn any_byte_may_be_wrong() {
    for (name, bytes) in samples::all() {
        for at in places(bytes.len()) {
            for flipped in [0xff, 0x01, 0x80] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flipped;
                use_all(name, &bytes);
            }
        }
    }
    costs_little();
}

/// The parts of a shapefile, torn and garbled one by one behind the checksums of a zip.
#[test]
fn every_part_of_a_shapefile_may_be_torn_or_lie() {
    let Shapefile { shp, shx, dbf } = shapefile(&[&SQUARE]);
    let parts = [("a.shp", shp), ("a.shx", shx), ("a.dbf", dbf), ("a.prj", GRID.into())];
    let pack = |of: usize, bytes: &[u8]| {
        let all: Vec<(&str, &[u8])> = parts
            .iter()
            .enumerate()
            .map(|(at, (name, whole))| (*name, if at == of { bytes } else { whole.as_slice() }))
            .collect();
        use_all("a.zip", &zipped(&all))
    };
    for (of, (name, whole)) in parts.iter().enumerate() {
        assert_eq!(pack(of, whole), [], "the whole one is taken");
        for len in places(whole.len()) {
            let findings = pack(of, &whole[..len]);
            // The index is not asked: what is in the shapes is true.
            if of == 1 {
                assert_eq!(findings, [], "{name} cut to {len}");
            } else if of != 3 {
                assert!(!findings.is_empty(), "{name} cut to {len}");
            }
        }
        for at in places(whole.len()) {
            for flipped in [0xff, 0x01, 0x80] {
                let mut bytes = whole.clone();
                bytes[at] ^= flipped;
                pack(of, &bytes);
            }
        }
    }
    let all_ones = |from: usize| {
        let mut bytes = parts[0].1.clone();
        bytes[from..from + 4].fill(0xff);
        pack(0, &bytes)
    };
    // How long a record is, how many parts and points it has, and where a part begins.
    for from in [104, 144, 148, 152] {
        assert!(!all_ones(from).is_empty(), "{from}");
    }
    costs_little();
}

#[test]
fn coordinates_that_are_no_numbers_are_refused_in_every_format() {
    let [x, y] = SQUARE[0];
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1.0] {
        let ring = [[x, y], [odd, y + 9.0], [x + 9.0, odd], [x, y]];
        let Shapefile { shp, shx, dbf } = shapefile(&[&ring]);
        let zip = zipped(&[
            ("a.shp", &shp),
            ("a.shx", &shx),
            ("a.dbf", &dbf),
            ("a.prj", GRID.as_bytes()),
        ]);
        assert!(!use_all("a.zip", &zip).is_empty(), "{odd} in a shapefile");
        let mut package = samples::geopackage();
        let at = package.windows(8).position(|it| it == SQUARE[1][1].to_le_bytes()).unwrap();
        package[at..at + 8].copy_from_slice(&odd.to_le_bytes());
        assert!(!use_all("a.gpkg", &package).is_empty(), "{odd} in a GeoPackage");
        let kml = samples::kml().replace("52.631", &odd.to_string());
        assert!(!use_all("a.kml", kml.as_bytes()).is_empty(), "{odd} in KML");
    }
    for odd in ["1e999", "-1e999", "NaN", "Infinity", "null", "\"1\"", "[]", "{}", "1e308"] {
        let text = samples::geojson().replace("309600.0", odd);
        assert!(!use_all("a.geojson", text.as_bytes()).is_empty(), "{odd} in GeoJSON");
    }
    costs_little();
}

#[test]
fn kml_with_entities_depth_and_placemarks_in_placemarks_costs_little() {
    let bomb = "<!DOCTYPE kml [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>\
                <!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]><kml><Placemark><name>&c;</name></Placemark></kml>";
    assert_eq!(use_all("a.kml", bomb.as_bytes())[0].code, Code::UnreadableGeometryFile);
    let outside = "<!DOCTYPE kml [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><kml>&a;</kml>";
    assert!(!use_all("a.kml", outside.as_bytes()).is_empty());
    let deep = |element: &str, inner: &str, depth: usize| {
        let (open, close) = (format!("<{element}>"), format!("</{element}>"));
        format!("<kml>{}{inner}{}</kml>", open.repeat(depth), close.repeat(depth))
    };
    let points = format!("<Placemark>{}</Placemark>", "<Point/>".repeat(40_000));
    for text in [
        deep("Folder", &points, 60_000),
        deep("Placemark", &points, 40_000),
        deep("Polygon", "", 100_000),
        deep("Placemark", &points, 90),
        format!("<kml>{}</kml>", "<Placemark/>".repeat(100_000)),
    ] {
        assert!(text.len() < 2 << 20);
        assert!(!use_all("a.kml", text.as_bytes()).is_empty());
    }
    costs_little();
}

#[test]
fn json_that_is_nested_or_lists_nothings_costs_little() {
    let crs = r#""crs":{"type":"name","properties":{"name":"EPSG:27700"}}"#;
    let coordinates = |text: &str| format!(r#"{{"type":"Polygon",{crs},"coordinates":{text}}}"#);
    let most = (2 << 20) - 200;
    for text in [
        coordinates(&"[".repeat(most)),
        coordinates(&format!("{}{}", "[".repeat(most / 2), "]".repeat(most / 2))),
        coordinates(&format!("[{}[]]", "[],".repeat(most / 3 - 2))),
        coordinates(&format!("[[{}[0,0]]]", "[0,0],".repeat(most / 6 - 2))),
        coordinates("[[[1,2,3,4,5,6,7,8,9],[1],[2]]]"),
        format!(
            r#"{{"type":"FeatureCollection","features":[{}{{}}]}}"#,
            "{},".repeat(most / 3 - 9)
        ),
        format!(r#"{{"type":"Feature","properties":{}"#, r#"{"a":"#.repeat(most / 5 - 9)),
        format!(
            r#"{{"type":"Feature","geometry":null,"properties":[{}1]}}"#,
            "1,".repeat(most / 2 - 99)
        ),
        format!(r#"{{"type":"{}"}}"#, "x".repeat(most)),
        "[]".to_owned(),
        "null".to_owned(),
        String::new(),
    ] {
        assert!(text.len() <= 2 << 20);
        assert!(!use_all("a.json", text.as_bytes()).is_empty(), "{}", &text[..text.len().min(99)]);
        assert!(read_job(text.as_bytes(), &Limits::default()).is_err());
    }
    costs_little();
}

#[test]
fn zips_that_grow_lie_or_lead_elsewhere_are_refused() {
    let bomb = zipped(&[("a.geojson", &vec![b' '; 64 << 20])]);
    assert_eq!(use_all("a.zip", &bomb)[0].code, Code::ZipTooLarge);
    let table = zipped(&[
        ("a.shp", &shapefile(&[&SQUARE]).shp),
        ("a.shx", b""),
        ("a.dbf", &vec![0; 64 << 20]),
        ("a.prj", GRID.as_bytes()),
    ]);
    assert_eq!(use_all("a.zip", &table)[0].code, Code::ZipTooLarge);
    let good = samples::geojson();
    for name in [
        "../a.geojson",
        "x/../../a.geojson",
        "/a.geojson",
        "\\a.geojson",
        "x\\..\\a.geojson",
        "C:a.geojson",
    ] {
        let zip = zipped(&[(name, good.as_bytes())]);
        assert_eq!(use_all("a.zip", &zip)[0].code, Code::ZipUnsafePath, "{name}");
    }
    // A good entry does not make up for a bad one beside it.
    let both = zipped(&[("a.geojson", good.as_bytes()), ("../b.txt", b"x")]);
    assert_eq!(use_all("a.zip", &both)[0].code, Code::ZipUnsafePath);
    let inner = zipped(&[("a.zip", &zipped(&[("a.geojson", good.as_bytes())]))]);
    assert_eq!(use_all("a.zip", &inner)[0].code, Code::ZipMissingShapefile);
    let names: Vec<String> = (0..1001).map(|at| format!("{at}.txt")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|it| (it.as_str(), &b""[..])).collect();
    assert_eq!(use_all("a.zip", &zipped(&many))[0].code, Code::ZipTooLarge);
    costs_little();
}

/// Valid or not, an outline that takes vertices times vertices to judge must end. Both ways of using a
/// file judge by the same rules, so each tangle goes one of them.
#[test]
fn tangled_outlines_are_judged_or_refused_in_time() {
    let [x, y] = SQUARE[0];
    // A comb of long slanted teeth: every box meets every other, and nothing crosses.
    let comb = |teeth: u32| {
        let mut ring: Vec<[f64; 2]> = Vec::new();
        for tooth in 0..teeth {
            let at = f64::from(tooth) * 0.2;
            ring.push([x + at, y + at * 0.001]);
            ring.push([x + at + 30_000.0, y + 30_000.0]);
        }
        ring.push([x + 90_000.0, y]);
        ring.push(ring[0]);
        ring
    };
    let nested = |count: u32| -> Vec<Vec<[f64; 2]>> {
        let square = |at: f64| {
            let far = 100_000.0 - at;
            vec![
                [x + at, y + at],
                [x + far, y + at],
                [x + far, y + far],
                [x + at, y + far],
                [x + at, y + at],
            ]
        };
        (0..count).map(|it| square(f64::from(it) * 0.5)).collect()
    };
    let wheel: Vec<[f64; 2]> = (0..5_000)
        .map(|step| {
            let angle = f64::from(step * 2_499) / 5_000.0 * std::f64::consts::TAU;
            [x + 9_000.0 * angle.cos(), y + 9_000.0 * angle.sin()]
        })
        .collect();
    let rings = nested(3_000);
    let refs: Vec<&[[f64; 2]]> = rings.iter().map(Vec::as_slice).collect();
    let parts: Vec<_> = rings.iter().map(|ring| [ring]).collect();
    for (what, geometry) in [
        ("a comb", polygon(&[&comb(8_000)])),
        ("a wheel", polygon(&[&wheel])),
        ("holes in holes", polygon(&refs)),
        ("parts in parts", json!({"type": "MultiPolygon", "coordinates": parts})),
    ] {
        let text = collection(&[geometry]);
        let way = if what.contains("parts") { as_sites } else { as_boundary };
        let findings = way("a.json", text.as_bytes());
        let code = if what == "a wheel" { Code::SelfIntersectingGeometry } else { Code::TooLarge };
        assert!(findings.iter().any(|it| it.code == code), "{what}: {findings:?}");
    }
    let Shapefile { shp, shx, dbf } = shapefile(&refs[..200]);
    let zip =
        zipped(&[("a.shp", &shp), ("a.shx", &shx), ("a.dbf", &dbf), ("a.prj", GRID.as_bytes())]);
    assert!(!as_boundary("a.zip", &zip).is_empty(), "rings in rings");
    costs_little();
}

/// A batch names every column that it lacks, whatever the format.
#[test]
fn a_batch_without_its_columns_says_which() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        byteio::durable::write(&path, bytes, false).unwrap();
        path
    };
    let missing = |path: &std::path::Path| {
        let Findings(found) = read_sites(path, &Limits::batch()).unwrap_err();
        assert_eq!(found[0].code, Code::MissingColumns, "{found:?}");
        found[0].sentence.clone()
    };
    let bare = samples::geojson().replace("Dwellings", "dw").replace("Source", "s");
    let told = missing(&put("bare.geojson", bare.as_bytes()));
    assert!(told.contains("Source, Dwellings;"), "{told}");
    let none = json!({"type": "Feature", "geometry": polygon(&[&[[1.35, 52.63], [1.352, 52.63], [1.352, 52.631], [1.35, 52.63]]])});
    let told = missing(&put("none.json", none.to_string().as_bytes()));
    for name in ["id", "Name", "Dwel_Cat", "Source", "Dwellings", "Shape_Area"] {
        assert!(told.contains(name), "{name}: {told}");
    }
    let kml = samples::kml().replace("Shape_Area", "area");
    assert!(missing(&put("site.kml", kml.as_bytes())).contains("Shape_Area"));
    let Shapefile { shp, shx, dbf } = shapefile(&[&SQUARE]);
    let mut renamed = dbf.clone();
    let at = dbf.windows(8).position(|it| it == b"Dwel_Cat").unwrap();
    renamed[at..at + 8].copy_from_slice(b"Category");
    put("a.shx", &shx);
    put("a.dbf", &renamed);
    put("a.prj", GRID.as_bytes());
    assert!(missing(&put("a.shp", &shp)).contains("Dwel_Cat"));
    let good = put("good.geojson", samples::geojson().as_bytes());
    assert_eq!(read_sites(&good, &Limits::batch()).unwrap()[0].dwellings, 60);
    for odd in ["\"many\"", "-1", "1.5", "1e99", "[3]"] {
        let text = samples::geojson().replace("\"Dwellings\":60", &format!("\"Dwellings\":{odd}"));
        let Findings(found) =
            read_sites(&put("odd.geojson", text.as_bytes()), &Limits::batch()).unwrap_err();
        assert!(matches!(found[0].code, Code::BadValue | Code::MissingColumns), "{odd}: {found:?}");
    }
    let nowhere = read_features_at(&dir.path().join("nowhere.kml"), &Limits::batch()).unwrap_err();
    assert!(nowhere.to_string().contains("nowhere.kml cannot be read"), "{nowhere}");
    // A device has no length, and no end.
    for name in ["endless.json", "endless.shp"] {
        let endless = dir.path().join(name);
        std::os::unix::fs::symlink("/dev/zero", &endless).unwrap();
        let refused = read_features_at(&endless, &Limits::batch()).unwrap_err().to_string();
        assert!(refused.contains("cannot be read"), "{refused}");
    }
}

/// What the fuzzer drives, on damage at random: some hundred rounds here, as many as a soak asks for
/// there.
#[test]
fn damage_at_random_breaks_no_reader() {
    use nutrients::fuzz::{fuzz_geopackage, fuzz_layer, fuzz_sites};
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse().ok());
    let rounds: u64 = number("STRONGROOM_SOAK_ROUNDS").unwrap_or(60);
    let seed: u64 = number("STRONGROOM_SEED").unwrap_or_else(|| fastrand::u64(..100_000));
    println!("STRONGROOM_SEED={seed} replays this");
    let mut random = fastrand::Rng::with_seed(seed);
    let seeds = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds");
    let read = |kind: &str| -> Vec<Vec<u8>> {
        let files = std::fs::read_dir(seeds.join(kind)).unwrap();
        files.map(|it| std::fs::read(it.unwrap().path()).unwrap()).collect()
    };
    type Drive = fn(&[u8]);
    let drives: [(&str, Drive); 3] =
        [("sites", fuzz_sites), ("geopackage", fuzz_geopackage), ("layer", fuzz_layer)];
    for (kind, drive) in drives {
        let seeds = read(kind);
        seeds.iter().for_each(|bytes| drive(bytes));
        for _ in 0..rounds {
            let mut bytes = random.choice(&seeds).unwrap().clone();
            for _ in 0..random.usize(1..6) {
                damage(&mut bytes, &mut random);
            }
            drive(&bytes);
        }
    }
    costs_little();
}

fn damage(bytes: &mut Vec<u8>, random: &mut fastrand::Rng) {
    let at = random.usize(..bytes.len().max(1));
    let end = bytes.len().min(at + random.usize(1..16));
    match random.u8(..6) {
        0 => bytes.truncate(at),
        1 => bytes[at.min(end)..end].fill(random.u8(..)),
        2 => drop(bytes.drain(at.min(end)..end)),
        3 => {
            let copied = bytes[at.min(end)..end].to_vec();
            let to = random.usize(..=bytes.len());
            bytes.splice(to..to, copied);
        }
        4 => bytes[at.min(end)..end].iter_mut().for_each(|byte| *byte ^= random.u8(..)),
        _ => {
            let number = random.choice([0_u32, 1, 0x7fff_ffff, u32::MAX, 255, 65_536]).unwrap();
            let len = (end - at.min(end)).min(4);
            bytes[at.min(end)..][..len].copy_from_slice(&number.to_le_bytes()[..len]);
        }
    }
}
