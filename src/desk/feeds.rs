//! Feeds at the desk: which are read from time to time, and how that goes.

use storage::registry::{Deed, Error as RegistryError, FeedRow, NewFeed};

use super::{Desk, DeskError};
use crate::accounts::Note;

impl Desk<'_> {
    /// All feeds, in the order they were added.
    pub fn feeds(&self) -> Result<Vec<FeedRow>, DeskError> {
        Ok(self.app.registry.feeds()?)
    }

    /// Adds a feed, which is read within moments and from then on from time to time. One that is
    /// there is read now, and as often as is said.
    pub fn add_feed(&self, new: &NewFeed) -> Result<FeedRow, DeskError> {
        let new = NewFeed { url: new.url.trim().to_owned(), ..new.clone() };
        let now = self.app.shop.clock.now();
        let feed = self.app.registry.add_feed(&new, self.caller.name(), now)?;
        self.note_feed(&feed, format!("every {} hours", feed.every_h));
        Ok(feed)
    }

    /// Removes a feed; what it has listed stays.
    pub fn remove_feed(&self, id: i64) -> Result<FeedRow, DeskError> {
        let now = self.app.shop.clock.now();
        let feed = self.app.registry.remove_feed(id, now)?.ok_or_else(|| unknown(id))?;
        self.note_feed(&feed, "removed".into());
        Ok(feed)
    }

    /// Has a feed read at once.
    pub fn read_feed(&self, id: i64) -> Result<FeedRow, DeskError> {
        let registry = &self.app.registry;
        registry.hasten_feed(id, self.app.shop.clock.now())?;
        registry.feed(id)?.ok_or_else(|| unknown(id))
    }

    fn note_feed(&self, feed: &FeedRow, said: String) {
        self.note(Note::of(Deed::CurateResearch).to("feed", &feed.id.to_string()).saying(said));
    }
}

fn unknown(id: i64) -> DeskError {
    RegistryError::NotFound { what: format!("feed {id}") }.into()
}
