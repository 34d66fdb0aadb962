//! Which of several digests is the true one, by what all replicas hold.
//!
//! A sidecar was written to vouch for bytes, so it weighs more than the bytes themselves; two equal
//! files weigh more than one sidecar that says otherwise, because damage does not strike two files
//! alike.

use super::super::address::Sha512;

const COPY: u32 = 2;
const SIDECAR: u32 = 3;

/// Digests with what speaks for each.
#[derive(Default)]
pub(super) struct Votes {
    tally: Vec<(Sha512, u32)>,
    /// Digests of bytes that turned out to be wrong, whoever speaks for them.
    wrong: Vec<Sha512>,
}

impl Votes {
    pub(super) fn copy(&mut self, sha512: Sha512) {
        self.add(sha512, COPY);
    }

    pub(super) fn sidecar(&mut self, sha512: Sha512) {
        self.add(sha512, SIDECAR);
    }

    /// Nothing speaks any more for a digest whose bytes are wrong in themselves.
    pub(super) fn dismiss(&mut self, sha512: Sha512) {
        self.wrong.push(sha512);
    }

    /// The digest that most speaks for; none if two are alike.
    pub(super) fn winner(&self) -> Option<Sha512> {
        let stand = || self.tally.iter().filter(|(sha512, _)| !self.wrong.contains(sha512));
        let most = stand().map(|(_, weight)| *weight).max()?;
        let mut first = stand().filter(|(_, weight)| *weight == most);
        match (first.next(), first.next()) {
            (Some((sha512, _)), None) => Some(*sha512),
            _ => None,
        }
    }

    fn add(&mut self, sha512: Sha512, weight: u32) {
        match self.tally.iter_mut().find(|(known, _)| *known == sha512) {
            Some((_, sum)) => *sum += weight,
            None => self.tally.push((sha512, weight)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Sha512 = [1; 64];
    const B: Sha512 = [2; 64];
    const C: Sha512 = [3; 64];

    fn winner(copies: &[Sha512], sidecars: &[Sha512]) -> Option<Sha512> {
        let mut votes = Votes::default();
        copies.iter().for_each(|sha512| votes.copy(*sha512));
        sidecars.iter().for_each(|sha512| votes.sidecar(*sha512));
        votes.winner()
    }

    #[test]
    fn sidecars_weigh_more_than_one_copy_and_less_than_two() {
        assert_eq!(winner(&[], &[]), None);
        assert_eq!(winner(&[A], &[]), Some(A));
        assert_eq!(winner(&[A], &[B]), Some(B));
        assert_eq!(winner(&[A, A], &[B]), Some(A));
        assert_eq!(winner(&[A, B], &[C, A]), Some(A));
        assert_eq!(winner(&[A, B], &[]), None);
        assert_eq!(winner(&[A, A], &[B, C]), Some(A));
    }

    #[test]
    fn what_is_dismissed_does_not_count() {
        let mut votes = Votes::default();
        votes.copy(A);
        votes.sidecar(A);
        votes.copy(B);
        votes.dismiss(A);
        votes.sidecar(A);
        assert_eq!(votes.winner(), Some(B));
    }
}
