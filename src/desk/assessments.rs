//! Assessments, as the desk offers them: ask, look, take the result, have it sent again.

use nutrients::{
    Assessment, BoundaryCheck, BoundaryRules, Cancel, Code, Findings, JobShape, Limits,
    NearbyWorks, Shape, Upload, area_finding, check_boundary, read_job, record,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::registry::{
    ASSESSMENTS, AssessmentRow, AssessmentState, AttemptTold, BadQuery, Counting, Deed,
    DeliveryRow, LevyRow, Query, SecretDigest, Uuid,
};

use super::site_form::{SiteForm, bad, method_or, site_of, wish_of};
use super::stored_input::fetched;
use super::{Desk, DeskError};
use crate::accounts::Note;
use crate::assess::{Asked, Asker, Wish, ask, nameless};
use crate::rights::{Caller, Right};

/// Attempts shown of one assessment.
const ATTEMPTS: u32 = 1000;

/// A page of assessments.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AssessmentList {
    /// How many there are.
    pub count: u64,
    /// False when there are more than were counted.
    pub count_is_exact: bool,
    /// Continues behind this page.
    pub next_cursor: Option<String>,
    /// The assessments.
    pub assessments: Vec<AssessmentRow>,
}

/// One assessment with its result and how that is told.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AssessmentDetail {
    /// The assessment.
    pub assessment: AssessmentRow,
    /// The result, once there is one: what is built, where it lies, land, wastewater, totals in
    /// kilograms a year, and all that is needed to make it again.
    pub result: Option<Map<String, Value>>,
    /// How it reaches those who wait for it.
    pub deliveries: Vec<DeliveryRow>,
    /// Every attempt at that.
    pub attempts: Vec<AttemptTold>,
    /// The price, where one was worked out.
    pub levy: Option<LevyRow>,
}

/// An assessment that was asked for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AssessmentAsked {
    /// Its UUID.
    pub id: Uuid,
    /// What the asker calls it.
    pub reference: String,
    /// What became of it so far.
    pub state: AssessmentState,
    /// Whether the same was asked before, and this is it.
    pub joined: bool,
    /// The item that works on it.
    pub item: Option<i64>,
    /// Who has this may read the result; it is told once.
    pub access_token: String,
    /// Where the result is to be had, by the token.
    pub poll_url: String,
    /// The page to look at.
    pub page: String,
}

/// A boundary to be looked at.
#[derive(Clone, Copy, Debug)]
pub struct BoundaryAsked<'a> {
    pub file_name: &'a str,
    pub bytes: &'a [u8],
    pub inside: Option<&'a str>,
    /// Ends the reading when nobody waits for it any more.
    pub cancel: &'a Cancel,
}

/// A treatment works near a site.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorksNearby {
    /// Its number.
    pub wwtw_id: i64,
    /// Its name, or `WWTW` and its number.
    pub name: String,
    /// From the middle of the site to its catchment, in kilometres.
    pub distance_km: f64,
}

impl From<NearbyWorks> for WorksNearby {
    fn from(works: NearbyWorks) -> WorksNearby {
        let NearbyWorks { wwtw_id, name, distance_km } = works;
        WorksNearby { wwtw_id, name, distance_km }
    }
}

/// Findings in a sentence, each with where it is.
pub(super) fn worded(findings: &Findings) -> String {
    format!("the site was not taken: {findings}")
}

