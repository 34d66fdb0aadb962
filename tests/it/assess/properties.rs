//! What must hold for whole assessments, whatever the site: ground is neither lost nor made by
//! splitting it, no order of inputs matters, and a run again gives the same bits.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

use nutrients::{
    Assessment, Library, Method, Options, Reference, Shape, Site, SourceDrop, Strictness, assess,
    assess_batch, no_pulse, problems,
};
use proptest::prelude::*;
use rusqlite::types::Value;

use super::made::{COEFFICIENTS, Made, blob, geopackage, hexagons, lookups};

/// Where the land lies: thirty hexagons in a row, twenty rows.
const CORNER: [f64; 2] = [627_100.0, 309_300.0];

/// Ground between two slanted lines, `from` and `to` metres east of the corner.
fn band(from: f64, to: f64, south: f64, north: f64) -> Vec<u8> {
    let [x, y] = CORNER;
    let lean = 90.0;
    blob(&[
        [x + from, y + south],
        [x + to, y + south],
        [x + to + lean, y + north],
        [x + from + lean, y + north],
        [x + from, y + south],
    ])
}

/// Layers with borders through the middle of the land, catchments that overlap by a strip, and a
/// corner that is in none. The rows of every layer are shuffled by `seed`.
fn deliver(dir: &Path, seed: u64) {
    byteio::durable::create_folder(dir).unwrap();
    let text = |it: &str| Value::from(it.to_owned());
    let catchment = |oid: i64, label: &str| vec![oid.into(), text("The Broads SAC"), text(label)];
    let mut random = fastrand::Rng::with_seed(seed);
    let mut layer = |name: &str, columns: &str, mut rows: Vec<Made>| {
        random.shuffle(&mut rows);
        geopackage(&dir.join(name), columns, rows.into_iter());
    };
    layer(
        "nn_catchments.gpkg",
        "OID INTEGER, N2K_Site_N TEXT, Label TEXT",
        vec![
            (band(-300.0, 700.0, -300.0, 1500.0), catchment(3, "west")),
            (band(690.0, 1200.0, -300.0, 1500.0), catchment(1, "middle")),
            (band(1200.0, 2500.0, -300.0, 600.0), catchment(2, "south-east")),
        ],
    );
    layer(
        "wwtw_catchments.gpkg",
        "WwTw_ID INTEGER, WwTW TEXT",
        vec![
            (band(-300.0, 800.0, -300.0, 1500.0), vec![938.into(), text("Works")]),
            (band(800.0, 2500.0, -300.0, 1500.0), vec![940.into(), text("Others")]),
        ],
    );
    layer(
        "lpa_boundaries.gpkg",
        "NAME TEXT",
        vec![
            (band(-300.0, 2500.0, -300.0, 500.0), vec![text("South")]),
            (band(-300.0, 2500.0, 500.0, 1500.0), vec![text("North")]),
        ],
    );
    layer(
        "subcatchments.gpkg",
        "OPCAT_NAME TEXT",
        vec![
            (band(-300.0, 1000.0, -300.0, 1500.0), vec![text("Bure")]),
            (band(1000.0, 2500.0, -300.0, 1500.0), vec![text("Ant")]),
        ],
    );
    let land = hexagons(CORNER, 600, 30, 40.0).collect();
    layer("coefficient_layer.gpkg", COEFFICIENTS, land);
    lookups(&dir.join("lookups.sqlite"));
}

fn loaded(home: &Path, seed: u64) -> Reference {
    let layers = home.join("layers");
    deliver(&layers, seed);
    let drop = SourceDrop::in_folder(&layers, "made").unwrap();
    let library = home.join("library");
    Library::open(&library).unwrap().load(&drop, Strictness::CleanUp, false).unwrap();
    Reference::open(&library).unwrap()
}

/// The land, twice: its layers in two orders, and the first of them opened again.
struct Land {
    _dir: tempfile::TempDir,
    first: Reference,
    again: Reference,
    shuffled: Reference,
}

fn land() -> &'static Land {
    static LAND: OnceLock<Land> = OnceLock::new();
    LAND.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let first = loaded(&dir.path().join("one"), 1);
        let again = Reference::open(&dir.path().join("one/library")).unwrap();
        let shuffled = loaded(&dir.path().join("two"), 2);
        Land { _dir: dir, first, again, shuffled }
    })
}

/// A site whose every corner is seen from its middle.
#[derive(Clone, Debug)]
struct Star {
    middle: [f64; 2],
    corners: Vec<[f64; 2]>,
    dwellings: u32,
}

impl Star {
    fn site(&self, id: &str, ring: Vec<[f64; 2]>) -> Site {
        let shape = Shape::from_coordinates(vec![vec![ring]]);
        assert!(problems(&shape).is_empty(), "{self:?}");
        Site::of_job(id, "housing", self.dwellings, shape)
    }

    fn whole(&self, id: &str) -> Site {
        self.site(id, self.corners.clone())
    }

