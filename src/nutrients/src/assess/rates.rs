//! Whose rates a site's people have.

use super::measure::Measured;
use super::result::RatesUsed;
use crate::reference::{RateRow, Reference};
use crate::site::Site;

/// People in a dwelling and litres for each of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rates {
    pub(crate) occupancy: f64,
    pub(crate) litres_per_person: f64,
    pub(crate) from: String,
}

impl Rates {
    fn of_row(row: &RateRow) -> Rates {
        Rates {
            occupancy: row.occupancy,
            litres_per_person: row.litres_per_person,
            from: row.catchment.clone(),
        }
    }

    /// As the older service does it: the joined name of all catchments is looked up.
    pub(crate) fn of_joined_name(reference: &Reference, measured: &Measured) -> Option<Rates> {
        reference.lookups.rates_of(&measured.joined_name()).map(Rates::of_row)
    }

    /// A category with rates of its own, such as a hotel; else the catchment with most of the
    /// site's ground that has rates; else the catchment of the works.
    pub(crate) fn of_features(
        reference: &Reference,
        site: &Site,
        measured: &Measured,
    ) -> Option<Rates> {
        let lookups = &reference.lookups;
        let is_catchment = |row: &RateRow| {
            reference.catchments.areas.iter().any(|area| area.name == row.catchment)
        };
        let category = site.category.trim();
        let own = lookups
            .rates
            .iter()
            .find(|row| row.catchment.eq_ignore_ascii_case(category) && !is_catchment(row));
        let mut grounds: Vec<_> = measured.catchments.iter().collect();
        grounds.sort_by(|a, b| {
            b.ground_m2.total_cmp(&a.ground_m2).then_with(|| a.name.id.cmp(&b.name.id))
        });
        let of_site = || grounds.iter().find_map(|it| lookups.rates_of(&it.name.name));
        let of_works =
            || measured.works_catchment.as_ref().and_then(|it| lookups.rates_of(&it.name));
        own.or_else(of_site).or_else(of_works).map(Rates::of_row)
    }

    pub(crate) fn used(&self) -> RatesUsed {
        RatesUsed {
            occupancy: self.occupancy,
            litres_per_person: self.litres_per_person,
            from: self.from.clone(),
        }
    }
}
