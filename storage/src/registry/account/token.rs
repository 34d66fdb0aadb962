//! Tokens: what programs of a user prove themselves with.

use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

use super::session::SecretDigest;
use crate::clock::Timestamp;
use crate::registry::audit::NewNote;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::query::Kind::{Integer, Text, Time};
use crate::registry::query::Op::{Eq, In, IsNull, NotNull};
use crate::registry::query::{Column, Listing, Owner, Page, Query};
use crate::registry::{Error, Registry};

/// A token, without its secret, in the order of [`TOKENS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenRow {
    /// Its number, which opens nothing.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// What the owner calls it.
    pub name: String,
    /// `read` or `write`.
    pub scope: String,
    /// When it was made.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// Until when it works.
    #[serde(with = "Moment")]
    pub expires_at: Timestamp,
    /// When it was last used, to a few minutes.
    #[serde(with = "MaybeMoment")]
    pub used_at: Option<Timestamp>,
    /// When it was revoked.
    #[serde(with = "MaybeMoment")]
    pub revoked_at: Option<Timestamp>,
}

/// What it takes to keep a token.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Whose it is.
    pub user_id: i64,
    /// 1 to 100 characters.
    pub name: String,
    /// `read` or `write`.
    pub scope: &'static str,
    /// Until when it works.
    pub expires_at: Timestamp,
}

/// The listing of tokens, newest first. Whose they are is asked by the user's number.
pub static TOKENS: Listing = Listing {
    table: "tokens",
    view: "tokens",
    key: "id",
    columns: &[
        Column::new("id", Integer, &[Eq, In]).sortable(),
        Column::new("user_id", Integer, &[Eq, In]),
        Column::new("name", Text, &[Eq]),
        Column::new("scope", Text, &[Eq]),
        Column::new("created_at", Time, &[]).sortable(),
        Column::new("expires_at", Time, &[]).sortable(),
        Column::new("used_at", Time, &[IsNull, NotNull]).nullable(),
        Column::new("revoked_at", Time, &[IsNull, NotNull]).nullable(),
    ],
    owner: Owner {
        own: "user_id IN (SELECT id FROM users WHERE institution_id = ?)",
        unrestricted: None,
        shared: None,
    },
    default_sort: ("id", true),
};

/// Tokens of one user that work at the same time.
const MOST: u32 = 100;

impl Registry {
    /// Keeps a token, and writes what the log says of it.
    ///
    /// # Errors
    ///
    /// `Invalid` names a field that breaks its rule, `Refused` when the user has too many.
    pub fn create_token(
        &self,
        digest: &SecretDigest,
        new: &NewToken,
        note: impl FnOnce(&TokenRow) -> Option<NewNote>,
        now: Timestamp,
    ) -> Result<TokenRow, Error> {
        if !(1..=100).contains(&new.name.chars().count()) || new.name.chars().any(char::is_control)
        {
            let rule = "of a token must have 1 to 100 characters in one line".to_owned();
            return Err(Error::Invalid { field: "name", rule });
        }
        self.write_noted(now, |tx| {
            let sql = "SELECT count(*) FROM tokens
                WHERE user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2";
            let count: u32 = tx.query_row(sql, params![new.user_id, now], |row| row.get(0))?;
            if count >= MOST {
                let why = format!("there are {MOST} tokens already: revoke one that is not used");
                return Err(Error::Refused { why });
            }
            let sql = format!(
                "INSERT INTO tokens (token_sha256, user_id, name, scope, created_at, expires_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING {}",
                TOKENS.column_list()
            );
            let (user, expires) = (new.user_id, new.expires_at);
            let values = params![digest, user, new.name, new.scope, now, expires];
            let token = tx.query_row(&sql, values, TokenRow::read)?;
            let notes = note(&token).into_iter().collect();
            Ok((token, notes))
        })
    }

    /// The token with this secret, while it works. Notes that it was used, unless that was noted
    /// less than `note_after` ago.
    pub fn live_token(
        &self,
        digest: &SecretDigest,
        now: Timestamp,
        note_after: Duration,
    ) -> Result<Option<TokenRow>, Error> {
        let sql = format!(
            "SELECT {} FROM tokens
             WHERE token_sha256 = ?1 AND revoked_at IS NULL AND expires_at > ?2",
            TOKENS.column_list()
        );
        let found = self.one(&sql, params![digest, now], TokenRow::read)?;
        if let Some(token) = &found
            && token.used_at.is_none_or(|used| now.since(used) >= note_after)
        {
            self.write::<_, Error>(|tx| {
                tx.execute("UPDATE tokens SET used_at = ?2 WHERE id = ?1", params![token.id, now])?;
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The token with this number, working or not.
    pub fn token(&self, id: i64) -> Result<Option<TokenRow>, Error> {
        let sql = format!("SELECT {} FROM tokens WHERE id = ?1", TOKENS.column_list());
        self.one(&sql, [id], TokenRow::read)
    }

    /// One page of tokens.
    pub fn list_tokens(&self, query: &Query) -> Result<Page<TokenRow>, Error> {
        self.list(&TOKENS, query, TokenRow::read)
    }

    /// Ends a token for good; false when it was revoked before.
    pub fn revoke_token(&self, id: i64, now: Timestamp) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "UPDATE tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
            Ok(tx.execute(sql, params![id, now])? > 0)
        })
    }
}

impl TokenRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<TokenRow> {
        let mut of = Fields::of(row);
        Ok(TokenRow {
            id: of.take()?,
            user_id: of.take()?,
            name: of.take()?,
            scope: of.take()?,
            created_at: of.take()?,
            expires_at: of.take()?,
            used_at: of.take()?,
            revoked_at: of.take()?,
        })
    }
}
