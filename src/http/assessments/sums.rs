//! The sums of a result, step by step, for its page.

use nutrients::{self, Assessment, CatchmentImpact, Levy, Outcome, Total, Wastewater};
use storage::registry::LevyRow;
use web::{
    Amount, BufferSum, CatchmentSum, DrainageSum, GreenspaceRule, LandUseSum, LevySum, LoadLine,
    NutrientAmounts, Sums, WastewaterSum,
};

pub(super) fn sums(result: &Assessment, people: Option<u32>, covered_floor: f64) -> Sums {
    let method = &result.provenance.method;
    let land = &result.land_use;
    let [nitrogen, phosphorus] = result.totals();
    let left = both_if(land.nitrogen_post_suds, land.phosphorus_post_suds);
    let lasting = |of: fn(&Wastewater) -> nutrients::Amount| {
        result.wastewater.as_ref().map_or(0.0, |water| of(water).exact)
    };
    let has_land = result.outcome == Outcome::Assessed;
    let land_n = if has_land { left.nitrogen.exact } else { 0.0 };
    let land_p = if has_land { left.phosphorus.exact } else { 0.0 };
    let base_n = land_n + lasting(|it| it.nitrogen_permanent);
    let base_p = land_p + lasting(|it| it.phosphorus_permanent);
    let dwellings = u64::from(result.development.dwellings);
    Sums {
        land_use: has_land.then(|| land_use(result, covered_floor)),
        drainage: has_land.then(|| DrainageSum {
            dwellings,
            threshold_dwellings: u64::from(method.suds.threshold_dwellings),
            removal: method.suds.removal,
            applies: result.development.dwellings >= method.suds.threshold_dwellings,
            left,
        }),
        wastewater: result.wastewater.as_ref().map(|water| wastewater(result, water, people)),
        buffer: BufferSum {
            share: method.buffer,
            base: NutrientAmounts { nitrogen: plain(base_n), phosphorus: plain(base_p) },
            added: NutrientAmounts {
                nitrogen: plain(base_n.abs() * method.buffer),
                phosphorus: plain(base_p.abs() * method.buffer),
            },
        },
        total: both_if(nitrogen, phosphorus),
        catchments: result.catchments.iter().map(|it| catchment(result, it)).collect(),
        drains_nowhere: result.wastewater.as_ref().is_some_and(|it| it.catchment.is_none()),
        is_strict: result.provenance.strict_parity,
    }
}

fn amount(amount: nutrients::Amount) -> Amount {
    Amount::new(amount.rounded, amount.exact)
}

fn plain(exact: f64) -> Amount {
    Amount::new(nutrients::r2(exact), exact)
}

fn both(nitrogen: nutrients::Amount, phosphorus: nutrients::Amount) -> NutrientAmounts {
    NutrientAmounts { nitrogen: amount(nitrogen), phosphorus: amount(phosphorus) }
}

/// What is not known is told as that.
fn both_if(
    nitrogen: Option<nutrients::Amount>,
    phosphorus: Option<nutrients::Amount>,
) -> NutrientAmounts {
    let told = |it: Option<nutrients::Amount>| it.map_or(Amount::new(f64::NAN, f64::NAN), amount);
    NutrientAmounts { nitrogen: told(nitrogen), phosphorus: told(phosphorus) }
}

fn land_use(result: &Assessment, covered_floor: f64) -> LandUseSum {
    let (land, development) = (&result.land_use, &result.development);
    LandUseSum {
        site_ha: Amount::new(development.area_ha, development.area_m2 / 10_000.0),
        in_catchment_ha: amount(result.spatial.area_in_nn_catchment_ha.unwrap_or_default()),
        parcel_count: land.parcel_count,
        greenspace: result.provenance.method.greenspace.as_ref().map(|green| GreenspaceRule {
            threshold_ha: green.threshold_ha,
            share: green.share,
            nitrogen: green.nitrogen,
            phosphorus: green.phosphorus,
            applies: development.area_ha >= green.threshold_ha,
        }),
        change: both_if(land.nitrogen_uplift, land.phosphorus_uplift),
        covered: land.covered_fraction,
        covered_floor,
        catchment_overlap_ha: land.catchment_overlap_ha,
        parcel_overlap_ha: land.parcel_overlap_ha,
    }
}

fn wastewater(result: &Assessment, water: &Wastewater, people: Option<u32>) -> WastewaterSum {
    let method = &result.provenance.method;
    let line =
        |nutrient: &str, lasting: bool, limit: Option<f64>, load: nutrients::Amount| LoadLine {
            nutrient: nutrient.to_owned(),
            period: if lasting { "From 2030" } else { "2025 to 2030" }.to_owned(),
            limit,
            load: amount(load),
            counts: lasting,
        };
    WastewaterSum {
        works: result.spatial.wwtw_name.clone().unwrap_or_default(),
        is_chosen: result.spatial.wwtw_chosen,
        dwellings: u64::from(result.development.dwellings),
        people: people.map(u64::from),
        occupancy: water.rates.as_ref().map(|rates| rates.occupancy),
        litres_per_person: water.rates.as_ref().map(|rates| rates.litres_per_person),
        rates_from: water.rates.as_ref().map(|rates| rates.from.clone()).unwrap_or_default(),
        litres_per_day: water.litres_per_day,
        days_per_year: method.days_per_year,
        operating_rate: method.operating_rate,
        loads: vec![
            line("Nitrogen", false, water.nitrogen_limit_2025_2030, water.nitrogen_temporary),
            line("Nitrogen", true, water.nitrogen_limit_2030_onwards, water.nitrogen_permanent),
            line("Phosphorus", false, water.phosphorus_limit_2025_2030, water.phosphorus_temporary),
            line(
                "Phosphorus",
                true,
                water.phosphorus_limit_2030_onwards,
                water.phosphorus_permanent,
            ),
        ],
        catchment: water.catchment.as_ref().map(|it| it.told().to_owned()).unwrap_or_default(),
    }
}

fn catchment(result: &Assessment, impact: &CatchmentImpact) -> CatchmentSum {
    let [known_n, known_p] = result.totals().map(|it| it.is_some());
    let land = impact.post_suds.unwrap_or(Total {
        nitrogen: impact.nitrogen_uplift,
        phosphorus: impact.phosphorus_uplift,
    });
    let known =
        |both: Total| both_if(known_n.then_some(both.nitrogen), known_p.then_some(both.phosphorus));
    CatchmentSum {
        name: impact.catchment.told().to_owned(),
        area_ha: amount(impact.area_ha),
        share: impact.overlap_percentage / 100.0,
        land: known(land),
        is_after_drainage: impact.post_suds.is_some(),
        wastewater: both(impact.nitrogen_wastewater, impact.phosphorus_wastewater),
        total: known(impact.total),
    }
}

/// The price, as it was worked out; none where its record is not understood.
pub(super) fn levy(row: &LevyRow, plan: &str) -> Option<LevySum> {
    let levy: Levy = serde_json::from_str(&row.record).ok()?;
    Some(LevySum {
        plan: plan.to_owned(),
        units: u64::from(levy.units),
        base_gbp: levy.base_per_unit.to_string(),
        provisional_gbp: levy.provisional.to_string(),
        index: match (levy.indices, levy.index_rows) {
            (Some([now, then]), _) => Some((now.named(), then.named())),
            // Older prices kept the rows alone.
            (None, Some((now, then))) => Some((format!("row {now}"), format!("row {then}"))),
            (None, None) => None,
        },
        total_gbp: row.total_gbp.clone(),
        calculated: row.calculated_at.to_string(),
        sent: row.sent_at.map(|at| at.to_string()),
    })
}
