//! The second factor: a device that shows codes, and ten codes on paper for when it is lost.
//!
//! It counts from the first right code on. A code is taken once: of the device by its step, of the
//! paper by itself. Wrong ones count for the same lock as wrong passwords.

use sha2::{Digest, Sha256};
use storage::clock::Timestamp;
use storage::registry::{Deed, Registry, Role, SecretDigest, User};

use super::sign_in::{is_locked, miss, sign_in_again};
use super::source::Source;
use super::{AccountError, Note, Secret, totp};
use crate::rights::{Caller, Person};

/// Backup codes in a set.
const CODES: usize = 10;
/// Bytes of one: 80 bits, which nobody tries out, so that a plain digest keeps them.
const CODE_BYTES: usize = 10;
/// Longest code that is looked at.
const LONGEST: usize = 100;

/// What a device must be told, until the first right code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enrolment {
    /// The secret in letters, in groups of four.
    pub secret: String,
    /// The address that devices read from a picture.
    pub uri: String,
}

/// Whether the user has a second factor that counts.
pub fn has_factor(registry: &Registry, user: &User) -> Result<bool, AccountError> {
    Ok(registry.factor(user.id)?.is_some_and(|factor| factor.confirmed_at.is_some()))
}

/// Whether the user must have a second factor and has none: then nothing else is open to them.
/// `of_admins` says whether the house asks it of its administrators.
pub fn owes_factor(
    registry: &Registry,
    user: &User,
    of_admins: bool,
) -> Result<bool, AccountError> {
    let asked = (of_admins && user.role == Role::Admin)
        || registry.institution(user.institution_id)?.is_some_and(|it| it.otp_enabled);
    Ok(asked && !has_factor(registry, user)?)
}

/// Draws a secret that is still to be confirmed, for somebody who gives their password again: a
/// session alone, which may be stolen, enrols no device. `issuer` is what the device shows beside the
/// code. The secret is given out this once.
pub fn offer_factor(
    registry: &Registry,
    person: &Person,
    (password, issuer): (&str, &str),
    now: Timestamp,
) -> Result<Enrolment, AccountError> {
    let user = sign_in_again(registry, person, password, now)?;
    let mut secret = [0; totp::LENGTH];
    getrandom::fill(&mut secret).map_err(|_| AccountError::NoRandom)?;
    registry.offer_factor(user.id, &secret, now)?;
    let secret = totp::base32(&secret);
    let uri = totp::uri(&secret, &user.email, issuer);
    Ok(Enrolment { uri, secret: grouped(&secret, " ") })
}

/// Whether a secret is still to be confirmed. It is not shown again: whoever has stolen a session
/// would learn it.
pub fn has_pending_factor(registry: &Registry, user: &User) -> Result<bool, AccountError> {
    Ok(registry.factor(user.id)?.is_some_and(|factor| factor.confirmed_at.is_none()))
}

/// Counts the factor from now on, by its first code, and gives out the backup codes, once. Only who
/// gave the password has the secret that codes come from, and nobody may guess for long.
pub fn confirm_factor(
    registry: &Registry,
    person: &Person,
    code: &str,
    now: Timestamp,
) -> Result<Vec<String>, AccountError> {
    let (user, source) = (&person.user, Source::signed_in());
    if is_locked(registry, user, &source, now)? {
        return Err(AccountError::WrongCode);
    }
    let kept = registry.factor(user.id)?.filter(|factor| factor.confirmed_at.is_none());
    let step = kept.and_then(|kept| totp::step_of(&kept.secret?, code, kept.last_step, now));
    let Some(step) = step else {
        miss(registry, user, (&source, &person.address, "wrong code"), now)?;
        return Err(AccountError::WrongCode);
    };
    let (codes, digests) = draw_codes()?;
    if !registry.confirm_factor((user.id, step), &digests, now)? {
        return Err(AccountError::WrongCode);
    }
    note(Deed::BeginFactor, person).write(registry, now);
    Ok(codes)
}

/// Gives out new backup codes in place of all earlier ones, to somebody with a code.
pub fn renew_codes(
    registry: &Registry,
    person: &Person,
    code: &str,
    now: Timestamp,
) -> Result<Vec<String>, AccountError> {
    let source = Source::signed_in();
    prove(registry, &person.user, (code, &source, &person.address), now)?;
    let (codes, digests) = draw_codes()?;
    registry.replace_backup_codes(person.user.id, &digests)?;
    note(Deed::MakeCodes, person).write(registry, now);
    Ok(codes)
}

