//! The land of a site: every parcel in every catchment, with its area.
//!
//! Tiles are the blocks of the coefficient file. They are taken a few at a time, so that all cores
//! work and whoever watches is told, or can cancel, in between.

use rayon::prelude::*;

use super::run::{AssessError, Progress, Pulse};
use crate::geo::layer::{LayerFile, Record};
use crate::geo::overlay::{Outline, Part, area_inside, convex_ring, intersection, shared_areas};
use crate::geo::reference::{Area, ReferenceError};
use crate::geo::shape::{Bounds, Shape};

/// Tiles between two pulses.
const TILES: usize = 16;

/// A nutrient catchment near the site, cut down to what lies around it.
pub(super) struct Near<'r> {
    pub(super) area: &'r Area,
    /// `None` if all of the site's box lies in it.
    pub(super) outline: Option<Outline>,
}

impl<'r> Near<'r> {
    /// `None` if nothing of the window lies in it.
    pub(super) fn new(area: &'r Area, window: &Bounds) -> Option<Near<'r>> {
        match area.outline.part(&window.grown(1.0)) {
            Part::Nothing => None,
            Part::Everything => Some(Near { area, outline: None }),
            Part::Some(rings) => Some(Near { area, outline: Some(Outline::of_rings(rings)) }),
        }
    }
}

/// One parcel in one catchment.
pub(super) struct Plot {
    pub(super) parcel: String,
    pub(super) land_use: String,
    /// Which of the near catchments.
    pub(super) catchment: usize,
    pub(super) area_m2: f64,
    /// The part that no catchment before this one has.
    pub(super) first_area_m2: f64,
    pub(super) numbers: [Option<f64>; 4],
    pub(super) shape: Option<Shape>,
}

/// What lies on a site.
#[derive(Default)]
pub(super) struct Land {
    pub(super) plots: Vec<Plot>,
    /// The area of the site in all parcels, in catchments or not.
    pub(super) covered_m2: f64,
    pub(super) parcel_count: u64,
}

/// Where to look.
pub(super) struct Search<'s> {
    pub(super) site: &'s Outline,
    pub(super) near: &'s [Near<'s>],
    pub(super) with_shapes: bool,
}

