//! Curators: what makes episodes and clips known without anybody typing them.
//!
//! [`FeedReader`] reads a feed over the network, for a command at once or for the flow `curate`, whose
//! items are readings of feeds that are kept in the registry. `pace` keeps us from being a burden,
//! `route` finds the pages, `manners` knows what their site asks for (`robots`, and when to come back),
//! `reading` reads them. `read` is the stage, `due` the sweep that makes its items.

mod due;
mod manners;
mod pace;
mod read;
mod reading;
mod robots;
mod route;

pub use due::FeedsDue;
pub use manners::Unread;
pub use pace::Pace;
pub use reading::{FeedFinding, FeedReader, Reading, Rest, Take};

use crate::app::App;
use crate::work::Flow;

/// The flow.
pub const CURATE: Flow<App> =
    Flow { name: "curate", action: "Curate", stages: &[&read::ReadFeed], cleanup: None };
