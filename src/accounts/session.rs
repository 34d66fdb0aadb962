//! Sessions: who has signed in, as long as it lasts.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{Registry, Sessions, User};

use super::{AccountError, Secret};

/// Longest life of a session.
pub const MOST: Duration = Duration::from_secs(7 * 24 * 3600);

const RULES: Sessions = Sessions {
    idle: Duration::from_secs(8 * 3600),
    most: MOST,
    note_after: Duration::from_secs(5 * 60),
};

/// Begins a session; the secret goes to its bearer and is not seen again.
pub fn begin_session(
    registry: &Registry,
    user: &User,
    now: Timestamp,
) -> Result<Secret, AccountError> {
    let secret = Secret::draw()?;
    registry.open_session(&secret.digest(), user.id, (RULES, now))?;
    tracing::info!(target: "audit", user = user.email, "signed in");
    Ok(secret)
}

/// Who bears this secret; none when the session is over.
pub fn person(
    registry: &Registry,
    secret: &str,
    now: Timestamp,
) -> Result<Option<User>, AccountError> {
    let Some(secret) = Secret::parse(secret) else { return Ok(None) };
    Ok(registry.session_user(&secret.digest(), (RULES, now))?)
}

/// Ends a session.
pub fn end_session(registry: &Registry, secret: &str, now: Timestamp) -> Result<(), AccountError> {
    let Some(user) = person(registry, secret, now)? else { return Ok(()) };
    if let Some(secret) = Secret::parse(secret) {
        registry.end_session(&secret.digest())?;
        tracing::info!(target: "audit", user = user.email, "signed out");
    }
    Ok(())
}
