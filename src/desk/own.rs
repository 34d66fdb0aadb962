//! What is the caller's own: to know of, and to change.

use storage::registry::{Deed, ItemRow, ObjectRow};
use storage::work::item::ItemId;

use super::{Desk, DeskError};
use crate::accounts::Note;
use crate::rights::{Right, Sight};

impl Desk<'_> {
    /// How much this caller sees.
    pub fn sight(&self) -> Sight {
        self.caller.sight()
    }

    /// Whether something of this institution is the caller's to know; what is no institution's is
    /// the house's.
    pub(in crate::desk) fn owns(&self, institution: Option<i64>) -> bool {
        match institution {
            Some(institution) => self.caller.acts_for(institution),
            None => self.sight() == Sight::All,
        }
    }

    /// Refuses an item of an object that the caller may not know of, unless they asked for it.
    pub(in crate::desk) fn require_seen(&self, item: &ItemRow) -> Result<(), DeskError> {
        let Some(identifier) = item.object_identifier.as_deref() else { return Ok(()) };
        if item.user == self.caller.name() {
            return Ok(());
        }
        match self.knows(identifier)? {
            true => Ok(()),
            false => Err(DeskError::NoSuchItem(item.id.unsigned_abs())),
        }
    }

    /// Whether an item that is being worked on is one that the caller may see.
    pub fn sees_work(&self, item: u64) -> Result<bool, DeskError> {
        if self.sight() == Sight::All {
            return Ok(true);
        }
        let Some(item) = self.app.shop.queue.item(ItemId(item))? else { return Ok(false) };
        let subject = item.subject;
        if !self.owns(subject.institution) {
            return Ok(false);
        }
        match subject.object_identifier {
            Some(identifier) if subject.user != self.caller.name() => self.knows(&identifier),
            Some(_) | None => Ok(true),
        }
    }

    /// Whether the caller may know of an object of their institution, held or only sent.
    pub(in crate::desk) fn knows(&self, identifier: &str) -> Result<bool, DeskError> {
        let sight = self.sight();
        let Sight::Own { restricted: false, .. } = sight else { return Ok(true) };
        let registry = &self.app.registry;
        let object = registry.object_by_identifier(identifier)?;
        let is_seen = |it: ObjectRow| sight.sees(it.institution_id, it.access.name());
        Ok(object.is_none_or(is_seen) && !registry.is_restricted_deposit(identifier)?)
    }

    /// Refuses to change what is not the caller's own, or what is restricted to others.
    pub(in crate::desk) fn require_own(
        &self,
        object: &ObjectRow,
        right: Right,
    ) -> Result<(), DeskError> {
        let own = self.sight().sees(object.institution_id, object.access.name());
        if own && self.caller.may(right) {
            return Ok(());
        }
        let note = Note::of(Deed::Enter).to("object", &object.identifier);
        self.note(note.refused(right.deed()));
        Err(DeskError::NotAllowed { right, what: object.identifier.clone() })
    }
}
