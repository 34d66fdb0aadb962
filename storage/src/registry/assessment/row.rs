//! The row of an assessment, and what can be asked of assessments.

use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::account::SecretDigest;
use crate::registry::holding::{Uuid, by_name};
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::query::Kind::{Integer, Text, Time};
use crate::registry::query::Op::{Eq, Gt, GtEq, In, IsNull, Lt, LtEq, NotNull, StartsWith};
use crate::registry::query::{Column, Listing, Op, Owner, Page, Query};
use crate::registry::{Error, Registry};

/// What became of an assessment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssessmentState {
    /// It is in line, or being worked on, or waits for a person.
    Waiting,
    /// There is a result.
    Assessed,
    /// Somebody cancelled it; there will be none.
    Cancelled,
}

impl AssessmentState {
    /// All of them.
    pub const ALL: [AssessmentState; 3] =
        [AssessmentState::Waiting, AssessmentState::Assessed, AssessmentState::Cancelled];

    /// The word in lists and sentences.
    pub fn name(self) -> &'static str {
        match self {
            AssessmentState::Waiting => "waiting",
            AssessmentState::Assessed => "assessed",
            AssessmentState::Cancelled => "cancelled",
        }
    }
}

by_name!(AssessmentState);

/// An assessment without its result, in the order of [`ASSESSMENTS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssessmentRow {
    /// Given by the registry.
    pub id: i64,
    /// Drawn when it was asked for.
    pub uuid: Uuid,
    /// What the asker calls it.
    pub reference: String,
    /// The name of the site.
    pub name: String,
    /// Whose it is.
    pub institution_id: i64,
    /// Who asked: an e-mail, or a word.
    pub asked_by: String,
    /// The item that works on it.
    pub item_id: Option<i64>,
    /// The method, by its name.
    pub method: String,
    /// The version of the reference data.
    pub data_version: String,
    /// Dwellings.
    pub dwellings: u32,
    /// Hectares, when it was assessed.
    pub area_ha: Option<String>,
    /// Kilograms of nitrogen a year.
    pub nitrogen_kg: Option<String>,
    /// Kilograms of phosphorus a year.
    pub phosphorus_kg: Option<String>,
    /// What became of it.
    pub state: AssessmentState,
    /// What was found, in a word.
    pub outcome: Option<String>,
    /// When it was asked for.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// When it was assessed or cancelled.
    #[serde(with = "MaybeMoment")]
    pub ended_at: Option<Timestamp>,
}

const SPAN: &[Op] = &[Eq, Gt, GtEq, Lt, LtEq];
const WORD: &[Op] = &[Eq, In];

/// The listing of assessments, the newest first.
pub static ASSESSMENTS: Listing = Listing {
    table: "assessments",
    view: "assessments",
    key: "id",
    columns: &[
        Column::new("id", Integer, &[Eq, In]).sortable(),
        Column::new("uuid", Text, &[Eq]).found_by("uuid = unhex(?, '-')"),
        Column::new("reference", Text, &[Eq, In, StartsWith])
            .sortable()
            .ordered(&["reference", "created_at"]),
        Column::new("name", Text, &[]),
        Column::new("institution_id", Integer, WORD).aside(),
        Column::new("asked_by", Text, &[Eq]),
        Column::new("item_id", Integer, WORD).nullable(),
        Column::new("method", Text, WORD).aside(),
        Column::new("data_version", Text, WORD).aside(),
        Column::new("dwellings", Integer, &[]),
        Column::new("area_ha", Text, &[]).nullable(),
        Column::new("nitrogen_kg", Text, &[]).nullable(),
        Column::new("phosphorus_kg", Text, &[]).nullable(),
        Column::new("state", Text, WORD).aside(),
        Column::new("outcome", Text, &[Eq, In, IsNull, NotNull]).nullable().aside(),
        Column::new("created_at", Time, SPAN).sortable(),
        Column::new("ended_at", Time, &[IsNull, NotNull]).nullable(),
    ],
    owner: Owner::INSTITUTION,
    default_sort: ("created_at", true),
};

impl Registry {
    /// One page of assessments.
    pub fn list_assessments(&self, query: &Query) -> Result<Page<AssessmentRow>, Error> {
        self.list(&ASSESSMENTS, query, AssessmentRow::read)
    }

    /// The assessment of this number.
    pub fn assessment(&self, id: i64) -> Result<Option<AssessmentRow>, Error> {
        self.one(&found_by("id = ?1"), [id], AssessmentRow::read)
    }

    /// The assessment of this UUID.
    pub fn assessment_by_uuid(&self, uuid: Uuid) -> Result<Option<AssessmentRow>, Error> {
        self.one(&found_by("uuid = ?1"), params![uuid], AssessmentRow::read)
    }

    /// What was asked, as it was kept.
    pub fn assessment_wish(&self, id: i64) -> Result<Option<String>, Error> {
        self.one("SELECT wish FROM assessments WHERE id = ?1", [id], |row| row.get(0))
    }

    /// The whole result; none while there is none.
    pub fn assessment_result(&self, id: i64) -> Result<Option<String>, Error> {
        let sql = "SELECT result FROM assessments WHERE id = ?1 AND result IS NOT NULL";
        self.one(sql, [id], |row| row.get(0))
    }

    /// Whether the token opens this assessment.
    pub fn opens_assessment(&self, id: i64, token: &SecretDigest) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM assessments WHERE id = ?1 AND token_sha256 = ?2 UNION ALL
            SELECT 1 FROM assessment_tokens WHERE assessment_id = ?1 AND token_sha256 = ?2 LIMIT 1";
        Ok(self.one(sql, params![id, token], |_| Ok(()))?.is_some())
    }

    /// Assessments that wait, by number, behind `after`.
    pub fn waiting_assessments(&self, after: i64, limit: u32) -> Result<Vec<AssessmentRow>, Error> {
        let sql = found_by("state = 'waiting' AND id > ?1 ORDER BY id LIMIT ?2");
        self.rows(&sql, params![after, limit], AssessmentRow::read)
    }
}

/// Selects rows that a condition holds for.
pub(super) fn found_by(condition: &str) -> String {
    format!("SELECT {} FROM assessments WHERE {condition}", ASSESSMENTS.column_list())
}

impl AssessmentRow {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<AssessmentRow> {
        let mut of = Fields::of(row);
        Ok(AssessmentRow {
            id: of.take()?,
            uuid: of.take()?,
            reference: of.take()?,
            name: of.take()?,
            institution_id: of.take()?,
            asked_by: of.take()?,
            item_id: of.take()?,
            method: of.take()?,
            data_version: of.take()?,
            dwellings: of.take()?,
            area_ha: of.take()?,
            nitrogen_kg: of.take()?,
            phosphorus_kg: of.take()?,
            state: of.take()?,
            outcome: of.take()?,
            created_at: of.take()?,
            ended_at: of.take()?,
        })
    }
}
