//! How much one client may ask for, and how often it may guess.
//!
//! Every address has a purse of requests and one of wrong guesses, every account one of wrong
//! passwords from browsers and addresses that it has not signed in from before. One that it has pays
//! for neither: the registry counts its failures for itself alone (`accounts::sign_in`), so that
//! strangers lock nobody out. Of the purse of an account, one address may spend a part: somebody at one
//! place does not keep the owner out of all others. A purse fills again with time. A guess is paid for
//! before it is looked at and paid back when it was right, so that many at once are not cheaper than one
//! after another. This machine itself pays for nothing but guesses at accounts: who is on it could as
//! well read the data directory.
//!
//! What is remembered is bounded: the purses of those who were not seen for longest are forgotten,
//! which makes them full.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use storage::clock::Clock;

use super::accounts::bears_browser;
use super::gate::PHAROS_KEY;
use super::proxy::{ClientAddress, household};
use super::refusal::Refusal;
use crate::config::RateConfig;

/// Purses remembered of each kind: some 64 bytes each.
const REMEMBERED: usize = 16_384;
/// Longest name of an account that is told from others.
const NAME_BYTES: usize = 254;

/// Guesses at one account that one address may make in an hour, at most.
const ACCOUNT_FAILURES_OF_ADDRESS: u32 = 10;
/// They are no larger a part of what the account has for all addresses together.
const ADDRESSES: u32 = 3;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// The purses of everybody.
pub(super) struct Rates {
    clock: Arc<dyn Clock>,
    requests: Purses<IpAddr>,
    address_failures: Purses<IpAddr>,
    account_failures: Purses<String>,
    /// What one address may take of an account's purse.
    shares: Purses<(String, IpAddr)>,
}

impl Rates {
    pub(super) fn new(config: RateConfig, clock: Arc<dyn Clock>) -> Rates {
        let account_failures = config.account_failures_per_hour;
        let share = account_failures.div_ceil(ADDRESSES).min(ACCOUNT_FAILURES_OF_ADDRESS);
        Rates {
            clock,
            requests: Purses::new(config.requests_per_minute, MINUTE),
            address_failures: Purses::new(config.address_failures_per_hour, HOUR),
            account_failures: Purses::new(account_failures, HOUR),
            shares: Purses::new(share, HOUR),
        }
    }

    /// Pays for one request.
    fn request(&self, from: IpAddr) -> Result<(), Refusal> {
        let paid = self.requests.take(household(from), self.clock.steady());
        paid.map_err(|wait| {
            let sentence = "Too many requests came from your address.";
            too_many("too-many-requests", sentence, wait)
        })
    }

    /// Pays for one guess of an address.
    fn guess(&self, from: IpAddr) -> Result<(), Refusal> {
        let paid = self.address_failures.take(household(from), self.clock.steady());
        paid.map_err(|wait| {
            let sentence = "Too many wrong passwords, tokens or links came from your address.";
            too_many("too-many-failures", sentence, wait)
        })
    }

    /// Pays for one guess at an account, whether there is such a one or not: the answer must not
    /// tell. An address that has spent its part takes nothing of the account's purse. Call
    /// [`Rates::guessed_right`] when it was right.
    pub(super) fn guess_account(&self, name: &str, from: &str) -> Result<(), Refusal> {
        let (name, now) = (account(name), self.clock.steady());
        let share = elsewhere(from).map(|from| (name.clone(), from));
        let paid = share.map_or(Ok(()), |share| self.shares.take(share, now));
        paid.and_then(|()| self.account_failures.take(name, now)).map_err(|wait| {
            let sentence = "Too many wrong passwords were tried for this account.";
            too_many("too-many-failures", sentence, wait)
        })
    }

    /// Pays back what a right guess at an account cost.
    pub(super) fn guessed_right(&self, name: &str, from: &str) {
        let name = account(name);
        self.account_failures.give_back(&name);
        if let Some(from) = elsewhere(from) {
            self.shares.give_back(&(name, from));
        }
    }

    /// Pays for one guess of an address that was let pass because its browser said that it is known,
    /// and is not. This machine pays for nothing.
    pub(super) fn guess_unknown(&self, from: &str) -> Result<(), Refusal> {
        elsewhere(from).map_or(Ok(()), |from| self.guess(from))
    }

    /// Pays it back.
    pub(super) fn guessed_right_from(&self, from: &str) {
        if let Some(from) = elsewhere(from) {
            self.address_failures.give_back(&from);
        }
    }
}

/// What an address counts as, unless it is this machine's own.
fn elsewhere(from: &str) -> Option<IpAddr> {
    from.parse::<IpAddr>().ok().filter(|from| !from.is_loopback()).map(household)
}

/// What accounts are told apart by: the same letters in small, so that no spelling has a purse of
/// its own.
fn account(name: &str) -> String {
    name.trim().chars().take(NAME_BYTES).collect::<String>().to_lowercase()
}

