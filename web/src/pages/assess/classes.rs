//! How a change in a nutrient is shown on a map: a colour, a pattern and words for each class.

use serde::Serialize;

/// A nutrient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Nutrient {
    /// Nitrogen.
    #[default]
    Nitrogen,
    /// Phosphorus.
    Phosphorus,
}
