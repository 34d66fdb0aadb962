//! What an item keeps on its way, and work that is under way on an object.

use storage::registry::{ItemRow, ObjectRow};
use storage::work::item::ItemId;

use super::{Desk, DeskError};

impl Desk<'_> {
    /// Drops what an item kept on its way. Whoever asks has seen that it has ended; one that has not
    /// is refused all the same.
    pub fn drop_interim(&self, id: u64) -> Result<(), DeskError> {
        let live = self.app.shop.queue.item(ItemId(id))?;
        if live.is_some_and(|item| !item.state.is_terminal()) {
            let why = format!("item {id} has not ended: what it keeps on its way is needed");
            return Err(DeskError::Declined(why));
        }
        crate::ingest::drop_interim(self.app, ItemId(id)).map_err(|fault| {
            DeskError::Areas(fault.sentence_or("what lies in staging cannot be removed"))
        })
    }

    /// Work on an object that has not ended, if there is some.
    pub fn pending_work(&self, object: &ObjectRow) -> Result<Option<ItemRow>, DeskError> {
        Ok(crate::deletion::pending_work(self.app, &object.identifier)?.into_iter().next())
    }
}
