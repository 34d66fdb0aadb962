//! The pages of Strongroom: page values in, HTML out.
//!
//! Nothing here reads a disk, a clock or a socket. A handler fills a value from `pages`, and either
//! renders it with the page's function or sends the same value as JSON. Functions named
//! `*_fragment` render the part of a page that is also served alone, when the page refreshes.

#![warn(missing_docs)]

pub mod assets;
pub mod navigation;
pub mod pages;
pub mod parts;
pub mod shell;

pub use assets::{Asset, asset, asset_url};
pub use maud::Markup;
pub use navigation::Here;
pub use pages::*;
pub use parts::{
    Amount, Badge, Choice, Fact, FactValue, Link, NutrientAmounts, Pager, Progress, SavedFilters,
    SavedLine, Sort, Tone, counted,
};
pub use shell::{Notice, Shell, Visitor};
