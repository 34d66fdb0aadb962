//! A development site.

use serde::{Deserialize, Serialize};

use super::shape::Shape;
use super::transform::{Crs, Transform};

/// A site to assess: its shape and the little that is kept of what came with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// From 1, in the order of the file (`RLB_ID`).
    pub number: u32,
    pub id: String,
    pub name: String,
    /// What is built, such as `housing`, `allocation` or `Hotel`.
    pub category: String,
    pub source: String,
    pub dwellings: u32,
    /// Metres of the National Grid.
    pub shape: Shape,
    /// What the shape came in.
    pub crs: Crs,
    /// How it came to metres.
    pub transform: Transform,
    /// The treatment works that the applicant names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_works: Option<i64>,
    /// People, where they are counted instead of estimated from dwellings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<u32>,
}

impl Site {
    /// A site of a single job, numbered 1.
    pub fn of_job(reference: &str, category: &str, dwellings: u32, shape: Shape) -> Site {
        Site {
            number: 1,
            id: reference.to_owned(),
            name: reference.to_owned(),
            category: category.to_owned(),
            source: "web_submission".to_owned(),
            dwellings,
            shape,
            crs: Crs::Bng,
            transform: Transform::None,
            chosen_works: None,
            people: None,
        }
    }
}
