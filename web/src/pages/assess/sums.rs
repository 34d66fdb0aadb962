//! The numbers that an assessment is made of, in the order in which they are worked out.

use serde::Serialize;

use crate::parts::{Amount, NutrientAmounts};

/// The sums of one assessment. Kilograms a year unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sums {
    /// What changes on the land; none where the site lies in no catchment.
    pub land_use: Option<LandUseSum>,
    /// What drainage holds back of it; none where there is no change on the land.
    pub drainage: Option<DrainageSum>,
    /// What the works lets through; none where the works is not known.
    pub wastewater: Option<WastewaterSum>,
    /// What is added for caution.
    pub buffer: BufferSum,
    /// What it comes to.
    pub total: NutrientAmounts,
    /// The same by nutrient catchment.
    pub catchments: Vec<CatchmentSum>,
    /// Whether the works drains to no catchment that is known.
    pub drains_nowhere: bool,
    /// Whether an older service was repeated to the last digit: then each catchment repeats the
    /// totals of the site.
    pub is_strict: bool,
}

/// The change on the land.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LandUseSum {
    /// Hectares of the site.
    pub site_ha: Amount,
    /// Hectares of it that lie in catchments.
    pub in_catchment_ha: Amount,
    /// How many parcels of land meet it.
    pub parcel_count: u64,
    /// The greenspace that is assumed; none where the method assumes none.
    pub greenspace: Option<GreenspaceRule>,
    /// The change.
    pub change: NutrientAmounts,
    /// The part of the land for which coefficients are known, of one.
    pub covered: Option<f64>,
    /// The part below which that is too little.
    pub covered_floor: f64,
    /// Hectares that lie in several catchments at once.
    pub catchment_overlap_ha: f64,
    /// Hectares that lie in several parcels at once.
    pub parcel_overlap_ha: f64,
}

/// Greenspace that is assumed on larger sites.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GreenspaceRule {
    /// From how many hectares on.
    pub threshold_ha: f64,
    /// The part of the site, of one.
    pub share: f64,
    /// What a hectare of it gives off, kilograms of nitrogen a year.
    pub nitrogen: f64,
    /// What a hectare of it gives off, kilograms of phosphorus a year.
    pub phosphorus: f64,
    /// Whether this site is large enough.
    pub applies: bool,
}

/// What sustainable drainage holds back.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DrainageSum {
    /// Dwellings on the site.
    pub dwellings: u64,
    /// From how many dwellings on it is assumed.
    pub threshold_dwellings: u64,
    /// The part that it holds back, of one.
    pub removal: f64,
    /// Whether this site has enough dwellings.
    pub applies: bool,
    /// What is left of the change on the land.
    pub left: NutrientAmounts,
}

/// What comes from the works.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WastewaterSum {
    /// The works.
    pub works: String,
    /// Whether the applicant chose it.
    pub is_chosen: bool,
    /// Dwellings.
    pub dwellings: u64,
    /// People, where they were counted.
    pub people: Option<u64>,
    /// People in a dwelling.
    pub occupancy: Option<f64>,
    /// Litres that one of them uses in a day.
    pub litres_per_person: Option<f64>,
    /// Whose rates these are.
    pub rates_from: String,
    /// Litres a day in all.
    pub litres_per_day: Option<f64>,
    /// Days in a year.
    pub days_per_year: f64,
    /// The part of its permit at which the works runs, of one.
    pub operating_rate: f64,
    /// The loads, by nutrient and period.
    pub loads: Vec<LoadLine>,
    /// The catchment that the works drains to.
    pub catchment: String,
}

/// What the works lets through of one nutrient in one period.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoadLine {
    /// The nutrient, as in "Nitrogen".
    pub nutrient: String,
    /// The period, as in "2025 to 2030".
    pub period: String,
    /// The permit limit in milligrams a litre.
    pub limit: Option<f64>,
    /// The load.
    pub load: Amount,
    /// Whether it enters the total; only the lasting one does.
    pub counts: bool,
}

/// What is added for caution.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BufferSum {
    /// The part that is added, of one.
    pub share: f64,
    /// What is left of the land and the lasting load together.
    pub base: NutrientAmounts,
    /// What is added.
    pub added: NutrientAmounts,
}

/// What reaches one nutrient catchment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CatchmentSum {
    /// Its name.
    pub name: String,
    /// Hectares of the site in it.
    pub area_ha: Amount,
    /// The part of the site, of one.
    pub share: f64,
    /// From the land, after drainage unless an older result does not tell that.
    pub land: NutrientAmounts,
    /// Whether that is so.
    pub is_after_drainage: bool,
    /// From the works.
    pub wastewater: NutrientAmounts,
    /// What it comes to, with what is added for caution.
    pub total: NutrientAmounts,
}

/// The levy, in exact pounds and pence as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LevySum {
    /// The plan that it is raised under.
    pub plan: String,
    /// How many units.
    pub units: u64,
    /// The charge for a unit, such as `2675`.
    pub base_gbp: String,
    /// Charge times units.
    pub provisional_gbp: String,
    /// The index of the year of calculation and that of the plan's start, where they differ.
    pub index: Option<(String, String)>,
    /// What is to be paid.
    pub total_gbp: String,
    /// When it was worked out, as RFC 3339 in UTC.
    pub calculated: String,
    /// When it was sent, as RFC 3339 in UTC.
    pub sent: Option<String>,
}
