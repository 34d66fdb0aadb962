//! What the ground says about a site, before any rates.

use super::amount::r2;
use super::ground::{majority, majority_by_id};
use super::land::{Drawing, Land, Near, Plot, Search};
use super::method::Method;
use super::result::CatchmentName;
use super::run::{AssessError, Options, Pulse};
use crate::overlay::Outline;
use crate::reference::{Area, Reference};
use crate::shape::Shape;
use crate::site::Site;

/// The measures of a site.
pub(crate) struct Measured {
    pub(super) area_m2: f64,
    pub(super) area_ha: f64,
    pub(crate) works: i64,
    pub(super) works_chosen: bool,
    pub(super) works_fell_back: bool,
    pub(super) works_unknown: bool,
    pub(super) authority: Option<String>,
    pub(super) subcatchment: Option<String>,
    /// The catchments that land was found in, by id.
    pub(super) catchments: Vec<Ground>,
    pub(super) pieces: Vec<Drawn>,
    pub(super) covered_m2: Option<f64>,
    /// The part of it in parcels with all coefficients.
    pub(super) known_m2: Option<f64>,
    pub(super) parcel_count: u64,
    pub(super) too_many_pieces: bool,
    /// The nutrient catchment that the works drains to, and those of the site by their share.
    pub(super) works_catchment: Option<CatchmentName>,
    /// Land in several catchments at once.
    pub(super) overlap_m2: f64,
}

/// The land of a site in one catchment.
pub(super) struct Ground {
    pub(super) name: CatchmentName,
    /// All of the site's ground in it, covered by parcels or not.
    pub(super) ground_m2: f64,
    pub(super) plots: Vec<Uplift>,
}

/// One plot's area and what it gives off more than now.
pub(super) struct Uplift {
    /// All of it, and the part that no catchment of a lower id has.
    pub(super) area_m2: f64,
    pub(super) first_area_m2: f64,
    /// Kilograms for each hectare, nitrogen and phosphorus.
    pub(super) rates: [Option<f64>; 2],
}

/// A piece to be drawn.
pub(super) struct Drawn {
    pub(super) plot: Uplift,
    pub(super) parcel: String,
    pub(super) land_use: String,
    pub(super) catchment_id: i64,
    pub(super) shape: Shape,
}

