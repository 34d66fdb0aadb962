//! The small pieces every page is made of; words, tones and number formats live here only.

mod amount;
mod facts;
mod figures;
mod forms;
mod links;
mod moments;
mod progress;
mod qr;
mod saved;
mod table;
mod tone;

pub use amount::{Amount, NutrientAmounts, amount, decimals, percent, plain};
pub use facts::{Fact, FactValue, facts};
pub use figures::{count, counted, digest, duration, human_size, size, size_with_bytes, time};
pub use forms::{
    Asked, Choice, Field, ask_field, choose, choose_one, choose_or, date_field, post_button,
    text_field, tick,
};
pub use links::{Link, path, query};
pub use moments::{play_seconds, play_time, time_from};
pub use progress::{Progress, progress, progress_of, room};
pub use qr::qr_code;
pub use saved::{SavedFilters, SavedLine, saved_filters};
pub use table::{Column, Pager, Sort, cell, empty, num, pager, sort_heading};
pub use tone::{Badge, Tone, badge};