impl Search<'_> {
    /// Everything on the site, in the order of parcels and catchments.
    pub(super) fn all(&self, file: &LayerFile, pulse: Pulse<'_>) -> Result<Land, AssessError> {
        let tiles = file.blocks_near(&self.site.bounds());
        let mut found: Vec<(String, f64, Vec<Plot>)> = Vec::new();
        for (at, some) in tiles.chunks(TILES).enumerate() {
            let progress = Progress { tiles_done: at * TILES, tiles_in_all: tiles.len() };
            if pulse(progress).is_break() {
                return Err(AssessError::Cancelled);
            }
            // A few tiles are not worth waking others for.
            let each: Result<Vec<_>, _> = match some.len() {
                0..8 => some.iter().map(|at| self.tile(file, *at)).collect(),
                _ => some.par_iter().map(|at| self.tile(file, *at)).collect(),
            };
            found.extend(each?.into_iter().flatten());
        }
        // Sums go by the names of parcels, not by where they lie in the file.
        found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)));
        let mut land = Land::default();
        for (_, covered, plots) in found {
            land.covered_m2 += covered;
            land.parcel_count += 1;
            land.plots.extend(plots);
        }
        Ok(land)
    }

    fn tile(
        &self,
        file: &LayerFile,
        at: usize,
    ) -> Result<Vec<(String, f64, Vec<Plot>)>, AssessError> {
        let bounds = self.site.bounds();
        let records = file.block_near(at, &bounds);
        let records = records.map_err(ReferenceError::io("the coefficient layer"))?;
        Ok(records.into_iter().filter_map(|record| self.parcel(record)).collect())
    }

    fn parcel(&self, record: Record) -> Option<(String, f64, Vec<Plot>)> {
        let bounds = record.shape.bounds();
        let (covered, areas) = match self.in_one_piece(&bounds, &record) {
            Some(0.0) => return None,
            Some(area) => (area, self.around(&bounds)),
            None => (0.0, None),
        };
        let (covered, areas) = match areas {
            Some(inside) => {
                let first = inside.iter().position(|it| *it);
                let of = |(at, inside): (usize, &bool)| match inside {
                    true => (covered, if first == Some(at) { covered } else { 0.0 }),
                    false => (0.0, 0.0),
                };
                (covered, inside.iter().enumerate().map(of).collect())
            }
            None => self.cut(&bounds, &record)?,
        };
        if covered <= 0.0 {
            return None;
        }
        let plots = areas.iter().enumerate().filter(|(_, sums)| sums.0 > 0.0);
        let plots = plots.map(|(catchment, sums)| Plot {
            parcel: record.id.clone(),
            land_use: record.name.clone(),
            catchment,
            area_m2: sums.0,
            first_area_m2: sums.1,
            numbers: record.numbers,
            shape: self.with_shapes.then(|| self.shape(&Outline::new(&record.shape), catchment)),
        });
        let plots = plots.collect();
        Some((record.id.clone(), covered, plots))
    }

    /// The area of a parcel on the site where that takes no strips: it lies inside of it, or has no
    /// dents and one piece of the site's outline near it. Most parcels do.
    fn in_one_piece(&self, bounds: &Bounds, record: &Record) -> Option<f64> {
        match self.site.part(bounds) {
            Part::Nothing => Some(0.0),
            Part::Everything => Some(record.shape.area_m2()),
            Part::Some(mut rings) => match (rings.pop(), rings.is_empty()) {
                (Some(ring), true) => {
                    convex_ring(&record.shape).map(|convex| area_inside(ring, convex))
                }
                (_, _) => None,
            },
        }
    }

    /// Which catchments a box lies inside of, if it lies inside of each wholly or not at all.
    fn around(&self, bounds: &Bounds) -> Option<Vec<bool>> {
        let all = |outline: &Outline| match outline.part(bounds) {
            Part::Everything => Some(true),
            Part::Nothing => Some(false),
            Part::Some(_) => None,
        };
        self.near.iter().map(|near| near.outline.as_ref().map_or(Some(true), all)).collect()
    }

    /// The area of a parcel on the site, and in each catchment: all of it, and what no catchment
    /// before has.
    fn cut(&self, bounds: &Bounds, record: &Record) -> Option<(f64, Vec<(f64, f64)>)> {
        let window = bounds.shared(self.site.bounds())?;
        let parcel = Outline::new(&record.shape);
        let mut outlines = vec![self.site, &parcel];
        // Bits of the catchments that cut the window; the others lie all around it.
        let bits: Vec<Option<usize>> = self
            .near
            .iter()
            .map(|near| {
                near.outline.as_ref().map(|outline| {
                    outlines.push(outline);
                    outlines.len() - 1
                })
            })
            .collect();
        let shared = shared_areas(&outlines, &window);
        let mut covered = 0.0;
        let mut areas = vec![(0.0, 0.0); self.near.len()];
        for (mask, area) in shared.combinations().filter(|(mask, _)| mask & 3 == 3) {
            covered += area;
            let mut first = true;
            for (sums, bit) in areas.iter_mut().zip(&bits) {
                if bit.is_none_or(|bit| mask >> bit & 1 == 1) {
                    sums.0 += area;
                    if first {
                        sums.1 += area;
                    }
                    first = false;
                }
            }
        }
        Some((covered, areas))
    }

    fn shape(&self, parcel: &Outline, catchment: usize) -> Shape {
        let piece = intersection(self.site, parcel);
        match &self.near[catchment].outline {
            Some(outline) => intersection(&Outline::new(&piece), outline),
            None => piece,
        }
    }
}
