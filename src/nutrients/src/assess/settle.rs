//! The sums: drainage, wastewater, caution, and what each catchment gets of it.

use super::SOFTWARE;
use super::amount::{Amount, r2, sum_of_hundredths};
use super::measure::{Drawn, Ground, Measured, Uplift};
use super::method::Method;
use super::rates::Rates;
use super::result::{
    Assessment, Development, LandUse, Outcome, Piece, Provenance, Spatial, Total, Wastewater,
    WaterUse,
};
use super::run::Options;
use super::split::impacts;
use super::warn::warnings;
use crate::reference::{Reference, WorksRow};
use crate::site::Site;

/// What is assessed, against what, and how.
#[derive(Clone, Copy)]
pub(super) struct Case<'c> {
    pub(super) reference: &'c Reference,
    pub(super) site: &'c Site,
    pub(super) method: &'c Method,
    pub(super) options: &'c Options,
}

/// Loads of wastewater, kg/yr.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loads {
    pub nitrogen_temporary: f64,
    pub nitrogen_permanent: f64,
    pub phosphorus_temporary: f64,
    pub phosphorus_permanent: f64,
}

/// What the sums need: nothing of it is geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SumsInput<'s> {
    pub dwellings: u32,
    /// Litres a day, if the rates are known.
    pub litres_per_day: Option<f64>,
    pub works: Option<&'s WorksRow>,
    /// Kilograms a year; nitrogen, then phosphorus.
    pub uplift: [Option<f64>; 2],
    pub strict_parity: bool,
}

/// The sums of one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    pub post_suds: [Option<f64>; 2],
    pub loads: Loads,
    /// With the buffer, not rounded.
    pub totals: [f64; 2],
}

/// Drainage, wastewater and caution. Strict parity rounds what is left after drainage.
pub fn sums(method: &Method, input: &SumsInput<'_>) -> Sums {
    let removal = method.removal(input.dwellings);
    let post_suds = input.uplift.map(|uplift| {
        uplift.map(|it| {
            let left = it - it.abs() * removal;
            if input.strict_parity { r2(left) } else { left }
        })
    });
    let litres_a_year = input.litres_per_day.unwrap_or(0.0) * method.days_per_year;
    let load = |limit: fn(&WorksRow) -> Option<f64>| {
        let limit = input.works.and_then(limit);
        limit.map_or(0.0, |limit| litres_a_year * ((limit / 1_000_000.0) * method.operating_rate))
    };
    let loads = Loads {
        nitrogen_temporary: load(|works| works.nitrogen_2025_2030),
        nitrogen_permanent: load(|works| works.nitrogen_2030_onwards),
        phosphorus_temporary: load(|works| works.phosphorus_2025_2030),
        phosphorus_permanent: load(|works| works.phosphorus_2030_onwards),
    };
    let total = |post: Option<f64>, load: f64| with_buffer(method, post.unwrap_or(0.0) + load);
    let totals = [
        total(post_suds[0], loads.nitrogen_permanent),
        total(post_suds[1], loads.phosphorus_permanent),
    ];
    Sums { post_suds, loads, totals }
}

/// Caution adds to a load and takes from a benefit.
fn with_buffer(method: &Method, base: f64) -> f64 {
    base + base.abs() * method.buffer
}

