//! Assessments and boundaries in words for people.

use nutrients::{
    Assessment, BoundaryRules, Finding, Findings, Limits, Method, Outcome, Reference, Shape,
    map_window,
};
use serde::Serialize;
use storage::registry::{AssessmentRow, AssessmentState, DeliveryRow};
use storage::work::item::{ItemId, State};
use web::{
    Amount, AssessmentChoices, AssessmentFilter, AssessmentForm, AssessmentFormChoices,
    AssessmentPage, AssessmentTrouble, AssessmentsPage, Badge, BoundaryFinding, BoundaryPage,
    Choice, Fact, FactValue, Link, MapArea, MapPiece, MapUnits, NewAssessmentPage, Nutrient,
    Outline, Pager, SiteMap, Sort, Tone,
};

use super::{delivered, sums};
use crate::config::METHODS;
use crate::desk::{BoundaryAsked, SiteForm};
use crate::http::Visit;
use crate::http::asked::{Leaf, Pairs, export_href, find};
use crate::http::overview::{progress, seconds_left};
use crate::http::refusal::Refusal;
use crate::rights::Right;

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 25;
/// Most that are counted; a page then says "1,000+".
const COUNTED: u64 = 1001;
/// Findings listed, and treatment works offered.
const FINDINGS: usize = 50;
const WORKS: usize = 1000;

/// The list.
pub(super) fn list(visit: &Visit, mut pairs: Pairs) -> Result<AssessmentsPage, Refusal> {
    let text = |name: &str| find(&pairs, name).unwrap_or_default().to_owned();
    let filter = AssessmentFilter {
        reference: text("reference"),
        state: text("state"),
        outcome: text("outcome"),
        method: text("method"),
        from: text("created_at__gteq"),
        to: text("created_at__lteq"),
    };
    let sort = match find(&pairs, "sort").and_then(|sort| sort.rsplit_once("__")) {
        Some((column, way)) => Sort { column: column.into(), descending: way == "desc" },
        None => Sort { column: "created_at".into(), descending: true },
    };
    for (name, _) in pairs.iter_mut().filter(|(name, _)| name == "reference") {
        name.push_str("__starts_with");
    }
    let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
    let list = visit.desk().assessments(&pairs, leaf.counting())?;
    let outcomes = [Outcome::Assessed, Outcome::WastewaterOnly, Outcome::OutOfScope];
    Ok(AssessmentsPage {
        filter,
        choices: AssessmentChoices {
            states: AssessmentState::ALL
                .map(|state| Choice::new(state.name(), badge(state).label))
                .to_vec(),
            outcomes: outcomes.map(|it| Choice::new(word(it), few_words(word(it)))).to_vec(),
            methods: methods(),
        },
        sort,
        pager: Pager {
            export: export_href("assessments", &pairs),
            ..leaf.pager(list.assessments.len(), (list.count, list.count_is_exact))
        },
        rows: list.assessments.iter().map(line).collect(),
        may_assess: visit.may(Right::Assess),
        has_reference: visit.atlas.is_filled(),
    })
}

fn methods() -> Vec<Choice> {
    let keys = METHODS.into_iter().filter_map(Method::named).map(|method| method.key());
    keys.map(|key| Choice::new(key.clone(), key)).collect()
}

fn line(row: &AssessmentRow) -> web::AssessmentRow {
    let figure = |text: &Option<String>| {
        let number: Option<f64> = text.as_ref().and_then(|text| text.parse().ok());
        number.map(|it| Amount::new(it, it))
    };
    web::AssessmentRow {
        href: format!("/assessments/{}", row.uuid),
        reference: row.reference.clone(),
        name: row.name.clone(),
        state: badge(row.state),
        outcome: row.outcome.as_deref().map(few_words).unwrap_or_default(),
        dwellings: u64::from(row.dwellings),
        area_ha: figure(&row.area_ha),
        nitrogen: figure(&row.nitrogen_kg),
        phosphorus: figure(&row.phosphorus_kg),
        method: row.method.clone(),
        created: row.created_at.to_string(),
    }
}

