//! How fast sites are assessed and in how much memory: the kernel beside shapely on the same two
//! cores. What both say is compared first. Prints figures against their goals; asserts only that
//! the results agree. The first argument is a folder with 4 GB of room; what it makes there it
//! removes. A second one is the only part to run: real, made or many.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench for eyes")]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use nutrients::{
    Assessment, Library, Limits, Method, Missing, Options, Reference, Shape, Site, SourceDrop,
    Strictness, assess, assess_batch, no_pulse, read_sites,
};

#[path = "../it/assess/made.rs"]
mod made;
#[path = "../it/peer.rs"]
mod peer;

const ROUNDS: usize = 3;
const CORES: usize = 2;
const CORNER: [f64; 2] = [600_000.0, 300_000.0];

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|it| !it.starts_with('-'));
    let place = arguments.next().map_or_else(|| PathBuf::from("."), PathBuf::from);
    let part = arguments.next();
    // A process of its own, so that its memory is its own.
    if let Some(home) = std::env::var_os("BENCH_ASSESS_IMPORT") {
        return import(Path::new(&home));
    }
    let room = tempfile::Builder::new().prefix("bench-assess-").tempdir_in(place).unwrap();
    println!("## Assessments ({CORES} threads, best of {ROUNDS}, reading not counted)");
    let only = |name: &str| part.as_deref().is_none_or(|it| it == name);
    if only("real") {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assess");
        let drop = SourceDrop::in_folder(&folder, "real").unwrap();
        let strictness = Strictness::CleanUp;
        let reference =
            Reference::open_drop(&drop, strictness, Missing::CoefficientsAllowed).unwrap();
        let sites = folder.join("sites.zip");
        race("real", "245 real sites, real layers", &reference, &folder, &sites);
    }
    if only("made") {
        make_layers(room.path(), 200_000);
        let sites = make_sites(room.path());
        let began = now();
        let reference = load(room.path());
        println!("\n200,000 parcels loaded in {:.2} s", began.elapsed().as_secs_f64());
        let name = "2,000 sites, 200,000 parcels, 500 catchments";
        race("made", name, &reference, room.path(), &sites);
    }
    if only("many") {
        many(room.path());
    }
}

#[expect(clippy::disallowed_methods, reason = "a bench measures real time")]
fn now() -> Instant {
    Instant::now()
}

fn load(folder: &Path) -> Reference {
    let home = folder.join("library");
    let drop = SourceDrop::in_folder(folder, "made").unwrap();
    Library::open(&home).unwrap().load(&drop, Strictness::CleanUp, false).unwrap();
    Reference::open(&home).unwrap()
}

fn race(kind: &str, name: &str, reference: &Reference, folder: &Path, sites_path: &Path) {
    let sites = read_sites(sites_path, &Limits::batch()).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(CORES).build().unwrap();
    let go_on = |_| ControlFlow::Continue(());
    let (mut ours, mut results) = (f64::MAX, Vec::new());
    for _ in 0..ROUNDS {
        let began = now();
        let options = Options::default();
        results = assess_batch(reference, &sites, &Method::c(), &options, &pool, &go_on).unwrap();
        ours = ours.min(began.elapsed().as_secs_f64());
    }
    println!(
        "\n{name}\n  strongroom                 {ours:.4} s, {:.0} sites/s",
        sites.len() as f64 / ours
    );
    let Some(python) = peer::SHAPES.python() else { return };
    let out = tempfile::NamedTempFile::new().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assess/peer.py");
    let mut command = Command::new(python);
    command
        .arg(script)
        .arg(kind)
        .arg(folder)
        .arg(sites_path)
        .arg(out.path())
        .arg(ROUNDS.to_string());
    let told = command.output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let theirs: f64 = String::from_utf8_lossy(&told.stdout).trim().parse().unwrap();
    compare(kind, &results, &fs::read(out.path()).unwrap());
    println!(
        "  shapely, {CORES} threads         {theirs:.4} s: {:.1}x (goal: at least 10)",
        theirs / ours
    );
}

