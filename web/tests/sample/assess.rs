//! Assessments: one that is done, one under way, boundaries good and bad, and what they stand on.

use web::*;

use super::badge;

fn amount(rounded: f64) -> Amount {
    Amount::new(rounded, rounded + 0.001_234_5)
}

fn both(nitrogen: f64, phosphorus: f64) -> NutrientAmounts {
    NutrientAmounts { nitrogen: amount(nitrogen), phosphorus: amount(phosphorus) }
}

pub(crate) fn list(rows: u64) -> AssessmentsPage {
    let row = |at: u64| AssessmentRow {
        href: format!("/assessments/{}", 4_000 - at),
        reference: format!("NRF-{:06}", 123_456 - at),
        name: if at.is_multiple_of(3) { "Land north of Mill Lane".into() } else { String::new() },
        state: match at % 4 {
            0 => badge("Running", Tone::Busy),
            1 => badge("Stopped", Tone::Bad),
            _ => badge("Assessed", Tone::Good),
        },
        outcome: if at % 4 > 1 { "In a nutrient catchment".into() } else { String::new() },
        dwellings: 19 + at * 7,
        area_ha: Some(amount(3.05)),
        nitrogen: (at % 4 > 1).then(|| amount(38.53 - at as f64 * 9.0)),
        phosphorus: (at % 4 > 1).then(|| amount(3.5)),
        method: "C/2026-04".into(),
        created: "2026-11-16T07:14:02.000Z".into(),
    };
    AssessmentsPage {
        filter: AssessmentFilter { method: "C/2026-04".into(), ..Default::default() },
        choices: AssessmentChoices {
            states: vec![Choice::new("waiting", "Waiting"), Choice::new("assessed", "Assessed")],
            outcomes: vec![Choice::new("out_of_scope", "Nothing to assess")],
            methods: vec![Choice::new("C/2026-04", "C, from April 2026")],
        },
        sort: Sort { column: "created_at".into(), descending: true },
        pager: Pager {
            page: 2,
            per_page: 25,
            shown: rows,
            total: 1_204,
            export: "/api/v1/assessments.csv?method=C%2F2026-04".into(),
            ..Pager::default()
        },
        rows: (0..rows).map(row).collect(),
        may_assess: true,
        has_reference: true,
    }
}

pub(crate) fn asking() -> NewAssessmentPage {
    NewAssessmentPage {
        choices: AssessmentFormChoices {
            development_types: vec![
                Choice::new("housing", "Housing"),
                Choice::new("Hotel", "Hotel"),
                Choice::new("Student Accommodation", "Student accommodation"),
            ],
            treatment_works: vec![Choice::new("10416", "10416 Whitlingham Trowse")],
            methods: vec![
                Choice::new("C", "C, from April 2026 (current)"),
                Choice::new("B", "B, October 2025"),
            ],
        },
        most_bytes: 2_097_152,
        has_reference: true,
        may_call_back: true,
        may_email: true,
        ..Default::default()
    }
}

pub(crate) fn asked_wrong() -> NewAssessmentPage {
    let page = asking();
    NewAssessmentPage {
        form: AssessmentForm {
            reference: "NRF-000123".into(),
            dwellings: "0".into(),
            people: "46".into(),
            development_type: "Hotel".into(),
            email: "planning@county.example.edu".into(),
            ..Default::default()
        },
        problem: Some("Nothing was asked for: the form has something that cannot be used.".into()),
        findings: vec![
            BoundaryFinding {
                code: "missing_dwellings".into(),
                sentence: "Say how many dwellings are built: at least 1.".into(),
                field: "dwellings".into(),
                ..Default::default()
            },
            BoundaryFinding {
                code: "zip_missing_shapefile_parts".into(),
                sentence: "The archive has site.shp without site.dbf. Put the parts of the \
                    Shapefile into it together."
                    .into(),
                ..Default::default()
            },
        ],
        ..page
    }
}

