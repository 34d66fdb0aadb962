//! What may be changed of an institution: its name, and what it chooses for itself. Nothing else can
//! be, whatever a form sends.

use rusqlite::params;

use crate::clock::Timestamp;
use crate::registry::institution::{INSTITUTIONS, Institution, require};
use crate::registry::{Error, Registry};

/// What is to be changed of an institution; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstitutionChange {
    /// The name.
    pub name: Option<String>,
    /// Days between restoration tests; zero for none.
    pub spot_restore_frequency: Option<i64>,
    /// Whether everybody there signs in with a second factor.
    pub otp_enabled: Option<bool>,
}

/// Most days between restoration tests.
const DAYS: i64 = 3650;

impl Registry {
    /// Changes what is said of an institution.
    ///
    /// # Errors
    ///
    /// `Invalid` names the field that breaks a rule, `NotFound` when there is no such institution.
    pub fn change_institution(
        &self,
        institution: i64,
        change: &InstitutionChange,
        now: Timestamp,
    ) -> Result<Institution, Error> {
        change.validate()?;
        self.write(|tx| {
            require(tx, institution)?;
            let sql = format!(
                "UPDATE institutions SET name = coalesce(?2, name),
                     spot_restore_frequency = coalesce(?3, spot_restore_frequency),
                     otp_enabled = coalesce(?4, otp_enabled), updated_at = ?5
                 WHERE id = ?1 RETURNING {}",
                INSTITUTIONS.column_list()
            );
            let days = change.spot_restore_frequency;
            let values = params![institution, change.name, days, change.otp_enabled, now];
            Ok(tx.query_row(&sql, values, Institution::read)?)
        })
    }
}

impl InstitutionChange {
    fn validate(&self) -> Result<(), Error> {
        let bad = |field, rule: &str| Err(Error::Invalid { field, rule: rule.to_owned() });
        let long = |name: &String| !(5..=200).contains(&name.len());
        if self.name.as_ref().is_some_and(|it| long(it) || it.chars().any(char::is_control)) {
            return bad("name", "must have 5 to 200 bytes in one line");
        }
        if self.spot_restore_frequency.is_some_and(|days| !(0..=DAYS).contains(&days)) {
            return bad("spot_restore_frequency", "must be 0 to 3650 days");
        }
        Ok(())
    }
}
