//! The body of the callback, as the current version of its receiver's schema has it. The shapes of
//! older versions are made of it by [`super::receiver`].
//!
//! The unit is a literal of the receiver's schema, wrong as it is: amounts are kilograms a year, and
//! bands come from thresholds of concentrations. Nothing else here uses either.

use serde::{Deserialize, Serialize};

use crate::assess::{Amount, Assessment, Outcome, r2};
use crate::levy::Levy;

/// A capital i, not a small l: so the schema has it.
const UNIT: &str = "mg/I TP";

/// The body of `PATCH {base}/quotes/{reference}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Callback {
    pub edps: Vec<PlanEntry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanEntry {
    pub edp_id: i64,
    pub edp_name: String,
    pub edp_type: String,
    pub impact: PlanImpact,
    pub catchments: Vec<CatchmentEntry>,
    pub levy_gbp: LevyEntry,
}

/// The price in pounds. The receiver prints the first amount in its letter and the base amount on the
/// page of its staff, both before inflation; a charge per unit has no place in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LevyEntry {
    pub amount_excluding_vat: f64,
    pub amount_inflation_adjusted: f64,
    pub base_amount: f64,
    pub model_version: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanImpact {
    pub nitrogen_total: Measure,
    pub phosphorus_total: Measure,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CatchmentEntry {
    pub label: String,
    pub catchment_overlap_percentage: f64,
    /// A number as text: so the schema has it.
    pub catchment_id: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    pub amount: f64,
    pub unit: String,
    pub band: Band,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Band {
    pub min: u8,
    pub max: u8,
}

/// Why the older receiver cannot be told. The outcome is still to be delivered by other ways.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallbackError {
    #[error("the boundary meets no plan area, and the receiver wants one")]
    NoPlan,
    #[error("the boundary meets {0} plan areas, and the receiver wants one")]
    SeveralPlans(usize),
    #[error("the site is out of scope, and the receiver has no word for it")]
    OutOfScope,
    #[error("the land of the site has no coefficients, so there is no total to tell")]
    NotKnown,
    #[error("no price was worked out, and the receiver insists on one")]
    NoPrice,
}

/// The body for a site in these plan areas (id and name of each).
pub fn callback(
    assessment: &Assessment,
    plans: &[(i64, String)],
    levy: Option<&Levy>,
) -> Result<Callback, CallbackError> {
    if assessment.outcome == Outcome::OutOfScope {
        return Err(CallbackError::OutOfScope);
    }
    let (edp_id, edp_name) = match plans {
        [] => return Err(CallbackError::NoPlan),
        [(id, name)] => (*id, name.clone()),
        several => return Err(CallbackError::SeveralPlans(several.len())),
    };
    let [Some(nitrogen), Some(phosphorus)] = assessment.totals() else {
        return Err(CallbackError::NotKnown);
    };
    let levy = levy.ok_or(CallbackError::NoPrice)?;
    let catchments = assessment.catchments.iter().filter(|it| it.overlap_percentage > 0.0);
    let catchments = catchments.map(|it| CatchmentEntry {
        label: it.catchment.told().to_owned(),
        // Pieces that are measured one by one may add up to a little more than the site.
        catchment_overlap_percentage: it.overlap_percentage.min(100.0),
        catchment_id: it.catchment.id.to_string(),
    });
    let entry = PlanEntry {
        // A plan that the layers do not know has its number from the tables of charges.
        edp_id: if edp_id == 0 { levy.plan } else { edp_id },
        edp_name,
        edp_type: "NUTRIENT".to_owned(),
        impact: PlanImpact {
            nitrogen_total: measure(nitrogen),
            phosphorus_total: measure(phosphorus),
        },
        catchments: catchments.collect(),
        levy_gbp: LevyEntry {
            amount_excluding_vat: levy.provisional.pounds(),
            amount_inflation_adjusted: levy.adjusted.pounds(),
            base_amount: levy.provisional.pounds(),
            model_version: levy.version,
        },
    };
    Ok(Callback { edps: vec![entry] })
}

fn measure(amount: Amount) -> Measure {
    let amount = r2(amount.exact);
    let band = match amount {
        amount if amount <= 0.25 => 1,
        amount if amount <= 2.0 => 2,
        amount if amount <= 5.0 => 3,
        _ => 4,
    };
    Measure { amount, unit: UNIT.to_owned(), band: Band { min: band, max: band } }
}
