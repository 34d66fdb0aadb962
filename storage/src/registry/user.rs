//! Users: who may sign in. What proves who somebody is stands in `account`.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::account::{active_admins, keep_an_admin};
use crate::registry::audit::{Deed, NewNote};
use crate::registry::institution::require;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::query::Kind::{Integer, Text, Time};
use crate::registry::query::Op::{Contains, Eq, In, IsNull, NotNull, StartsWith};
use crate::registry::query::{Column, Listing, Owner, Page, Query};
use crate::registry::{Error, Registry};

/// What a user may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Role {
    /// Reads and restores within the institution.
    #[serde(rename = "institutional_user")]
    InstitutionalUser,
    /// Also deletes, and looks after the institution's users.
    #[serde(rename = "institutional_admin")]
    InstitutionalAdmin,
    /// Looks after the whole appliance.
    #[serde(rename = "admin")]
    Admin,
    /// Nothing.
    #[serde(rename = "none")]
    None,
}

/// A user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct User {
    /// Given by the registry.
    pub id: i64,
    /// 2 to 200 bytes.
    pub name: String,
    /// Unique whatever the case of its letters; kept as it was given.
    pub email: String,
    /// With country code.
    pub phone_number: Option<String>,
    /// Where the user belongs.
    pub institution_id: i64,
    /// What the user may do.
    pub role: Role,
    /// When the user was shut out; none while not.
    #[serde(with = "MaybeMoment")]
    pub deactivated_at: Option<Timestamp>,
    /// When the row was made.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// When the row was last changed.
    #[serde(with = "Moment")]
    pub updated_at: Timestamp,
}

/// What it takes to make a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewUser {
    /// 2 to 200 bytes.
    pub name: String,
    /// One `@` with something before it and a domain after it.
    pub email: String,
    /// `+` and 11 digits, when given.
    pub phone_number: Option<String>,
    /// Where the user belongs.
    pub institution_id: i64,
    /// What the user may do.
    pub role: Role,
}

/// What is to be changed of a user; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserChange {
    /// The name.
    pub name: Option<String>,
    /// The e-mail.
    pub email: Option<String>,
    /// The phone number, or none at all.
    pub phone_number: Option<Option<String>>,
    /// What the user may do.
    pub role: Option<Role>,
}

/// The listing of users, by name.
pub static USERS: Listing = Listing {
    table: "users",
    view: "users",
    key: "id",
    columns: &[
        Column::new("id", Integer, &[Eq, In]).sortable(),
        Column::new("name", Text, &[Eq, StartsWith, Contains]).sortable(),
        Column::new("email", Text, &[Eq, Contains]).sortable(),
        Column::new("phone_number", Text, &[]).nullable(),
        Column::new("institution_id", Integer, &[Eq, In]),
        Column::new("role", Text, &[Eq, In]),
        Column::new("deactivated_at", Time, &[IsNull, NotNull]).nullable(),
        Column::new("created_at", Time, &[]).sortable(),
        Column::new("updated_at", Time, &[]).sortable(),
    ],
    owner: Owner::INSTITUTION,
    default_sort: ("name", false),
};

impl Registry {
    /// Makes a user, and writes what the log says of it.
    ///
    /// # Errors
    ///
    /// `Invalid` names the field that breaks a rule, `NotFound` an institution that is not there,
    /// `Conflict` an e-mail that is taken.
    pub fn create_user(
        &self,
        new: &NewUser,
        note: impl FnOnce(&User) -> Option<NewNote>,
        now: Timestamp,
    ) -> Result<User, Error> {
        self.write_noted(now, |tx| {
            let user = insert(tx, new, now)?;
            let notes = note(&user).into_iter().collect();
            Ok((user, notes))
        })
    }

    /// Changes what is said of a user, and writes what the log says of it, given the user before and
    /// after. One who may do nothing any more is signed out everywhere.
    ///
    /// # Errors
    ///
    /// As `create_user`; `Refused` when nobody would be left to look after the appliance.
    pub fn change_user(
        &self,
        user: i64,
        change: &UserChange,
        note: impl FnOnce(&(User, User)) -> Option<NewNote>,
        now: Timestamp,
    ) -> Result<User, Error> {
        self.write_noted(now, |tx| {
            let pair = self::change(tx, user, change, now)?;
            let mut notes = Vec::from_iter(note(&pair));
            let (before, after) = pair;
            if before.role.is_admin() && before.role != after.role {
                let said = |note: &NewNote| NewNote {
                    deed: Deed::TakeAdminRole,
                    detail: before.role.name().to_owned(),
                    ..note.clone()
                };
                notes.extend(notes.first().map(said));
            }
            Ok((after, notes))
        })
    }

    /// The user with this id.
    pub fn user(&self, id: i64) -> Result<Option<User>, Error> {
        self.read(|conn| find(conn, "id = ?1", &id))
    }

    /// The user with this e-mail, in any case.
    pub fn user_by_email(&self, email: &str) -> Result<Option<User>, Error> {
        self.read(|conn| find(conn, "email = ?1", &email))
    }