impl Measured {
    /// The names of the catchments, sorted and joined: the key of the older service.
    pub(crate) fn joined_name(&self) -> String {
        let mut names: Vec<&str> = self.catchments.iter().map(|it| it.name.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.join("; ")
    }
}

pub(crate) fn measure(
    reference: &Reference,
    site: &Site,
    method: &Method,
    options: &Options,
    pulse: Pulse<'_>,
) -> Result<Measured, AssessError> {
    let outline = Outline::new(&site.shape);
    let area_m2 = site.shape.area_m2();
    let area_ha = r2(area_m2 / 10_000.0);
    let choice = works(reference, site, &outline, method, options);
    let authority = majority(&reference.authorities, &outline, area_m2).map(|it| it.name.clone());
    let subcatchment =
        majority(&reference.subcatchments, &outline, area_m2).map(|it| it.name.clone());

    let mut shares = reference.catchments.shares(&outline, area_m2);
    shares.sort_by_key(|(area, _)| area.id);
    let bounds = outline.bounds();
    let near: Vec<Near<'_>> =
        shares.iter().filter_map(|(area, _)| Near::new(area, &bounds)).collect();
    let with_shapes = options.pieces_max > 0;
    let search = Search { site: &outline, near: &near, with_shapes };
    let land = match (&reference.coefficients, near.is_empty()) {
        (Some(file), false) => Some(search.all(file, pulse)?),
        (Some(_), true) | (None, _) => None,
    };
    let has_layer = reference.coefficients.is_some();
    let overlap_m2 = overlap_area(&outline, &shares);
    let mut measured = Measured {
        area_m2,
        area_ha,
        works: choice.id,
        works_chosen: choice.is_chosen,
        works_fell_back: choice.fell_back,
        works_unknown: choice.is_unknown,
        authority,
        subcatchment,
        catchments: near
            .iter()
            .map(|near| Ground {
                name: name_of(near.area),
                ground_m2: share_of(&shares, near.area),
                plots: Vec::new(),
            })
            .collect(),
        pieces: Vec::new(),
        covered_m2: land.as_ref().map(|land| land.covered_m2),
        known_m2: land.as_ref().map(|land| land.known_m2),
        parcel_count: land.as_ref().map_or(0, |land| land.parcel_count),
        too_many_pieces: false,
        works_catchment: None,
        overlap_m2,
    };
    match land {
        Some(land) => measured.take(land, method, options),
        None if !has_layer => measured.take_bare(),
        None => {}
    }
    measured.works_catchment = works_catchment(reference, &measured, method);
    Ok(measured)
}

struct Choice {
    id: i64,
    is_chosen: bool,
    fell_back: bool,
    is_unknown: bool,
}

/// The works: the applicant's choice if it is known, else by the ground, else the one assumed.
fn works(
    reference: &Reference,
    site: &Site,
    outline: &Outline,
    method: &Method,
    options: &Options,
) -> Choice {
    let chosen = site.chosen_works.filter(|_| !options.strict_parity);
    let known = chosen.filter(|id| reference.lookups.works.contains_key(id));
    let area_m2 = site.shape.area_m2();
    let found = match options.strict_parity {
        true => majority(&reference.works, outline, area_m2).map(|it| it.id),
        false => majority_by_id(&reference.works, outline, area_m2),
    };
    let id = known.or(found).unwrap_or(method.fallback_works);
    Choice {
        id,
        is_chosen: known.is_some(),
        fell_back: known.or(found).is_none(),
        is_unknown: chosen.is_some() && known.is_none(),
    }
}

fn name_of(area: &Area) -> CatchmentName {
    CatchmentName { id: area.id, name: area.name.clone(), label: area.label.clone() }
}

fn share_of(shares: &[(&Area, f64)], area: &Area) -> f64 {
    shares.iter().find(|(it, _)| std::ptr::eq(*it, area)).map_or(0.0, |(_, share)| *share)
}

/// How much of the site's ground counts for several catchments.
fn overlap_area(outline: &Outline, shares: &[(&Area, f64)]) -> f64 {
    if shares.len() < 2 {
        return 0.0;
    }
    let mut outlines = vec![outline];
    outlines.extend(shares.iter().map(|(area, _)| &area.outline));
    let shared = crate::overlay::shared_areas(&outlines, &outline.bounds());
    let inside = shared.combinations().filter(|(mask, _)| mask & 1 == 1 && *mask > 1);
    let several = inside.map(|(mask, area)| f64::from(mask.count_ones() - 2) * area);
    several.sum()
}

/// Where the wastewater goes. A package plant stands on the site.
fn works_catchment(
    reference: &Reference,
    measured: &Measured,
    method: &Method,
) -> Option<CatchmentName> {
    if measured.works == method.fallback_works {
        let better = |a: &&Ground, b: &&Ground| {
            a.ground_m2.total_cmp(&b.ground_m2).then_with(|| b.name.id.cmp(&a.name.id))
        };
        return measured.catchments.iter().max_by(better).map(|it| it.name.clone());
    }
    let id = reference.drains_to(measured.works)?;
    reference.catchments.areas.iter().find(|area| area.id == id).map(name_of)
}

impl Measured {
    fn take(&mut self, land: Land, method: &Method, options: &Options) {
        self.too_many_pieces = land.plots.len() > options.pieces_max && options.pieces_max > 0;
        let keep = if self.too_many_pieces { 0 } else { options.pieces_max };
        for plot in land.plots {
            let Plot { catchment, area_m2, first_area_m2, numbers, drawing } = plot;
            let [n_now, p_now, n_houses, p_houses] = numbers;
            let nitrogen =
                n_now.zip(n_houses).map(|(now, it)| method.nitrogen_after(it, self.area_ha) - now);
            let phosphorus = p_now
                .zip(p_houses)
                .map(|(now, it)| method.phosphorus_after(it, self.area_ha) - now);
            let uplift = || Uplift { area_m2, first_area_m2, rates: [nitrogen, phosphorus] };
            let ground = &mut self.catchments[catchment];
            ground.plots.push(uplift());
            if let Some(drawing) = drawing.filter(|_| self.pieces.len() < keep) {
                let Drawing { parcel, land_use, shape } = drawing;
                let catchment_id = ground.name.id;
                self.pieces.push(Drawn { plot: uplift(), parcel, land_use, catchment_id, shape });
            }
        }
        // A catchment in which no parcel lies is not one of the site's, as far as sums go.
        self.catchments.retain(|ground| !ground.plots.is_empty());
    }

    /// Without a coefficient layer the ground itself counts, and nothing is known of its uplift.
    fn take_bare(&mut self) {
        for ground in &mut self.catchments {
            let area_m2 = ground.ground_m2;
            let rates = [None, None];
            ground.plots.push(Uplift { area_m2, first_area_m2: area_m2, rates });
        }
    }
}
