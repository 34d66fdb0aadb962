//! The land of a site: every parcel in every catchment, with its area.
//!
//! Tiles are the blocks of the coefficient file. They are taken a few at a time, so that all cores
//! work and whoever watches is told, or can cancel, in between.

use rayon::prelude::*;

use super::run::{AssessError, Progress, Pulse};
use ::geo::Coord;

use crate::layer::{LayerFile, Opened, Packed};
use crate::overlay::{
    Glance, Outline, Part, Room, convex_corners, intersection, shared_areas, twice_area,
};
use crate::reference::{Area, ReferenceError};
use crate::shape::{Bounds, Shape};

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
    /// Which of the near catchments.
    pub(super) catchment: usize,
    pub(super) area_m2: f64,
    /// The part that no catchment before this one has.
    pub(super) first_area_m2: f64,
    pub(super) numbers: [Option<f64>; 4],
    /// For a map, if there is one.
    pub(super) drawing: Option<Drawing>,
}

/// A plot as a map shows it.
pub(super) struct Drawing {
    pub(super) parcel: String,
    pub(super) land_use: String,
    pub(super) shape: Shape,
}

/// A parcel on the site.
struct Found {
    id: String,
    covered_m2: f64,
    is_known: bool,
    plots: Vec<Plot>,
}

/// Where parcels are looked at, one after the other: most are small, so room for them is kept.
#[derive(Default)]
struct Desk {
    block: Vec<u8>,
    ring: Vec<Coord<f64>>,
    room: Room,
}

/// What lies on a site.
#[derive(Default)]
pub(super) struct Land {
    pub(super) plots: Vec<Plot>,
    /// The area of the site in all parcels, in catchments or not.
    pub(super) covered_m2: f64,
    /// The part of it in parcels with all coefficients.
    pub(super) known_m2: f64,
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
        let mut found: Vec<Found> = Vec::new();
        let mut desk = Desk::default();
        for (at, some) in tiles.chunks(TILES).enumerate() {
            let progress = Progress { tiles_done: at * TILES, tiles_in_all: tiles.len() };
            if pulse(progress).is_break() {
                return Err(AssessError::Cancelled);
            }
            // A few tiles are not worth waking others for.
            if some.len() < 8 {
                for at in some {
                    self.tile(file, *at, &mut desk, &mut found)?;
                }
                continue;
            }
            let each = some.par_iter().map_init(Desk::default, |desk, at| {
                let mut found = Vec::new();
                self.tile(file, *at, desk, &mut found).map(|()| found)
            });
            let each: Result<Vec<Vec<Found>>, AssessError> = each.collect();
            found.extend(each?.into_iter().flatten());
        }
        // Sums go by the names of parcels, not by where they lie in the file.
        found.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.covered_m2.total_cmp(&b.covered_m2)));
        let mut land = Land::default();
        for parcel in found {
            land.covered_m2 += parcel.covered_m2;
            if parcel.is_known {
                land.known_m2 += parcel.covered_m2;
            }
            land.parcel_count += 1;
            land.plots.extend(parcel.plots);
        }
        Ok(land)
    }

    fn tile(
        &self,
        file: &LayerFile,
        at: usize,
        desk: &mut Desk,
        found: &mut Vec<Found>,
    ) -> Result<(), AssessError> {
        let Desk { block, ring, room } = desk;
        let read = file.visit_near(at, &self.site.bounds(), block, |packed| {
            found.extend(self.parcel(packed, ring, room)?);
            Some(())
        });
        read.map_err(ReferenceError::reading(file.path()))?;
        Ok(())
    }

    /// A parcel with its plots, if any of it lies on the site; none at all if it is not in form.
    fn parcel(
        &self,
        packed: Packed<'_>,
        ring: &mut Vec<Coord<f64>>,
        room: &mut Room,
    ) -> Option<Option<Found>> {
        let bounds = packed.bounds;
        let glance = self.site.part_in(&bounds, room);
        if matches!(glance, Glance::Nothing) {
            return Some(None);
        }
        let parcel = packed.open()?;
        let quick = in_one_piece(&parcel, &glance, ring, room)?;
        let inside = quick.filter(|area| *area != 0.0).and_then(|_| self.around(&bounds, room));
        let (covered_m2, areas) = match (quick, inside) {
            (Some(0.0), _) => return Some(None),
            (Some(covered), Some(inside)) => {
                let first = inside.iter().position(|it| *it);
                let of = |(at, inside): (usize, &bool)| match inside {
                    true => (covered, if first == Some(at) { covered } else { 0.0 }),
                    false => (0.0, 0.0),
                };
                (covered, inside.iter().enumerate().map(of).collect())
            }
            (_, None) | (None, _) => match self.cut(&bounds, &parcel.shape()?) {
                Some(areas) => areas,
                None => return Some(None),
            },
        };
        if covered_m2 <= 0.0 {
            return Some(None);
        }
        let plots = self.plots(&parcel, &areas)?;
        let is_known = parcel.numbers.iter().all(Option::is_some);
        Some(Some(Found { id: parcel.id.to_owned(), covered_m2, is_known, plots }))
    }

    fn plots(&self, parcel: &Opened<'_>, areas: &[(f64, f64)]) -> Option<Vec<Plot>> {
        let outline = match self.with_shapes {
            true => Some(Outline::new(&parcel.shape()?)),
            false => None,
        };
        let plots = areas.iter().enumerate().filter(|(_, sums)| sums.0 > 0.0);
        let plots = plots.map(|(catchment, sums)| Plot {
            catchment,
            area_m2: sums.0,
            first_area_m2: sums.1,
            numbers: parcel.numbers,
            drawing: outline.as_ref().map(|outline| Drawing {
                parcel: parcel.id.to_owned(),
                land_use: parcel.name.to_owned(),
                shape: self.shape(outline, catchment),
            }),
        });
        Some(plots.collect())
    }

    /// Which catchments a box lies inside of, if it lies inside of each wholly or not at all.
    fn around(&self, bounds: &Bounds, room: &mut Room) -> Option<Vec<bool>> {
        let mut all = |outline: &Outline| match outline.part_in(bounds, room) {
            Glance::Everything => Some(true),
            Glance::Nothing => Some(false),
            Glance::Ring | Glance::Rings(_) => None,
        };
        self.near.iter().map(|near| near.outline.as_ref().map_or(Some(true), &mut all)).collect()
    }

    /// The area of a parcel on the site, and in each catchment: all of it, and what no catchment
    /// before has.
    fn cut(&self, bounds: &Bounds, shape: &Shape) -> Option<(f64, Vec<(f64, f64)>)> {
        let window = bounds.shared(self.site.bounds())?;
        let parcel = Outline::new(shape);
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

/// The area of a parcel on the site where that takes no strips: it lies inside of it, or has no dents
/// and one piece of the site's outline near it, which lies in the room. Most parcels do. None at all
/// if the parcel is not in form.
fn in_one_piece(
    parcel: &Opened<'_>,
    glance: &Glance,
    ring: &mut Vec<Coord<f64>>,
    room: &mut Room,
) -> Option<Option<f64>> {
    let alone = parcel.only_ring(ring);
    Some(match (glance, alone) {
        (Glance::Nothing, _) => Some(0.0),
        (Glance::Everything, true) => {
            Some(twice_area(&ring[..ring.len().saturating_sub(1)]).abs() / 2.0)
        }
        (Glance::Everything, false) => Some(parcel.shape()?.area_m2()),
        (Glance::Ring, true) => convex_corners(ring).map(|convex| room.area_inside(convex)),
        (Glance::Ring, false) | (Glance::Rings(_), _) => None,
    })
}