    /// The two parts that ways from two corners to the middle make of it.
    fn halves(&self, first: usize, span: usize) -> [Site; 2] {
        let count = self.corners.len();
        let (first, span) = (first % count, 1 + span % (count - 2));
        let part = |from: usize, steps: usize| {
            let corners = (from..=from + steps).map(|at| self.corners[at % count]);
            corners.chain([self.middle]).collect::<Vec<_>>()
        };
        [self.site("a", part(first, span)), self.site("b", part(first + span, count - span))]
    }
}

fn star() -> impl Strategy<Value = Star> {
    let radii = prop::collection::vec(0.3..1.0_f64, 5..25);
    (400.0..1600.0_f64, 300.0..900.0_f64, 60.0..290.0_f64, radii, 0..200_u32).prop_map(
        |(x, y, size, radii, dwellings)| {
            let middle = [CORNER[0] + x, CORNER[1] + y];
            let count = f64::from(u32::try_from(radii.len()).unwrap());
            let corner = |(at, far): (u32, f64)| {
                let angle = (f64::from(at) + 0.1) / count * std::f64::consts::TAU;
                [middle[0] + size * far * angle.cos(), middle[1] + size * far * angle.sin()]
            };
            let corners = (0..).zip(radii).map(corner).collect();
            Star { middle, corners, dwellings }
        },
    )
}

fn assessed(reference: &Reference, site: &Site, pieces_max: usize) -> Assessment {
    let options = Options { pieces_max, ..Options::default() };
    // No greenspace: its threshold is a matter of the whole site, not of its ground.
    assess(reference, site, &Method::b(), &options, &no_pulse).unwrap()
}

/// Everything that a piece of ground has of its own, by name.
fn measures(of: &Assessment) -> BTreeMap<String, f64> {
    let exact = |it: Option<nutrients::Amount>| it.map_or(0.0, |it| it.exact);
    let hectares = of.development.area_m2 / 10_000.0;
    let mut told = BTreeMap::from([
        ("hectares".to_owned(), hectares),
        ("in catchments".to_owned(), exact(of.spatial.area_in_nn_catchment_ha)),
        ("nitrogen".to_owned(), exact(of.land_use.nitrogen_uplift)),
        ("phosphorus".to_owned(), exact(of.land_use.phosphorus_uplift)),
        ("in several catchments".to_owned(), of.land_use.catchment_overlap_ha),
    ]);
    let covered = of.land_use.covered_fraction;
    told.extend(covered.map(|it| ("covered".to_owned(), it * hectares)));
    for impact in &of.catchments {
        let id = impact.catchment.id;
        told.insert(format!("hectares of {id}"), impact.area_ha.exact);
        told.insert(format!("nitrogen of {id}"), impact.nitrogen_uplift.exact);
        told.insert(format!("phosphorus of {id}"), impact.phosphorus_uplift.exact);
    }
    told
}

fn sum(parts: [&Assessment; 2]) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for (name, value) in parts.into_iter().flat_map(measures) {
        *sums.entry(name).or_insert(0.0) += value;
    }
    sums
}

/// Equal but for what a coordinate of six digits before its point has behind it.
fn close(ours: &BTreeMap<String, f64>, others: &BTreeMap<String, f64>, what: &str) {
    for name in ours.keys().chain(others.keys()) {
        let of = |all: &BTreeMap<String, f64>| all.get(name).copied().unwrap_or(0.0);
        let (a, b) = (of(ours), of(others));
        let most = 1e-9 * ours["hectares"].max(a.abs()) + 1e-9;
        assert!((a - b).abs() <= most, "{what}: {name}: {a} and {b}");
    }
}