/// An outline that crosses itself twice and repeats a corner.
pub(crate) fn bad_boundary() -> BoundaryPage {
    let ring = vec![
        [610_020.0, 310_040.0],
        [610_210.0, 310_180.0],
        [610_240.0, 310_050.0],
        [610_060.0, 310_190.0],
        [610_060.0, 310_190.0],
        [610_010.0, 310_130.0],
        [610_020.0, 310_040.0],
    ];
    let hole = vec![
        [610_190.0, 310_090.0],
        [610_215.0, 310_090.0],
        [610_215.0, 310_110.0],
        [610_190.0, 310_110.0],
        [610_190.0, 310_090.0],
    ];
    BoundaryPage {
        file_name: "mill-lane.geojson".into(),
        outline: Outline(vec![vec![ring, hole]]),
        units: MapUnits::Metres,
        findings: vec![
            BoundaryFinding {
                code: "self_intersecting_geometry".into(),
                sentence: "The outline crosses itself. Move its corners so that it does not, and \
                    send it again."
                    .into(),
                feature: Some(1),
                places: vec![[610_139.6, 310_128.1]],
                ..Default::default()
            },
            BoundaryFinding {
                code: "duplicate_vertices".into(),
                sentence: "Two equal corners follow one another. Take one of them away.".into(),
                feature: Some(1),
                places: vec![[610_060.0, 310_190.0]],
                ..Default::default()
            },
            BoundaryFinding {
                code: "geometry_has_holes".into(),
                sentence: "The site has a hole. Send it without.".into(),
                feature: Some(1),
                places: vec![[610_202.5, 310_100.0]],
                ..Default::default()
            },
        ],
        facts: vec![
            Fact::text("Area", "1.42 ha (3.51 acres)"),
            Fact::text("Perimeter", "0.62 km"),
            Fact::text("Came in", "EPSG:4326, moved by OSTN15"),
        ],
        back: Link::new("/assessments/new?reference=NRF-000123", "Back to the form"),
        ..Default::default()
    }
}

/// A file that is no boundary at all.
pub(crate) fn unread_boundary() -> BoundaryPage {
    BoundaryPage {
        file_name: "minutes.zip".into(),
        findings: vec![BoundaryFinding {
            code: "zip_missing_shapefile".into(),
            sentence: "The archive has no boundary file in it. Put a Shapefile, a GeoJSON or a \
                KML file into it."
                .into(),
            ..Default::default()
        }],
        back: bad_boundary().back,
        ..Default::default()
    }
}

pub(crate) fn good_boundary() -> BoundaryPage {
    BoundaryPage {
        outline: Outline(vec![vec![site()]]),
        findings: vec![],
        meets: vec!["The Broads SAC, 100 % of the site".into()],
        ..bad_boundary()
    }
}

/// The corners of the site, against the clock.
fn site() -> Vec<[f64; 2]> {
    [[0.0, 30.0], [60.0, -10.0], [190.0, 0.0], [240.0, 70.0], [200.0, 160.0], [70.0, 175.0]]
        .map(|[x, y]| [610_000.0 + x, 310_000.0 + y])
        .to_vec()
}

/// What of a ring lies in the site.
fn inside(mut ring: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let corners = site();
    for (at, from) in corners.iter().enumerate() {
        let to = corners[(at + 1) % corners.len()];
        let side = |p: &[f64; 2]| {
            (to[0] - from[0]) * (p[1] - from[1]) - (to[1] - from[1]) * (p[0] - from[0])
        };
        let mut kept = vec![];
        for (at, point) in ring.iter().enumerate() {
            let before = &ring[(at + ring.len() - 1) % ring.len()];
            let (a, b) = (side(before), side(point));
            if (a < 0.0) != (b < 0.0) {
                let part = a / (a - b);
                kept.push(
                    [0, 1].map(|axis: usize| before[axis] + (point[axis] - before[axis]) * part),
                );
            }
            if b >= 0.0 {
                kept.push(*point);
            }
        }
        ring = kept;
    }
    ring
}

fn area_ha(ring: &[[f64; 2]]) -> f64 {
    let pairs = ring.iter().zip(ring.iter().cycle().skip(1));
    pairs.map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum::<f64>().abs() / 2.0 / 10_000.0
}

/// Hexagons of this size, cut at the site.
pub(crate) fn pieces(size: f64) -> Vec<MapPiece> {
    let places = (-3_i32..60).flat_map(|row| (-3_i32..60).map(move |column| (row, column)));
    let pieces = places.map(|(row, column)| {
        let ring = inside(hexagon(row, column, size));
        let area = area_ha(&ring);
        let rate = rate(row, column);
        MapPiece {
            land_use: "Arable".into(),
            area_ha: area,
            nitrogen: rate.map(|rate| rate * area),
            phosphorus: rate.map(|rate| rate / 12.0 * area),
            outline: Outline(vec![vec![ring]]),
        }
    });
    pieces.filter(|piece| piece.outline.0[0][0].len() > 2).collect()
}