/// Stops using the factor: takes the password and a code. Other sessions than `keep` end.
pub fn end_factor(
    registry: &Registry,
    person: &Person,
    (password, code, keep): (&str, &str, Option<&Secret>),
    now: Timestamp,
) -> Result<(), AccountError> {
    let user = sign_in_again(registry, person, password, now)?;
    let source = Source::signed_in();
    prove(registry, &user, (code, &source, &person.address), now)?;
    let note = note(Deed::EndFactor, person).line();
    registry.drop_factor(user.id, keep.map(Secret::digest).as_ref(), (Some(note), now))?;
    Ok(())
}

/// Takes away the factor of somebody who lost it; all their sessions end.
pub fn reset_factor(
    registry: &Registry,
    by: &Caller,
    user: &User,
    now: Timestamp,
) -> Result<(), AccountError> {
    let note = Note::of(Deed::ResetFactor).by(by).to_user(user).line();
    if !registry.drop_factor(user.id, None, (Some(note), now))? {
        let why = format!("{} has no second factor", user.email);
        return Err(AccountError::Refused(why));
    }
    Ok(())
}

/// Holds a code against the device's and the paper's, and uses it up.
pub(super) fn prove(
    registry: &Registry,
    user: &User,
    (code, source, address): (&str, &Source, &str),
    now: Timestamp,
) -> Result<(), AccountError> {
    if is_locked(registry, user, source, now)? {
        let note = Note::of(Deed::SignIn).from(address).to_user(user);
        note.failed("locked for a while").write(registry, now);
        return Err(AccountError::WrongCode);
    }
    let proved = match code.len() <= LONGEST {
        true => uses(registry, user, code, now)?,
        false => Proved::Wrong,
    };
    let (why, error) = match proved {
        Proved::Right => return source.note(registry, user, now),
        Proved::Wrong => ("wrong code", AccountError::WrongCode),
        Proved::Unreadable => {
            ("a second factor that cannot be checked", AccountError::FactorUnreadable)
        }
    };
    miss(registry, user, (source, address, why), now)?;
    Err(error)
}

/// What came of a code.
enum Proved {
    Right,
    Wrong,
    /// It is no backup code, and of the device's nothing can be said.
    Unreadable,
}

fn uses(
    registry: &Registry,
    user: &User,
    code: &str,
    now: Timestamp,
) -> Result<Proved, AccountError> {
    let Some(kept) = registry.factor(user.id)?.filter(|it| it.confirmed_at.is_some()) else {
        return Ok(Proved::Wrong);
    };
    let step = kept.secret.and_then(|secret| totp::step_of(&secret, code, kept.last_step, now));
    let right = match step {
        Some(step) => registry.use_step(user.id, step)?,
        None => registry.use_backup_code(user.id, &code_digest(code), now)?,
    };
    Ok(match (right, kept.secret) {
        (true, _) => Proved::Right,
        (false, Some(_)) => Proved::Wrong,
        (false, None) => Proved::Unreadable,
    })
}

/// Codes for people, and what is kept of them.
fn draw_codes() -> Result<(Vec<String>, Vec<SecretDigest>), AccountError> {
    let mut codes = Vec::with_capacity(CODES);
    for _ in 0..CODES {
        let mut bytes = [0; CODE_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| AccountError::NoRandom)?;
        codes.push(grouped(&totp::base32(&bytes), "-"));
    }
    let digests = codes.iter().map(|code| code_digest(code)).collect();
    Ok((codes, digests))
}

/// Typed from paper: without what stands between the groups, in any case.
fn code_digest(code: &str) -> SecretDigest {
    let letters = code.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = letters.map(|letter| letter.to_ascii_uppercase()).collect();
    SecretDigest(Sha256::digest(plain).into())
}

fn grouped(text: &str, between: &str) -> String {
    let groups = text.as_bytes().chunks(4).map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(between)
}

fn note(deed: Deed, person: &Person) -> Note {
    let by = Caller::Person(Box::new(person.clone()));
    Note::of(deed).by(&by).to_user(&person.user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_on_paper_differ_and_are_read_however_they_are_typed() {
        let (codes, digests) = draw_codes().unwrap();
        assert_eq!((codes.len(), digests.len()), (CODES, CODES));
        for (at, code) in codes.iter().enumerate() {
            assert_eq!(code.len(), 19, "{code}");
            assert!(!codes[..at].contains(code));
            let typed = format!(" {} ", code.to_lowercase().replace('-', " "));
            assert_eq!(code_digest(&typed), digests[at]);
        }
    }
}
