//! How many connections each address has, so that one client cannot take every place.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::http::proxy::household;

/// Who is here, and how many of each. Never more entries than connections.
#[derive(Default)]
pub(super) struct Crowd(Mutex<HashMap<IpAddr, usize>>);

/// One connection of an address; it leaves when this is dropped.
pub(super) struct Guest {
    crowd: Arc<Crowd>,
    from: IpAddr,
}

impl Crowd {
    /// Lets one more of this address in, unless so many are here.
    pub(super) fn enter(self: &Arc<Crowd>, address: IpAddr, most: usize) -> Option<Guest> {
        let from = household(address);
        let mut crowd = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let here = crowd.entry(from).or_default();
        if *here >= most {
            return None;
        }
        *here += 1;
        Some(Guest { crowd: Arc::clone(self), from })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut crowd = self.crowd.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(here) = crowd.get_mut(&self.from) {
            *here -= 1;
            if *here == 0 {
                crowd.remove(&self.from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_has_so_many_places_and_leaves_nothing_behind() {
        let crowd = Arc::new(Crowd::default());
        let [one, two] = ["2001:db8::1", "2001:db8::2"].map(|it| it.parse().unwrap());
        let other = "2001:db8:0:1::1".parse().unwrap();
        let first = crowd.enter(one, 2).unwrap();
        let second = crowd.enter(two, 2).unwrap();
        assert!(crowd.enter(one, 2).is_none(), "both are of one household");
        let third = crowd.enter(other, 2);
        assert!(third.is_some());
        drop(first);
        assert!(crowd.enter(two, 2).is_some());
        drop((second, third));
        assert!(crowd.0.lock().unwrap().is_empty());
    }
}
