//! Signing in with a password, and changing it.
//!
//! Wrong passwords and codes are counted for each user and each place they come from: a browser that
//! the user has signed in with, or an address. From the fifth on, none from there is looked at for a
//! minute, then two, four and so on up to an hour; signing in from there sets the count back. Browsers
//! and addresses from which the user never signed in share one more count, with more tries: many of
//! them together are bounded, and those that are known are not touched by it. That count halves every
//! hour. The same work is done whether there is such a user or not.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{AuditHow, Counted, Deed, Registry, User};

use super::source::{KNOWN, Source};
use super::{AccountError, Note, factor, password};
use crate::rights::{Caller, Person, Proof};

/// Wrong passwords from one place before the first wait.
const FREE: u32 = 5;
/// Wrong passwords from all places that are not known before the first wait of theirs.
const FREE_OTHERS: u32 = 50;
/// The first wait; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(60);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// The common count of places that are not known halves with every hour without a failure: who tries
/// now and then must not keep the owner out of every new place.
const HALF_LIFE: Duration = Duration::from_secs(3600);

/// Longest e-mail that is looked at.
const EMAIL: usize = 254;

/// The user with this e-mail and password, from an address. Costs some tens of milliseconds and
/// 19 MiB. Who has a second factor is not let in by it yet.
pub fn sign_in(
    registry: &Registry,
    given: (&str, &str),
    address: &str,
    now: Timestamp,
) -> Result<User, AccountError> {
    sign_in_from(registry, given, (&Source::new(address, None), address), now)
}

/// The same, from an address and maybe a browser that has signed in before.
pub fn sign_in_from(
    registry: &Registry,
    (email, given): (&str, &str),
    (source, address): (&Source, &str),
    now: Timestamp,
) -> Result<User, AccountError> {
    let known = user_of(registry, email)?;
    let user = match &known {
        Some(user) => registry.active_user(user.id)?,
        None => None,
    };
    let kept = match &user {
        Some(user) => registry.credential(user.id)?,
        None => None,
    };
    let right = password::verify(given, kept.as_ref().map(|kept| kept.password_hash.as_str()));
    let note = Note::of(Deed::SignIn).from(address);
    let Some(user) = user else {
        match known {
            Some(known) => note.to_user(&known).failed("shut out"),
            // What was typed is not kept: it may be a password in the wrong field.
            None => note.failed("no such user"),
        }
        .write(registry, now);
        return Err(AccountError::NotKnown);
    };
    if is_locked(registry, &user, source, now)? {
        note.to_user(&user).failed("locked for a while").write(registry, now);
        return Err(AccountError::NotKnown);
    }
    if !right {
        miss(registry, &user, (source, address, "wrong password"), now)?;
        return Err(AccountError::NotKnown);
    }
    // Whoever knows the password must not get new tries at the code by it.
    if !factor::has_factor(registry, &user)? {
        source.note(registry, &user, now)?;
    }
    Ok(user)
}

/// The user of an e-mail as it was typed, shut out or not.
pub(super) fn user_of(registry: &Registry, email: &str) -> Result<Option<User>, AccountError> {
    let email = email.trim();
    if email.len() > EMAIL { Ok(None) } else { Ok(registry.user_by_email(email)?) }
}

/// Who sends e-mail and password with a request, as programs do. Where the password alone does not
/// open the account, a program uses a token.
pub fn password_caller(
    registry: &Registry,
    given: (&str, &str),
    address: &str,
    now: Timestamp,
) -> Result<Person, AccountError> {
    let user = sign_in(registry, given, address, now)?;
    if factor::has_factor(registry, &user)? {
        let note = Note::of(Deed::SignIn).by_user(&user, AuditHow::Password).from(address);
        note.refused("a password without the second factor").write(registry, now);
        return Err(AccountError::NeedsToken);
    }
    Ok(Person { user, proof: Proof::Password, address: address.into() })
}

/// Counts a wrong password or code.
pub(super) fn miss(
    registry: &Registry,
    user: &User,
    (source, address, why): (&Source, &str, &str),
    now: Timestamp,
) -> Result<(), AccountError> {
    let lock = |counted: Counted, count: u32| {
        let free = match counted {
            Counted::Source => FREE,
            Counted::Others => FREE_OTHERS,
        };
        locked_until(count, free, now)
    };
    let place = (&source.0, now.before(KNOWN));
    let locked = registry.count_failure(user.id, place, (now, HALF_LIFE), lock)?;
    Note::of(Deed::SignIn).from(address).to_user(user).failed(why).write(registry, now);
    if let Some(end) = locked {
        let note = Note::of(Deed::Lock).from(address).to_user(user);
        note.saying(format!("until {}", end.to_minute())).write(registry, now);
    }
    Ok(())
}

/// Whether nothing from there is looked at for a while.
pub(super) fn is_locked(
    registry: &Registry,
    user: &User,
    source: &Source,
    now: Timestamp,
) -> Result<bool, AccountError> {
    let state = registry.sign_in_source(user.id, &source.0, now.before(KNOWN))?;
    Ok(state.locked_until.is_some_and(|end| now < end))
}

/// Until when no password is looked at after so many wrong ones, of which some are free.
fn locked_until(count: u32, free: u32, now: Timestamp) -> Option<Timestamp> {
    let doublings = count.checked_sub(free)?;
    let wait = FIRST_WAIT.saturating_mul(1 << doublings.min(10));
    Some(now.after(wait.min(LONGEST_WAIT)))
}

/// Holds a password against that of somebody who has signed in, before they do what takes it again.
pub fn sign_in_again(
    registry: &Registry,
    person: &Person,
    given: &str,
    now: Timestamp,
) -> Result<User, AccountError> {
    let pair = (person.user.email.as_str(), given);
    sign_in_from(registry, pair, (&Source::signed_in(), &person.address), now)
}

/// Sets a new password of somebody who knows the old one. All sessions end.
pub fn change_password(
    registry: &Registry,
    person: &Person,
    (old, new): (&str, &str),
    now: Timestamp,
) -> Result<(), AccountError> {
    let user = sign_in_again(registry, person, old, now)?;
    let hash = password::digest(new, &user.email)?;
    registry.set_password(user.id, &hash, now)?;
    let by = Caller::Person(Box::new(person.clone()));
    Note::of(Deed::SetPassword).by(&by).to_user(&user).write(registry, now);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_from_the_fifth_failure_up_to_an_hour() {
        let wait = |count| locked_until(count, FREE, Timestamp(0)).map_or(0, |end| end.0 / 60_000);
        let waits: Vec<_> = (1..=13).map(wait).collect();
        assert_eq!(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(wait(u32::MAX), 60);
    }
}
