//! The pages of assessments.

use maud::Markup;
use web::*;

use crate::sample::{self, assess};

/// Every page, with the name it is pinned by.
pub(crate) fn pages() -> Vec<(&'static str, Markup)> {
    let at = |title: &str| sample::shell(title, Here::Assessments);
    let data = sample::shell("Reference data", Here::ReferenceData);
    vec![
        ("assessments", assessments_page(&at("Assessments"), &assess::list(25))),
        ("assessments-empty", assessments_page(&at("Assessments"), &Default::default())),
        ("assessment-new", new_assessment_page(&at("New assessment"), &assess::asking())),
        ("assessment-wrong", new_assessment_page(&at("New assessment"), &assess::asked_wrong())),
        ("assessment-no-data", new_assessment_page(&at("New assessment"), &Default::default())),
        ("boundary", boundary_page(&at("Boundary"), &assess::bad_boundary())),
        ("boundary-good", boundary_page(&at("Boundary"), &assess::good_boundary())),
        ("boundary-unread", boundary_page(&at("Boundary"), &assess::unread_boundary())),
        ("assessment", assessment_page(&at("NRF-000123"), &assess::done(5.0))),
        ("assessment-running", assessment_page(&at("NRF-000124"), &assess::running())),
        ("assessment-outside", assessment_page(&at("NRF-000123"), &assess::outside())),
        ("assessment-stopped", assessment_page(&at("NRF-000125"), &assess::stopped())),
        ("reference-data", reference_page(&data, &assess::reference())),
        ("reference-data-loading", reference_page(&data, &assess::loading())),
        ("reference-data-empty", reference_page(&data, &Default::default())),
    ]
}

/// The pages with markup wherever somebody else's words stand.
pub(crate) fn marked(shell: &Shell) -> [Markup; 5] {
    let mark = || sample::MARKUP.to_owned();
    let mut list = assess::list(3);
    list.rows[0].reference = mark();
    list.rows[0].name = mark();
    list.filter.reference = mark();
    let mut asked = assess::asked_wrong();
    asked.form.reference = mark();
    asked.form.callback = mark();
    asked.findings[0].sentence = mark();
    let mut boundary = assess::bad_boundary();
    boundary.file_name = mark();
    boundary.findings[0].sentence = mark();
    boundary.findings[0].code = mark();
    boundary.meets = vec![mark()];
    let mut done = AssessmentPage { facts: crate::marked_facts(), ..assess::done(40.0) };
    done.reference = mark();
    done.warnings = vec![mark()];
    done.trouble = assess::stopped().trouble;
    if let Some(trouble) = &mut done.trouble {
        trouble.happened = mark();
    }
    if let Some(map) = &mut done.map {
        map.catchments[0].name = mark();
    }
    if let Some(waste) = done.sums.as_mut().and_then(|sums| sums.wastewater.as_mut()) {
        waste.works = mark();
        waste.rates_from = mark();
    }
    done.deliveries[0].target = mark();
    done.deliveries[0].attempts[0].trouble = Some(mark());
    let mut data = assess::loading();
    data.folder = mark();
    data.versions[0].version = mark();
    data.versions[0].by = mark();
    if let Some(report) = &mut data.report {
        report.rows[0].sentence = mark();
        report.rows[0].examples[0] = mark();
        report.cleaned = vec![mark()];
    }
    [
        assessments_page(shell, &list),
        new_assessment_page(shell, &asked),
        boundary_page(shell, &boundary),
        assessment_page(shell, &done),
        reference_page(shell, &data),
    ]
}

#[test]
fn a_map_of_any_size_fits_on_a_page() {
    let mut page = assess::done(3.0);
    let map = page.map.as_mut().unwrap();
    let wave = |turn: u32| {
        let angle = f64::from(turn) / 20_000.0 * std::f64::consts::TAU;
        let far = 90.0 + 20.0 * (angle * 700.0).sin();
        [610_120.0 + far * angle.cos(), 310_090.0 + far * angle.sin()]
    };
    map.site = Outline(vec![vec![(0..20_000).map(wave).collect()]]);
    map.catchments = vec![MapArea { name: "C".into(), outline: map.site.clone() }; 8];
    map.pieces = std::iter::repeat_n(&map.pieces, 5).flatten().cloned().collect();
    let html = assessment_page(&sample::shell("A", Here::Assessments), &page).into_string();
    assert!(html.len() < crate::WIDE_BUDGET_BYTES, "{} bytes", html.len());
    assert!(html.contains("class=\"site\" d=\"M"));
}

#[test]
fn a_boundary_that_is_wrong_everywhere_fits_on_a_page() {
    let mut page = assess::bad_boundary();
    let places = |at: u32| [610_000.0 + f64::from(at % 97), 310_000.0 + f64::from(at % 89)];
    page.findings[0].places = (0..5_000).map(places).collect();
    page.outline = Outline(vec![vec![(0..50_000).map(places).collect()]]);
    page.findings = vec![page.findings[0].clone(); 50];
    let html = boundary_page(&sample::shell("B", Here::Assessments), &page).into_string();
    assert!(html.len() < crate::WIDE_BUDGET_BYTES, "{} bytes", html.len());
    assert!(html.contains("and 4997 more"));
}

#[test]
fn shapes_that_are_none_are_not_drawn() {
    let bad = Outline(vec![vec![vec![[f64::NAN, 0.0], [f64::INFINITY, 1e308], [0.0, f64::NAN]]]]);
    let boundary = BoundaryPage { outline: bad.clone(), ..assess::unread_boundary() };
    let shell = sample::shell("A", Here::Assessments);
    let html = boundary_page(&shell, &boundary).into_string();
    assert!(html.contains("No shape could be read") && !html.contains("NaN"), "{html}");
    let mut page = assess::done(40.0);
    page.map.as_mut().unwrap().pieces[0].outline = bad.clone();
    page.sums.as_mut().unwrap().total.nitrogen = Amount::new(f64::NAN, f64::NAN);
    let html = assessment_page(&shell, &page).into_string();
    assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
    page.map.as_mut().unwrap().site = bad;
    assert!(!assessment_page(&shell, &page).into_string().contains("map-heading"));
}

#[test]
fn a_list_keeps_what_was_asked_for() {
    let html = assessments_page(&sample::shell("A", Here::Assessments), &assess::list(3));
    let html = html.into_string();
    let next = "/assessments?method=C%2F2026-04&amp;sort=created_at__desc&amp;page=3";
    assert!(html.contains(&format!("href=\"{next}\"")), "{html}");
    assert!(html.contains("href=\"/api/v1/assessments.csv?method=C%2F2026-04\""));
}

#[test]
fn colours_are_told_in_words_too() {
    let html = assessment_page(&sample::shell("A", Here::Assessments), &assess::done(14.0));
    let html = html.into_string();
    for words in ["rises by 10 or more", "falls by 1 to 10", "not known: no coefficient"] {
        assert!(html.contains(words), "{words}");
    }
    let mut page = assess::done(14.0);
    page.map.as_mut().unwrap().nutrient = Nutrient::Phosphorus;
    let html = assessment_page(&sample::shell("A", Here::Assessments), &page).into_string();
    assert!(html.contains("rises by 0.1 to 1") && html.contains("?map=nitrogen#map-heading"));
}

#[test]
fn rolling_back_is_asked_about_first() {
    let html = reference_page(&sample::shell("R", Here::ReferenceData), &assess::reference());
    let html = html.into_string();
    assert!(html.contains("href=\"/reference-data/roll-back\""));
    assert!(!html.contains("action=\"/reference-data/roll-back\""));
}
