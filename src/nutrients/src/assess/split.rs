//! What of a site reaches which nutrient catchment.
//!
//! Drainage and caution turn on the sign of a sum. Each catchment has sums of its own: a load is never
//! made smaller because another catchment of the site gains more than this one loses. So the parts need
//! not add up to the site.

use super::amount::{Amount, r2};
use super::measure::{Ground, Measured};
use super::result::{CatchmentImpact, CatchmentName, Total};
use super::settle::{Case, Loads, Sums, SumsInput, ground_hectares, ground_uplift, sums};

/// What each catchment gets: its own land, and the wastewater where the works drains to it.
pub(super) fn impacts(
    case: &Case<'_>,
    measured: &Measured,
    of_site: &SumsInput<'_>,
    site_sums: &Sums,
    site_total: Total,
) -> Vec<CatchmentImpact> {
    let strict = case.options.strict_parity;
    let drains = measured.works_catchment.as_ref();
    let mut impacts: Vec<CatchmentImpact> = Vec::new();
    let impact = |name: &CatchmentName, ground: Option<&Ground>| {
        let here = drains.is_some_and(|it| it.id == name.id);
        let uplift =
            [0, 1].map(|it| ground.map_or(0.0, |ground| ground_uplift(ground, it, strict)));
        let own = sums(
            case.method,
            &SumsInput {
                works: of_site.works.filter(|_| here),
                uplift: uplift.map(Some),
                ..*of_site
            },
        );
        let both = |values: [f64; 2]| Total {
            nitrogen: Amount::new(values[0]),
            phosphorus: Amount::new(values[1]),
        };
        CatchmentImpact {
            catchment: name.clone(),
            area_ha: Amount::new(ground.map_or(0.0, |ground| ground_hectares(ground, strict))),
            overlap_percentage: r2(
                ground.map_or(0.0, |ground| ground.ground_m2 / measured.area_m2 * 100.0)
            ),
            nitrogen_uplift: Amount::new(uplift[0]),
            phosphorus_uplift: Amount::new(uplift[1]),
            post_suds: Some(both(own.post_suds.map(Option::unwrap_or_default))),
            nitrogen_wastewater: Amount::new(own.loads.nitrogen_permanent),
            phosphorus_wastewater: Amount::new(own.loads.phosphorus_permanent),
            total: if strict { site_total } else { both(own.totals) },
        }
    };
    for ground in &measured.catchments {
        impacts.push(impact(&ground.name, Some(ground)));
    }
    // Wastewater may reach a catchment that the site does not lie in.
    let elsewhere = drains.filter(|it| measured.catchments.iter().all(|own| own.name.id != it.id));
    if let Some(name) = elsewhere.filter(|_| !strict && site_sums.loads != Loads::default()) {
        impacts.push(impact(name, None));
    }
    impacts.sort_by_key(|it| it.catchment.id);
    impacts
}
