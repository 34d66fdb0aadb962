//! The files that describe an object, in a replica whose content is not read: whether they are there,
//! and what is wrong with them.

use rayon::prelude::*;

use super::super::address::ObjectId;
use super::super::error::VaultError;
use super::super::replica::Replica;
use super::flaw::{Flaw, Piece};
use super::judging::Judging;
use super::truth::Truth;

impl Replica {
    /// Whether every file is there that describes an object with so many versions: inventories, records,
    /// their sidecars and the declaration. None of them is read.
    pub fn has_frame(&self, object: &ObjectId, sealed: u32) -> Result<bool, VaultError> {
        self.present()?;
        let root = object.root();
        let is_there = |piece: Piece| -> Result<bool, VaultError> {
            Ok(self.medium.look(&format!("{root}/{}", piece.path))?.is_some())
        };
        let pieces = Piece::frame(sealed);
        let found: Result<Vec<bool>, VaultError> =
            self.reading(|| pieces.into_par_iter().map(is_there).collect());
        Ok(found?.into_iter().all(|it| it))
    }

    /// Reads the files that describe an object, and tells which are not as they must be, in the order
    /// that they are to be mended. Content is not read and not looked for.
    pub fn examine_frame(&self, truth: &Truth<'_>) -> Result<Vec<Flaw>, VaultError> {
        self.present()?;
        let deletions = truth.deletions()?;
        let mut pieces = Piece::frame(truth.sealed());
        pieces.extend(deletions.iter().flat_map(|path| Piece::of_deletion(path)));
        let root = truth.object().root();
        let mut frame = Vec::new();
        for piece in pieces {
            let seen = self.see(&format!("{root}/{}", piece.path), &mut |_| Ok(()))?;
            frame.push((piece, seen));
        }
        let next = self.version_to_come(truth)?;
        let mut flaws = Judging::new(self, truth, frame, next).flaws(&deletions)?;
        flaws.sort_by(|a, b| (a.part, &a.path).cmp(&(b.part, &b.path)));
        Ok(flaws)
    }
}
