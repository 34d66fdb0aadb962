//! The vectors of the specification.

use super::*;
use crate::reference::WorksRow;

fn works(limits: [f64; 4]) -> WorksRow {
    let [n_now, n_then, p_now, p_then] = limits.map(Some);
    WorksRow {
        name: Some("Works".to_owned()),
        subcatchment: None,
        name_as_written: None,
        subcatchment_as_written: None,
        nitrogen_2025_2030: n_now,
        nitrogen_2030_onwards: n_then,
        phosphorus_2025_2030: p_now,
        phosphorus_2030_onwards: p_then,
    }
}

fn strict(method: &Method, dwellings: u32, litres: f64, uplift: [f64; 2], row: &WorksRow) -> Sums {
    let input = SumsInput {
        dwellings,
        litres_per_day: Some(litres),
        works: Some(row),
        uplift: uplift.map(Some),
        strict_parity: true,
    };
    sums(method, &input)
}

#[test]
fn golden_vectors_of_vintage_c() {
    // Dwellings, uplift, litres, limits; then what is left, loads and totals.
    let rows = [
        (
            19,
            [14.12, 2.47],
            5472.0,
            [27.0, 10.0, 1.0, 0.25],
            [14.12, 2.47],
            [48.57, 17.99, 1.8, 0.45],
            [38.53, 3.5],
        ),
        (
            16,
            [3.76, 0.5],
            4608.0,
            [27.0, 10.0, 0.6, 0.25],
            [3.76, 0.5],
            [40.9, 15.15, 0.91, 0.38],
            [22.69, 1.05],
        ),
        (
            222,
            [-13.78, 8.58],
            63936.0,
            [27.0, 10.0, 1.0, 0.25],
            [-17.22, 6.44],
            [567.47, 210.17, 21.02, 5.25],
            [231.54, 14.03],
        ),
        (
            476,
            [-626.8, 59.3],
            137_088.0,
            [27.0, 10.0, 1.0, 0.25],
            [-783.5, 44.47],
            [1216.73, 450.64, 45.06, 11.27],
            [-266.29, 66.88],
        ),
        (
            11,
            [-4.16, 0.99],
            3168.0,
            [25.0, 25.0, 4.5, 4.5],
            [-4.16, 0.99],
            [26.04, 26.04, 4.69, 4.69],
            [26.25, 6.81],
        ),
        (
            1,
            [0.0, 0.0],
            288.0,
            [27.0, 27.0, 1.0, 1.0],
            [0.0, 0.0],
            [2.56, 2.56, 0.09, 0.09],
            [3.07, 0.11],
        ),
    ];
    for (dwellings, uplift, litres, limits, post, loads, totals) in rows {
        let sums = strict(&Method::c(), dwellings, litres, uplift, &works(limits));
        assert_eq!(sums.post_suds, post.map(Some), "{dwellings}");
        let ours = [
            sums.loads.nitrogen_temporary,
            sums.loads.nitrogen_permanent,
            sums.loads.phosphorus_temporary,
            sums.loads.phosphorus_permanent,
        ];
        assert_eq!(ours.map(r2), loads, "{dwellings}");
        assert_eq!(sums.totals.map(r2), totals, "{dwellings}");
    }
}

#[test]
fn unit_vectors() {
    let c = Method::c();
    let uplift = |after: f64, now: f64| r2((after - now) * 1.5);
    assert_eq!(uplift(c.nitrogen_after(25.0, 3.0), 10.0), 15.9);
    assert_eq!(uplift(c.phosphorus_after(5.0, 3.0), 2.0), 3.06);
    assert_eq!(uplift(c.nitrogen_after(25.0, 0.5), 10.0), 22.5);
    assert_eq!(uplift(c.phosphorus_after(5.0, 0.5), 2.0), 4.5);
    let none = works([0.0; 4]);
    let post =
        |dwellings, uplift| strict(&c, dwellings, 0.0, [uplift; 2], &none).post_suds[0].unwrap();
    assert_eq!(post(60, 15.9), 11.92);
    assert_eq!(post(60, 3.06), 2.3);
    assert_eq!(post(60, -20.0), -25.0);
    assert_eq!(post(30, 22.5), 22.5);
    assert_eq!(post(50, 100.0), 75.0);
    assert_eq!(post(49, 100.0), 100.0);
    let loads = strict(&c, 100, 26_400.0, [0.0; 2], &works([10.0, 10.0, 1.0, 1.0])).loads;
    assert!((loads.nitrogen_permanent - 86.7834).abs() < 1e-9);
    assert!((loads.phosphorus_permanent - 8.67834).abs() < 1e-9);
    let buffered = |base: f64| base + base.abs() * c.buffer;
    assert!((buffered(-37.5 + 96.53) - 70.836).abs() < 1e-9);
    assert!((buffered(-12.5 + 9.65) - -2.28).abs() < 1e-9);
}

#[test]
fn the_vintages_differ_where_they_should() {
    let row = works([10.0, 10.0, 1.0, 1.0]);
    let load = |method: &Method| strict(method, 10, 1e6, [100.0; 2], &row);
    assert_eq!(load(&Method::a()).post_suds[0], Some(75.0));
    assert_eq!(load(&Method::b()).post_suds[0], Some(75.0));
    assert_eq!(load(&Method::c()).post_suds[0], Some(100.0));
    assert!((load(&Method::a()).loads.nitrogen_permanent - 3652.5).abs() < 1e-9);
    assert!((load(&Method::b()).loads.nitrogen_permanent - 3287.25).abs() < 1e-9);
    for method in [Method::a(), Method::b(), Method::c()] {
        let json = serde_json::to_string(&method).unwrap();
        assert_eq!(serde_json::from_str::<Method>(&json).unwrap(), method);
        assert_eq!(Method::named(&method.name), Some(method));
    }
}