/// A result without the number of its site, bit by bit: JSON tells every digit of a number.
fn bits(of: &Assessment) -> String {
    let mut of = of.clone();
    of.development.number = 0;
    serde_json::to_string(&of).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn splitting_a_site_conserves_its_ground_and_what_it_gives_off(
        star in star(), first in 0..24_usize, span in 0..24_usize,
    ) {
        let land = land();
        let whole = assessed(&land.first, &star.whole("whole"), 0);
        let [a, b] = star.halves(first, span).map(|site| assessed(&land.first, &site, 0));
        let (mut told, mut parts) = (measures(&whole), sum([&a, &b]));
        // Without ground in a catchment nobody looks for parcels.
        if [&a, &b].iter().any(|it| it.land_use.covered_fraction.is_none()) {
            told.remove("covered");
            parts.remove("covered");
        }
        close(&told, &parts, "the whole and its halves");
        // Catchments share out what lies in them: no ground counts twice, none is lost.
        let of_catchments: f64 = whole.catchments.iter().map(|it| it.area_ha.exact).sum();
        let in_all = told["in catchments"];
        prop_assert!((of_catchments - in_all).abs() <= 1e-9 * in_all.max(1.0));
    }

    #[test]
    fn pieces_add_up_to_what_is_told(star in star()) {
        let whole = assessed(&land().first, &star.whole("whole"), 10_000);
        let told = measures(&whole);
        let hectares: f64 = whole.pieces.iter().map(|it| it.area_ha).sum();
        prop_assert!((hectares - told["in catchments"]).abs() <= 1e-9 * told["hectares"]);
        let nitrogen: f64 =
            whole.pieces.iter().filter_map(|it| it.nitrogen_uplift).map(|it| it.exact).sum();
        prop_assert!((nitrogen - told["nitrogen"]).abs() <= 1e-9 * nitrogen.abs().max(1.0));
        // What is drawn is the ground that counts, as far as the eye can see.
        let drawn: f64 = whole.pieces.iter().map(|it| it.shape.area_m2()).sum::<f64>() / 10_000.0;
        let overlap = told["in several catchments"];
        prop_assert!((drawn - hectares - overlap).abs() <= 1e-5 * told["hectares"] + 1e-6);
    }

    #[test]
    fn where_a_ring_begins_and_which_way_it_goes_does_not_matter(
        star in star(), turn in 0..24_usize,
    ) {
        let reference = &land().first;
        let mut ring = star.corners.clone();
        ring.rotate_left(turn % star.corners.len());
        let turned = assessed(reference, &star.site("whole", ring.clone()), 0);
        ring.reverse();
        let reversed = assessed(reference, &star.site("whole", ring), 0);
        let whole = assessed(reference, &star.whole("whole"), 0);
        close(&measures(&whole), &measures(&turned), "turned");
        close(&measures(&whole), &measures(&reversed), "reversed");
        for other in [&turned, &reversed] {
            prop_assert_eq!(&whole.spatial.lpa_name, &other.spatial.lpa_name);
            prop_assert_eq!(whole.spatial.wwtw_id, other.spatial.wwtw_id);
            prop_assert_eq!(&whole.spatial.dev_subcatchment, &other.spatial.dev_subcatchment);
        }
    }

    #[test]
    fn the_order_of_sites_parts_and_layers_does_not_matter(
        stars in prop::collection::vec(star(), 2..6), seed in any::<u64>(),
    ) {
        let land = land();
        let mut sites: Vec<Site> = (0..).zip(&stars).map(|(at, star)| star.whole(&format!("S{at}"))).collect();
        let run = |reference: &Reference, sites: &[Site], threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let go_on = |_| ControlFlow::Continue(());
            let options = Options::default();
            let told =
                assess_batch(reference, sites, &Method::c(), &options, &pool, &go_on).unwrap();
            told.into_iter().map(|it| (it.development.id.clone(), it)).collect::<BTreeMap<_, _>>()
        };
        let first = run(&land.first, &sites, 2);
        fastrand::Rng::with_seed(seed).shuffle(&mut sites);
        let mixed = run(&land.first, &sites, 2);
        let mut elsewhere = run(&land.shuffled, &sites, 2);
        for (id, told) in &first {
            prop_assert_eq!(bits(told), bits(&mixed[id]), "the order of sites");
            // Only the digest of the layers may tell that their rows came in another order.
            let other = elsewhere.get_mut(id).unwrap();
            other.provenance.data_digest.clone_from(&told.provenance.data_digest);
            prop_assert_eq!(bits(told), bits(other), "the order of layers");
        }
        let parts = |order: [usize; 2]| {
            // West of every star, so that the parts never meet.
            let [x, y] = [CORNER[0] + 60.0, CORNER[1] + 1050.0];
            let small = vec![[x, y], [x + 30.0, y], [x + 30.0, y + 30.0], [x, y]];
            let rings = [vec![stars[0].corners.clone()], vec![small]];
            let shape = Shape::from_coordinates(order.map(|at| rings[at].clone()).to_vec());
            Site::of_job("parts", "housing", 10, shape)
        };
        let [one, two] = [[0, 1], [1, 0]].map(|order| measures(&assessed(&land.first, &parts(order), 0)));
        close(&one, &two, "the order of parts");
    }

    #[test]
    fn a_run_again_gives_the_same_bits(star in star(), pieces in prop::sample::select(vec![0, 1000])) {
        let land = land();
        let site = star.whole("whole");
        let first = assessed(&land.first, &site, pieces);
        prop_assert_eq!(bits(&first), bits(&assessed(&land.first, &site, pieces)), "again");
        prop_assert_eq!(bits(&first), bits(&assessed(&land.again, &site, pieces)), "opened again");
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let there = pool.install(|| assessed(&land.first, &site, pieces));
            prop_assert_eq!(bits(&first), bits(&there), "on {} threads", threads);
            let options = Options { pieces_max: pieces, ..Options::default() };
            let go_on = |_| ControlFlow::Continue(());
            let batch = assess_batch(
                &land.first, std::slice::from_ref(&site), &Method::b(), &options, &pool, &go_on,
            );
            prop_assert_eq!(bits(&first), bits(&batch.unwrap()[0]), "in a batch");
        }
        let stored: Assessment = serde_json::from_str(&bits(&first)).unwrap();
        prop_assert_eq!(bits(&first), bits(&stored), "as it is stored");
    }
}
