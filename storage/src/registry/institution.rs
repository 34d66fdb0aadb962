//! Institutions: who deposits. They are deactivated, never deleted.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::query::Kind::{Bool, Integer, Text, Time};
use crate::registry::query::Op::{Contains, Eq, In, IsNull, NotNull, StartsWith};
use crate::registry::query::{Column, Listing, Owner, Page, Query};
use crate::registry::{Error, Registry};

/// Whether an institution stands on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum InstitutionKind {
    /// A member in its own right.
    #[serde(rename = "MemberInstitution")]
    Member,
    /// An account under a member.
    #[serde(rename = "SubscriptionInstitution")]
    Subscription,
}

/// Whether an institution takes part at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Standing {
    /// It does.
    #[serde(rename = "A")]
    Active,
    /// It was deactivated.
    #[serde(rename = "D")]
    Deactivated,
}

/// An institution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Institution {
    /// Given by the registry.
    pub id: i64,
    /// 5 to 200 bytes.
    pub name: String,
    /// DNS name that begins the identifier of everything it owns.
    pub identifier: String,
    /// Whether it takes part.
    pub state: Standing,
    /// Member or account under one.
    #[serde(rename = "type")]
    pub kind: InstitutionKind,
    /// The member it is an account of.
    pub member_institution_id: Option<i64>,
    /// When it was deactivated.
    #[serde(with = "MaybeMoment")]
    pub deactivated_at: Option<Timestamp>,
    /// Whether it wants two-factor sign-in of everybody.
    pub otp_enabled: bool,
    /// Where its bags are received.
    pub receiving_bucket: String,
    /// Where restored things are put for it.
    pub restore_bucket: String,
    /// Days between restoration tests; zero for none.
    pub spot_restore_frequency: i64,
    /// The item of the last restoration test.
    pub last_spot_restore_work_item_id: Option<i64>,
    /// When it was made.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[serde(with = "Moment")]
    pub updated_at: Timestamp,
}

/// What it takes to make an institution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewInstitution {
    /// 5 to 200 bytes.
    pub name: String,
    /// Lowercase DNS name with at least one dot.
    pub identifier: String,
    /// Member or account under one.
    #[serde(rename = "type")]
    pub kind: InstitutionKind,
    /// Required for an account, refused for a member.
    pub member_institution_id: Option<i64>,
    /// Where its bags are received; no two institutions share one.
    pub receiving_bucket: String,
    /// Where restored things are put; no two institutions share one.
    pub restore_bucket: String,
}

/// The listing of institutions, by name.
pub static INSTITUTIONS: Listing = Listing {
    table: "institutions",
    view: "institutions",
    key: "id",
    columns: &[
        Column::new("id", Integer, &[Eq, In]).sortable(),
        Column::new("name", Text, &[Eq, StartsWith, Contains]).sortable(),
        Column::new("identifier", Text, &[Eq, Contains]).sortable(),
        Column::new("state", Text, &[Eq]),
        Column::new("type", Text, &[Eq]),
        Column::new("member_institution_id", Integer, &[Eq, IsNull, NotNull]).nullable(),
        Column::new("deactivated_at", Time, &[IsNull, NotNull]).nullable(),
        Column::new("otp_enabled", Bool, &[Eq]),
        Column::new("receiving_bucket", Text, &[Eq]),
        Column::new("restore_bucket", Text, &[Eq]),
        Column::new("spot_restore_frequency", Integer, &[]),
        Column::new("last_spot_restore_work_item_id", Integer, &[]).nullable(),
        Column::new("created_at", Time, &[]).sortable(),
        Column::new("updated_at", Time, &[]).sortable(),
    ],
    owner: Owner { own: "id = ?", unrestricted: None, shared: None },
    default_sort: ("name", false),
};

const ADOPT: &str = "INSERT INTO institutions (id, name, identifier, state, type,
        member_institution_id, deactivated_at, otp_enabled, receiving_bucket, restore_bucket,
        spot_restore_frequency, last_spot_restore_work_item_id, created_at, updated_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
    ON CONFLICT (identifier) DO UPDATE SET name = excluded.name, state = excluded.state,
        deactivated_at = excluded.deactivated_at, otp_enabled = excluded.otp_enabled,
        receiving_bucket = excluded.receiving_bucket, restore_bucket = excluded.restore_bucket,
        spot_restore_frequency = excluded.spot_restore_frequency,
        last_spot_restore_work_item_id = excluded.last_spot_restore_work_item_id,
        updated_at = excluded.updated_at
    WHERE excluded.updated_at > institutions.updated_at";

