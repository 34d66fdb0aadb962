//! Makes an item for each feed that is due.

use std::time::Duration;

use storage::registry::FeedRow;
use storage::work::item::Subject;
use storage::work::queue::NewItem;

use super::CURATE;
use super::read::ReadFeed;
use crate::app::App;
use crate::fault::Fault;
use crate::work::{Stage, Sweep, Swept};

/// A feed that was added is read within moments.
const EVERY: Duration = Duration::from_secs(10);

/// The sweep.
pub struct FeedsDue;

impl Sweep<App> for FeedsDue {
    fn name(&self) -> &'static str {
        "feeds_due"
    }

    fn about(&self) -> &'static str {
        "Has feeds of episodes and clips read when it is time."
    }

    fn every(&self, _: &App) -> Duration {
        EVERY
    }

    fn sweep(&self, app: &App, limit: usize) -> Result<Swept, Fault> {
        let due = app.registry.due_feeds(app.shop.clock.now())?;
        let (count, mut made) = (due.len(), 0);
        for feed in due.into_iter().take(limit) {
            made += usize::from(app.shop.queue.push(item(&feed))?.new);
        }
        Ok(Swept { made, note: format!("{count} feeds are due, {made} items made") })
    }
}

fn item(feed: &FeedRow) -> NewItem {
    NewItem {
        flow: CURATE.name.into(),
        topic: ReadFeed.about().topic.into(),
        // One that is still in line, or parked, is not joined by a second.
        unique: Some(format!("feed-{}", feed.id)),
        subject: Subject {
            action: CURATE.action.into(),
            name: format!("feed {}", feed.id),
            user: feed.added_by.clone(),
            ..Subject::default()
        },
        note: "the feed is due".into(),
        ..NewItem::default()
    }
}
