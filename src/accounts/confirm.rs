//! Somebody who has signed in proves once more who they are, before what cannot be undone: by a code
//! where the account has a second factor, and by the password where it has none. A second factor that
//! is new does not prove it alone: whoever enrolled it may not be whose account it is.
//!
//! What is wrong counts as a failed sign-in, with the same waits.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::{Registry, User};

use super::sign_in::sign_in_from;
use super::{AccountError, Source, factor};

/// What somebody gives to prove it.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdentityProof {
    /// The password, of an account without a second factor, or with one that is younger than seven
    /// days or than what is approved.
    #[schemars(example = "correct horse battery")]
    pub password: Option<String>,
    /// A code of the second factor, of an account that has one.
    pub code: Option<String>,
}

/// A user who has just proved who they are. Only [`confirm_identity`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfirmedUser(i64);

impl ConfirmedUser {
    /// The number of the user.
    pub fn user_id(self) -> i64 {
        self.0
    }
}

/// For so long, a second factor does not prove alone who somebody is.
const NEW: Duration = Duration::from_secs(7 * 86_400);

/// What somebody has to give to prove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofAsked {
    /// The password.
    pub password: bool,
    /// A code of the second factor.
    pub code: bool,
}

/// What has to be given for something that was begun at a moment: by somebody else, who may have had
/// this account's session since.
pub fn proof_asked(
    registry: &Registry,
    user: &User,
    begun_at: Timestamp,
    now: Timestamp,
) -> Result<ProofAsked, AccountError> {
    let confirmed = registry.factor(user.id)?.and_then(|factor| factor.confirmed_at);
    let is_old = confirmed.is_some_and(|at| at < begun_at && at.after(NEW) <= now);
    Ok(ProofAsked { password: !is_old, code: confirmed.is_some() })
}

/// Holds what was given against what the account has, for something that was begun at a moment.
///
/// # Errors
///
/// `ConfirmationMissing` when nothing was given that could prove it, `NotConfirmed` when it is wrong or
/// the account waits after too many tries.
pub fn confirm_identity(
    registry: &Registry,
    user: &User,
    (given, address): (&IdentityProof, &str),
    (begun_at, now): (Timestamp, Timestamp),
) -> Result<ConfirmedUser, AccountError> {
    let asked = proof_asked(registry, user, begun_at, now)?;
    let password =
        if asked.password { Some(typed(given.password.as_deref(), PASSWORD)?) } else { None };
    let code = if asked.code { Some(typed(given.code.as_deref(), CODE)?) } else { None };
    // Somebody who has signed in is not kept from it by what strangers get wrong.
    let source = Source::signed_in();
    if let Some(password) = password {
        let known = sign_in_from(registry, (&user.email, password), (&source, address), now);
        match known {
            Ok(known) if known.id == user.id => {}
            Ok(_) | Err(AccountError::NotKnown) => {
                return Err(AccountError::NotConfirmed(PASSWORD));
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(code) = code {
        factor::prove(registry, user, (code, &source, address), now).map_err(|error| {
            let is_wrong = matches!(error, AccountError::WrongCode);
            if is_wrong { AccountError::NotConfirmed(CODE) } else { error }
        })?;
    }
    Ok(ConfirmedUser(user.id))
}

/// What was given, if it could prove anything.
fn typed<'t>(given: Option<&'t str>, kind: &'static str) -> Result<&'t str, AccountError> {
    let given = given.filter(|given| !given.trim().is_empty());
    given.ok_or(AccountError::ConfirmationMissing(kind))
}

const PASSWORD: &str = "password";
const CODE: &str = "code of your second factor";
