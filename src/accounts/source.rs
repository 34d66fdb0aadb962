//! Where a sign-in comes from: an address, and maybe a browser that has signed in before.
//!
//! A browser that signs in is given a secret of its own, which stays when the session ends. Wrong
//! passwords from elsewhere then cost it nothing; see `sign_in`.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{Acquaintance, Registry, SignInSource, User};

use super::{AccountError, Secret};

/// How long a browser or an address is known after the last sign-in from there.
pub const KNOWN: Duration = Duration::from_secs(365 * 24 * 3600);
/// How old the note of the last sign-in from an address may be before it is written again: programs
/// that send a password with every request must not cost a write each.
const NOTE_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Longest text of an address that is told from others.
const LONGEST: usize = 64;

/// Where a sign-in comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source(pub(super) SignInSource);

impl Source {
    /// An address, and the secret that the browser bears, if it bears one.
    pub fn new(address: &str, browser: Option<&str>) -> Source {
        let address = match address.parse::<IpAddr>() {
            Ok(address) => match address_prefix(address) {
                IpAddr::V4(address) => address.to_string(),
                IpAddr::V6(network) => format!("{network}/64"),
            },
            Err(_) => address.chars().take(LONGEST).collect(),
        };
        let browser = browser.and_then(Secret::parse).map(|secret| secret.digest());
        Source(SignInSource { address, browser, is_signed_in: false })
    }

    /// Somebody who has signed in and proves who they are once more, wherever they are: all of this is
    /// one count, and strangers do not touch it.
    pub fn signed_in() -> Source {
        Source(SignInSource { address: "signed in".into(), browser: None, is_signed_in: true })
    }

    /// Whether the user of this e-mail has come from here before; nobody has of an e-mail that is
    /// nobody's.
    pub fn is_known(
        &self,
        registry: &Registry,
        email: &str,
        now: Timestamp,
    ) -> Result<Acquaintance, AccountError> {
        let Some(user) = super::sign_in::user_of(registry, email)? else {
            return Ok(Acquaintance::Unknown);
        };
        Ok(registry.sign_in_source(user.id, &self.0, now.before(KNOWN))?.known)
    }

    /// Notes that the user has proved who they are from here.
    pub(super) fn note(
        &self,
        registry: &Registry,
        user: &User,
        now: Timestamp,
    ) -> Result<(), AccountError> {
        Ok(registry.note_sign_in(user.id, &self.0, (now, now.before(NOTE_AFTER)))?)
    }
}

/// Makes the browser that a user has just signed in with known, and its address. `borne` is the
/// secret that it bears already, if it does; one that nobody has signed in with is not taken over. The
/// secret goes to the browser, which bears it from now on.
pub fn know_browser(
    registry: &Registry,
    user: &User,
    (borne, address): (Option<&str>, &str),
    now: Timestamp,
) -> Result<Secret, AccountError> {
    Source::new(address, None).note(registry, user, now)?;
    let secret = match borne.and_then(Secret::parse) {
        Some(secret) if registry.is_known_browser(&secret.digest())? => secret,
        Some(_) | None => Secret::draw()?,
    };
    registry.know_browser(user.id, &secret.digest(), now)?;
    Ok(secret)
}

/// What is counted as one: an address, or for IPv6 the first half of it, which is what one household
/// or one customer is given.
pub fn address_prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_ipv6_prefix_count_as_one() {
        let of = |address: &str| Source::new(address, None);
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:203.0.113.5"), of("203.0.113.5"));
        assert_ne!(of("203.0.113.5"), of("203.0.113.6"));
        assert_eq!(of("demo").0.address, "demo");
        assert!(of(&"é".repeat(1000)).0.address.chars().count() <= LONGEST);
        let secret = Secret::draw().unwrap();
        assert_eq!(Source::new("", Some(&secret.text())).0.browser, Some(secret.digest()));
        for bad in ["", "x", &"g".repeat(64)] {
            assert_eq!(Source::new("", Some(bad)).0.browser, None, "{bad}");
        }
    }
}
