//! Who is told.

use rusqlite::params;

use crate::registry::{Error, Registry};

/// Most people that one alert is sent to.
const MOST: u32 = 1000;

/// Who is told of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The administrators of the institution.
    Administrators,
    /// Everyone of the institution.
    Everyone,
    /// The administrators of the institution, and the house's own people.
    AdministratorsAndStaff,
    /// The house's own people.
    Staff,
}

impl Registry {
    /// The e-mail addresses of those who are told, of people who were not shut out.
    pub fn addresses(
        &self,
        audience: Audience,
        institution: Option<i64>,
    ) -> Result<Vec<String>, Error> {
        let whose = match audience {
            Audience::Administrators => "institution_id = ?1 AND role = 'institutional_admin'",
            Audience::Everyone => "institution_id = ?1 AND role <> 'none'",
            Audience::AdministratorsAndStaff => {
                "((institution_id = ?1 AND role = 'institutional_admin') OR role = 'admin')"
            }
            // The institution does not matter, and is bound all the same.
            Audience::Staff => "(role = 'admin' AND (?1 IS NULL OR ?1 IS NOT NULL))",
        };
        let sql = format!(
            "SELECT email FROM users WHERE deactivated_at IS NULL AND {whose}
             ORDER BY id LIMIT ?2"
        );
        self.rows(&sql, params![institution, MOST], |row| row.get(0))
    }
}