fn too_many(code: &'static str, sentence: &str, wait: Duration) -> Refusal {
    let seconds = wait.as_secs().max(1);
    let next = if seconds < 120 {
        format!("Try again in {seconds} seconds.")
    } else {
        format!("Try again in {} minutes.", seconds.div_ceil(60))
    };
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, code, sentence).next(next).retry_after(seconds)
}

/// Refuses clients that ask too much, and those that guess too often.
pub(super) async fn limit(
    State(rates): State<Arc<Rates>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(ClientAddress(from)) = request.extensions().get().copied() else {
        return Refusal::mistake().into_response();
    };
    if from.is_loopback() {
        return next.run(request).await;
    }
    let uri = request.uri().clone();
    let asks_for_link = asks_for_link(&request);
    // Whether the browser is known is asked where it signs in, and it pays there if it is not.
    let pays_later = is_sign_in(&request) && bears_browser(request.headers());
    let guesses = asks_for_link || (bears_proof(&request) && !pays_later);
    let paid = rates.request(from).and_then(|()| if guesses { rates.guess(from) } else { Ok(()) });
    if let Err(refusal) = paid {
        tracing::debug!(from = %from, "refused for the number of its requests");
        return refusal.for_path(&uri).into_response();
    }
    let response = next.run(request).await;
    let status = response.status();
    // The form to sign in is shown again for many reasons, and each is a guess.
    let wrong = [StatusCode::UNAUTHORIZED, StatusCode::GONE].contains(&status)
        || (uri.path().starts_with("/sign-in") && status.is_client_error());
    if guesses && !wrong && !asks_for_link {
        rates.address_failures.give_back(&household(from));
    }
    response
}

/// Whether a request brings something that could be guessed: a key, a token, a password or a link.
fn bears_proof(request: &Request) -> bool {
    let headers = request.headers();
    if headers.contains_key(header::AUTHORIZATION) || headers.contains_key(PHAROS_KEY) {
        return true;
    }
    let links = ["/password", "/welcome"].contains(&request.uri().path());
    links || is_sign_in(request)
}

/// Whether a request is a form to sign in that was filled in, and bears no other proof.
fn is_sign_in(request: &Request) -> bool {
    let headers = request.headers();
    let bears = headers.contains_key(header::AUTHORIZATION) || headers.contains_key(PHAROS_KEY);
    let path = request.uri().path();
    !bears && ["/sign-in", "/sign-in/code"].contains(&path) && request.method() == Method::POST
}

/// Whether somebody is to be sent a link for a forgotten password. The answer is the same for every
/// e-mail, so each wish counts.
fn asks_for_link(request: &Request) -> bool {
    request.uri().path() == "/forgotten" && request.method() == Method::POST
}

/// The purses of one kind.
struct Purses<K> {
    /// What a full purse holds; none is no limit.
    full: u32,
    /// How long an empty one takes to be full.
    fills_in: Duration,
    kept: Mutex<Generations<K>>,
}

/// Those who were seen lately, and those before them. When the first are many, the second are
/// forgotten.
struct Generations<K> {
    young: HashMap<K, Purse>,
    old: HashMap<K, Purse>,
}

/// What was spent, and when that was noted.
#[derive(Clone, Copy, Default)]
struct Purse {
    spent: f64,
    at: Duration,
}

impl<K: Hash + Eq> Purses<K> {
    fn new(full: u32, fills_in: Duration) -> Purses<K> {
        let kept = Generations { young: HashMap::new(), old: HashMap::new() };
        Purses { full, fills_in, kept: Mutex::new(kept) }
    }

