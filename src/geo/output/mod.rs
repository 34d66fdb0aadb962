//! Results as others read them: the table of 31 columns, the record of one site, shapes for maps,
//! and the body of the callback.

mod callback;
mod csv;
mod map;
mod record;

pub use callback::{Callback, CallbackError, Measure, PlanEntry, PlanImpact, callback};
pub use csv::{COLUMNS, csv, csv_row};
pub use map::{map_geojson, map_window, pieces_geojson};
pub use record::record;
