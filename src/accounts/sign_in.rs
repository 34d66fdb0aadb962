//! Signing in with a password, and changing it.
//!
//! Wrong passwords are counted for each user. From the fifth on, none is looked at for a minute,
//! then two, four and so on up to an hour; the right one sets the count back. The same work is done
//! whether there is such a user or not.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{Registry, User};

use super::{AccountError, password};

/// Wrong passwords before the first wait.
const FREE: u32 = 5;
/// The first wait; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(60);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Longest e-mail that is looked at.
const EMAIL: usize = 254;

/// The user with this e-mail and password. Costs some tens of milliseconds and 19 MiB.
pub fn sign_in(
    registry: &Registry,
    email: &str,
    given: &str,
    now: Timestamp,
) -> Result<User, AccountError> {
    let email = email.trim();
    let user = if email.len() > EMAIL { None } else { registry.user_by_email(email)? };
    let user = match user {
        Some(user) => registry.active_user(user.id)?,
        None => None,
    };
    let kept = match &user {
        Some(user) => registry.credential(user.id)?,
        None => None,
    };
    let locked = kept.as_ref().is_some_and(|kept| kept.locked_until.is_some_and(|end| now < end));
    let right = password::verify(given, kept.as_ref().map(|kept| kept.password_hash.as_str()));
    let Some(user) = user else {
        tracing::warn!(target: "audit", "a sign-in failed: no such user, or shut out");
        return Err(AccountError::NotKnown);
    };
    if locked {
        tracing::warn!(target: "audit", user = user.email, "a sign-in failed: locked for a while");
        return Err(AccountError::NotKnown);
    }
    if !right {
        registry.count_failure(user.id, |count| locked_until(count, now))?;
        tracing::warn!(target: "audit", user = user.email, "a sign-in failed: wrong password");
        return Err(AccountError::NotKnown);
    }
    registry.forget_failures(user.id)?;
    Ok(user)
}

/// Until when no password is looked at after so many wrong ones.
fn locked_until(count: u32, now: Timestamp) -> Option<Timestamp> {
    let doublings = count.checked_sub(FREE)?;
    let wait = FIRST_WAIT.saturating_mul(1 << doublings.min(10));
    Some(now.after(wait.min(LONGEST_WAIT)))
}

/// Sets a new password of somebody who knows the old one. All sessions end.
pub fn change_password(
    registry: &Registry,
    user: &User,
    (old, new): (&str, &str),
    now: Timestamp,
) -> Result<(), AccountError> {
    let user = sign_in(registry, &user.email, old, now)?;
    let hash = password::digest(new, &user.email)?;
    registry.set_password(user.id, &hash, now)?;
    tracing::info!(target: "audit", user = user.email, "changed the password");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_from_the_fifth_failure_up_to_an_hour() {
        let wait = |count| locked_until(count, Timestamp(0)).map_or(0, |end| end.0 / 60_000);
        let waits: Vec<_> = (1..=13).map(wait).collect();
        assert_eq!(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(wait(u32::MAX), 60);
    }
}
