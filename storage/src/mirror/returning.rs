//! What comes back from the registry when the work state was lost: items that somebody asked for and
//! that nothing else finds again, and the pauses of topics.
//!
//! Both may be repeated. An item comes back under its own number, unless another item already does the
//! same. A topic that the work state knows is left as the work state has it.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use super::{Mirror, MirrorError};
use crate::registry::ItemRow;
use crate::work::item::{ItemId, Subject};
use crate::work::queue::{NewItem, Returned};

impl Mirror {
    /// Pauses the topics again that the registry has as paused and the work state does not know. To be
    /// called before anything is put into the queue. Returns how many.
    pub fn pause_again(&self) -> Result<usize, MirrorError> {
        let known: BTreeSet<_> = self.queue.topics()?.into_iter().map(|view| view.topic).collect();
        let mut again = 0;
        for topic in self.registry.paused_topics()? {
            if !known.contains(&topic) {
                self.queue.pause(&topic, true)?;
                again += 1;
            }
        }
        Ok(again)
    }

    /// Copies which topics are paused, if that has changed.
    pub(super) fn copy_pauses(&self) -> Result<(), MirrorError> {
        // A work state that cannot be read says so elsewhere; the registry is well.
        let Ok(paused) = self.queue.paused_topics() else { return Ok(()) };
        let mut copied = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match copied.take() {
            Some(known) => known,
            None => self.registry.paused_topics()?.into_iter().collect(),
        };
        if known != paused {
            self.registry.put_paused_topics(&paused)?;
        }
        *copied = Some(paused);
        Ok(())
    }

    /// Makes items again from the rows of lost ones. Returns the rows of those that do not come back,
    /// each with the item that does the same, if there is one.
    pub(super) fn bring_back(
        &self,
        rows: &[ItemRow],
    ) -> Result<Vec<(ItemRow, Option<ItemId>)>, MirrorError> {
        let returns = |row: &&ItemRow| {
            let named = row.unique_name.is_some() && !row.name.is_empty();
            named && self.returning.contains(&row.flow.as_str())
        };
        let (back, gone): (Vec<_>, Vec<_>) = rows.iter().partition(returns);
        let mut lost: Vec<_> = gone.into_iter().map(|row| (row.clone(), None)).collect();
        let mut items = Vec::with_capacity(back.len());
        for row in &back {
            items.push(returned(row, self.registry.last_attempt(row.id)?));
        }
        for (row, pushed) in back.into_iter().zip(self.queue.bring_back(items)?) {
            if pushed.id != ItemId(row.id.unsigned_abs()) {
                lost.push((row.clone(), Some(pushed.id)));
            }
        }
        Ok(lost)
    }
}

/// The item that a row was the copy of, at the stage where it was.
fn returned(row: &ItemRow, turns: u32) -> Returned {
    let text = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    Returned {
        id: ItemId(row.id.unsigned_abs()),
        revision: row.revision.unsigned_abs(),
        turns,
        created: row.created_at,
        item: NewItem {
            flow: row.flow.clone(),
            topic: row.topic.clone(),
            subject: Subject {
                action: row.action.clone(),
                name: row.name.clone(),
                etag: text(&row.etag),
                institution: row.institution_id,
                object: row.intellectual_object_id,
                file: row.generic_file_id,
                object_identifier: row.object_identifier.clone(),
                file_identifier: row.generic_file_identifier.clone(),
                bucket: text(&row.bucket),
                user: row.user.clone(),
                bag_date: row.bag_date,
                size_bytes: row.size.unsigned_abs(),
                storage_option: row.storage_option.clone(),
                alt_identifier: row.alt_identifier.clone(),
                bag_group_identifier: row.bag_group_identifier.clone(),
                bagit_profile_identifier: row.bagit_profile_identifier.clone(),
                source_organization: row.source_organization.clone(),
                internal_sender_identifier: row.internal_sender_identifier.clone(),
                inst_approver: row.inst_approver.clone(),
                aptrust_approver: row.aptrust_approver.clone(),
                deletion_request: row.deletion_request_id,
            },
            priority: i32::try_from(row.priority).unwrap_or_default(),
            unique: row.unique_name.clone(),
            due: None,
            expires: None,
            note: "the work state was lost; this was made again from the registry".into(),
        },
    }
}
