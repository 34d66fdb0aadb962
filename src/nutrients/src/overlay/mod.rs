//! How much of the ground shapes share, as areas: no output geometry, so nothing can go wrong with
//! its topology, and the result is as exact as the coordinates.
//!
//! [`Outline`] keeps a shape so that the part near a rectangle is found without looking at the
//! rest, [`sweep`] measures what small outlines share, and [`shared_areas`] joins the two.

mod convex;
mod outline;
mod pieces;
mod sweep;

pub(crate) use convex::convex_corners;
pub(crate) use outline::{Glance, Outline, Part, Room, twice_area};
pub(crate) use pieces::{intersection, shared_areas};

#[cfg(test)]
mod plain;
#[cfg(test)]
mod tests;
