//! The first administrator: made by whoever reads what `serve` prints at its start. The link lives
//! as long as this run of the program, and stops working when there is an administrator.

use std::sync::{Mutex, PoisonError};

use storage::clock::Timestamp;
use storage::registry::{AuditHow, Deed, NewUser, Registry, Role, SecretDigest, User};

use super::{AccountError, Note, Secret, password};

/// The one link of this run, if it has one.
#[derive(Default)]
pub struct Welcome {
    kept: Mutex<Option<SecretDigest>>,
}

/// What the first administrator says of themselves.
pub struct NewAdmin {
    /// The name.
    pub name: String,
    /// The e-mail.
    pub email: String,
    /// The password.
    pub password: String,
}

impl Welcome {
    /// A link for the first administrator; none when there is one already.
    pub fn invite(&self, registry: &Registry) -> Result<Option<Secret>, AccountError> {
        if registry.has_admin()? {
            return Ok(None);
        }
        let secret = Secret::draw()?;
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(secret.digest());
        Ok(Some(secret))
    }

    /// Whether this is the link of this run, and still needed.
    pub fn knows(&self, registry: &Registry, secret: &str) -> Result<bool, AccountError> {
        let given = Secret::parse(secret).map(|secret| secret.digest());
        let kept = *self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // Digests are compared, not secrets: how long that takes tells nothing.
        Ok(kept.is_some() && kept == given && !registry.has_admin()?)
    }

    /// Makes the first administrator, in the house's own institution.
    pub fn accept(
        &self,
        registry: &Registry,
        (secret, institution_id): (&str, i64),
        admin: NewAdmin,
        (address, now): (&str, Timestamp),
    ) -> Result<User, AccountError> {
        // Held to the end: of two who come at the same moment, one is first.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let given = Secret::parse(secret).map(|secret| secret.digest());
        if kept.is_none() || *kept != given || registry.has_admin()? {
            return Err(AccountError::DeadLink);
        }
        let email = admin.email.trim().to_owned();
        let hash = password::digest(&admin.password, &email)?;
        let name = admin.name.trim().to_owned();
        let new = NewUser { name, email, phone_number: None, institution_id, role: Role::Admin };
        let user = match registry.create_user_with_password(&new, &hash, now) {
            Ok(user) => user,
            Err(storage::registry::Error::Conflict(_)) => {
                return Err(AccountError::Taken(new.email));
            }
            Err(error) => return Err(error.into()),
        };
        *kept = None;
        let note = Note::of(Deed::BecomeFirst).by_user(&user, AuditHow::Link).from(address);
        note.to_user(&user).write(registry, now);
        Ok(user)
    }
}
