//! The record of one site, with the names that readers of the older service know.

use serde_json::{Value, json};

use crate::assess::{Amount, Assessment, Outcome, Wastewater};

/// One site as JSON.
pub fn record(assessment: &Assessment) -> Value {
    let Assessment { outcome, development, spatial, land_use, wastewater, .. } = assessment;
    let amount = |it: Option<Amount>| it.map(|it| it.rounded);
    let [nitrogen, phosphorus] = assessment.totals();
    let impacts: Vec<Value> = assessment
        .catchments
        .iter()
        .map(|impact| {
            json!({
                "id": impact.catchment.id,
                "name": impact.catchment.name,
                "label": impact.catchment.told(),
                // Where the whole is not known, no part of it is.
                "nitrogen_total": nitrogen.map(|_| impact.total.nitrogen.rounded),
                "phosphorus_total": phosphorus.map(|_| impact.total.phosphorus.rounded),
            })
        })
        .collect();
    let in_catchment = *outcome == Outcome::Assessed;
    json!({
        "outcome": outcome,
        "development": {
            "id": development.id,
            "name": development.name,
            "dwelling_category": development.dwelling_category,
            "source": development.source,
            "dwellings": development.dwellings,
            "area_m2": development.area_m2,
            "area_ha": development.area_ha,
        },
        "spatial": {
            "wwtw_id": spatial.wwtw_id,
            "wwtw_name": spatial.wwtw_name,
            "wwtw_subcatchment": spatial.wwtw_subcatchment,
            "lpa_name": spatial.lpa_name,
            "dev_subcatchment": spatial.dev_subcatchment,
            "area_in_nn_catchment_ha": amount(spatial.area_in_nn_catchment_ha),
        },
        "land_use": {
            "nitrogen_uplift": amount(land_use.nitrogen_uplift),
            "phosphorus_uplift": amount(land_use.phosphorus_uplift),
            "nitrogen_post_suds": amount(land_use.nitrogen_post_suds),
            "phosphorus_post_suds": amount(land_use.phosphorus_post_suds),
            "covered_fraction": land_use.covered_fraction,
        },
        "wastewater": wastewater.as_ref().map(water),
        "total": {
            "nitrogen": amount(nitrogen),
            "phosphorus": amount(phosphorus),
            "unit": "kg/yr",
        },
        "catchment_impacts": impacts,
        "in_catchment": in_catchment,
        "in_works": wastewater.is_some(),
        "needs_assessment": in_catchment || wastewater.is_some(),
        "provenance": assessment.provenance,
        "warnings": assessment.warnings,
    })
}

fn water(water: &Wastewater) -> Value {
    let rates = water.rates.as_ref();
    json!({
        "occupancy_rate": rates.map(|it| it.occupancy),
        "water_usage_l_per_person_day": rates.map(|it| it.litres_per_person),
        "litres_per_day": water.litres_per_day,
        "nitrogen_limit_2025_2030": water.nitrogen_limit_2025_2030,
        "nitrogen_limit_2030_onwards": water.nitrogen_limit_2030_onwards,
        "phosphorus_limit_2025_2030": water.phosphorus_limit_2025_2030,
        "phosphorus_limit_2030_onwards": water.phosphorus_limit_2030_onwards,
        "nitrogen_temporary": water.nitrogen_temporary.rounded,
        "nitrogen_permanent": water.nitrogen_permanent.rounded,
        "phosphorus_temporary": water.phosphorus_temporary.rounded,
        "phosphorus_permanent": water.phosphorus_permanent.rounded,
    })
}
