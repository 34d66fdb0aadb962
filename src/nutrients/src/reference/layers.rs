//! Small layers in memory.

use std::path::Path;

use super::error::ReferenceError;
use crate::layer::{LayerFile, Tree};
use crate::overlay::{Outline, Part, shared_areas};
use crate::shape::{Bounds, Shape};

/// One polygon of a small layer.
#[derive(Debug)]
pub(crate) struct Area {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) label: String,
    pub(crate) shape: Shape,
    pub(crate) outline: Outline,
}

/// A layer in memory, with its boxes in a tree.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) areas: Vec<Area>,
    tree: Tree,
}

impl Layer {
    pub(super) fn empty() -> Layer {
        Layer { areas: Vec::new(), tree: Tree::new(Vec::new()) }
    }

    pub(super) fn open(path: &Path) -> Result<Layer, ReferenceError> {
        let file = LayerFile::open(path).map_err(ReferenceError::reading(path))?;
        let mut areas = Vec::new();
        for at in file.all_blocks() {
            for record in file.block(at).map_err(ReferenceError::reading(path))? {
                areas.push(Area {
                    id: record.id.parse().unwrap_or(i64::MAX),
                    name: record.name,
                    label: record.label,
                    outline: Outline::new(&record.shape),
                    shape: record.shape,
                });
            }
        }
        let tree = Tree::new(areas.iter().map(|area| area.outline.bounds()).collect());
        Ok(Layer { areas, tree })
    }

    /// What each area shares with an outline, in square metres; those that only touch are left out.
    /// `area_m2` is the outline's own.
    pub(crate) fn shares(&self, outline: &Outline, area_m2: f64) -> Vec<(&Area, f64)> {
        let bounds = outline.bounds();
        let near = self.near(&bounds);
        near.filter_map(|area| {
            let share = match area.outline.part(&bounds) {
                Part::Nothing => 0.0,
                Part::Everything => area_m2,
                Part::Some(rings) => {
                    let near = Outline::of_rings(rings);
                    let window = near.bounds().shared(bounds)?;
                    shared_areas(&[outline, &near], &window).inside_all(3)
                }
            };
            (share > 0.0).then_some((area, share))
        })
        .collect()
    }

    pub(crate) fn near(&self, window: &Bounds) -> impl Iterator<Item = &Area> {
        self.tree.near(window).into_iter().map(|at| &self.areas[at])
    }
}
