//! Sessions: who has signed in, as long as it lasts; and the moment between password and code.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{AuditHow, Deed, Origin, Registry, SessionRow, Sessions, User};

use super::source::Source;
use super::{AccountError, Note, Secret, factor};
use crate::rights::{Caller, Person};

/// Longest life of a session.
pub const MOST: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long the code is waited for.
pub const HALF_LIFE: Duration = Duration::from_secs(5 * 60);

const RULES: Sessions = Sessions {
    idle: Duration::from_secs(8 * 3600),
    most: MOST,
    note_after: Duration::from_secs(5 * 60),
};

/// What a right password opened.
pub enum Entered {
    /// The house.
    Session(Secret),
    /// The second step, and nothing else.
    Half(Secret),
}

/// Goes on after the password, or a link: to a session, or to the second step.
pub fn enter(
    registry: &Registry,
    user: &User,
    (how, origin): (AuditHow, &Origin),
    now: Timestamp,
) -> Result<Entered, AccountError> {
    if !factor::has_factor(registry, user)? {
        return Ok(Entered::Session(begin_session(registry, user, (how, origin), now)?));
    }
    let secret = Secret::draw()?;
    registry.open_half(&secret.digest(), user.id, (now, now.after(HALF_LIFE)))?;
    Ok(Entered::Half(secret))
}

/// Whose password was right, a moment ago.
pub fn half_user(registry: &Registry, secret: &str, now: Timestamp) -> Result<User, AccountError> {
    let secret = Secret::parse(secret).ok_or(AccountError::DeadHalf)?;
    let user = registry.half_user(&secret.digest(), now)?.ok_or(AccountError::DeadHalf)?;
    registry.active_user(user)?.ok_or(AccountError::DeadHalf)
}

/// The second step: a code opens what the password left half open.
pub fn finish(
    registry: &Registry,
    step: (&str, &str),
    origin: &Origin,
    now: Timestamp,
) -> Result<(User, Secret), AccountError> {
    finish_from(registry, step, (&Source::new(&origin.address, None), origin), now)
}

/// The same, from an address and maybe a browser that has signed in before.
pub fn finish_from(
    registry: &Registry,
    (half, code): (&str, &str),
    (source, origin): (&Source, &Origin),
    now: Timestamp,
) -> Result<(User, Secret), AccountError> {
    let user = half_user(registry, half, now)?;
    factor::prove(registry, &user, (code, source, &origin.address), now)?;
    let half = Secret::parse(half).ok_or(AccountError::DeadHalf)?;
    if !registry.close_half(&half.digest())? {
        return Err(AccountError::DeadHalf);
    }
    let secret = begin_session(registry, &user, (AuditHow::Code, origin), now)?;
    Ok((user, secret))
}

/// Begins a session; the secret goes to its bearer and is not seen again.
pub fn begin_session(
    registry: &Registry,
    user: &User,
    (how, origin): (AuditHow, &Origin),
    now: Timestamp,
) -> Result<Secret, AccountError> {
    let secret = Secret::draw()?;
    registry.open_session(&secret.digest(), (user.id, origin), (RULES, now))?;
    let note = Note::of(Deed::SignIn).by_user(user, how).from(&origin.address);
    note.write(registry, now);
    Ok(secret)
}

/// Who bears this secret; none when the session is over.
pub fn person(
    registry: &Registry,
    secret: &str,
    now: Timestamp,
) -> Result<Option<User>, AccountError> {
    Ok(session(registry, secret, now)?.map(|(user, _)| user))
}

/// The same, with the number of the session.
pub fn session(
    registry: &Registry,
    secret: &str,
    now: Timestamp,
) -> Result<Option<(User, i64)>, AccountError> {
    let Some(secret) = Secret::parse(secret) else { return Ok(None) };
    Ok(registry.session_user(&secret.digest(), (RULES, now))?)
}

/// Whether a session goes on; asking does not prolong it.
pub(super) fn goes_on(
    registry: &Registry,
    secret: &Secret,
    now: Timestamp,
) -> Result<bool, AccountError> {
    Ok(registry.session_goes_on(&secret.digest(), (RULES, now))?)
}

/// The sessions of a user that go on.
pub fn sessions_of(
    registry: &Registry,
    user: &User,
    now: Timestamp,
) -> Result<Vec<SessionRow>, AccountError> {
    Ok(registry.sessions_of(user.id, (RULES, now))?)
}

/// Ends a session by its secret.
pub fn end_session(
    registry: &Registry,
    secret: &str,
    address: &str,
    now: Timestamp,
) -> Result<(), AccountError> {
    let Some(user) = person(registry, secret, now)? else { return Ok(()) };
    if let Some(secret) = Secret::parse(secret) {
        registry.end_session(&secret.digest())?;
        let note = Note::of(Deed::SignOut).by_user(&user, AuditHow::Session).from(address);
        note.write(registry, now);
    }
    Ok(())
}

/// Ends one of somebody's own sessions by its number.
pub fn end_own_session(
    registry: &Registry,
    person: &Person,
    number: i64,
    now: Timestamp,
) -> Result<(), AccountError> {
    if !registry.end_session_number(person.user.id, number)? {
        return Err(AccountError::NoSuch { kind: "session", name: number.to_string() });
    }
    let by = Caller::Person(Box::new(person.clone()));
    let note = Note::of(Deed::EndSession).by(&by).to("session", &number.to_string());
    note.write(registry, now);
    Ok(())
}
