//! Names that some file systems take for one: they differ only in case or in Unicode form.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::rules::shown;
use super::spelling::{composed, folded};
use crate::code::Code;
use crate::findings::Findings;
use crate::ledger::Ledger;

/// Tells of all files whose names are mistaken for each other elsewhere.
pub(crate) fn judge(ledger: &Ledger, findings: &mut Findings) {
    // First only hashes of names, eight bytes for each file: almost always all differ.
    let state = RandomState::new();
    let key = |id| {
        let path = str::from_utf8(ledger.path(id)).ok()?;
        Some(state.hash_one(folded(path).as_ref()))
    };
    let mut hashes: Vec<u64> = Vec::with_capacity(ledger.present_count());
    hashes.extend(ledger.present().filter_map(key));
    hashes.sort_unstable();
    let shared: HashSet<u64> =
        hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    drop(hashes);
    if shared.is_empty() {
        return;
    }
    let mut keys: Vec<(u64, u32)> = ledger
        .present()
        .filter_map(|id| key(id).filter(|hash| shared.contains(hash)).map(|hash| (hash, id)))
        .collect();
    keys.sort_unstable();
    for group in keys.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        for pair in group.windows(2) {
            let name = |at: usize| str::from_utf8(ledger.path(pair[at].1)).unwrap_or_default();
            let (first, second) = (name(0), name(1));
            if first == second || folded(first) != folded(second) {
                continue;
            }
            if composed(first) == composed(second) {
                findings.add(Code::NamesDifferByForm, second, || {
                    format!(
                        "`{}` is there twice, with its accents written in two ways; many systems \
                         keep only one of them. Rename one.",
                        shown(second)
                    )
                });
            } else {
                findings.add(Code::NamesDifferByCase, second, || {
                    format!(
                        "`{}` and `{}` differ only in case; Windows and macOS keep only one of \
                         them. Rename one.",
                        shown(first),
                        shown(second)
                    )
                });
            }
        }
    }
}