fn badge(state: AssessmentState) -> Badge {
    match state {
        AssessmentState::Waiting => Badge::new("Being assessed", Tone::Busy),
        AssessmentState::Assessed => Badge::new("Assessed", Tone::Good),
        AssessmentState::Cancelled => Badge::new("Cancelled", Tone::Calm),
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Assessed => "assessed",
        Outcome::WastewaterOnly => "wastewater_only",
        Outcome::OutOfScope => "out_of_scope",
    }
}

fn few_words(outcome: &str) -> String {
    match outcome {
        "assessed" => "In a catchment".into(),
        "wastewater_only" => "Wastewater only".into(),
        "out_of_scope" => "Out of scope".into(),
        other => other.to_owned(),
    }
}

/// The form, with what was typed and what was wrong with it.
pub(super) fn form(
    visit: &Visit,
    typed: &SiteForm,
    findings: Option<&Findings>,
) -> NewAssessmentPage {
    let has_reference = visit.atlas.is_filled();
    let works = visit.atlas.reference().ok().map(|it| works(&it)).unwrap_or_default();
    let kinds = ["housing", "Hotel", "Student Accommodation"];
    let usual = visit.config.assess.method;
    let names = METHODS.into_iter().filter(|name| *name != usual);
    let methods = std::iter::once(usual).chain(names).filter_map(Method::named);
    let wrong = |finding: &Finding| {
        let field = finding.sentence.split(':').next().filter(|field| FIELDS.contains(field));
        BoundaryFinding { field: field.unwrap_or_default().to_owned(), ..marked(finding) }
    };
    NewAssessmentPage {
        form: AssessmentForm {
            reference: typed.reference.clone(),
            dwellings: typed.dwellings.clone(),
            people: typed.people.clone(),
            development_type: typed.development_type.clone(),
            treatment_works: typed.treatment_works.clone(),
            method: typed.method.clone(),
            callback: String::new(),
            email: typed.email.clone(),
        },
        choices: AssessmentFormChoices {
            development_types: kinds.map(|kind| Choice::new(kind, kind)).to_vec(),
            treatment_works: works,
            methods: methods.map(|it| Choice::new(it.name.clone(), it.key())).collect(),
        },
        most_bytes: Limits::default().file_bytes,
        problem: findings.map(|_| "The site was not taken; nothing was kept.".to_owned()),
        findings: findings.map(|it| it.0.iter().map(wrong).collect()).unwrap_or_default(),
        has_reference,
        // Programs are called where the house says, never where a page says.
        may_call_back: false,
        may_email: visit.outbox.has_mail(),
    }
}

/// Fields of the form that a finding may be about: its sentence begins with one.
const FIELDS: [&str; 4] = ["dwellings", "people", "treatment_works", "email"];

fn works(reference: &Reference) -> Vec<Choice> {
    let named = reference.lookups().works_by_name().into_iter().take(WORKS);
    named.map(|(name, code)| Choice::new(code.to_string(), name)).collect()
}

/// A boundary that was looked at.
pub(super) fn boundary(visit: &Visit, form: &SiteForm, rules: BoundaryRules) -> BoundaryPage {
    let inside = Some(form.inside.as_str()).filter(|name| !name.is_empty());
    let (file_name, bytes, cancel) = (&form.file_name, &form.bytes, &form.cancel);
    let asked = BoundaryAsked { file_name, bytes, inside, cancel };
    let checked = visit.desk().check_boundary(&asked, rules);
    let typed = [
        ("reference", form.reference.as_str()),
        ("dwellings", &form.dwellings),
        ("people", &form.people),
        ("development_type", &form.development_type),
        ("treatment_works", &form.treatment_works),
        ("method", &form.method),
        ("email", &form.email),
    ];
    let plans = checked.wire.intersecting_edps.iter().map(|plan| format!("Plan {}", plan.label));
    let catchments = checked.catchments.iter().map(|it| {
        format!("{}: {} ha, {} % of the site", it.label, it.overlap_area_ha, it.overlap_percentage)
    });
    let measured = checked.wire.boundary_metadata.as_ref().map(|it| {
        let [east, north] = it.centre;
        vec![
            Fact::text("Area", format!("{} ha", it.area.hectares)),
            Fact::text("Perimeter", format!("{} km", it.perimeter.kilometres)),
            Fact::text("Middle", format!("{east}, {north} (longitude, latitude)")),
        ]
    });
    let taken = match checked.feature_count {
        0 | 1 => None,
        several => Some(Fact::text("Features", format!("{several}, taken together as one site"))),
    };
    let taken = taken.into_iter();
    BoundaryPage {
        file_name: form.file_name.chars().take(100).collect(),
        outline: checked.shape.as_ref().map(outline).unwrap_or_default(),
        units: MapUnits::Metres,
        findings_unshown_count: checked.findings.len().saturating_sub(FINDINGS) as u64,
        findings: checked.findings.iter().take(FINDINGS).map(marked).collect(),
        facts: taken.chain(measured.unwrap_or_default()).collect(),
        meets: plans.chain(catchments).collect(),
        back: Link::new(
            format!("/assessments/new{}", web::parts::query(&typed)),
            "Back to the form",
        ),
    }
}