impl Desk<'_> {
    /// Assessments by filter, the newest first.
    pub fn assessments(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<AssessmentList, DeskError> {
        check_words(pairs)?;
        let query = Query::parse(&ASSESSMENTS, pairs)?.counting(counting).seen_by(self.sight());
        let page = self.app.registry.list_assessments(&query)?;
        let shown = page.rows.len() as u64;
        let (count, count_is_exact) = page.count.map_or((shown, false), |it| (it.value, it.exact));
        let next_cursor = page.next_cursor;
        Ok(AssessmentList { count, count_is_exact, next_cursor, assessments: page.rows })
    }

    /// The row of an assessment, by number or UUID, if it is the caller's to know.
    pub fn assessment_row(&self, which: &str) -> Result<AssessmentRow, DeskError> {
        let own = |row: &AssessmentRow| self.owns(Some(row.institution_id));
        find(self, which)?.filter(own).ok_or_else(|| missing(which))
    }

    /// One assessment, by number or UUID.
    pub fn assessment(&self, which: &str) -> Result<AssessmentDetail, DeskError> {
        self.assessment_detail(self.assessment_row(which)?)
    }

    /// The same for whoever has its token; none when the token is not the right one.
    pub fn assessment_by_token(
        &self,
        which: &str,
        token: &SecretDigest,
    ) -> Result<Option<AssessmentDetail>, DeskError> {
        let row = find(self, which)?.ok_or_else(|| missing(which))?;
        match self.app.registry.opens_assessment(row.id, token)? {
            true => self.assessment_detail(row).map(Some),
            false => Ok(None),
        }
    }

    fn assessment_detail(&self, row: AssessmentRow) -> Result<AssessmentDetail, DeskError> {
        let registry = &self.app.registry;
        let result = self.result_of(&row)?.map(|result| record(&result));
        Ok(AssessmentDetail {
            result: result.and_then(|value| match value {
                Value::Object(object) => Some(object),
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_) => None,
            }),
            deliveries: registry.deliveries_of(row.id)?,
            attempts: registry.delivery_attempts(row.id, ATTEMPTS)?,
            levy: registry.levy_of(row.id)?,
            assessment: row,
        })
    }

    /// The whole result, with the shapes of its pieces.
    pub fn assessment_result(&self, which: &str) -> Result<Assessment, DeskError> {
        let row = self.assessment_row(which)?;
        let state = row.state.name();
        let none = || DeskError::NoResult(row.reference.clone(), state);
        self.result_of(&row)?.ok_or_else(none)
    }

    pub(crate) fn result_of(&self, row: &AssessmentRow) -> Result<Option<Assessment>, DeskError> {
        let text = self.app.registry.assessment_result(row.id)?;
        text.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| {
            let what = format!("the result of assessment {} cannot be read: {error}", row.id);
            storage::registry::Error::Corrupt { what, source: None }.into()
        })
    }

    /// What was asked, as it was kept.
    pub(crate) fn assessment_wish(&self, row: &AssessmentRow) -> Result<Wish, DeskError> {
        let text = self.app.registry.assessment_wish(row.id)?.unwrap_or_default();
        serde_json::from_str(&text).map_err(|error| {
            let what = format!("the question of assessment {} cannot be read: {error}", row.id);
            storage::registry::Error::Corrupt { what, source: None }.into()
        })
    }

    /// Asks for the site of a form.
    pub fn assess_site(&self, form: &SiteForm) -> Result<AssessmentAsked, DeskError> {
        let institution = self.institution_for(&form.institution)?;
        let wish = wish_of(form, self.app.config.assess.method)?;
        self.ask_for_assessment(&wish, institution)
    }

    /// Asks for what a job message says. Its boundary may come beside it, or lie where inputs are left.
    pub fn assess_message(
        &self,
        message: &[u8],
        form: &SiteForm,
    ) -> Result<AssessmentAsked, DeskError> {
        let institution = self.institution_for(&form.institution)?;
        let limits = Limits { cancel: form.cancel.clone(), ..Limits::default() };
        let job = read_job(message, &limits).map_err(DeskError::BadSite)?;
        let method = method_or(&form.method, self.app.config.assess.method);
        let name = |shape: &Shape| match job.reference.as_deref() {
            Some(reference) if !reference.trim().is_empty() => reference.trim().to_owned(),
            Some(_) | None => nameless(shape),
        };
        let wish = match &job.shape {
            JobShape::Inline { shape, .. } => Wish::of_job(&job, &name(shape), method),
            JobShape::Stored(key) => {
                let beside;
                let form = match form.bytes.is_empty() {
                    false => form,
                    true => {
                        let (file_name, bytes) = fetched(&self.app.config, key)?;
                        beside = SiteForm { file_name, bytes, ..form.clone() };
                        &beside
                    }
                };
                let mut site = site_of(form, job.category(), job.dwellings)?;
                site.people = job.people;
                Some(Wish::with_job(&job, &name(&site.shape), method, site))
            }
        };
        let Some(wish) = wish else {
            return Err(bad(Code::UnreadableMessage, "the message brings no boundary; send one"));
        };
        self.ask_for_assessment(&wish, institution)
    }

    /// Asks for the same site once more, with what is in use now.
    pub fn assess_again(&self, which: &str) -> Result<AssessmentAsked, DeskError> {
        let row = self.assessment_row(which)?;
        self.ask_for_assessment(&self.assessment_wish(&row)?, row.institution_id)
    }

    fn ask_for_assessment(
        &self,
        wish: &Wish,
        institution: i64,
    ) -> Result<AssessmentAsked, DeskError> {
        let most_ha = self.app.config.assess.area_max_ha;
        if let Some(finding) = area_finding(&wish.site.shape, most_ha) {
            return Err(DeskError::BadSite(finding.into()));
        }
        let asker = Asker { name: self.caller.name(), institution };
        let Asked { row, joined, token } = ask(self.app, asker, wish)?;
        let note = Note::of(Deed::Assess).to("assessment", &row.reference);
        self.note(note.within(Some(institution)).saying(if joined { "asked before" } else { "" }));
        Ok(AssessmentAsked {
            id: row.uuid,
            reference: row.reference,
            state: row.state,
            joined,
            item: row.item_id,
            poll_url: format!("/api/v1/assessments/{}/poll?access_token={token}", row.uuid),
            page: format!("/assessments/{}", row.uuid),
            access_token: token,
        })
    }

    /// Has what was given up sent again; says how much that was.
    pub fn send_result_again(&self, which: &str) -> Result<AssessmentDetail, DeskError> {
        let row = self.assessment_row(which)?;
        let count = self.app.registry.deliver_again(row.id, self.app.shop.clock.now())?;
        if count == 0 {
            let why = "nothing about this result was given up; it was sent, or is tried again";
            return Err(DeskError::Declined(why.into()));
        }
        self.app.outbox.deliver_aside().ok();
        let note = Note::of(Deed::SendAgain).to("assessment", &row.reference);
        self.note(note.within(Some(row.institution_id)));
        self.assessment_detail(row)
    }

    /// Looks at a boundary, and keeps nothing.
    pub fn check_boundary(&self, asked: &BoundaryAsked<'_>, rules: BoundaryRules) -> BoundaryCheck {
        let BoundaryAsked { file_name, bytes, inside, cancel } = *asked;
        let upload = Upload { file_name, bytes, inside };
        // Without reference data the shape alone is judged.
        let reference = self.app.atlas.reference().ok();
        let area_ha = self.app.config.assess.area_max_ha;
        let limits = Limits { area_ha, cancel: cancel.clone(), ..Limits::default() };
        check_boundary(&upload, rules, &limits, reference.as_deref())
    }

    /// The treatment works near a shape, the nearest first.
    pub fn works_nearby(&self, shape: &Shape, metres: f64) -> Result<Vec<WorksNearby>, DeskError> {
        let reference = self.app.atlas.reference()?;
        Ok(reference.nearby_works(shape, metres).into_iter().map(WorksNearby::from).collect())
    }

    /// For whom something is asked: who is named, or the caller's own.
    fn institution_for(&self, named: &str) -> Result<i64, DeskError> {
        let registry = &self.app.registry;
        let id = match (named.trim(), self.caller) {
            ("", Caller::Person(person)) => person.user.institution_id,
            ("", Caller::House | Caller::Stranger) => {
                let all = crate::ingest::institutions(self.app)
                    .map_err(|_| DeskError::Areas("no institution could be found".into()))?;
                let own = &self.app.config.ingest.institution;
                let own = all.iter().find(|it| it.identifier == *own).or(all.first());
                own.ok_or_else(|| DeskError::Declined("there is no institution".into()))?.id
            }
            (named, _) => {
                let found = match named.parse() {
                    Ok(number) => registry.institution(number)?,
                    Err(_) => registry.institution_by_identifier(named)?,
                };
                let missing = || BadQuery {
                    parameter: "institution".into(),
                    problem: "names no institution".into(),
                };
                found.ok_or_else(missing)?.id
            }
        };
        if !self.owns(Some(id)) {
            let right = Right::Assess;
            return Err(DeskError::NotAllowed { right, what: format!("institution {id}") });
        }
        Ok(id)
    }
}

fn find(desk: &Desk<'_>, which: &str) -> Result<Option<AssessmentRow>, DeskError> {
    let registry = &desk.app.registry;
    Ok(match (which.parse(), Uuid::parse(which)) {
        (Ok(number), _) => registry.assessment(number)?,
        (Err(_), Some(uuid)) => registry.assessment_by_uuid(uuid)?,
        (Err(_), None) => None,
    })
}

fn missing(which: &str) -> DeskError {
    DeskError::NoSuchAssessment(which.chars().take(80).collect())
}

/// A mistyped state would look like good news: nothing found.
fn check_words(pairs: &[(String, String)]) -> Result<(), DeskError> {
    for (name, value) in pairs {
        if matches!(name.as_str(), "state" | "state__in")
            && AssessmentState::from_name(value).is_none()
        {
            let known = AssessmentState::ALL.map(AssessmentState::name).join(", ");
            let problem = format!("is {value:?}; it is one of {known}");
            return Err(BadQuery { parameter: name.clone(), problem }.into());
        }
    }
    Ok(())
}