fn hexagon(row: i32, column: i32, size: f64) -> Vec<[f64; 2]> {
    let shift = f64::from(row.rem_euclid(2)) / 2.0;
    let x = 610_000.0 + (f64::from(column) + shift) * size * 3_f64.sqrt();
    let y = 310_000.0 + f64::from(row) * size * 1.5;
    let corner = |turn: u32| {
        let angle = (f64::from(turn) * 60.0 + 30.0).to_radians();
        [x + size * angle.cos(), y + size * angle.sin()]
    };
    (0..6).map(corner).collect()
}

fn rate(row: i32, column: i32) -> Option<f64> {
    match (row + column * 2).rem_euclid(7) {
        0 => Some(-14.0),
        1 | 2 => Some(-4.0),
        3 => Some(0.2),
        4 | 5 => Some(6.0),
        _ if column % 5 == 0 => None,
        _ => Some(11.0),
    }
}

/// Two catchments that meet on the site; the first has a wavy edge.
fn catchments() -> Vec<MapArea> {
    let edge = (0..4_000).map(|at| {
        let y = 309_000.0 + f64::from(at) * 0.5;
        [610_160.0 + 14.0 * (y / 23.0).sin(), y]
    });
    let mut west: Vec<[f64; 2]> = vec![[580_000.0, 309_000.0]];
    west.extend(edge.clone());
    west.push([580_000.0, 311_000.0]);
    let mut east: Vec<[f64; 2]> = edge.collect();
    east.extend([[650_000.0, 311_000.0], [650_000.0, 309_000.0]]);
    let area = |name: &str, ring| MapArea { name: name.into(), outline: Outline(vec![vec![ring]]) };
    vec![area("River Wensum SAC", west), area("The Broads SAC", east)]
}

pub(crate) fn sums() -> Sums {
    let load = |nutrient: &str, period: &str, limit, load, counts| LoadLine {
        nutrient: nutrient.into(),
        period: period.into(),
        limit: Some(limit),
        load: amount(load),
        counts,
    };
    let catchment = |name: &str, share, waste: bool| CatchmentSum {
        is_after_drainage: true,
        name: name.into(),
        area_ha: amount(3.05 * share),
        share,
        land: both(14.12 * share, 2.47 * share),
        wastewater: if waste { both(17.99, 0.45) } else { NutrientAmounts::default() },
        total: both(38.53 * share, 3.5 * share),
    };
    Sums {
        drains_nowhere: false,
        land_use: Some(LandUseSum {
            site_ha: amount(3.05),
            in_catchment_ha: amount(3.05),
            parcel_count: 58,
            greenspace: Some(GreenspaceRule {
                threshold_ha: 1.0,
                share: 0.2,
                nitrogen: 3.0,
                phosphorus: 0.2,
                applies: true,
            }),
            change: both(14.12, 2.47),
            covered: Some(0.9312),
            covered_floor: 0.95,
            catchment_overlap_ha: 0.0058,
            parcel_overlap_ha: 0.0,
        }),
        drainage: Some(DrainageSum {
            dwellings: 19,
            threshold_dwellings: 50,
            removal: 0.25,
            applies: false,
            left: both(14.12, 2.47),
        }),
        wastewater: Some(WastewaterSum {
            works: "Whitlingham Trowse".into(),
            dwellings: 19,
            occupancy: Some(2.4),
            litres_per_person: Some(120.0),
            rates_from: "The Broads SAC".into(),
            litres_per_day: Some(5_472.0),
            days_per_year: 365.25,
            operating_rate: 0.9,
            loads: vec![
                load("Nitrogen", "2025 to 2030", 27.0, 48.57, false),
                load("Nitrogen", "2030 onwards", 10.0, 17.99, true),
                load("Phosphorus", "2025 to 2030", 1.0, 1.8, false),
                load("Phosphorus", "2030 onwards", 0.25, 0.45, true),
            ],
            catchment: "The Broads SAC".into(),
            ..Default::default()
        }),
        buffer: BufferSum { share: 0.2, base: both(32.11, 2.92), added: both(6.42, 0.58) },
        total: both(38.53, 3.5),
        catchments: vec![
            catchment("River Wensum SAC", 0.64, false),
            catchment("The Broads SAC", 0.36, true),
        ],
        is_strict: false,
    }
}

