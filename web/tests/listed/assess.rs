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
