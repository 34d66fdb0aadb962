//! What an answer that does not end by itself is bound to: it ends when its account does.

use storage::clock::Timestamp;
use storage::registry::{Registry, User};

use super::{AccountError, Secret, session};
use crate::rights::{Person, Proof};

/// How somebody was let in, so that it can be asked again whether they still would be.
pub struct Bond {
    user: User,
    proof: Held,
}

/// What must still hold.
enum Held {
    Session(Secret),
    Token(i64),
    /// The digest that the password was compared with.
    Password(String),
}

impl Bond {
    /// The bond of a person who was just let in; `session` is the secret that the request bore. None
    /// when it is over already.
    pub fn of(
        registry: &Registry,
        person: &Person,
        session: Option<&str>,
    ) -> Result<Option<Bond>, AccountError> {
        let proof = match person.proof {
            Proof::Session => session.and_then(Secret::parse).map(Held::Session),
            Proof::Token(number, _) => Some(Held::Token(number)),
            Proof::Password => {
                let kept = registry.credential(person.user.id)?;
                kept.map(|kept| Held::Password(kept.password_hash))
            }
        };
        Ok(proof.map(|proof| Bond { user: person.user.clone(), proof }))
    }

    /// Whether the person would still be let in the same way, as the same member of the same
    /// institution. Asking is no sign of life: it prolongs no session.
    pub fn holds(&self, registry: &Registry, now: Timestamp) -> Result<bool, AccountError> {
        let user = registry.active_user(self.user.id)?;
        let same = |user: User| {
            user.role == self.user.role && user.institution_id == self.user.institution_id
        };
        if !user.is_some_and(same) {
            return Ok(false);
        }
        match &self.proof {
            Held::Session(secret) => session::goes_on(registry, secret, now),
            Held::Token(number) => {
                let token = registry.token(*number)?;
                Ok(token.is_some_and(|it| it.revoked_at.is_none() && now < it.expires_at))
            }
            Held::Password(hash) => {
                let kept = registry.credential(self.user.id)?;
                Ok(kept.is_some_and(|kept| kept.password_hash == *hash))
            }
        }
    }
}