    /// Takes one, or says how long to wait for it.
    fn take(&self, key: K, now: Duration) -> Result<(), Duration> {
        if self.full == 0 {
            return Ok(());
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let old = kept.old.remove(&key);
        if kept.young.len() >= REMEMBERED / 2 && !kept.young.contains_key(&key) {
            kept.old = std::mem::take(&mut kept.young);
        }
        let purse = kept.young.entry(key).or_insert_with(|| old.unwrap_or_default());
        let each = self.fills_in.as_secs_f64() / f64::from(self.full);
        let passed = now.saturating_sub(purse.at).as_secs_f64();
        *purse = Purse { spent: (purse.spent - passed / each).max(0.0), at: now };
        let over = purse.spent + 1.0 - f64::from(self.full);
        if over > 0.0 {
            return Err(Duration::from_secs_f64(over * each));
        }
        purse.spent += 1.0;
        Ok(())
    }

    fn give_back(&self, key: &K) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(purse) = kept.young.get_mut(key) {
            purse.spent = (purse.spent - 1.0).max(0.0);
        } else if let Some(purse) = kept.old.get_mut(key) {
            purse.spent = (purse.spent - 1.0).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn second(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_purse_is_spent_and_fills_again() {
        let purses = Purses::new(3, MINUTE);
        for _ in 0..3 {
            purses.take("a", second(0)).unwrap();
        }
        let wait = purses.take("a", second(5)).unwrap_err();
        assert_eq!(wait.as_secs_f64().round(), 15.0, "one comes back every twenty seconds");
        purses.take("b", second(5)).unwrap();
        purses.take("a", second(21)).unwrap();
        assert!(purses.take("a", second(22)).is_err());
        purses.give_back(&"a");
        purses.take("a", second(22)).unwrap();
        for _ in 0..3 {
            purses.take("a", second(1000)).unwrap();
        }
        assert!(purses.take("a", second(1000)).is_err(), "never more than full");
        let unlimited = Purses::new(0, MINUTE);
        assert!((0..100).all(|_| unlimited.take("a", second(0)).is_ok()));
    }

    #[test]
    fn one_address_spends_a_part_of_an_account_s_purse() {
        let clock = storage::testing::ManualClock::start();
        let rates = |account_failures_per_hour| {
            let config = RateConfig {
                requests_per_minute: 0,
                address_failures_per_hour: 0,
                account_failures_per_hour,
            };
            Rates::new(config, clock.clone())
        };
        let paid = |rates: &Rates, from: &str| {
            (0..100).filter(|_| rates.guess_account("ann@archive.example", from).is_ok()).count()
        };
        for (limit, part) in [(30, 10), (7, 3), (1, 1), (1000, 10), (0, 100)] {
            let rates = rates(limit);
            assert_eq!(paid(&rates, "203.0.113.5"), part, "{limit}");
            assert!(limit == 0 || paid(&rates, "203.0.113.5") == 0);
            assert_eq!(paid(&rates, "2001:db8::1") > 0, limit != 1, "{limit}");
        }
        let rates = rates(30);
        for from in ["203.0.113.1", "2001:db8::1", "203.0.113.3"] {
            assert_eq!(paid(&rates, from), 10);
        }
        assert_eq!(paid(&rates, "203.0.113.4"), 0, "many addresses together are bounded");
        rates.guessed_right("Ann@archive.example", "203.0.113.1");
        assert_eq!(paid(&rates, "2001:db8::ffff"), 0, "it has spent its part");
        assert_eq!(paid(&rates, "203.0.113.1"), 1);
        assert_eq!(paid(&rates, "127.0.0.1"), 0);
    }

    #[test]
    fn a_crowd_of_strangers_takes_bounded_room_and_who_is_seen_is_remembered() {
        let purses = Purses::new(2, HOUR);
        purses.take(u64::MAX, second(0)).unwrap();
        purses.take(u64::MAX, second(0)).unwrap();
        for number in 0..10 * REMEMBERED as u64 {
            purses.take(number, second(1)).unwrap();
            if number % 1000 == 0 {
                assert!(purses.take(u64::MAX, second(1)).is_err(), "{number}");
            }
        }
        let kept = purses.kept.lock().unwrap();
        assert!(kept.young.len() + kept.old.len() <= REMEMBERED);
    }

    #[test]
    fn what_can_be_guessed_is_known_by_its_address_or_headers() {
        let request = |method: Method, path: &str| {
            Request::builder().method(method).uri(path).body(axum::body::Body::empty()).unwrap()
        };
        for path in ["/sign-in", "/sign-in/code", "/password?token=00", "/welcome"] {
            assert!(bears_proof(&request(Method::POST, path)), "{path}");
        }
        assert!(bears_proof(&request(Method::GET, "/password?token=00")));
        assert!(is_sign_in(&request(Method::POST, "/sign-in")));
        assert!(!is_sign_in(&request(Method::GET, "/sign-in")));
        assert!(!is_sign_in(&request(Method::POST, "/password")));
        for path in ["/sign-in", "/", "/objects", "/forgotten"] {
            assert!(!bears_proof(&request(Method::GET, path)), "{path}");
        }
        let mut program = request(Method::GET, "/api/v1/items");
        assert!(!bears_proof(&program));
        program.headers_mut().insert("x-pharos-api-key", "0".parse().unwrap());
        assert!(bears_proof(&program));
        assert!(asks_for_link(&request(Method::POST, "/forgotten")));
        assert!(!asks_for_link(&request(Method::GET, "/forgotten")));
    }

    #[test]
    fn an_account_is_one_however_it_is_spelled() {
        assert_eq!(account(" Ann@Archive.Example "), account("ann@archive.example"));
        assert!(account(&"é".repeat(10_000)).chars().count() <= NAME_BYTES);
    }

    #[test]
    fn retry_after_is_a_number_of_seconds() {
        let refusal = too_many("x", "x", Duration::from_millis(10)).into_response();
        assert_eq!(refusal.headers()[header::RETRY_AFTER], "1");
        assert_eq!(refusal.status(), StatusCode::TOO_MANY_REQUESTS);
    }
}
