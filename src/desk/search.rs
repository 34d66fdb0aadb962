//! One field for everything: objects, files and items by what somebody typed.

use storage::registry::{Found, SEARCH_MAX, Sight};

use super::{Desk, DeskError};

impl Desk<'_> {
    /// What this caller finds by a text: their own first, then what others share. No more than
    /// `limit` of each kind.
    pub fn search(&self, text: &str, limit: u32) -> Result<Found, DeskError> {
        let registry = &self.app.registry;
        let limit = limit.clamp(1, SEARCH_MAX);
        let mut found = registry.search(text, self.sight(), limit)?;
        if let Some(institution) = self.sight().institution() {
            let shared = registry.search(text, Sight::Shared { institution }, limit)?;
            found.objects.extend(shared.objects);
            found.files.extend(shared.files);
            let most = limit as usize;
            found.more |= shared.more || found.objects.len() > most || found.files.len() > most;
            found.objects.truncate(most);
            found.files.truncate(most);
        }
        Ok(found)
    }
}
