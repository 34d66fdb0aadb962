//! Results as others read them: the table of 31 columns, the record of one site, shapes for maps,
//! and the body of the callback in the shapes of its receiver's versions.

mod callback;
mod csv;
mod map;
mod receiver;
mod record;

pub use callback::{Callback, CallbackError, LevyEntry, Measure, PlanEntry, PlanImpact, callback};
pub use csv::{COLUMNS, csv, csv_row};
pub use map::{map_geojson, map_window, pieces_geojson};
pub use receiver::ReceiverSchema;
pub use record::record;
