//! What an assessment tells. Everything is in kilograms a year, hectares and litres a day.

use serde::{Deserialize, Serialize};

use super::amount::Amount;
use super::method::Method;
use crate::shape::Shape;
use crate::transform::{Crs, Transform};

/// The answer for one site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    pub outcome: Outcome,
    pub development: Development,
    pub spatial: Spatial,
    pub land_use: LandUse,
    /// Absent when the works has no name.
    pub wastewater: Option<Wastewater>,
    /// What people use where the works has no name; `wastewater` says it otherwise. Older results do
    /// not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub water_use: Option<WaterUse>,
    pub total: Total,
    /// Each nutrient catchment that the site or its wastewater reaches, by id.
    pub catchments: Vec<CatchmentImpact>,
    pub warnings: Vec<Warning>,
    pub provenance: Provenance,
    /// The site, for the map.
    pub site: Shape,
    /// What the uplift is made of, if it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<Piece>,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The site lies in a nutrient catchment.
    Assessed,
    /// It lies in none, and its wastewater goes to works that are known.
    WastewaterOnly,
    /// Neither: there is nothing to assess.
    OutOfScope,
}

impl Outcome {
    pub fn sentence(self) -> &'static str {
        match self {
            Outcome::Assessed => "the site lies in a nutrient catchment and was assessed",
            Outcome::WastewaterOnly => {
                "the site lies outside of all nutrient catchments; only its wastewater counts"
            }
            Outcome::OutOfScope => {
                "the site lies outside of all nutrient catchments and of all known treatment \
                 works: there is nothing to assess"
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Development {
    pub number: u32,
    pub id: String,
    pub name: String,
    pub dwelling_category: String,
    pub source: String,
    pub dwellings: u32,
    pub area_m2: f64,
    /// Rounded, as rules compare it.
    pub area_ha: f64,
    /// Dwellings per hectare; absent where the area rounds to nothing.
    pub dwelling_density: Option<f64>,
}

impl Assessment {
    /// What it comes to, nitrogen and phosphorus. None where that is not known, or the site is out of
    /// scope: nobody is to read a zero there. Strict parity has zeros.
    pub fn totals(&self) -> [Option<Amount>; 2] {
        let Total { nitrogen, phosphorus } = self.total;
        let land = &self.land_use;
        let told = |total: Amount, uplift: Option<Amount>| match self.outcome {
            _ if self.provenance.strict_parity => Some(total),
            Outcome::Assessed => uplift.map(|_| total),
            Outcome::WastewaterOnly => Some(total),
            Outcome::OutOfScope => None,
        };
        [told(nitrogen, land.nitrogen_uplift), told(phosphorus, land.phosphorus_uplift)]
    }
}

impl CatchmentName {
    /// What people call it: several catchments share the name of one protected site.
    pub fn told(&self) -> &str {
        if self.label.trim().is_empty() { &self.name } else { &self.label }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spatial {
    pub wwtw_id: i64,
    /// Whether the applicant chose the works.
    pub wwtw_chosen: bool,
    pub wwtw_name: Option<String>,
    pub wwtw_subcatchment: Option<String>,
    pub lpa_name: String,
    pub dev_subcatchment: Option<String>,
    pub area_in_nn_catchment_ha: Option<Amount>,
    /// The names of the catchments, sorted, joined by `; `.
    pub nn_catchment: String,
    pub catchments: Vec<CatchmentName>,
}

/// A nutrient catchment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CatchmentName {
    pub id: i64,
    pub name: String,
    pub label: String,
}

/// Kilograms a year; all absent when the site meets no catchment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LandUse {
    pub nitrogen_uplift: Option<Amount>,
    pub phosphorus_uplift: Option<Amount>,
    pub nitrogen_post_suds: Option<Amount>,
    pub phosphorus_post_suds: Option<Amount>,
    /// The part of the site that lies in parcels with all of their coefficients.
    pub covered_fraction: Option<f64>,
    /// Land in several catchments at once: counted once, or once for each in strict parity.
    pub catchment_overlap_ha: f64,
    /// Land in several parcels at once: counted for each of them.
    pub parcel_overlap_ha: f64,
    /// Land in parcels that lack a coefficient: counted as nothing.
    #[serde(default)]
    pub unknown_ha: f64,
    pub parcel_count: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wastewater {
    pub rates: Option<RatesUsed>,
    pub litres_per_day: Option<f64>,
    /// Permit limits, mg/l.
    pub nitrogen_limit_2025_2030: Option<f64>,
    pub nitrogen_limit_2030_onwards: Option<f64>,
    pub phosphorus_limit_2025_2030: Option<f64>,
    pub phosphorus_limit_2030_onwards: Option<f64>,
    pub nitrogen_temporary: Amount,
    pub nitrogen_permanent: Amount,
    pub phosphorus_temporary: Amount,
    pub phosphorus_permanent: Amount,
    /// The nutrient catchment that the works drains to.
    pub catchment: Option<CatchmentName>,
}

/// Water that is used on a site, wherever it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaterUse {
    pub rates: RatesUsed,
    pub litres_per_day: f64,
}

/// People in a dwelling and water they use, and whose rates these are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatesUsed {
    pub occupancy: f64,
    pub litres_per_person: f64,
    pub from: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Total {
    pub nitrogen: Amount,
    pub phosphorus: Amount,
}

/// What reaches one nutrient catchment: the land in it, and the wastewater if the works drains to
/// it, with drainage and caution by the signs of these sums. Catchments need not add up to the site. In
/// strict parity every catchment repeats the totals of the site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CatchmentImpact {
    pub catchment: CatchmentName,
    pub area_ha: Amount,
    /// Of the site, per cent.
    pub overlap_percentage: f64,
    /// Of the land, before drainage.
    pub nitrogen_uplift: Amount,
    pub phosphorus_uplift: Amount,
    /// What drainage leaves of its land; older results do not have it.
    #[serde(default)]
    pub post_suds: Option<Total>,
    pub nitrogen_wastewater: Amount,
    pub phosphorus_wastewater: Amount,
    pub total: Total,
}

/// A piece of land: one parcel in one catchment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    pub parcel: String,
    pub land_use: String,
    pub catchment_id: i64,
    pub area_ha: f64,
    pub nitrogen_uplift: Option<Amount>,
    pub phosphorus_uplift: Option<Amount>,
    pub shape: Shape,
}

/// Something that the reader of a result should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub code: WarningCode,
    pub sentence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// There is no coefficient layer: no uplift could be told.
    NoCoefficients,
    /// The coefficient layer covers too little of the site.
    LowCoverage,
    /// Parcels of the site lack coefficients.
    MissingCoefficients,
    /// Catchments overlap on the site.
    CatchmentOverlap,
    /// Parcels overlap on the site.
    ParcelOverlap,
    /// Nobody's rates apply: the wastewater counts as nothing.
    NoRates,
    /// No dwellings: the wastewater counts as nothing.
    NoDwellings,
    /// The site drains to the works that is assumed where none is known.
    FallbackWorks,
    /// The chosen works is not in the lookup.
    UnknownWorks,
    /// The works that the site drains to is not in the lookup: the wastewater counts as nothing.
    UnlistedWorks,
    /// More pieces than a map is drawn with.
    TooManyPieces,
}

/// All that is needed to make the result again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    pub data_version: String,
    /// Of each reference layer.
    pub data_digest: String,
    pub method: Method,
    pub strict_parity: bool,
    pub input_crs: Crs,
    pub transform: Transform,
    pub software: String,
    /// SHA-256 of the site's coordinates in metres.
    pub input_digest: String,
}
