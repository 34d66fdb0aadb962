//! The e-mail of an account: the owner changes it with a link that is mailed to the old address, others
//! who look after the account change it at once, and the old address is told in any case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::User;
use storage::registry::moment::Moment;

use crate::accounts::{self, AccountError};
use crate::desk::{Desk, DeskError};

/// A change of somebody's own e-mail that the old address has to confirm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PendingEmail {
    /// The new e-mail.
    pub email: String,
    /// Until when it can be confirmed.
    #[serde(with = "Moment")]
    pub expires_at: Timestamp,
}

impl Desk<'_> {
    /// Asks to change the caller's own e-mail. It stays until the link is opened that is mailed to it.
    ///
    /// # Errors
    ///
    /// `Refused` where no mail is sent: then an administrator changes it.
    pub fn ask_own_email(&self, email: &str) -> Result<PendingEmail, DeskError> {
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        let person = self.person()?;
        if self.app.outbox.link("/").is_none() {
            let why = "this appliance sends no mail, so the old address cannot confirm a new one; \
                nothing was changed: ask another administrator to change the e-mail";
            return Err(AccountError::Refused(why.to_owned()).into());
        }
        let (secret, change) = accounts::ask_email_change(registry, person, email.trim(), now)?;
        let path = format!("/account/email?token={}", secret.text());
        let link = self.app.outbox.link(&path).unwrap_or_default();
        let (name, new) = (&person.user.name, &change.email);
        let text = format!(
            "Dear {name},\n\nsomebody who is signed in with your account asked to change its e-mail \
             to {new}. If it was you, confirm it here within a day; the link works once:\n\n{link}\n\n\
             If it was not you, do not open the link: your e-mail stays as it is. Change your \
             password and tell an administrator.\n"
        );
        self.app.outbox.write_to(&person.user.email, ("Confirm your new e-mail", &text))?;
        Ok(PendingEmail { email: change.email, expires_at: change.expires_at })
    }

    /// The caller's own change of e-mail that waits to be confirmed.
    pub fn pending_email(&self) -> Result<Option<PendingEmail>, DeskError> {
        let user = self.person()?.user.id;
        let kept = self.app.registry.email_change(user, self.app.shop.clock.now())?;
        Ok(kept.map(|it| PendingEmail { email: it.email, expires_at: it.expires_at }))
    }

    /// The new e-mail that a link of the caller's own would set.
    pub fn email_of_link(&self, secret: &str) -> Result<String, DeskError> {
        let (user, now) = (&self.person()?.user, self.app.shop.clock.now());
        Ok(accounts::email_change(&self.app.registry, (user, secret), now)?.email)
    }

    /// Changes the caller's own e-mail by the link that was mailed to the old address.
    pub fn confirm_own_email(&self, secret: &str) -> Result<User, DeskError> {
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        let person = self.person()?;
        let given = (&person.user, secret);
        let (before, after) =
            accounts::confirm_email_change(registry, given, &person.address, now)?;
        self.mail_email_changed(&before, &after)?;
        Ok(after)
    }

    /// Tells the old address that it is not that of the account any more.
    pub(super) fn mail_email_changed(&self, before: &User, after: &User) -> Result<(), DeskError> {
        let text = format!(
            "Dear {},\n\nthe e-mail of your account was changed from {} to {} by {}. If that is not \
             right, tell an administrator at once.\n",
            before.name,
            before.email,
            after.email,
            match self.caller.user() {
                Some(user) if user.id == after.id => "you, with the link that was sent here",
                Some(user) => user.email.as_str(),
                None => self.caller.name(),
            }
        );
        Ok(self.app.outbox.write_to(&before.email, ("Your e-mail was changed", &text))?)
    }
}