pub(super) fn settle(case: &Case<'_>, measured: Measured, rates: Option<Rates>) -> Assessment {
    let Case { reference, site, method, options } = *case;
    let strict = options.strict_parity;
    let row = reference.lookups.works.get(&measured.works);
    let works = row.filter(|row| row.name.is_some());
    let litres_per_day = rates.as_ref().map(|rates| litres(site, rates, strict));
    let uplift = [0, 1].map(|nutrient| uplift_of(&measured, nutrient, strict));
    let input = SumsInput {
        dwellings: site.dwellings,
        litres_per_day,
        works: row,
        uplift,
        strict_parity: strict,
    };
    let sums = sums(method, &input);
    let land_use = land_use(&measured, &input, &sums);
    let outcome = outcome(case, &measured, works);
    let total = match outcome {
        Outcome::OutOfScope => Total::default(),
        Outcome::Assessed | Outcome::WastewaterOnly => {
            Total { nitrogen: Amount::new(sums.totals[0]), phosphorus: Amount::new(sums.totals[1]) }
        }
    };
    let warnings = warnings(case, &measured, rates.as_ref(), &land_use);
    let wastewater = works.map(|works| Wastewater {
        rates: rates.as_ref().map(Rates::used),
        litres_per_day,
        nitrogen_limit_2025_2030: works.nitrogen_2025_2030,
        nitrogen_limit_2030_onwards: works.nitrogen_2030_onwards,
        phosphorus_limit_2025_2030: works.phosphorus_2025_2030,
        phosphorus_limit_2030_onwards: works.phosphorus_2030_onwards,
        nitrogen_temporary: Amount::new(sums.loads.nitrogen_temporary),
        nitrogen_permanent: Amount::new(sums.loads.nitrogen_permanent),
        phosphorus_temporary: Amount::new(sums.loads.phosphorus_temporary),
        phosphorus_permanent: Amount::new(sums.loads.phosphorus_permanent),
        catchment: measured.works_catchment.clone(),
    });
    let used = rates.as_ref().zip(litres_per_day).filter(|_| works.is_none());
    let water_use =
        used.map(|(rates, litres_per_day)| WaterUse { rates: rates.used(), litres_per_day });
    let catchments = impacts(case, &measured, &input, &sums, total);
    Assessment {
        outcome,
        development: development(site, &measured),
        spatial: spatial(case, &measured, works),
        land_use,
        wastewater,
        water_use,
        total,
        catchments,
        warnings,
        provenance: provenance(case),
        site: site.shape.clone(),
        pieces: pieces(measured.pieces, strict),
    }
}

fn outcome(case: &Case<'_>, measured: &Measured, works: Option<&WorksRow>) -> Outcome {
    let Case { method, options, .. } = *case;
    let keeps_fallback = options.strict_parity && method.keeps_fallback();
    let drains_to_known =
        works.is_some() && (measured.works != method.fallback_works || keeps_fallback);
    match (measured.catchments.is_empty(), drains_to_known) {
        (false, _) => Outcome::Assessed,
        (true, true) => Outcome::WastewaterOnly,
        (true, false) => Outcome::OutOfScope,
    }
}

fn land_use(measured: &Measured, input: &SumsInput<'_>, sums: &Sums) -> LandUse {
    let amount = |value: Option<f64>| match input.strict_parity {
        true => value.map(Amount::unrounded),
        false => value.map(Amount::new),
    };
    LandUse {
        nitrogen_uplift: amount(input.uplift[0]),
        phosphorus_uplift: amount(input.uplift[1]),
        nitrogen_post_suds: sums.post_suds[0].map(Amount::new),
        phosphorus_post_suds: sums.post_suds[1].map(Amount::new),
        covered_fraction: covered_fraction(measured),
        catchment_overlap_ha: measured.overlap_m2 / 10_000.0,
        parcel_overlap_ha: parcel_overlap(measured) / 10_000.0,
        unknown_ha: unknown_area(measured) / 10_000.0,
        parcel_count: measured.parcel_count,
    }
}

/// Counted people use what they use; others are estimated from dwellings.
fn litres(site: &Site, rates: &Rates, strict: bool) -> f64 {
    match site.people.filter(|_| !strict) {
        Some(people) => f64::from(people) * rates.litres_per_person,
        None => f64::from(site.dwellings) * (rates.occupancy * rates.litres_per_person),
    }
}

pub(super) fn hectares(plot: &Uplift, strict: bool) -> f64 {
    (if strict { plot.area_m2 } else { plot.first_area_m2 }) / 10_000.0
}

/// What a plot gives off more; strict parity rounds each and loses those of tiny sites.
fn plot_uplift(plot: &Uplift, nutrient: usize, strict: bool) -> Option<f64> {
    let exact = plot.rates[nutrient]? * hectares(plot, strict);
    Some(if strict { r2(exact) } else { exact })
}

pub(super) fn ground_uplift(ground: &Ground, nutrient: usize, strict: bool) -> f64 {
    sum(ground.plots.iter().filter_map(|plot| plot_uplift(plot, nutrient, strict)), strict)
}

/// Uplifts together. In strict parity each has two digits already.
fn sum(uplifts: impl Iterator<Item = f64>, strict: bool) -> f64 {
    if strict { sum_of_hundredths(uplifts) } else { uplifts.sum() }
}