/// The page with all that was wrong, with the boundary and beside it.
pub(super) fn with_findings(page: BoundaryPage, findings: &Findings) -> BoundaryPage {
    BoundaryPage {
        findings_unshown_count: findings.0.len().saturating_sub(FINDINGS) as u64,
        findings: findings.0.iter().take(FINDINGS).map(marked).collect(),
        ..page
    }
}

fn marked(finding: &Finding) -> BoundaryFinding {
    BoundaryFinding {
        code: finding.code.name().into(),
        sentence: finding.sentence.clone(),
        feature: finding.feature,
        places: finding.places.clone(),
        field: String::new(),
    }
}

fn outline(shape: &Shape) -> Outline {
    Outline(shape.coordinates())
}

/// One assessment.
pub(super) fn one(
    visit: &Visit,
    which: &str,
    nutrient: Nutrient,
) -> Result<AssessmentPage, Refusal> {
    let desk = visit.desk();
    let row = desk.assessment_row(which)?;
    let wish = desk.assessment_wish(&row)?;
    let result = desk.result_of(&row)?;
    let detail = desk.assessment(which)?;
    let floor = f64::from(visit.config.assess.coverage_floor_percent) / 100.0;
    let live = row.item_id.and_then(|id| u64::try_from(id).ok());
    let item = live.map(|id| visit.shop.queue.item(ItemId(id))).transpose()?.flatten();
    let all = visit.shop.board.running(visit.shop.clock.steady());
    let running = live.and_then(|id| all.into_iter().find(|it| it.item == id));
    let parked = item.as_ref().and_then(|item| match &item.state {
        State::Parked { because } | State::Failed { because } => Some(because.clone()),
        State::Ready { .. }
        | State::Delayed { .. }
        | State::Leased(_)
        | State::Finished
        | State::Cancelled
        | State::Expired => None,
    });
    let plan = wish.plans.first().cloned().unwrap_or_default();
    let mut page = AssessmentPage {
        id: row.uuid.to_string(),
        reference: row.reference.clone(),
        state: match &parked {
            Some(_) => Badge::new("Needs a person", Tone::Warn),
            None => badge(row.state),
        },
        is_under_way: row.state == AssessmentState::Waiting && parked.is_none(),
        item: live,
        progress: running.as_ref().and_then(progress),
        expected_seconds: running.as_ref().and_then(seconds_left),
        trouble: parked.map(|because| AssessmentTrouble {
            happened: because.happened,
            kept: because.kept,
            next: because.advice,
        }),
        deliveries: delivered::deliveries(&detail.deliveries, &detail.attempts),
        levy: detail.levy.as_ref().and_then(|levy| sums::levy(levy, &plan)),
        may_send_again: visit.may(Right::Assess)
            && detail.deliveries.iter().any(DeliveryRow::can_be_sent_again),
        may_repeat: row.state != AssessmentState::Waiting && visit.may(Right::Assess),
        ..AssessmentPage::default()
    };
    match &result {
        Some(result) => tell(visit, &mut page, result, nutrient),
        None => {
            let site = SiteMap { site: outline(&wish.site.shape), nutrient, ..SiteMap::default() };
            page.map = Some(site);
            page.facts = vec![
                Fact::new("Dwellings", FactValue::Count(u64::from(row.dwellings))),
                Fact::text("Method", row.method.clone()),
                Fact::new("Asked", FactValue::Time(row.created_at.to_string())),
                Fact::text("Asked by", row.asked_by.clone()),
            ];
        }
    }
    // A zero would read as an answer where there is none.
    if let Some(result) = result.as_ref().filter(|it| it.outcome != Outcome::OutOfScope) {
        page.sums = Some(sums::sums(result, wish.site.people, floor));
    }
    Ok(page)
}