fn levy() -> LevySum {
    LevySum {
        plan: "Norfolk EDP".into(),
        units: 19,
        base_gbp: "2675".into(),
        provisional_gbp: "50825.00".into(),
        index: Some(("1.0415".into(), "1.0000".into())),
        total_gbp: "52934.24".into(),
        calculated: "2026-11-16T07:10:00.000Z".into(),
        sent: Some("2026-11-16T07:13:02.000Z".into()),
    }
}

fn provenance() -> Vec<Fact> {
    vec![
        Fact::text("Data version", "2026-09-01"),
        Fact::text("Method", "C/2026-04"),
        Fact::text("Came in", "EPSG:4326"),
        Fact::text("Transform", "OSTN15"),
        Fact::text("Software", "Strongroom 0.1.0"),
        Fact::new(
            "Digest of the input",
            FactValue::Digest(
                "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into(),
            ),
        ),
    ]
}

fn deliveries() -> Vec<Delivery> {
    let attempt = |number, trouble: Option<&str>| DeliveryAttempt {
        number,
        at: format!("2026-11-16T07:1{number}:02.000Z"),
        trouble: trouble.map(str::to_owned),
    };
    vec![
        Delivery {
            channel: "Callback".into(),
            target: "quotes.example.edu/quotes/NRF-000123".into(),
            state: badge("Taken", Tone::Good),
            attempts: vec![
                attempt(1, Some("The answer was 503 Service Unavailable.")),
                attempt(2, Some("Nothing answered within 30 s.")),
                attempt(3, None),
            ],
            ..Default::default()
        },
        Delivery {
            channel: "E-mail".into(),
            target: "planning@county.example.edu".into(),
            state: badge("Waits", Tone::Warn),
            next: Some("2026-11-16T07:30:00.000Z".into()),
            attempts: vec![attempt(1, Some("The mail server did not answer."))],
            ..Default::default()
        },
    ]
}

pub(crate) fn done(size: f64) -> AssessmentPage {
    AssessmentPage {
        id: "4000".into(),
        reference: "NRF-000123".into(),
        state: badge("Assessed", Tone::Good),
        item: Some(4_211),
        outcome: "The site lies in a nutrient catchment and was assessed. It adds nitrogen and \
            phosphorus, so something has to be done against it."
            .into(),
        warnings: vec![
            "The coefficient layer covers 93.12 % of the land, less than the 95 % that are asked \
             for."
                .into(),
        ],
        facts: vec![
            Fact::text("Built", "Housing"),
            Fact::new("Dwellings", FactValue::Count(19)),
            Fact::text("Area", "3.05 ha"),
            Fact::text("Authority", "Broadland District"),
            Fact::text("Subcatchment", "Wensum"),
            Fact::text("Works", "10416 Whitlingham Trowse"),
            Fact::new("Asked", FactValue::Time("2026-11-16T07:09:41.123Z".into())),
        ],
        map: Some(SiteMap {
            site: Outline(vec![vec![site()]]),
            catchments: catchments(),
            pieces: pieces(size),
            pieces_unshown_count: 0,
            nutrient: Nutrient::Nitrogen,
        }),
        sums: Some(sums()),
        levy: Some(levy()),
        provenance: provenance(),
        deliveries: deliveries(),
        downloads: vec![
            Link::new("/assessments/4000.csv", "CSV"),
            Link::new("/assessments/4000.json", "JSON"),
            Link::new("/assessments/4000.geojson", "GeoJSON"),
        ],
        may_repeat: true,
        ..Default::default()
    }
}

pub(crate) fn running() -> AssessmentPage {
    AssessmentPage {
        state: badge("Running", Tone::Busy),
        is_under_way: true,
        progress: Some(Progress { done: 12, total: 40, unit: "tiles".into() }),
        expected_seconds: Some(38.0),
        map: done(16.0).map.map(|map| SiteMap { pieces: vec![], ..map }),
        facts: done(16.0).facts,
        id: "4001".into(),
        reference: "NRF-000124".into(),
        item: Some(4_212),
        ..Default::default()
    }
}

