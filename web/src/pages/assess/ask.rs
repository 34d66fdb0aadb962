//! A new assessment: the boundary of a site and what is to be built on it.

use maud::{Markup, html};
use serde::Serialize;

use super::boundary::BoundaryFinding;
use crate::parts::Choice;
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
    let _ = page;
    document(shell, Frame::Still, html! { h1 { "New assessment" } })
}
