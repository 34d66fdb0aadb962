//! How a change in a nutrient is shown on a map: a colour, a pattern and words for each class, so
//! that no meaning rests on colour alone.

use maud::{Markup, html};
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

impl Nutrient {
    /// Its name in a sentence, which is also its name in an address.
    pub(super) fn word(self) -> &'static str {
        match self {
            Nutrient::Nitrogen => "nitrogen",
            Nutrient::Phosphorus => "phosphorus",
        }
    }

    pub(super) fn other(self) -> Nutrient {
        match self {
            Nutrient::Nitrogen => Nutrient::Phosphorus,
            Nutrient::Phosphorus => Nutrient::Nitrogen,
        }
    }

    /// What is little and what is much, in kilograms a hectare and year: land gives off about a
    /// tenth as much phosphorus as nitrogen.
    fn steps(self) -> (f64, f64) {
        match self {
            Nutrient::Nitrogen => (1.0, 10.0),
            Nutrient::Phosphorus => (0.1, 1.0),
        }
    }
}

/// How much a piece of land changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    FallsMuch,
    Falls,
    Same,
    Rises,
    RisesMuch,
    Unknown,
}

impl Class {
    pub(super) const ALL: [Class; 6] = [
        Class::RisesMuch,
        Class::Rises,
        Class::Same,
        Class::Falls,
        Class::FallsMuch,
        Class::Unknown,
    ];

    /// The class of a change in kilograms a year on so many hectares.
    pub(super) fn of(change: Option<f64>, area_ha: f64, nutrient: Nutrient) -> Class {
        let (little, much) = nutrient.steps();
        let Some(rate) = change.map(|it| it / area_ha).filter(|it| it.is_finite()) else {
            return Class::Unknown;
        };
        match rate {
            _ if rate.abs() < little => Class::Same,
            _ if rate <= -much => Class::FallsMuch,
            _ if rate < 0.0 => Class::Falls,
            _ if rate >= much => Class::RisesMuch,
            _ => Class::Rises,
        }
    }

    /// Its name in ids and in the stylesheet.
    pub(super) fn name(self) -> &'static str {
        match self {
            Class::FallsMuch => "falls-much",
            Class::Falls => "falls",
            Class::Same => "same",
            Class::Rises => "rises",
            Class::RisesMuch => "rises-much",
            Class::Unknown => "unknown",
        }
    }

    pub(super) fn words(self, nutrient: Nutrient) -> String {
        let (little, much) = nutrient.steps();
        match self {
            Class::FallsMuch => format!("falls by {much} or more"),
            Class::Falls => format!("falls by {little} to {much}"),
            Class::Same => format!("changes by less than {little}"),
            Class::Rises => format!("rises by {little} to {much}"),
            Class::RisesMuch => format!("rises by {much} or more"),
            Class::Unknown => "not known: no coefficient".to_owned(),
        }
    }

    /// Lines that rise where it rises and fall where it falls, thick where it is much.
    fn hatch(self) -> &'static str {
        match self {
            Class::FallsMuch => "M-2-2L22 22M-2 8L12 22M8-2L22 12",
            Class::Falls => "M-2-2L22 22",
            Class::Same => "",
            Class::Rises => "M-2 22L22-2",
            Class::RisesMuch => "M-2 22L22-2M-2 12L12-2M8 22L22 8",
            Class::Unknown => "M9 10h2",
        }
    }

    /// What the paper is filled with, for the attribute of that name.
    pub(super) fn fill(self) -> String {
        format!("url(#map-{})", self.name())
    }
}

/// The patterns of these classes, once for a page.
pub(super) fn patterns(classes: &[Class]) -> Markup {
    html! {
        defs {
            @for class in classes {
                pattern id={ "map-" (class.name()) } class={ "class-" (class.name()) } width="20"
                    height="20" patternUnits="userSpaceOnUse" {
                    rect width="20" height="20" {}
                    @if !class.hatch().is_empty() { path d=(class.hatch()) {} }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_meet_without_a_gap() {
        let of = |change| Class::of(change, 2.0, Nutrient::Nitrogen);
        let told = [Some(-20.0), Some(-19.9), Some(-1.9), Some(2.0), Some(20.0), None].map(of);
        assert_eq!(
            told,
            [
                Class::FallsMuch,
                Class::Falls,
                Class::Same,
                Class::Rises,
                Class::RisesMuch,
                Class::Unknown
            ]
        );
        assert_eq!(Class::of(Some(1.0), 0.0, Nutrient::Phosphorus), Class::Unknown);
        assert_eq!(Class::of(Some(0.2), 1.0, Nutrient::Phosphorus), Class::Rises);
    }
}