pub(crate) fn outside() -> AssessmentPage {
    AssessmentPage {
        outcome: "The site lies outside of all nutrient catchments and of all known treatment \
            works: there is nothing to assess."
            .into(),
        map: done(16.0).map.map(|map| SiteMap { pieces: vec![], catchments: vec![], ..map }),
        sums: None,
        levy: None,
        warnings: vec![],
        deliveries: vec![],
        state: badge("Out of scope", Tone::Calm),
        ..done(16.0)
    }
}

pub(crate) fn stopped() -> AssessmentPage {
    AssessmentPage {
        id: "4002".into(),
        reference: "NRF-000125".into(),
        state: badge("Stopped", Tone::Bad),
        item: Some(4_213),
        trouble: Some(AssessmentTrouble {
            happened: "The shape could not be cut: the program that does it stopped.".into(),
            kept: "The boundary and all that was typed.".into(),
            next: "Draw the boundary anew with fewer corners, and send it again.".into(),
        }),
        facts: done(16.0).facts,
        ..Default::default()
    }
}

pub(crate) fn reference() -> ReferencePage {
    let layer = |label: &str, name: &str, count, size| LayerRow {
        label: label.into(),
        name: name.into(),
        count,
        size,
        sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into(),
    };
    let layers = vec![
        layer("Coefficients", "coefficient_layer", 5_459_418, 2_900_000_000),
        layer("Treatment works catchments", "wwtw_catchments", 3_118, 12_400_000),
        layer("Planning authorities", "lpa_boundaries", 337, 8_100_000),
        layer("Nutrient catchments", "nn_catchments", 34, 299_008),
        layer("Subcatchments", "subcatchments", 483, 286_720),
        layer("Lookups", "lookups", 671, 45_056),
    ];
    let version = |version: &str, is_active, state| ReferenceVersion {
        version: version.into(),
        is_active,
        state,
        loaded: "2026-09-02T05:00:00.000Z".into(),
        by: "Ann Archer".into(),
        layers: layers.clone(),
    };
    let row = |layer: &str, rule: &str, verdict, sentence: &str, count| QualityRow {
        layer: layer.into(),
        rule: rule.into(),
        verdict,
        sentence: sentence.into(),
        count,
        examples: if count > 0 { vec!["10416".into(), "10261".into()] } else { vec![] },
    };
    let good = || badge("Holds", Tone::Good);
    ReferencePage {
        versions: vec![
            version("2026-09-01", true, badge("In use", Tone::Good)),
            version("2026-06-01", false, badge("Kept", Tone::Calm)),
        ],
        report: Some(QualityReport {
            refused: Vec::new(),
            version: "2026-09-01".into(),
            passed: true,
            at: "2026-09-02T05:00:00.000Z".into(),
            rows: vec![
                row(
                    "Lookups",
                    "Codes are there once",
                    badge("Put right", Tone::Warn),
                    "2 codes are there twice. The first row of each was taken.",
                    2,
                ),
                row("Coefficients", "Nitrogen from 0 to 50", good(), "All are.", 0),
                row("Nutrient catchments", "Shapes are valid", good(), "All are.", 0),
            ],
            cleaned: vec!["128 rows of the works without a code were left out.".into()],
        }),
        may_keep: true,
        roll_back_to: Some("2026-06-01".into()),
        ..Default::default()
    }
}

pub(crate) fn loading() -> ReferencePage {
    let mut page = reference();
    page.versions.truncate(1);
    page.running = Some(LoadRun {
        is_refused: false,
        item: Some(4_300),
        folder: "/srv/reference/2026-11".into(),
        started: "2026-11-16T07:00:00.000Z".into(),
        progress: Some(Progress { done: 1_204_118, total: 5_459_418, unit: "parcels".into() }),
    });
    if let Some(report) = &mut page.report {
        report.passed = false;
        report.version = "2026-11-01".into();
        report.rows[0].verdict = badge("Does not hold", Tone::Bad);
    }
    page.problem = Some("There is no folder /srv/reference/2026-10. Nothing was changed.".into());
    page.folder = "/srv/reference/2026-10".into();
    page.roll_back_to = None;
    page
}
