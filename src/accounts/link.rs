//! Links that set a password, once, within a day. Who makes one hands it over, or it is mailed.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{AuditHow, Deed, Registry, User};

use super::{AccountError, Note, Secret, password};
use crate::rights::Caller;

/// How long a link works.
pub const LINK_LIFE: Duration = Duration::from_secs(24 * 3600);

/// Makes a link for a user, in place of any earlier one, and says until when it works.
pub fn make_link(
    registry: &Registry,
    by: &Caller,
    user: &User,
    now: Timestamp,
) -> Result<(Secret, Timestamp), AccountError> {
    if registry.active_user(user.id)?.is_none() {
        return Err(AccountError::Refused(format!(
            "{} is shut out: reactivate the user first",
            user.email
        )));
    }
    let (secret, expires) = (Secret::draw()?, now.after(LINK_LIFE));
    let note = Note::of(Deed::MakeLink).by(by).to_user(user).line();
    registry.keep_link(&secret.digest(), (user.id, Some(note)), (now, expires))?;
    Ok((secret, expires))
}

/// Whose password a link sets.
pub fn link_user(registry: &Registry, secret: &str, now: Timestamp) -> Result<User, AccountError> {
    let secret = Secret::parse(secret).ok_or(AccountError::DeadLink)?;
    let user = registry.link_user(&secret.digest(), now)?.ok_or(AccountError::DeadLink)?;
    registry.active_user(user)?.ok_or(AccountError::DeadLink)
}

/// Sets the password that a link is for, and revokes the user's tokens; says how many. A password
/// that is refused leaves the link and the tokens as they were.
pub fn redeem_link(
    registry: &Registry,
    (secret, given): (&str, &str),
    address: &str,
    now: Timestamp,
) -> Result<(User, usize), AccountError> {
    let user = link_user(registry, secret, now)?;
    let hash = password::digest(given, &user.email)?;
    let secret = Secret::parse(secret).ok_or(AccountError::DeadLink)?;
    let Some(revoked) = registry.redeem_link(&secret.digest(), &hash, now)? else {
        return Err(AccountError::DeadLink);
    };
    let mut note = Note::of(Deed::SetPassword).by_user(&user, AuditHow::Link).from(address);
    if revoked > 0 {
        note = note.saying(format!("tokens revoked: {revoked}"));
    }
    note.to_user(&user).write(registry, now);
    Ok((user, revoked))
}