impl Registry {
    /// Makes an institution, active from now on.
    ///
    /// # Errors
    ///
    /// `Invalid` names the field that breaks a rule, `NotFound` a parent that is not there,
    /// `Conflict` an identifier or bucket that is taken.
    pub fn create_institution(
        &self,
        new: &NewInstitution,
        now: Timestamp,
    ) -> Result<Institution, Error> {
        new.validate()?;
        self.write(|tx| {
            if let Some(parent) = new.member_institution_id {
                check_parent(tx, parent)?;
            }
            let sql = format!(
                "INSERT INTO institutions (name, identifier, state, type, member_institution_id,
                     receiving_bucket, restore_bucket, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) RETURNING {}",
                INSTITUTIONS.column_list()
            );
            let values = params![
                new.name,
                new.identifier,
                Standing::Active,
                new.kind,
                new.member_institution_id,
                new.receiving_bucket,
                new.restore_bucket,
                now
            ];
            Ok(tx.query_row(&sql, values, Institution::read)?)
        })
    }

    /// Takes an institution as another registry had it, with its id. Of two that differ, the one
    /// that was changed last stands.
    ///
    /// # Errors
    ///
    /// `Conflict` when another institution has its id, name, identifier or buckets.
    pub fn adopt_institution(&self, institution: &Institution) -> Result<(), Error> {
        let it = institution;
        self.write(|tx| {
            tx.execute(
                ADOPT,
                params![
                    it.id,
                    it.name,
                    it.identifier,
                    it.state,
                    it.kind,
                    it.member_institution_id,
                    it.deactivated_at,
                    it.otp_enabled,
                    it.receiving_bucket,
                    it.restore_bucket,
                    it.spot_restore_frequency,
                    it.last_spot_restore_work_item_id,
                    it.created_at,
                    it.updated_at
                ],
            )?;
            Ok(())
        })
    }

    /// The institution with this id.
    pub fn institution(&self, id: i64) -> Result<Option<Institution>, Error> {
        let name = format!("institution {id}");
        self.memory
            .figure((self.memory.mark(), &name), || self.read(|conn| find(conn, "id = ?1", &id)))
    }

    /// The institution with this DNS name, in any case.
    pub fn institution_by_identifier(
        &self,
        identifier: &str,
    ) -> Result<Option<Institution>, Error> {
        self.read(|conn| find(conn, "identifier = ?1", &identifier))
    }

    /// One page of institutions.
    pub fn list_institutions(&self, query: &Query) -> Result<Page<Institution>, Error> {
        self.list(&INSTITUTIONS, query, Institution::read)
    }
}

/// Fails with `NotFound` unless the institution exists.
pub(super) fn require(conn: &Connection, id: i64) -> Result<Institution, Error> {
    let missing = || Error::NotFound { what: format!("institution {id}") };
    find(conn, "id = ?1", &id)?.ok_or_else(missing)
}

fn check_parent(conn: &Connection, parent: i64) -> Result<(), Error> {
    match require(conn, parent)?.kind {
        InstitutionKind::Member => Ok(()),
        InstitutionKind::Subscription => Err(Error::Invalid {
            field: "member_institution_id",
            rule: "must name a member, not another account".to_owned(),
        }),
    }
}

fn find(conn: &Connection, which: &str, value: &dyn ToSql) -> Result<Option<Institution>, Error> {
    let sql = format!("SELECT {} FROM institutions WHERE {which}", INSTITUTIONS.column_list());
    Ok(conn.prepare_cached(&sql)?.query_row([value], Institution::read).optional()?)
}

impl NewInstitution {
    fn validate(&self) -> Result<(), Error> {
        let bad = |field, rule: &str| Err(Error::Invalid { field, rule: rule.to_owned() });
        if !(5..=200).contains(&self.name.len()) || self.name.chars().any(char::is_control) {
            return bad("name", "must have 5 to 200 bytes in one line");
        }
        if !is_dns_name(&self.identifier) {
            return bad("identifier", "must be a lowercase DNS name with a dot, as in example.edu");
        }
        if self.receiving_bucket.is_empty() {
            return bad("receiving_bucket", "must not be empty");
        }
        if self.restore_bucket.is_empty() || self.restore_bucket == self.receiving_bucket {
            return bad("restore_bucket", "must not be empty, nor the receiving bucket");
        }
        match (self.kind, self.member_institution_id) {
            (InstitutionKind::Member, None) | (InstitutionKind::Subscription, Some(_)) => Ok(()),
            (InstitutionKind::Member, Some(_)) => {
                bad("member_institution_id", "must be absent for a member")
            }
            (InstitutionKind::Subscription, None) => {
                bad("member_institution_id", "must name the member it is an account of")
            }
        }
    }
}

/// Letters, digits and inner hyphens in two or more labels of at most 63; 253 bytes in all.
fn is_dns_name(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    text.len() <= 253 && text.contains('.') && text.split('.').all(label)
}

impl Institution {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Institution> {
        let mut of = Fields::of(row);
        Ok(Institution {
            id: of.take()?,
            name: of.take()?,
            identifier: of.take()?,
            state: of.take()?,
            kind: of.take()?,
            member_institution_id: of.take()?,
            deactivated_at: of.take()?,
            otp_enabled: of.take()?,
            receiving_bucket: of.take()?,
            restore_bucket: of.take()?,
            spot_restore_frequency: of.take()?,
            last_spot_restore_work_item_id: of.take()?,
            created_at: of.take()?,
            updated_at: of.take()?,
        })
    }
}

impl ToSql for InstitutionKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            InstitutionKind::Member => "MemberInstitution".into(),
            InstitutionKind::Subscription => "SubscriptionInstitution".into(),
        })
    }
}

impl FromSql for InstitutionKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<InstitutionKind> {
        match value.as_str()? {
            "MemberInstitution" => Ok(InstitutionKind::Member),
            "SubscriptionInstitution" => Ok(InstitutionKind::Subscription),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl ToSql for Standing {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Standing::Active => "A".into(),
            Standing::Deactivated => "D".into(),
        })
    }
}

impl FromSql for Standing {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Standing> {
        match value.as_str()? {
            "A" => Ok(Standing::Active),
            "D" => Ok(Standing::Deactivated),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_dns_name;

    #[test]
    fn identifiers_are_dns_names() {
        for good in ["example.edu", "a.b", "lib-1.state.example.org"] {
            assert!(is_dns_name(good), "{good}");
        }
        for bad in ["example", "Example.edu", "a..b", ".a", "a.", "-a.b", "a-.b", "a b.c", "ä.de"]
        {
            assert!(!is_dns_name(bad), "{bad}");
        }
    }
}
