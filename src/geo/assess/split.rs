//! What of a site reaches which nutrient catchment.
//!
//! Drainage and caution turn on the sign of the site's own sums. Each catchment gets its part of what
//! they make of the whole, so that the parts add up to it.

use super::amount::{Amount, r2};
use super::measure::{Ground, Measured};
use super::result::{CatchmentImpact, CatchmentName, Total};
use super::settle::{Case, Loads, Sums, ground_hectares, ground_uplift};

/// What each catchment gets: its own land, and the wastewater where the works drains to it.
pub(super) fn impacts(
    case: &Case<'_>,
    measured: &Measured,
    sums: &Sums,
    site_total: Total,
) -> Vec<CatchmentImpact> {
    let strict = case.options.strict_parity;
    let method = case.method;
    let removal = method.removal(case.site.dwellings);
    let all = [0, 1].map(|it| {
        measured.catchments.iter().map(|ground| ground_uplift(ground, it, strict)).sum::<f64>()
    });
    let kept = all.map(|uplift| 1.0 - sign(uplift) * removal);
    let site_loads = [sums.loads.nitrogen_permanent, sums.loads.phosphorus_permanent];
    let caution = [0, 1]
        .map(|it| 1.0 + sign(sums.post_suds[it].unwrap_or(0.0) + site_loads[it]) * method.buffer);
    let drains = measured.works_catchment.as_ref();
    let mut impacts: Vec<CatchmentImpact> = Vec::new();
    let impact = |name: &CatchmentName, ground: Option<&Ground>| {
        let here = drains.is_some_and(|it| it.id == name.id);
        let load = |load: f64| if here { load } else { 0.0 };
        let uplift =
            [0, 1].map(|it| ground.map_or(0.0, |ground| ground_uplift(ground, it, strict)));
        let loads = site_loads.map(load);
        let post = [0, 1].map(|it| uplift[it] * kept[it]);
        let total = |it: usize| Amount::new((post[it] + loads[it]) * caution[it]);
        CatchmentImpact {
            catchment: name.clone(),
            area_ha: Amount::new(ground.map_or(0.0, |ground| ground_hectares(ground, strict))),
            overlap_percentage: r2(
                ground.map_or(0.0, |ground| ground.ground_m2 / measured.area_m2 * 100.0)
            ),
            nitrogen_uplift: Amount::new(uplift[0]),
            phosphorus_uplift: Amount::new(uplift[1]),
            post_suds: Some(Total {
                nitrogen: Amount::new(post[0]),
                phosphorus: Amount::new(post[1]),
            }),
            nitrogen_wastewater: Amount::new(loads[0]),
            phosphorus_wastewater: Amount::new(loads[1]),
            total: match strict {
                true => site_total,
                false => Total { nitrogen: total(0), phosphorus: total(1) },
            },
        }
    };
    for ground in &measured.catchments {
        impacts.push(impact(&ground.name, Some(ground)));
    }
    // Wastewater may reach a catchment that the site does not lie in.
    let elsewhere = drains.filter(|it| measured.catchments.iter().all(|own| own.name.id != it.id));
    if let Some(name) = elsewhere.filter(|_| !strict && sums.loads != Loads::default()) {
        impacts.push(impact(name, None));
    }
    impacts.sort_by_key(|it| it.catchment.id);
    impacts
}

/// 1, -1, or nothing for nothing.
fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}