/// Works, authority, subcatchment, area and uplift of every site.
fn compare(kind: &str, ours: &[Assessment], theirs: &[u8]) {
    type Row = (Option<String>, Option<String>, Option<String>, f64, f64);
    let theirs: Vec<Row> = serde_json::from_slice(theirs).unwrap();
    assert_eq!(ours.len(), theirs.len());
    for (ours, (works, authority, subcatchment, area, uplift)) in ours.iter().zip(theirs) {
        let id = &ours.development.id;
        assert_eq!(ours.spatial.wwtw_id.to_string(), works.unwrap_or("141".to_owned()), "{id}");
        assert_eq!(ours.spatial.lpa_name, authority.unwrap_or("UNKNOWN".to_owned()), "{id}");
        assert_eq!(ours.spatial.dev_subcatchment, subcatchment, "{id}");
        let found = ours.spatial.area_in_nn_catchment_ha.map_or(0.0, |it| it.exact) * 10_000.0;
        // Real catchments overlap by slivers: they count once here and twice there.
        let overlap = ours.land_use.catchment_overlap_ha * 10_000.0;
        let off = (found - area).abs().min((found + overlap - area).abs());
        assert!(off <= 1e-6 * area + 1e-3, "{id}: {found} for {area}");
        if kind == "made" {
            let found = ours.land_use.nitrogen_uplift.map_or(0.0, |it| it.exact);
            assert!((found - uplift).abs() <= 1e-6 * uplift.abs() + 1e-6, "{id}: {found} {uplift}");
        }
    }
    println!("  results agree for {} sites", ours.len());
}

/// Hexagons, and wavy squares that stand for all other layers.
fn make_layers(folder: &Path, count: u32) {
    let across = f64::from(count).sqrt();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
    let across = across as u32;
    let (side, path) = (40.0, folder.join("coefficient_layer.gpkg"));
    made::geopackage(&path, made::COEFFICIENTS, made::hexagons(CORNER, count, across, side));
    let (width, height) =
        (f64::from(across) * side * 3_f64.sqrt(), f64::from(count / across) * side * 1.5);
    let layers = [
        ("nn_catchments", "OID INTEGER, N2K_Site_N TEXT, Label TEXT", 25, 20),
        ("wwtw_catchments", "WwTw_ID INTEGER, WwTW TEXT", 30, 30),
        ("lpa_boundaries", "NAME TEXT", 6, 5),
        ("subcatchments", "OPCAT_NAME TEXT", 8, 9),
    ];
    for (name, columns, wide, high) in layers {
        let features = (0..wide * high).map(|at: u32| {
            let (column, row) = (at % wide, at / wide);
            let size = [width / f64::from(wide), height / f64::from(high)];
            let text = |it: &str| rusqlite::types::Value::from(it.to_owned());
            let values = match name {
                "nn_catchments" => {
                    vec![i64::from(at + 1).into(), text("The Broads SAC"), text(&format!("C{at}"))]
                }
                "wwtw_catchments" => vec![i64::from(at + 1000).into(), text("Works")],
                _ => vec![text(&format!("{name} {at}"))],
            };
            (made::blob(&wavy(column, row, size)), values)
        });
        made::geopackage(&folder.join(format!("{name}.gpkg")), columns, features);
    }
    made::lookups(&folder.join("lookups.sqlite"));
}

