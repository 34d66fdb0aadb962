//! Somebody who has signed in proves once more who they are, before what cannot be undone: by a code
//! where the account has a second factor, and by the password where it has none.
//!
//! What is wrong counts as a failed sign-in, with the same waits.

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
    /// The password, of an account without a second factor.
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

/// Holds what was given against what the account has.
///
/// # Errors
///
/// `ConfirmationMissing` when nothing was given that could prove it, `NotConfirmed` when it is wrong or
/// the account waits after too many tries.
pub fn confirm_identity(
    registry: &Registry,
    user: &User,
    (given, address): (&IdentityProof, &str),
    now: Timestamp,
) -> Result<ConfirmedUser, AccountError> {
    let has_factor = factor::has_factor(registry, user)?;
    let (kind, secret) = match has_factor {
        true => (CODE, given.code.as_deref()),
        false => (PASSWORD, given.password.as_deref()),
    };
    let Some(secret) = secret.filter(|secret| !secret.trim().is_empty()) else {
        return Err(AccountError::ConfirmationMissing(kind));
    };
    // Somebody who has signed in is not kept from it by what strangers get wrong.
    let source = Source::signed_in();
    let proved = match has_factor {
        true => factor::prove(registry, user, (secret, &source, address), now).map(|()| user.id),
        false => sign_in_from(registry, (&user.email, secret), (&source, address), now)
            .map(|known| known.id),
    };
    match proved {
        Ok(known) if known == user.id => Ok(ConfirmedUser(known)),
        Ok(_) | Err(AccountError::NotKnown | AccountError::WrongCode) => {
            Err(AccountError::NotConfirmed(kind))
        }
        Err(error) => Err(error),
    }
}

const PASSWORD: &str = "password";
const CODE: &str = "code of your second factor";