pub(super) fn ground_hectares(ground: &Ground, strict: bool) -> f64 {
    ground.plots.iter().map(|plot| hectares(plot, strict)).sum()
}

/// None if the site meets no catchment, or no coefficient of its land is known: that is not the same
/// as zero, although strict parity tells the latter so.
fn uplift_of(measured: &Measured, nutrient: usize, strict: bool) -> Option<f64> {
    let grounds = measured.catchments.iter();
    let mut plots = grounds.clone().flat_map(|ground| &ground.plots);
    let is_known = plots.any(|plot| plot.rates[nutrient].is_some());
    (!measured.catchments.is_empty() && (is_known || strict))
        .then(|| sum(grounds.map(|ground| ground_uplift(ground, nutrient, strict)), strict))
}

fn covered_fraction(measured: &Measured) -> Option<f64> {
    measured.known_m2.map(|known| (known / measured.area_m2).clamp(0.0, 1.0))
}

/// Less than a square metre is noise.
fn unknown_area(measured: &Measured) -> f64 {
    let unknown = measured.covered_m2.unwrap_or(0.0) - measured.known_m2.unwrap_or(0.0);
    if unknown > 1.0 { unknown } else { 0.0 }
}

/// More covered than there is: parcels lie on one another. Less than a square metre is noise.
fn parcel_overlap(measured: &Measured) -> f64 {
    let over = measured.covered_m2.map_or(0.0, |covered| covered - measured.area_m2);
    if over > 1.0 { over } else { 0.0 }
}

fn development(site: &Site, measured: &Measured) -> Development {
    Development {
        number: site.number,
        id: site.id.clone(),
        name: site.name.clone(),
        dwelling_category: site.category.clone(),
        source: site.source.clone(),
        dwellings: site.dwellings,
        area_m2: measured.area_m2,
        area_ha: measured.area_ha,
        dwelling_density: (measured.area_ha > 0.0)
            .then(|| f64::from(site.dwellings) / measured.area_ha),
    }
}

fn spatial(case: &Case<'_>, measured: &Measured, works: Option<&WorksRow>) -> Spatial {
    let strict = case.options.strict_parity;
    let own = measured.subcatchment.clone();
    // The older service tells names of works with the blanks that its table has around them.
    let told = |plain: &Option<String>, written: &Option<String>| match strict {
        true => written.clone().or_else(|| plain.clone()),
        false => plain.clone(),
    };
    let of_works = works.and_then(|it| told(&it.subcatchment, &it.subcatchment_as_written));
    let is_fallback = measured.works == case.method.fallback_works;
    let area = measured.catchments.iter().map(|ground| ground_hectares(ground, strict));
    let mut names: Vec<_> = measured.catchments.iter().map(|it| it.name.clone()).collect();
    names.sort();
    Spatial {
        wwtw_id: measured.works,
        wwtw_chosen: measured.works_chosen,
        wwtw_name: works.and_then(|it| told(&it.name, &it.name_as_written)),
        wwtw_subcatchment: if is_fallback { of_works.or_else(|| own.clone()) } else { of_works },
        lpa_name: measured.authority.clone().unwrap_or_else(|| "UNKNOWN".to_owned()),
        dev_subcatchment: own,
        area_in_nn_catchment_ha: (!measured.catchments.is_empty()).then(|| Amount::new(area.sum())),
        nn_catchment: measured.joined_name(),
        catchments: names,
    }
}

fn pieces(pieces: Vec<Drawn>, strict: bool) -> Vec<Piece> {
    let told = pieces.into_iter().map(|piece| Piece {
        area_ha: hectares(&piece.plot, strict),
        nitrogen_uplift: plot_uplift(&piece.plot, 0, strict).map(Amount::new),
        phosphorus_uplift: plot_uplift(&piece.plot, 1, strict).map(Amount::new),
        parcel: piece.parcel,
        land_use: piece.land_use,
        catchment_id: piece.catchment_id,
        shape: piece.shape,
    });
    told.collect()
}

fn provenance(case: &Case<'_>) -> Provenance {
    let Case { reference, site, method, options } = *case;
    Provenance {
        data_version: reference.version().to_owned(),
        data_digest: reference.digest().to_owned(),
        method: method.clone(),
        strict_parity: options.strict_parity,
        input_crs: site.crs,
        transform: site.transform,
        software: SOFTWARE.to_owned(),
        input_digest: site.shape.digest(),
    }
}
