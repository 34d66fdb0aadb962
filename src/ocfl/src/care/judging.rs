//! Judges the frame of an object: declaration, inventories, records and their sidecars.
//!
//! The inventory of the sealed version is known, and what lies in its two places is compared with
//! it. What an earlier version left is believed if its sidecar vouches for it and the true
//! inventory says the same of that version; only where that fails other replicas are asked.

use digests::{Algorithm, AlgorithmSet, Hasher};

use super::super::address::{Sha512, sha512_of};
use super::super::error::VaultError;
use super::super::inventory::Inventory;
use super::super::replica::Replica;
use super::flaw::{Flaw, Found, Part, Piece, sidecar_text};
use super::reading::Seen;
use super::truth::Truth;

/// By which others tell an object from a folder.
pub(super) const DECLARATION: &[u8] = b"ocfl_object_1.1\n";

pub(super) struct Judging<'j> {
    replica: &'j Replica,
    truth: &'j Truth<'j>,
    frame: Vec<(Piece, Seen)>,
    /// The inventory of a version that is sealed here and not yet recorded: the root may be its.
    next: Option<Sha512>,
    flaws: Vec<Flaw>,
}

impl<'j> Judging<'j> {
    pub(super) fn new(
        replica: &'j Replica,
        truth: &'j Truth<'j>,
        frame: Vec<(Piece, Seen)>,
        next: Option<Sha512>,
    ) -> Judging<'j> {
        Judging { replica, truth, frame, next, flaws: Vec::new() }
    }

    pub(super) fn flaws(mut self, deletions: &[String]) -> Result<Vec<Flaw>, VaultError> {
        self.frame.sort_unstable_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let head = self.truth.sealed();
        self.require(&Piece::of(Part::Declaration), digest(DECLARATION))?;
        for version in 1..head {
            let pair = [Part::Inventory(version), Part::Sidecar(version)].map(Piece::of);
            if !self.vouches(&pair) || !self.truth.agrees(self.replica, version)? {
                self.compare(&pair, self.truth.earlier(version)?)?;
            }
        }
        let sha512 = *self.truth.inventory.sha512();
        let newest = [Part::Inventory(head), Part::Sidecar(head)].map(Piece::of);
        self.compare(&newest, Some(sha512))?;
        let chronicle =
            |version| [Part::Chronicle(version), Part::ChronicleSidecar(version)].map(Piece::of);
        let deletions = deletions.iter().map(|path| Piece::of_deletion(path));
        for pair in (1..=head).map(chronicle).chain(deletions) {
            if !self.vouches(&pair) {
                self.compare(&pair, self.truth.record(&pair[0].path)?)?;
            }
        }
        self.judge_root(sha512)?;
        Ok(self.flaws)
    }

    /// The root is that of the sealed version, or on its way to the next: sidecar first.
    fn judge_root(&mut self, sealed: Sha512) -> Result<(), VaultError> {
        let pair = [Part::RootInventory, Part::RootSidecar].map(Piece::of);
        let [inventory, sidecar] = &pair;
        let is_next = self.next.is_some_and(|next| {
            self.seen(sidecar).sha512() == Some(&digest_of_sidecar(sidecar, &next))
        });
        if !is_next {
            return self.compare(&pair, Some(sealed));
        }
        match self.seen(inventory).sha512() == self.next.as_ref() {
            true => Ok(()),
            false => self.require(inventory, sealed),
        }
    }

    /// Whether a sidecar is the one of what it stands beside.
    fn vouches(&self, [piece, sidecar]: &[Piece; 2]) -> bool {
        self.seen(piece).sha512().is_some_and(|sha512| {
            self.seen(sidecar).sha512() == Some(&digest_of_sidecar(sidecar, sha512))
        })
    }

    /// Requires these bytes with their sidecar; where nobody knows what they must be, what lies
    /// there is told and nothing can be expected of it.
    fn compare(
        &mut self,
        [piece, sidecar]: &[Piece; 2],
        expected: Option<Sha512>,
    ) -> Result<(), VaultError> {
        if let Some(sha512) = expected {
            self.require(piece, sha512)?;
            return self.require(sidecar, digest_of_sidecar(sidecar, &sha512));
        }
        for piece in [piece, sidecar] {
            let found = self.found(piece)?;
            self.flaws.push(Flaw::new(piece, None, found));
        }
        Ok(())
    }

    fn require(&mut self, piece: &Piece, expected: Sha512) -> Result<(), VaultError> {
        if self.seen(piece).sha512() != Some(&expected) {
            let found = self.found(piece)?;
            self.flaws.push(Flaw::new(piece, Some(expected), found));
        }
        Ok(())
    }

    fn seen(&self, piece: &Piece) -> &Seen {
        let at = self.frame.binary_search_by(|(known, _)| known.path.cmp(&piece.path));
        at.map_or(&Seen::Absent, |at| &self.frame[at].1)
    }

    /// What lies there; of an inventory that differs, how.
    fn found(&self, piece: &Piece) -> Result<Found, VaultError> {
        let found = self.seen(piece).clone().into_found();
        let version = match piece.part {
            Part::RootInventory => self.truth.sealed(),
            Part::Inventory(version) => version,
            Part::Stray
            | Part::EmptyFolder
            | Part::Content
            | Part::Sidecar(_)
            | Part::Chronicle(_)
            | Part::ChronicleSidecar(_)
            | Part::Deletion
            | Part::DeletionSidecar
            | Part::Declaration
            | Part::RootSidecar => return Ok(found),
        };
        if !matches!(found, Found::Differs { .. }) {
            return Ok(found);
        }
        let key = format!("{}/{}", self.truth.object().root(), piece.path);
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

/// The digest of the sidecar that vouches for some bytes.
fn digest_of_sidecar(sidecar: &Piece, sha512: &Sha512) -> Sha512 {
    digest(sidecar_text(&sidecar.path, sha512).as_bytes())
}

pub(super) fn digest(bytes: &[u8]) -> Sha512 {
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    hasher.update(bytes);
    sha512_of(&hasher.finish()).unwrap_or([0; 64])
}