/// What a result tells.
fn tell(visit: &Visit, page: &mut AssessmentPage, result: &Assessment, nutrient: Nutrient) {
    let (development, spatial) = (&result.development, &result.spatial);
    page.outcome = first_upper(result.outcome.sentence());
    page.warnings = result.warnings.iter().map(|it| first_upper(&it.sentence)).collect();
    let or = |text: &Option<String>, other: &str| text.clone().unwrap_or_else(|| other.to_owned());
    page.facts = vec![
        Fact::text("Name", development.name.clone()),
        Fact::text("What is built", development.dwelling_category.clone()),
        Fact::new("Dwellings", FactValue::Count(u64::from(development.dwellings))),
        Fact::text("Area", format!("{:.2} ha", development.area_ha)),
        Fact::text("Planning authority", spatial.lpa_name.clone()),
        Fact::text("Subcatchment", or(&spatial.dev_subcatchment, "none")),
        Fact::text(
            "Nutrient catchments",
            match spatial.catchments.is_empty() {
                true => "none".to_owned(),
                false => {
                    let names: Vec<&str> = spatial.catchments.iter().map(|it| it.told()).collect();
                    names.join("; ")
                }
            },
        ),
        Fact::text(
            "Treatment works",
            format!("{} ({})", or(&spatial.wwtw_name, "not known"), spatial.wwtw_id),
        ),
    ];
    let from = &result.provenance;
    page.provenance = vec![
        Fact::text("Reference data", from.data_version.clone()),
        Fact::new("Digest of the data", FactValue::Digest(from.data_digest.clone())),
        Fact::text("Method", from.method.key()),
        Fact::text("Came in", named(&from.input_crs)),
        Fact::text("Moved to metres by", named(&from.transform)),
        Fact::new("Digest of the shape", FactValue::Digest(from.input_digest.clone())),
        Fact::text("Program", from.software.clone()),
    ];
    page.map = Some(map(visit, result, nutrient));
    let link = |kind: &str, label: &str| {
        Link::new(format!("/api/v1/assessments/{}/result.{kind}", page.id), label)
    };
    page.downloads = vec![link("csv", "CSV"), link("json", "JSON"), link("geojson", "GeoJSON")];
}

fn map(visit: &Visit, result: &Assessment, nutrient: Nutrient) -> SiteMap {
    let reference = visit.atlas.reference().ok();
    let areas = reference.map(|it| it.catchments_in(&map_window(&result.site))).unwrap_or_default();
    SiteMap {
        site: outline(&result.site),
        catchments: areas
            .into_iter()
            .map(|(name, shape)| MapArea { name: name.told().to_owned(), outline: outline(&shape) })
            .collect(),
        pieces: result
            .pieces
            .iter()
            .map(|piece| MapPiece {
                land_use: piece.land_use.clone(),
                area_ha: piece.area_ha,
                nitrogen: piece.nitrogen_uplift.map(|it| it.exact),
                phosphorus: piece.phosphorus_uplift.map(|it| it.exact),
                outline: outline(&piece.shape),
            })
            .collect(),
        pieces_unshown_count: 0,
        nutrient,
    }
}

/// A word of the kernel as it stands in its records.
fn named(word: &impl Serialize) -> String {
    serde_json::to_value(word)
        .ok()
        .and_then(|it| it.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn first_upper(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}