    /// One page of users.
    pub fn list_users(&self, query: &Query) -> Result<Page<User>, Error> {
        self.list(&USERS, query, User::read)
    }
}

/// Changes the row of a user: the user before and after. A change of the e-mail that waits to be confirmed is given up when the
/// e-mail becomes another.
pub(super) fn change(
    tx: &Transaction<'_>,
    user: i64,
    change: &UserChange,
    now: Timestamp,
) -> Result<(User, User), Error> {
    let before = active_admins(tx)?;
    let known = find(tx, "id = ?1", &user)?;
    let known = known.ok_or_else(|| Error::NotFound { what: format!("user {user}") })?;
    let new = NewUser {
        name: change.name.clone().unwrap_or_else(|| known.name.clone()),
        email: change.email.clone().unwrap_or_else(|| known.email.clone()),
        phone_number: change.phone_number.clone().unwrap_or_else(|| known.phone_number.clone()),
        institution_id: known.institution_id,
        role: change.role.unwrap_or(known.role),
    };
    new.validate()?;
    let sql = format!(
        "UPDATE users SET name = ?2, email = ?3, phone_number = ?4, role = ?5,
             updated_at = ?6 WHERE id = ?1 RETURNING {}",
        USERS.column_list()
    );
    let values = params![user, new.name, new.email, new.phone_number, new.role, now];
    let changed = tx.query_row(&sql, values, User::read)?;
    if changed.role == Role::None {
        tx.execute("DELETE FROM sessions WHERE user_id = ?1", [user])?;
        tx.execute("DELETE FROM half_sign_ins WHERE user_id = ?1", [user])?;
    }
    if changed.email != known.email {
        tx.execute("DELETE FROM email_changes WHERE user_id = ?1", [user])?;
    }
    keep_an_admin(tx, before)?;
    Ok((known, changed))
}

/// Adds the row of a new user.
pub(super) fn insert(conn: &Connection, new: &NewUser, now: Timestamp) -> Result<User, Error> {
    new.validate()?;
    require(conn, new.institution_id)?;
    let sql = format!(
        "INSERT INTO users
             (name, email, phone_number, institution_id, role, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) RETURNING {}",
        USERS.column_list()
    );
    let values = params![new.name, new.email, new.phone_number, new.institution_id, new.role, now];
    Ok(conn.query_row(&sql, values, User::read)?)
}

pub(super) fn find(
    conn: &Connection,
    which: &str,
    value: &dyn ToSql,
) -> Result<Option<User>, Error> {
    let sql = format!("SELECT {} FROM users WHERE {which}", USERS.column_list());
    Ok(conn.prepare_cached(&sql)?.query_row([value], User::read).optional()?)
}

impl NewUser {
    fn validate(&self) -> Result<(), Error> {
        let bad = |field, rule: &str| Err(Error::Invalid { field, rule: rule.to_owned() });
        if !(2..=200).contains(&self.name.len()) || self.name.chars().any(char::is_control) {
            return bad("name", "must have 2 to 200 bytes in one line");
        }
        if !is_email(&self.email) {
            return bad("email", "must be an e-mail address");
        }
        let phone = self.phone_number.as_deref().map(|phone| phone.strip_prefix('+'));
        let eleven =
            |digits: &str| digits.len() == 11 && digits.bytes().all(|b| b.is_ascii_digit());
        match phone {
            None => Ok(()),
            Some(Some(digits)) if eleven(digits) => Ok(()),
            Some(_) => bad("phone_number", "must be + and 11 digits"),
        }
    }
}

/// Loose on purpose: only a message that arrives proves an address.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let clean = |c: char| !c.is_whitespace() && !c.is_control() && c != '@';
    text.len() <= 254
        && !local.is_empty()
        && domain.contains('.')
        && domain.split('.').all(|label| !label.is_empty())
        && local.chars().chain(domain.chars()).all(clean)
}

impl User {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<User> {
        let mut of = Fields::of(row);
        Ok(User {
            id: of.take()?,
            name: of.take()?,
            email: of.take()?,
            phone_number: of.take()?,
            institution_id: of.take()?,
            role: of.take()?,
            deactivated_at: of.take()?,
            created_at: of.take()?,
            updated_at: of.take()?,
        })
    }
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 4] =
        [Role::InstitutionalUser, Role::InstitutionalAdmin, Role::Admin, Role::None];

    /// Whether it looks after an institution or the appliance.
    pub fn is_admin(self) -> bool {
        matches!(self, Role::InstitutionalAdmin | Role::Admin)
    }

    /// The word for it in the registry and the API.
    pub fn name(self) -> &'static str {
        match self {
            Role::InstitutionalUser => "institutional_user",
            Role::InstitutionalAdmin => "institutional_admin",
            Role::Admin => "admin",
            Role::None => "none",
        }
    }
}

impl ToSql for Role {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.name().into())
    }
}

impl FromSql for Role {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Role> {
        let word = value.as_str()?;
        let known = Role::ALL.into_iter().find(|role| role.name() == word);
        known.ok_or(FromSqlError::InvalidType)
    }
}
