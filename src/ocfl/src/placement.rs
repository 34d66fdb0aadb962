//! Which files of a bag must be copied: each digest once, and none that the object already holds.

use std::collections::HashSet;

use super::address::{ObjectId, Sha512, content_path};
use super::error::VaultError;
use super::replica::Replica;

/// A version that is being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draft<'d> {
    pub object: &'d ObjectId,
    /// One more than the head when the ingest began; kept by the caller over repeats.
    pub version: u32,
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Its bytes are copied to this content path.
    Copy(String),
    /// Its bytes are already held, by an earlier version or an earlier path of this one.
    Held,
}

/// Decides for one version of an object. Asked for every file in the order of the paths, it says
/// the same every time, because it looks at the version before and never at the draft.
///
/// Holds 32 bytes of each digest and the room of a hash set, some 50 bytes for each file.
pub struct Placing {
    version: u32,
    held: HashSet<[u8; 32]>,
}

impl Placing {
    /// Reads what the replicas hold; what one of them lacks is copied to all.
    pub fn new(draft: Draft<'_>, replicas: &[&Replica]) -> Result<Placing, VaultError> {
        let Draft { object, version } = draft;
        let mut held: Option<HashSet<[u8; 32]>> = None;
        for replica in replicas {
            let mut here = HashSet::new();
            if let Some(base) = replica.base(object, version)? {
                base.contents(&mut |_, sha512| {
                    if held.as_ref().is_none_or(|held| held.contains(&half(sha512))) {
                        here.insert(half(sha512));
                    }
                    Ok(())
                })?;
            }
            held = Some(here);
        }
        Ok(Placing { version, held: held.unwrap_or_default() })
    }

    /// Decides for the next file.
    pub fn place(&mut self, logical: &str, sha512: &Sha512) -> Placement {
        if self.held.insert(half(sha512)) {
            Placement::Copy(content_path(self.version, logical, sha512))
        } else {
            Placement::Held
        }
    }
}

fn half(sha512: &Sha512) -> [u8; 32] {
    let mut half = [0; 32];
    half.copy_from_slice(&sha512[..32]);
    half
}
