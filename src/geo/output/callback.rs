//! The body of the callback, as its receiver insists on it.
//!
//! The unit is a literal of the receiver's schema, wrong as it is: amounts are kilograms a year, and
//! bands come from thresholds of concentrations. Nothing else here uses either.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::geo::assess::{Amount, Assessment, Outcome, r2};
use crate::geo::levy::Levy;

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levy_gbp: Option<Value>,
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
    pub catchment_id: i64,
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
    let catchments = assessment.catchments.iter().filter(|it| it.overlap_percentage > 0.0);
    let catchments = catchments.map(|it| CatchmentEntry {
        label: it.catchment.told().to_owned(),
        catchment_overlap_percentage: it.overlap_percentage,
        catchment_id: it.catchment.id,
    });
    let entry = PlanEntry {
        edp_id,
        edp_name,
        edp_type: "NUTRIENT".to_owned(),
        impact: PlanImpact {
            nitrogen_total: measure(nitrogen),
            phosphorus_total: measure(phosphorus),
        },
        catchments: catchments.collect(),
        levy_gbp: levy.map(Levy::wire),
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
