//! Judges the frame of an object: declaration, inventories, records and their sidecars.
//!
//! The inventory of the sealed version is known, and what lies in its two places is compared with
//! it. What an earlier version left is believed if its sidecar vouches for it and the true
//! inventory says the same of that version; only where that fails other replicas are asked.

use super::super::address::{Sha512, sha512_of};
use super::super::error::VaultError;
use super::super::inventory::Inventory;
use super::super::replica::Replica;
use super::flaw::{Flaw, Found, Part};
use super::reading::Seen;
use super::truth::Truth;
use crate::digest::{Algorithm, AlgorithmSet, Hasher};

/// By which others tell an object from a folder.
pub(super) const DECLARATION: &[u8] = b"ocfl_object_1.1\n";

pub(super) struct Judging<'j> {
    replica: &'j Replica,
    truth: &'j Truth<'j>,
    frame: Vec<(Part, Seen)>,
    /// The inventory of a version that is sealed here and not yet recorded: the root may be its.
    next: Option<Sha512>,
    flaws: Vec<Flaw>,
}

impl<'j> Judging<'j> {
    pub(super) fn new(
        replica: &'j Replica,
        truth: &'j Truth<'j>,
        frame: Vec<(Part, Seen)>,
        next: Option<Sha512>,
    ) -> Judging<'j> {
        Judging { replica, truth, frame, next, flaws: Vec::new() }
    }

    pub(super) fn flaws(mut self) -> Result<Vec<Flaw>, VaultError> {
        self.frame.sort_unstable_by_key(|(part, _)| *part);
        let head = self.truth.sealed();
        self.require(Part::Declaration, digest(DECLARATION))?;
        for version in 1..head {
            let (inventory, sidecar) = (Part::Inventory(version), Part::Sidecar(version));
            if !self.vouches(sidecar, inventory) || !self.truth.agrees(self.replica, version)? {
                self.compare(inventory, sidecar, self.truth.earlier(version)?)?;
            }
        }
        let sha512 = *self.truth.inventory.sha512();
        self.compare(Part::Inventory(head), Part::Sidecar(head), Some(sha512))?;
        for version in 1..=head {
            let (record, sidecar) = (Part::Chronicle(version), Part::ChronicleSidecar(version));
            if !self.vouches(sidecar, record) {
                self.compare(record, sidecar, self.truth.chronicle(version)?)?;
            }
        }
        self.judge_root(sha512)?;
        Ok(self.flaws)
    }

    /// The root is that of the sealed version, or on its way to the next: sidecar first.
    fn judge_root(&mut self, sealed: Sha512) -> Result<(), VaultError> {
        let (inventory, sidecar) = (Part::RootInventory, Part::RootSidecar);
        let text = |sha512: &Sha512| digest(sidecar.sidecar_text(sha512).as_bytes());
        if self.next.is_none_or(|next| self.seen(sidecar).sha512() != Some(&text(&next))) {
            return self.compare(inventory, sidecar, Some(sealed));
        }
        match self.seen(inventory).sha512() == self.next.as_ref() {
            true => Ok(()),
            false => self.require(inventory, sealed),
        }
    }

    /// Whether a sidecar is the one of what it stands beside.
    fn vouches(&self, sidecar: Part, part: Part) -> bool {
        self.seen(part).sha512().is_some_and(|sha512| {
            let text = sidecar.sidecar_text(sha512);
            self.seen(sidecar).sha512() == Some(&digest(text.as_bytes()))
        })
    }

    /// Requires these bytes with their sidecar; where nobody knows what they must be, what lies
    /// there is told and nothing can be expected of it.
    fn compare(
        &mut self,
        part: Part,
        sidecar: Part,
        expected: Option<Sha512>,
    ) -> Result<(), VaultError> {
        if let Some(sha512) = expected {
            self.require(part, sha512)?;
            return self.require(sidecar, digest(sidecar.sidecar_text(&sha512).as_bytes()));
        }
        for part in [part, sidecar] {
            let found = self.found(part)?;
            self.flaws.push(Flaw::new(part, None, found));
        }
        Ok(())
    }

    fn require(&mut self, part: Part, expected: Sha512) -> Result<(), VaultError> {
        if self.seen(part).sha512() != Some(&expected) {
            let found = self.found(part)?;
            self.flaws.push(Flaw::new(part, Some(expected), found));
        }
        Ok(())
    }

    fn seen(&self, part: Part) -> &Seen {
        let at = self.frame.binary_search_by_key(&part, |(part, _)| *part);
        at.map_or(&Seen::Absent, |at| &self.frame[at].1)
    }

    /// What lies there; of an inventory that differs, how.
    fn found(&self, part: Part) -> Result<Found, VaultError> {
        let found = self.seen(part).clone().into_found();
        let version = match part {
            Part::RootInventory => self.truth.sealed(),
            Part::Inventory(version) => version,
            Part::Stray
            | Part::EmptyFolder
            | Part::Content
            | Part::Sidecar(_)
            | Part::Chronicle(_)
            | Part::ChronicleSidecar(_)
            | Part::Declaration
            | Part::RootSidecar => return Ok(found),
        };
        if !matches!(found, Found::Differs { .. }) {
            return Ok(found);
        }
        let key = format!("{}/{}", self.truth.object().root(), part.path());
        let Some((file, sha512)) = self.replica.spool(&key)? else { return Ok(found) };
        Ok(match Inventory::open(self.replica.name(), file, sha512) {
            Err(VaultError::Damaged { what, .. }) => Found::Malformed { why: what },
            Err(error) => return Err(error),
            Ok(other) if other.id() != self.truth.object().as_str() => {
                Found::Foreign { id: other.id().to_owned() }
            }
            Ok(other) if other.head() < version => Found::Behind { head: other.head() },
            Ok(_) => found,
        })
    }
}

pub(super) fn digest(bytes: &[u8]) -> Sha512 {
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    hasher.update(bytes);
    sha512_of(&hasher.finish()).unwrap_or([0; 64])
}
