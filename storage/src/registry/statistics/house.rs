//! What reports have to know besides what is held: institutions, people, and when something was last
//! done.

use crate::clock::Timestamp;
use crate::registry::moment::Fields;
use crate::registry::{Error, EventType, Registry, Role};

/// Institutions and their people told at once.
const ROWS_MAX: u32 = 10_000;

/// An institution by its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstitutionName {
    /// Its number.
    pub id: i64,
    /// Its DNS name.
    pub identifier: String,
    /// Its name.
    pub name: String,
    /// The member that it is an account of.
    pub member_institution_id: Option<i64>,
}

/// How many people of an institution have a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoleCount {
    /// Where they belong.
    pub institution_id: i64,
    /// Their role.
    pub role: Role,
    /// How many are not shut out.
    pub count: u64,
}

impl Registry {
    /// Every institution, by name.
    pub fn institution_names(&self) -> Result<Vec<InstitutionName>, Error> {
        let sql = "SELECT id, identifier, name, member_institution_id FROM institutions
            ORDER BY name, id LIMIT ?1";
        self.rows(sql, [ROWS_MAX], |row| {
            let mut of = Fields::of(row);
            Ok(InstitutionName {
                id: of.take()?,
                identifier: of.take()?,
                name: of.take()?,
                member_institution_id: of.take()?,
            })
        })
    }

    /// How many people have which role, of those who are not shut out.
    pub fn role_counts(&self) -> Result<Vec<RoleCount>, Error> {
        let sql = "SELECT institution_id, role, count(*) FROM users WHERE deactivated_at IS NULL
            GROUP BY institution_id, role ORDER BY institution_id, role LIMIT ?1";
        self.rows(sql, [ROWS_MAX], |row| {
            let mut of = Fields::of(row);
            Ok(RoleCount { institution_id: of.take()?, role: of.take()?, count: of.count()? })
        })
    }

    /// When an event of a type last happened.
    pub fn last_event(&self, event_type: EventType) -> Result<Option<Timestamp>, Error> {
        let sql = "SELECT max(date_time) FROM events WHERE event_type = ?1";
        Ok(self.one(sql, [event_type.name()], |row| Fields::of(row).maybe_millis())?.flatten())
    }
}
