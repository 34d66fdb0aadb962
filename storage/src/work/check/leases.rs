//! Leases over keys, and the tree that says who holds a key.

use super::{Walk, readable};
use crate::error::Error;
use crate::work::key::Tail;
use crate::work::lease::{LeaseKeyTree, LeaseTree};

impl Walk<'_> {
    pub(super) fn leases(&mut self) -> Result<(), Error> {
        self.each::<LeaseTree>(|walk, name, lease| {
            if walk.is_alone(&name)? {
                return Ok(());
            }
            for key in &lease.keys {
                let place = (lease.space.clone(), Tail(key.clone()));
                if readable(walk.store.get::<LeaseKeyTree>(&place))?.as_ref() == Some(&lease.id) {
                    continue;
                }
                let mend = walk.mend;
                let free = walk.store.commit(|tx| {
                    let there = tx.get::<LeaseTree>(&name)?.as_ref() == Some(&lease);
                    let held = readable(tx.get::<LeaseKeyTree>(&place))?;
                    if !there || held.as_ref() == Some(&lease.id) {
                        return Ok(None);
                    }
                    let free = held.is_none();
                    if free && mend {
                        tx.put::<LeaseKeyTree>(&place, &lease.id)?;
                    }
                    Ok::<_, Error>(Some(free))
                })?;
                if let Some(free) = free {
                    let key = String::from_utf8_lossy(key);
                    let sentence = format!("lease {} does not hold its key {key:?}", lease.id);
                    walk.report("lease-without-key", sentence, mend && free);
                }
            }
            Ok(())
        })
    }

    pub(super) fn lease_keys(&mut self) -> Result<(), Error> {
        self.each::<LeaseKeyTree>(|walk, place, id| {
            let name = (place.0.clone(), id.clone());
            let lease = readable(walk.store.get::<LeaseTree>(&name))?;
            if lease.is_some_and(|lease| lease.keys.contains(&place.1.0)) {
                return Ok(());
            }
            let mend = walk.mend;
            let stray = walk.store.commit(|tx| {
                let stray = tx.get::<LeaseKeyTree>(&place)?.as_ref() == Some(&id)
                    && matches!(tx.get::<LeaseTree>(&name), Ok(lease)
                        if !lease.as_ref().is_some_and(|it| it.keys.contains(&place.1.0)));
                if stray && mend {
                    tx.remove::<LeaseKeyTree>(&place);
                }
                Ok::<_, Error>(stray)
            })?;
            if stray {
                let key = String::from_utf8_lossy(&place.1.0).into_owned();
                let sentence = format!("key {key:?} is held by lease {id}, which does not have it");
                walk.report("stray-lease-key", sentence, mend);
            }
            Ok(())
        })
    }
}
