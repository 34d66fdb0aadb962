//! How many answers are sent piece by piece at once, for each user and each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;

use crate::config::StreamConfig;
use crate::http::proxy::household;
use crate::http::refusal::Refusal;

/// How long a client is told to wait: somebody has to read an answer to its end first.
const RETRY_S: u64 = 10;

/// Whose answers are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    User(i64),
    Address(IpAddr),
}

/// All answers that are being sent. Never more entries than twice their number.
pub(in crate::http) struct Places {
    limits: StreamConfig,
    open: Mutex<HashMap<Holder, usize>>,
    /// Answers that were ever begun.
    begun: AtomicU64,
    /// Answers that have ended.
    ended: AtomicU64,
}

/// One answer on its way; it no longer counts when this is dropped.
pub(in crate::http) struct Place {
    places: Arc<Places>,
    holders: Vec<Holder>,
}

impl Places {
    pub(in crate::http) fn new(limits: StreamConfig) -> Arc<Places> {
        let (begun, ended) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Places { limits, open: Mutex::default(), begun, ended })
    }

    /// Takes a place for an answer to this user at this address. Programs of this machine are bound
    /// by no address.
    pub(in crate::http) fn take(
        self: &Arc<Places>,
        user: Option<i64>,
        address: Option<IpAddr>,
    ) -> Result<Place, Refusal> {
        let address = address.filter(|it| !it.to_canonical().is_loopback());
        let user = user.map(|user| (Holder::User(user), self.limits.per_user, "account"));
        let address =
            address.map(|it| (Holder::Address(household(it)), self.limits.per_address, "address"));
        let mut holders = Vec::with_capacity(2);
        let mut open = self.open();
        for (holder, most, whose) in user.into_iter().chain(address) {
            let here = open.get(&holder).copied().unwrap_or(0);
            if most > 0 && here >= most {
                return Err(too_many(whose, here));
            }
            holders.push(holder);
        }
        for holder in &holders {
            *open.entry(*holder).or_default() += 1;
        }
        drop(open);
        self.begun.fetch_add(1, Ordering::Relaxed);
        Ok(Place { places: Arc::clone(self), holders })
    }

    /// Answers that were ever begun, and those that are being sent now.
    pub(in crate::http) fn counts(&self) -> [u64; 2] {
        let ended = self.ended.load(Ordering::Relaxed);
        let begun = self.begun.load(Ordering::Relaxed);
        [begun, begun.saturating_sub(ended)]
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Holder, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.places.open();
        for holder in &self.holders {
            if let Some(here) = open.get_mut(holder) {
                *here -= 1;
                if *here == 0 {
                    open.remove(holder);
                }
            }
        }
        self.places.ended.fetch_add(1, Ordering::Relaxed);
    }
}

fn too_many(whose: &str, count: usize) -> Refusal {
    let sentence = format!(
        "Your {whose} has {count} downloads, recordings or exports under way, which is all that \
         it may have at once. Nothing was begun."
    );
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too-many-streams", sentence)
        .next("Let one of them end, or cancel it, and ask again.")
        .retry_after(RETRY_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_and_an_address_have_so_many_places_and_leave_nothing_behind() {
        let places = Places::new(StreamConfig { per_user: 2, per_address: 3, spool_bytes: 0 });
        let address = |text: &str| Some(text.parse::<IpAddr>().unwrap());
        let (home, away) = (address("2001:db8::1"), address("203.0.113.1"));
        let first = places.take(Some(1), home).unwrap();
        let second = places.take(Some(1), home).unwrap();
        assert!(places.take(Some(1), away).is_err(), "one user, wherever");
        let third = places.take(Some(2), address("2001:db8::2")).unwrap();
        assert!(places.take(Some(3), home).is_err(), "one household");
        // The owner of the data directory, on this machine.
        let own: Vec<_> =
            (0..9).map(|_| places.take(None, address("127.0.0.1")).unwrap()).collect();
        assert_eq!(places.counts(), [12, 12]);
        drop(first);
        places.take(Some(1), home).unwrap();
        drop((second, third, own));
        assert_eq!(places.counts(), [13, 0]);
        assert!(places.open().is_empty());
        let unlimited = Places::new(StreamConfig { per_user: 0, per_address: 0, spool_bytes: 0 });
        assert!((0..99).all(|_| unlimited.take(Some(1), home).is_ok()));
    }
}
