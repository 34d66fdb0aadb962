//! A new assessment: the boundary of a site and what is to be built on it.

use maud::{Markup, html};
use serde::Serialize;

use super::boundary::{BoundaryFinding, findings};
use crate::parts::{Choice, Field, choose_one, choose_or, human_size};
use crate::shell::{Frame, Shell, document};

/// The form of a new assessment, shown again with what was typed when something was wrong.
///
/// Sent as `multipart/form-data` to `/assessments`, with the file in `boundary` and the other fields
/// by the names of [`AssessmentForm`]; to `/assessments/check` when only the boundary is to be
/// looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NewAssessmentPage {
    /// What was typed.
    pub form: AssessmentForm,
    /// What the selects offer.
    pub choices: AssessmentFormChoices,
    /// The largest file that is taken, in bytes.
    pub most_bytes: u64,
    /// What was wrong with the last try, in a sentence.
    pub problem: Option<String>,
    /// What was wrong with the fields or the file.
    pub findings: Vec<BoundaryFinding>,
    /// Whether reference data is there; without it nothing can be assessed.
    pub has_reference: bool,
    /// Whether results can be sent to an address.
    pub may_call_back: bool,
    /// Whether results can be sent by e-mail.
    pub may_email: bool,
}

/// What was typed, as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssessmentForm {
    /// What the asker calls it.
    pub reference: String,
    /// How many dwellings are to be built.
    pub dwellings: String,
    /// People, where they are counted instead of estimated.
    pub people: String,
    /// What is built.
    pub development_type: String,
    /// The treatment works that is to be used; empty for the one that the site drains to.
    pub treatment_works: String,
    /// The method.
    pub method: String,
    /// Where the result is sent.
    pub callback: String,
    /// Who is told.
    pub email: String,
}

/// What the selects offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssessmentFormChoices {
    /// What may be built.
    pub development_types: Vec<Choice>,
    /// Treatment works by number, at most a few hundred; none makes it a line for a number.
    pub treatment_works: Vec<Choice>,
    /// The methods, the current one first.
    pub methods: Vec<Choice>,
}

/// Renders the form of a new assessment.
pub fn new_assessment_page(shell: &Shell, page: &NewAssessmentPage) -> Markup {
    let main = html! {
        div.sheet {
            p.eyebrow { a href="/assessments" { "Assessments" } " / New" }
            h1 { "New assessment" }
            p.lead {
                "Send the boundary of a site and say what is to be built. The result tells how much \
                 nitrogen and phosphorus it adds to protected waters, and how that was worked out."
            }
            @if !page.has_reference {
                p.notice.warn {
                    "No reference data is loaded, so nothing can be assessed yet. Load it first."
                }
                p { a href="/reference-data" { "Go to the reference data" } }
            } @else {
                (troubles(page))
                (entry(page))
            }
        }
    };
    document(shell, Frame::Still, main)
}

fn troubles(page: &NewAssessmentPage) -> Markup {
    html! {
        @if let Some(problem) = &page.problem {
            p.notice.bad #problem role="alert" { (problem) }
        }
        @if !page.findings.is_empty() {
            section aria-labelledby="wrong-heading" {
                h2 #wrong-heading { "What is wrong" }
                (findings(&page.findings))
                p.quiet { "A file cannot be kept in the form: choose it again." }
            }
        }
    }
}

fn entry(page: &NewAssessmentPage) -> Markup {
    let (form, choices) = (&page.form, &page.choices);
    let field = |label, name, value| Field { label, name, value };
    html! {
        form.entry method="post" action="/assessments" enctype="multipart/form-data" {
            div.field {
                label for="boundary" { "Boundary of the site" }
                input #boundary name="boundary" type="file" required
                    accept=".geojson,.json,.kml,.zip,.gpkg" aria-describedby="boundary-hint";
                p.hint #boundary-hint {
                    "GeoJSON, KML, a zipped Shapefile or a GeoPackage, at most "
                    (human_size(page.most_bytes)) ", in British National Grid (EPSG:27700) or \
                     longitude and latitude (EPSG:4326). Only the shape is kept."
                }
            }
            (line(page, Line { required: true, ..Line::text("Reference", "reference",
                &form.reference, "What you call it, such as NRF-000123.") }))
            (choose_one(field("What is built", "development_type", &form.development_type),
                &choices.development_types))
            (line(page, Line { required: true, kind: "number", ..Line::text("Dwellings",
                "dwellings", &form.dwellings, "How many homes are to be built.") }))
            (line(page, Line { kind: "number", ..Line::text("People, if counted", "people",
                &form.people, "Left empty, people are estimated from the dwellings.") }))
            (choose_or(field("Treatment works, if chosen", "treatment_works",
                &form.treatment_works), "The one that the site drains to",
                &choices.treatment_works))
            (choose_one(field("Method", "method", &form.method), &choices.methods))
            @if page.may_call_back || page.may_email { (tell(page)) }
            div.actions {
                button.solid type="submit" { "Assess the site" }
                button type="submit" formaction="/assessments/check" formnovalidate {
                    "Only look at the boundary"
                }
            }
        }
    }
}

fn tell(page: &NewAssessmentPage) -> Markup {
    html! {
        fieldset {
            legend { "Who is told, if anybody" }
            @if page.may_call_back {
                (line(page, Line { kind: "url", ..Line::text("Callback address", "callback",
                    &page.form.callback, "The result is sent there by PATCH, and again until it is \
                    taken.") }))
            }
            @if page.may_email {
                (line(page, Line { kind: "email", ..Line::text("E-mail", "email", &page.form.email,
                    "Somebody who is told when the result is there.") }))
            }
        }
    }
}

/// One line of the form.
struct Line<'a> {
    label: &'a str,
    name: &'a str,
    kind: &'a str,
    value: &'a str,
    hint: &'a str,
    required: bool,
}

impl<'a> Line<'a> {
    fn text(label: &'a str, name: &'a str, value: &'a str, hint: &'a str) -> Line<'a> {
        Line { label, name, kind: "text", value, hint, required: false }
    }
}

fn line(page: &NewAssessmentPage, line: Line<'_>) -> Markup {
    let wrong = page.findings.iter().find(|finding| finding.field == line.name);
    let hint = format!("{}-hint", line.name);
    html! {
        div.field {
            label for=(line.name) { (line.label) }
            input id=(line.name) name=(line.name) type=(line.kind) value=(line.value)
                required[line.required] min=[(line.kind == "number").then_some("1")]
                autocomplete="off" dir="auto" aria-describedby=(hint)
                aria-invalid=[wrong.map(|_| "true")];
            p.hint id=(hint) {
                @if let Some(wrong) = wrong { strong.wrong-field { (wrong.sentence) } " " }
                (line.hint)
            }
        }
    }
}
