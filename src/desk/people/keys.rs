//! What opens the door to somebody's own account: tokens and sessions. Administrators see and revoke
//! tokens of those they look after; only the owner of the data directory makes one for another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{Counting, Query, SessionRow, TOKENS, TokenRow, User};

use super::no_such;
use crate::accounts::{self, TOKEN_DAYS, TokenWish};
use crate::desk::{Desk, DeskError};
use crate::rights::{Caller, Right, TokenScope};

/// What it takes to make a token.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTokenWish {
    /// What the owner calls it.
    pub name: String,
    /// What it may be used for.
    #[serde(default = "reading")]
    pub scope: TokenScope,
    /// Days that it works; 90 unless told, a year at most.
    #[serde(default = "usual")]
    pub days: u32,
}

fn reading() -> TokenScope {
    TokenScope::Read
}

fn usual() -> u32 {
    TOKEN_DAYS
}

/// A token, told once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MadeToken {
    /// What a program sends: `Authorization: Bearer TEXT`.
    pub text: String,
    /// What is known of it from now on.
    pub token: TokenRow,
}

/// A page of tokens.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenList {
    /// How many there are.
    pub count: u64,
    /// False when there are more than were counted.
    #[serde(default)]
    pub count_is_exact: bool,
    /// Continues behind this page.
    #[serde(default)]
    pub next_cursor: Option<String>,
    /// The tokens.
    pub tokens: Vec<TokenRow>,
}

/// A session of somebody's own.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwnSession {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRow,
    /// Whether it is the one that asks.
    pub is_this: bool,
}

/// The sessions of somebody's own.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionList {
    /// The sessions, the last seen first.
    pub sessions: Vec<OwnSession>,
}

impl Desk<'_> {
    /// Tokens of one user: the caller's own when nobody is named.
    pub fn tokens(
        &self,
        of: Option<&str>,
        pairs: &[(String, String)],
    ) -> Result<TokenList, DeskError> {
        let owner = self.token_owner(of)?;
        let query = Query::parse(&TOKENS, pairs)?.only("user_id", &owner.id.to_string())?;
        let page = self.app.registry.list_tokens(&query.counting(Counting::Exact))?;
        let shown = page.rows.len() as u64;
        let (count, count_is_exact) = page.count.map_or((shown, false), |it| (it.value, it.exact));
        Ok(TokenList { count, count_is_exact, next_cursor: page.next_cursor, tokens: page.rows })
    }

    fn token_owner(&self, of: Option<&str>) -> Result<User, DeskError> {
        match of {
            Some(which) => self.find_kept_user(which),
            None => Ok(self.person()?.user.clone()),
        }
    }

    /// Makes a token of the caller, or of somebody else for the owner of the data directory.
    pub fn make_token(
        &self,
        of: Option<&str>,
        wish: &NewTokenWish,
    ) -> Result<MadeToken, DeskError> {
        if let (Some(of), false) = (of, matches!(self.caller, Caller::House)) {
            let what = format!("a token of {}", of.chars().take(200).collect::<String>());
            return Err(DeskError::NotAllowed { right: Right::OwnAccount, what });
        }
        let owner = self.token_owner(of)?;
        let wish = TokenWish { name: wish.name.clone(), scope: wish.scope, days: wish.days };
        let now = self.app.shop.clock.now();
        let made = accounts::make_token(&self.app.registry, self.caller, (&owner, &wish), now)?;
        Ok(MadeToken { text: made.0, token: made.1 })
    }

    /// Revokes a token of the caller's, or of a user they look after.
    pub fn revoke_token(&self, number: i64) -> Result<TokenRow, DeskError> {
        let registry = &self.app.registry;
        let missing = || no_such("token", &number.to_string());
        let token = registry.token(number)?.ok_or_else(missing)?;
        let owner = registry.user(token.user_id)?.ok_or_else(missing)?;
        let own = self.caller.user().is_some_and(|user| user.id == owner.id);
        if !own && !self.may_keep(&owner) {
            return Err(missing());
        }
        if !own {
            self.require_managing(Right::KeepUsers)?;
        }
        let now = self.app.shop.clock.now();
        accounts::revoke_token(registry, self.caller, (&owner, &token), now)?;
        registry.token(number)?.ok_or_else(missing)
    }

    /// The caller's sessions; `this` is the number of the one that asks.
    pub fn sessions(&self, this: Option<i64>) -> Result<SessionList, DeskError> {
        let user = &self.person()?.user;
        let found = accounts::sessions_of(&self.app.registry, user, self.app.shop.clock.now())?;
        let own = |session: SessionRow| OwnSession { is_this: this == Some(session.id), session };
        Ok(SessionList { sessions: found.into_iter().map(own).collect() })
    }

    /// Ends one of the caller's sessions.
    pub fn end_session(&self, number: i64) -> Result<(), DeskError> {
        let (person, now) = (self.person()?, self.app.shop.clock.now());
        Ok(accounts::end_own_session(&self.app.registry, person, number, now)?)
    }
}
