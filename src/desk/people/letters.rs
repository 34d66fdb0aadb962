//! Letters to one person: welcome, a new link, the news of a new password. Without mail, or where
//! nobody said where our pages are reached, links are handed over by whoever made them.

use std::time::Duration;

use storage::registry::{Deed, Error, User};

use crate::accounts::{Note, make_link};
use crate::desk::{Desk, DeskError};

/// Longest e-mail that is looked at.
const EMAIL: usize = 254;
/// A link that is younger is not replaced by another: nobody's mail is flooded.
const YOUNG: Duration = Duration::from_secs(10 * 60);

impl Desk<'_> {
    /// Somebody says that they have forgotten their password. What is done about it is not told:
    /// it would tell who has an account.
    pub fn forget_password(&self, email: &str, address: &str) -> Result<(), DeskError> {
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        let email = email.trim();
        let found = if email.len() > EMAIL { None } else { registry.user_by_email(email)? };
        let user = match found {
            Some(user) => registry.active_user(user.id)?,
            None => None,
        };
        let note = Note::of(Deed::ForgetPassword).from(address);
        let Some(user) = user else {
            note.failed("no such user, or shut out").write(registry, now);
            return Ok(());
        };
        let made = registry.link_made_at(user.id, now)?;
        if made.is_some_and(|made| now.since(made) < YOUNG) {
            note.to_user(&user).refused("a link was made a moment ago").write(registry, now);
            return Ok(());
        }
        note.to_user(&user).write(registry, now);
        if self.app.outbox.link("/").is_none() {
            return Ok(registry.wish_for_password(user.id, now)?);
        }
        let (secret, _) = make_link(registry, self.caller, &user, now)?;
        self.mail_link(&user, &path(&secret.text()), Occasion::Forgotten)?;
        Ok(())
    }

    /// Mails a link that sets a password; false where letters cannot bear one.
    pub(super) fn mail_link(
        &self,
        user: &User,
        path: &str,
        occasion: Occasion,
    ) -> Result<bool, Error> {
        let Some(link) = self.app.outbox.link(path) else { return Ok(false) };
        let (subject, begin) = match occasion {
            Occasion::Welcome => (
                "Welcome to Strongroom",
                "An account was made for you. Choose a password here, within a day; the link \
                 works once:",
            ),
            Occasion::Reset => (
                "Set a new password",
                "An administrator made this link for you. It sets a new password, once, within a \
                 day:",
            ),
            Occasion::Forgotten => (
                "Set a new password",
                "Somebody, probably you, said that you have forgotten your password. This link \
                 sets a new one, once, within a day. If it was not you, do nothing:",
            ),
        };
        let name = user.name.as_str();
        let text = format!("Dear {name},\n\n{begin}\n\n{link}\n");
        self.app.outbox.write_to(&user.email, (subject, &text))?;
        Ok(true)
    }

    /// Tells somebody that their password was changed, in case it was not them.
    pub fn mail_password_changed(&self, user: &User) -> Result<(), DeskError> {
        let text = format!(
            "Dear {},\n\nthe password of your account {} was changed. Wherever you were signed in, \
             that has ended. If it was not you, tell an administrator at once.\n",
            user.name, user.email
        );
        Ok(self.app.outbox.write_to(&user.email, ("Your password was changed", &text))?)
    }
}

/// Why a link is mailed.
#[derive(Clone, Copy)]
pub(super) enum Occasion {
    Welcome,
    Reset,
    Forgotten,
}

/// Where a link leads.
pub(super) fn path(secret: &str) -> String {
    format!("/password?token={secret}")
}
