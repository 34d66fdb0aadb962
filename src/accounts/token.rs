//! Tokens: secrets for programs, shown once, for a while, and for reading, for changing, for research, or
//! also for deletions and users.
//!
//! `strongroom_`, the secret, and eight digits computed from both: a token that was mistyped is told
//! from one that was revoked, and one that was published by mistake can be searched for.

use std::time::Duration;

use sha2::{Digest, Sha256};
use storage::clock::Timestamp;
use storage::registry::{AuditHow, Deed, NewToken, Registry, TokenRow, User};

use super::{AccountError, Note, Secret};
use crate::rights::{Caller, Person, Proof, TokenScope};

/// What every token begins with.
pub const TOKEN_PREFIX: &str = "strongroom_";
/// Days that a token works, unless told.
pub const TOKEN_DAYS: u32 = 90;
/// Most days that a token works.
pub const TOKEN_DAYS_MOST: u32 = 365;

const CHECK_DIGITS: usize = 8;
const DAY: u64 = 24 * 3600;
/// How old the last use may be before it is written again.
const NOTE_AFTER: Duration = Duration::from_secs(5 * 60);

/// What it takes to make a token.
#[derive(Clone, Debug)]
pub struct TokenWish {
    /// What the owner calls it.
    pub name: String,
    /// What it may be used for.
    pub scope: TokenScope,
    /// Days that it works.
    pub days: u32,
}

/// Makes a token of a user; its text goes to its bearer and is not seen again.
pub fn make_token(
    registry: &Registry,
    by: &Caller,
    (owner, wish): (&User, &TokenWish),
    now: Timestamp,
) -> Result<(String, TokenRow), AccountError> {
    if registry.active_user(owner.id)?.is_none() {
        return Err(AccountError::Refused(format!("{} is shut out", owner.email)));
    }
    if !(1..=TOKEN_DAYS_MOST).contains(&wish.days) {
        let rule = format!("must be 1 to {TOKEN_DAYS_MOST}");
        return Err(AccountError::BadField { field: "days", rule });
    }
    let secret = Secret::draw()?;
    let new = NewToken {
        user_id: owner.id,
        name: wish.name.trim().to_owned(),
        scope: scope_word(wish.scope),
        expires_at: now.after(Duration::from_secs(u64::from(wish.days) * DAY)),
    };
    let note = |row: &TokenRow| {
        let note = Note::of(Deed::MakeToken).by(by).to("token", &row.id.to_string());
        let words = format!("{} ({}) of {}, {} days", row.name, row.scope, owner.email, wish.days);
        let note = note.about_account(owner).within(Some(owner.institution_id));
        Some(note.saying(words).line())
    };
    let row = registry.create_token(&secret.digest(), &new, note, now)?;
    Ok((written(&secret), row))
}

/// Ends a token for good.
pub fn revoke_token(
    registry: &Registry,
    by: &Caller,
    (owner, token): (&User, &TokenRow),
    now: Timestamp,
) -> Result<(), AccountError> {
    if !registry.revoke_token(token.id, now)? {
        return Err(AccountError::Refused(format!("token {} was revoked before", token.id)));
    }
    let note = Note::of(Deed::RevokeToken).by(by).to("token", &token.id.to_string());
    let note = note.about_account(owner);
    let words = format!("{} of {}", token.name, owner.email);
    note.within(Some(owner.institution_id)).saying(words).write(registry, now);
    Ok(())
}

/// Whose program bears this token; none when it does not work, or no more: expired, revoked, its
/// owner or their institution shut out.
pub fn token_caller(
    registry: &Registry,
    text: &str,
    address: &str,
    now: Timestamp,
) -> Result<Option<Person>, AccountError> {
    let found = match read(text) {
        Some(secret) => registry.live_token(&secret.digest(), now, NOTE_AFTER)?,
        None => None,
    };
    let owner = match &found {
        Some(token) => registry.active_user(token.user_id)?,
        None => None,
    };
    let (Some(token), Some(user)) = (found, owner) else {
        let why = "a token that does not work";
        Note::of(Deed::SignIn).from(address).failed(why).write(registry, now);
        return Ok(None);
    };
    let scope = match token.scope.as_str() {
        "write" => TokenScope::Write,
        "research" => TokenScope::Research,
        "manage" => TokenScope::Manage,
        // What is not known here lets its bearer do the least.
        _ => TokenScope::Read,
    };
    Ok(Some(Person { user, proof: Proof::Token(token.id, scope), address: address.into() }))
}

/// Whose program sends this e-mail and this token, as clients of the described registry do.
pub fn pharos_caller(
    registry: &Registry,
    (email, key): (&str, &str),
    address: &str,
    now: Timestamp,
) -> Result<Option<Person>, AccountError> {
    let Some(person) = token_caller(registry, key, address, now)? else { return Ok(None) };
    if person.user.email.eq_ignore_ascii_case(email.trim()) {
        return Ok(Some(person));
    }
    let note = Note::of(Deed::SignIn).by_user(&person.user, AuditHow::Token).from(address);
    note.failed("a token with the e-mail of somebody else").write(registry, now);
    Ok(None)
}

/// The word for a scope.
pub fn scope_word(scope: TokenScope) -> &'static str {
    match scope {
        TokenScope::Read => "read",
        TokenScope::Write => "write",
        TokenScope::Research => "research",
        TokenScope::Manage => "manage",
    }
}

fn written(secret: &Secret) -> String {
    let text = format!("{TOKEN_PREFIX}{}", secret.text());
    let check = check(&text);
    text + &check
}

fn read(text: &str) -> Option<Secret> {
    let (body, end) = text.trim().split_at_checked(text.trim().len().checked_sub(CHECK_DIGITS)?)?;
    let secret = body.strip_prefix(TOKEN_PREFIX)?;
    if end == check(body) { Secret::parse(secret) } else { None }
}

fn check(text: &str) -> String {
    let digest = Sha256::digest(text);
    digest.iter().take(CHECK_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_token_is_none() {
        let secret = Secret::draw().unwrap();
        let text = written(&secret);
        assert_eq!(text.len(), TOKEN_PREFIX.len() + 64 + CHECK_DIGITS);
        assert_eq!(read(&format!(" {text}\n")).unwrap().digest(), secret.digest());
        for at in 0..text.len() {
            let mut wrong = text.clone().into_bytes();
            wrong[at] = if wrong[at] == b'0' { b'1' } else { b'0' };
            let wrong = String::from_utf8(wrong).unwrap();
            assert!(read(&wrong).is_none(), "{wrong}");
        }
        for bad in ["", "strongroom_", &text[1..], &text[..text.len() - 1], "é", &"é".repeat(50)]
        {
            assert!(read(bad).is_none(), "{bad}");
        }
    }
}
