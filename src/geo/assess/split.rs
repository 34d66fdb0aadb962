//! What of a site reaches which nutrient catchment.

use super::amount::{Amount, r2};
use super::measure::{Ground, Measured};
use super::result::{CatchmentImpact, CatchmentName, Total};
use super::settle::{Case, Loads, Sums, ground_hectares, ground_uplift, with_buffer};

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
    let drains = measured.works_catchment.as_ref();
    let mut impacts: Vec<CatchmentImpact> = Vec::new();
    let impact = |name: &CatchmentName, ground: Option<&Ground>| {
        let here = drains.is_some_and(|it| it.id == name.id);
        let load = |load: f64| if here { load } else { 0.0 };
        let uplift =
            [0, 1].map(|it| ground.map_or(0.0, |ground| ground_uplift(ground, it, strict)));
        let loads = [load(sums.loads.nitrogen_permanent), load(sums.loads.phosphorus_permanent)];
        let total = |it: usize| {
            let post = uplift[it] - uplift[it].abs() * removal;
            Amount::new(with_buffer(method, post + loads[it]))
        };
        CatchmentImpact {
            catchment: name.clone(),
            area_ha: Amount::new(ground.map_or(0.0, |ground| ground_hectares(ground, strict))),
            overlap_percentage: r2(
                ground.map_or(0.0, |ground| ground.ground_m2 / measured.area_m2 * 100.0)
            ),
            nitrogen_uplift: Amount::new(uplift[0]),
            phosphorus_uplift: Amount::new(uplift[1]),
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
