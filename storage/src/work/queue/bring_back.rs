//! Items that come back from their copies after the work state was lost.

use super::control::Pushed;
use super::{Items, META, Metas, NewItem, Queue};
use crate::clock::Timestamp;
use crate::error::Error;
use crate::work::item::ItemId;
use crate::work::place::Uniques;
use crate::work::tx::Tx;

/// An item to be made again.
#[derive(Clone, Debug)]
pub struct Returned {
    /// Its number.
    pub id: ItemId,
    /// The revision its copy has; what is written is newer.
    pub revision: u64,
    /// Attempts that were ever begun; the history goes on after them.
    pub turns: u32,
    /// When it was first pushed.
    pub created: Timestamp,
    /// What is to be done.
    pub item: NewItem,
}

impl Queue {
    /// Puts items in line under the numbers they had, with a clean slate, all or none. An item whose
    /// number or unique name is there already is left as it is; returned is the one that is there.
    pub fn bring_back(&self, returned: Vec<Returned>) -> Result<Vec<Pushed>, Error> {
        returned.iter().try_for_each(|back| Queue::check_new(&back.item))?;
        let now = self.clock.now();
        let topics: Vec<_> = returned.iter().map(|back| back.item.topic.clone()).collect();
        let pushed = self.store.commit(|tx| {
            let back = returned.into_iter().map(|back| self.bring_back_one(tx, back, now));
            back.collect::<Result<Vec<_>, Error>>()
        })?;
        let made = pushed.iter().zip(&topics).filter(|(pushed, _)| pushed.new);
        self.announce(made.map(|(pushed, topic)| (pushed.id, topic.as_str())));
        Ok(pushed)
    }

    fn bring_back_one(
        &self,
        tx: &mut Tx<'_>,
        back: Returned,
        now: Timestamp,
    ) -> Result<Pushed, Error> {
        let id = back.id;
        if tx.get::<Items>(&id)?.is_some() {
            return Ok(Pushed { id, new: false });
        }
        if let Some(name) = &back.item.unique
            && let Some(other) = tx.get::<Uniques>(name)?
        {
            return Ok(Pushed { id: other, new: false });
        }
        let mut meta = tx.get::<Metas>(&META)?.unwrap_or_default();
        meta.next_item = meta.next_item.max(id.0.saturating_add(1));
        tx.put::<Metas>(&META, &meta)?;
        let mut item = self.fresh(id, back.item, now);
        (item.revision, item.turns) = (back.revision, back.turns);
        item.created = back.created;
        self.enter(tx, &mut item, now)?;
        Ok(Pushed { id, new: true })
    }
}
