//! Changing one's own e-mail: a link that is mailed to the old address confirms it, once, within a day.

use storage::clock::Timestamp;
use storage::registry::{AuditHow, Deed, EmailChange, Error, Registry, User};

use super::{AccountError, LINK_LIFE, Note, Secret};
use crate::rights::{Caller, Person};

/// Keeps a change of somebody's own e-mail until the old address confirms it, in place of any earlier
/// one. The secret goes into the link that is mailed there.
///
/// # Errors
///
/// `BadField` for what is no e-mail, `Taken` for one that another account has.
pub fn ask_email_change(
    registry: &Registry,
    person: &Person,
    email: &str,
    now: Timestamp,
) -> Result<(Secret, EmailChange), AccountError> {
    let secret = Secret::draw()?;
    let change = EmailChange {
        user_id: person.user.id,
        email: email.to_owned(),
        created_at: now,
        expires_at: now.after(LINK_LIFE),
    };
    registry.keep_email_change(&secret.digest(), &change).map_err(|error| taken(error, email))?;
    let note = Note::of(Deed::AskEmail).by(&Caller::Person(Box::new(person.clone())));
    note.to_user(&person.user).saying(format!("to {email:?}")).write(registry, now);
    Ok((secret, change))
}

/// The change that a link confirms, if it is one of this user's.
pub fn email_change(
    registry: &Registry,
    (user, secret): (&User, &str),
    now: Timestamp,
) -> Result<EmailChange, AccountError> {
    let secret = Secret::parse(secret).ok_or(AccountError::DeadLink)?;
    let change = registry.email_change_of_link(&secret.digest(), now)?;
    change.filter(|change| change.user_id == user.id).ok_or(AccountError::DeadLink)
}

/// Changes the e-mail that a link is for, if it is this user's own: the user before and after.
pub fn confirm_email_change(
    registry: &Registry,
    (user, secret): (&User, &str),
    address: &str,
    now: Timestamp,
) -> Result<(User, User), AccountError> {
    let change = email_change(registry, (user, secret), now)?;
    let secret = Secret::parse(secret).ok_or(AccountError::DeadLink)?;
    let note = |(before, after): &(User, User)| {
        let note = Note::of(Deed::ChangeEmail).by_user(after, AuditHow::Link).from(address);
        let words = format!("e-mail from {:?} to {:?}", before.email, after.email);
        Some(note.to_user(after).saying(words).line())
    };
    let confirmed = registry.confirm_email_change(&secret.digest(), note, now);
    let confirmed = confirmed.map_err(|error| taken(error, &change.email))?;
    confirmed.ok_or(AccountError::DeadLink)
}

fn taken(error: Error, email: &str) -> AccountError {
    if matches!(error, Error::Conflict(_)) {
        return AccountError::Taken(email.to_owned());
    }
    error.into()
}