/// A square with wavy sides that fit those of its neighbours.
fn wavy(column: u32, row: u32, [wide, high]: [f64; 2]) -> Vec<[f64; 2]> {
    const STEPS: u32 = 60;
    let at = |u: f64, v: f64| {
        let (x, y) = (u * wide, v * high);
        let bend = 0.06 * wide.min(high);
        [
            CORNER[0] + x + bend * (y / high * 11.0).sin(),
            CORNER[1] + y + bend * (x / wide * 13.0).sin(),
        ]
    };
    let step = |it: u32| f64::from(it) / f64::from(STEPS);
    let (u, v) = (f64::from(column), f64::from(row));
    let south = (0..STEPS).map(|it| at(u + step(it), v));
    let east = (0..STEPS).map(|it| at(u + 1.0, v + step(it)));
    let north = (0..STEPS).map(|it| at(u + step(STEPS - it), v + 1.0));
    let west = (0..=STEPS).map(|it| at(u, v + step(STEPS - it)));
    south.chain(east).chain(north).chain(west).collect()
}

/// Fields of a hectare to twenty, with a few dozen corners.
fn make_sites(folder: &Path) -> PathBuf {
    let mut random = fastrand::Rng::with_seed(3);
    let features: Vec<serde_json::Value> = (0..2000)
        .map(|at| {
            let (x, y) = (
                CORNER[0] + 1000.0 + 27_000.0 * random.f64(),
                CORNER[1] + 1000.0 + 24_000.0 * random.f64(),
            );
            let (size, corners) = (60.0 + 200.0 * random.f64(), random.u32(8..60));
            let mut ring: Vec<[f64; 2]> = (0..corners)
                .map(|step| {
                    let angle = f64::from(step) / f64::from(corners) * std::f64::consts::TAU;
                    let far = size * (0.6 + 0.4 * random.f64());
                    [x + far * angle.cos(), y + far * angle.sin()]
                })
                .collect();
            ring.push(ring[0]);
            serde_json::json!({
                "type": "Feature",
                "properties": {"id": format!("S{at}"), "Name": "", "Dwel_Cat": "", "Source": "",
                               "Dwellings": 60, "Shape_Area": 0},
                "geometry": {"type": "Polygon", "coordinates": [ring]},
            })
        })
        .collect();
    let crs =
        serde_json::json!({"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::27700"}});
    let all = serde_json::json!({"type": "FeatureCollection", "crs": crs, "features": features});
    let path = folder.join("sites.geojson");
    byteio::durable::write(&path, all.to_string().as_bytes(), false).unwrap();
    path
}

/// Five million parcels: import, then one site from a cold start.
fn many(folder: &Path) {
    println!("\n5,000,000 parcels");
    let began = now();
    make_layers(folder, 5_000_000);
    println!("  made in                    {:.1} s", began.elapsed().as_secs_f64());
    for step in ["load", "one"] {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        command.env("BENCH_ASSESS_IMPORT", folder).env("BENCH_ASSESS_STEP", step);
        let told = command.output().unwrap();
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        print!("{}", String::from_utf8_lossy(&told.stdout));
    }
}

fn import(folder: &Path) {
    let began = now();
    let one = std::env::var("BENCH_ASSESS_STEP").is_ok_and(|it| it == "one");
    let home = folder.join("library");
    let goal = if one { 300 } else { 1024 };
    if one {
        let reference = Reference::open(&home).unwrap();
        let opened = began.elapsed().as_secs_f64();
        let ring = vec![[605_000.0, 305_000.0], [605_400.0, 305_010.0], [605_390.0, 305_500.0]];
        let shape = Shape::from_coordinates(vec![vec![ring]]);
        let site = Site::of_job("NRF-000001", "housing", 10, shape);
        let result =
            assess(&reference, &site, &Method::c(), &Options::default(), &no_pulse).unwrap();
        let took = began.elapsed().as_secs_f64();
        println!(
            "  one site, cold start       {took:.3} s, opening {opened:.3} s, {} parcels (goal: under 1)",
            result.land_use.parcel_count
        );
    } else {
        let drop = SourceDrop::in_folder(folder, "made").unwrap();
        Library::open(&home).unwrap().load(&drop, Strictness::CleanUp, false).unwrap();
        println!("  imported in                {:.1} s", began.elapsed().as_secs_f64());
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: f64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    println!("  resident at most           {:.0} MiB (goal: under {goal})", kib / 1024.0);
}
