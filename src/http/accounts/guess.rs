//! A guess at an account: what it costs, by where it comes from.
//!
//! A browser that the account has signed in with, and an address it has signed in from, pay nothing
//! here: their failures are counted in the registry, for themselves alone. Everybody else pays from
//! the purse of the account before the password is looked at, and one address only a part of it.

use storage::registry::Acquaintance;

use super::aside;
use crate::accounts::Source;
use crate::http::Site;
use crate::http::refusal::Refusal;

/// A guess that was paid for, if it had to be.
pub(super) struct Guess {
    email: String,
    address: String,
    known: Acquaintance,
    /// Whether the purse of the address was paid from here, and not before.
    paid_here: bool,
}

impl Guess {
    /// Pays for a guess, or refuses it. `bears_browser` says whether the request bore the cookie of a
    /// browser, for which the purse of the address was not asked yet.
    pub(super) async fn begin(
        site: &Site,
        (email, address): (&str, &str),
        source: &Source,
        bears_browser: bool,
    ) -> Result<Guess, Refusal> {
        let (asked, sought) = (source.clone(), email.to_owned());
        let known = aside(site, move |app| {
            Ok(asked.is_known(&app.registry, &sought, app.shop.clock.now())?)
        });
        let known = known.await?;
        let paid_here = bears_browser && known != Acquaintance::Browser;
        if paid_here {
            site.rates.guess_unknown(address)?;
        }
        if known == Acquaintance::Unknown {
            site.rates.guess_account(email, address)?;
        }
        Ok(Guess { email: email.to_owned(), address: address.to_owned(), known, paid_here })
    }

    /// Whether the account has come from there before: such a one has a turn of its own.
    pub(super) fn is_known(&self) -> bool {
        self.known != Acquaintance::Unknown
    }

    /// Pays back: the guess was right.
    pub(super) fn was_right(&self, site: &Site) {
        if self.known == Acquaintance::Unknown {
            site.rates.guessed_right(&self.email, &self.address);
        }
        if self.paid_here {
            site.rates.guessed_right_from(&self.address);
        }
    }
}
