use super::*;

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

/// A plan of 2026 with one charge, and an index for 2026 and 2027.
fn tables(base: &str, now: &str, then: &str) -> LevyTables {
    LevyTables {
        plans: vec![Plan { id: 7, name: "Broads".into(), starts: day("2026-04-01") }],
        charges: vec![Charge {
            row: 70,
            plan: 7,
            from: day("2026-04-01"),
            to: day("2027-03-31"),
            base_per_unit: Pence::parse(base).unwrap(),
        }],
        indices: vec![
            Index { row: 1, year: 2026, factor: Factor::parse(then).unwrap() },
            Index { row: 2, year: 2027, factor: Factor::parse(now).unwrap() },
        ],
    }
}

fn price(base: &str, units: u32, now: &str, then: &str) -> String {
    let levy = tables(base, now, then).levy(&["Broads".into()], units, day("2027-01-15"));
    levy.unwrap().adjusted.to_string()
}

#[test]
fn vectors_of_the_specification() {
    let same_year = tables("2675", "1", "1").levy(&["Broads".into()], 10, day("2026-12-31"));
    let same_year = same_year.unwrap();
    assert_eq!(same_year.adjusted.to_string(), "26750.00");
    assert_eq!(same_year.index_rows, None);
    assert_eq!(price("2675", 10, "0.83", "1.0000"), "22202.50");
    assert_eq!(price("2", 1, "1000", "3"), "666.67");
    assert_eq!(price("2", 1, "17", "16"), "2.13");
    let uneven = tables("2675.01", "1", "1").levy(&["Broads".into()], 1, day("2026-12-31"));
    assert_eq!(uneven, Err(LevyError::NotWhole(Pence(267_501))));
}

#[test]
fn there_is_never_a_default_price() {
    let good = tables("2675", "1.1", "1");
    let names = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let on = day("2026-05-01");
    let check = |tables: &LevyTables, plans: &[&str], units, on, error: LevyError| {
        assert_eq!(tables.levy(&names(plans), units, on), Err(error));
    };
    check(&good, &[], 1, on, LevyError::NoPlan);
    check(&good, &["Broads", "Wensum"], 1, on, LevyError::SeveralPlans);
    check(&good, &["Wensum"], 1, on, LevyError::UnknownPlan("Wensum".into()));
    check(&good, &["Broads"], 0, on, LevyError::NoUnits);
    let late = day("2027-04-01");
    check(&good, &["Broads"], 1, late, LevyError::NoCharge { plan: 7, day: late });
    let mut twice = good.clone();
    twice.plans.push(Plan { id: 8, ..twice.plans[0].clone() });
    check(&twice, &["Broads"], 1, on, LevyError::AmbiguousPlan("Broads".into()));
    let mut two = good.clone();
    two.charges.push(two.charges[0].clone());
    check(&two, &["Broads"], 1, on, LevyError::OverlappingCharges { plan: 7, day: on });
    let mut without = good.clone();
    without.indices.pop();
    check(&without, &["Broads"], 1, day("2027-01-01"), LevyError::NoIndex(2027));
    let json = serde_json::to_string(&good).unwrap();
    assert_eq!(serde_json::from_str::<LevyTables>(&json).unwrap(), good);
}

#[test]
fn the_charge_is_that_of_the_day_and_its_window_includes_both_ends() {
    let mut tables = tables("2675", "1.1", "1");
    tables.charges.push(Charge {
        row: 71,
        plan: 7,
        from: day("2027-04-01"),
        to: day("2028-03-31"),
        base_per_unit: Pence::parse("3000").unwrap(),
    });
    // A row of another plan is nobody's business here.
    tables.charges.push(Charge { row: 90, plan: 8, ..tables.charges[0].clone() });
    let row = |on| tables.levy(&["Broads".into()], 1, day(on)).map(|levy| levy.charge_row);
    let none = |on| Err(LevyError::NoCharge { plan: 7, day: day(on) });
    for (on, expected) in [
        ("2026-03-31", none("2026-03-31")),
        ("2026-04-01", Ok(70)),
        ("2027-03-31", Ok(70)),
        ("2027-04-01", Ok(71)),
        ("2028-03-31", Err(LevyError::NoIndex(2028))),
        ("2028-04-01", none("2028-04-01")),
    ] {
        assert_eq!(row(on), expected, "{on}");
    }
}

#[test]
fn rounding_is_half_up_once_and_on_the_total() {
    // One pound and a hundred units: a unit by itself would be rounded to 1.13 or 1.12.
    assert_eq!(price("1", 100, "1.125", "1"), "112.50");
    assert_eq!(price("1", 1, "1.125", "1"), "1.13", "half goes up");
    assert_eq!(price("1", 3, "1", "3"), "1.00", "divided last: not three times 0.33");
    assert_eq!(price("1", 1, "0.994999", "1"), "0.99");
    assert_eq!(price("1", 1, "0.995", "1"), "1.00");
    let levy = tables("2675", "0.83", "1").levy(&["Broads".into()], 10, day("2027-01-15")).unwrap();
    assert_eq!(levy.provisional.to_string(), "26750.00", "before the index");
    assert_eq!((levy.charge_row, levy.index_rows, levy.version), (70, Some((2, 1)), 1), "audit");
    let named = levy.indices.as_ref().map(|both| both.each_ref().map(Index::named));
    assert_eq!(named, Some(["0.83 (2027)".to_owned(), "1 (2026)".to_owned()]));
    // Prices from before the indices were kept are read as well.
    let mut older = serde_json::to_value(&levy).unwrap();
    older.as_object_mut().unwrap().remove("indices");
    let older: Levy = serde_json::from_value(older).unwrap();
    assert_eq!(older, Levy { indices: None, ..levy });
}

#[test]
fn every_refusal_to_price_says_what_is_missing() {
    for (error, words) in [
        (LevyError::NoPlan, "meets no plan"),
        (LevyError::SeveralPlans, "several plans"),
        (LevyError::UnknownPlan("Wensum".into()), "\"Wensum\" is not in the table"),
        (LevyError::AmbiguousPlan("Broads".into()), "two ids"),
        (LevyError::NoUnits, "no units"),
        (LevyError::NoCharge { plan: 7, day: day("2026-05-01") }, "no charge on 2026-05-01"),
        (LevyError::OverlappingCharges { plan: 7, day: day("2026-05-01") }, "windows overlap"),
        (LevyError::NotWhole(Pence(267_501)), "2675.01 is not in whole pounds"),
        (LevyError::NoIndex(2028), "no index for 2028"),
        (LevyError::TooLarge, "larger than can be counted"),
    ] {
        assert!(error.to_string().contains(words), "{error}");
    }
    let mut start = tables("2675", "1.1", "1");
    start.indices.remove(0);
    let missing = start.levy(&["Broads".into()], 1, day("2027-01-01"));
    assert_eq!(missing, Err(LevyError::NoIndex(2026)), "the year of the start counts too");
    let huge = tables("999999999999", "999999999999", "0.000001");
    let levy = huge.levy(&["Broads".into()], u32::MAX, day("2027-01-01"));
    assert_eq!(levy, Err(LevyError::TooLarge), "never a sum that went round");
}
