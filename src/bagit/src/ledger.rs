//! Every path of a bag, found or listed, in little memory: names lie end to end in one arena, and
//! a table of numbers finds them. A file costs its name and some forty bytes.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use hashbrown::HashTable;

use super::limits::Limits;
use super::names::spelling::composed;

/// The number of a path in its ledger.
pub(crate) type PathId = u32;

/// What the source knows of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) size_bytes: u64,
    /// Where its bytes begin in a tar or in what was set aside, or its header in a zip.
    pub(crate) position: u64,
    /// Nanoseconds since 1970; the smallest number where nobody knows.
    pub(crate) modified_ns: i64,
}

impl Held {
    pub(crate) const NO_TIME: i64 = i64::MIN;

    /// For a path that is only listed.
    const NOTHING: Held = Held { size_bytes: 0, position: 0, modified_ns: Held::NO_TIME };

    pub(crate) fn modified_seconds(&self) -> Option<i64> {
        (self.modified_ns != Held::NO_TIME).then(|| self.modified_ns.div_euclid(1_000_000_000))
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    len: u16,
    flags: u16,
    held: Held,
}

const PRESENT: u16 = 1;
const BAD_NAME: u16 = 2;
const FETCHED: u16 = 4;

const NAMES_STEP: usize = 1 << 20;
const ENTRIES_STEP: usize = 1 << 12;

/// There is no room for another path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// All paths of one bag.
#[derive(Default)]
pub(crate) struct Ledger {
    names: Vec<u8>,
    entries: Vec<Entry>,
    index: HashTable<PathId>,
    state: RandomState,
    present_count: usize,
    /// Where names are in another Unicode form: by the hash of the composed one, made when asked.
    by_form: OnceLock<HashMap<u64, PathId>>,
}

impl Ledger {
    /// Takes a file under the name it has in its source; [`Ledger::settle`] makes paths of names.
    pub(crate) fn take(
        &mut self,
        name: &[u8],
        held: Held,
        limits: &Limits,
    ) -> Result<PathId, Full> {
        self.push(name, PRESENT, held, limits)
    }

    /// Cuts names down to paths inside the base folder `base` (`""` or ending in a slash) and
    /// makes them findable. Tells of files that lie elsewhere and of names that come twice: these
    /// are in the ledger no longer.
    pub(crate) fn settle(&mut self, base: &[u8], mut odd: impl FnMut(&[u8], Odd)) {
        let count = self.entries.len();
        self.index
            .reserve(count, |id| self.state.hash_one(name_of(&self.names, &self.entries, *id)));
        for at in 0..count {
            let entry = self.entries[at];
            let Ok(id) = PathId::try_from(at) else { return };
            let name = name_of(&self.names, &self.entries, id);
            let Some(path) = name.strip_prefix(base).filter(|path| !path.is_empty()) else {
                odd(name, Odd::Elsewhere);
                self.entries[at].flags &= !PRESENT;
                continue;
            };
            let hash = self.state.hash_one(path);
            // Entries before this one are cut already; those after it are not in the index.
            let same = |other: &PathId| name_of(&self.names, &self.entries, *other) == path;
            if self.index.find(hash, same).is_some() {
                odd(path, Odd::Twice);
                self.entries[at].flags &= !PRESENT;
                continue;
            }
            // The base is a prefix of the name, so it is no longer than names can be.
            let cut = u16::try_from(base.len()).unwrap_or(0);
            self.entries[at] =
                Entry { start: entry.start + u32::from(cut), len: entry.len - cut, ..entry };
            let (names, entries, state) = (&self.names, &self.entries, &self.state);
            self.index
                .insert_unique(hash, id, |other| state.hash_one(name_of(names, entries, *other)));
            self.present_count += 1;
        }
    }

    /// The number of a path, found or listed.
    pub(crate) fn find(&self, path: &[u8]) -> Option<PathId> {
        let hash = self.state.hash_one(path);
        self.index.find(hash, |id| self.path(*id) == path).copied()
    }

    /// The file that has this name in another Unicode form.
    pub(crate) fn find_by_form(&self, path: &str) -> Option<PathId> {
        let by_form = self.by_form.get_or_init(|| {
            let named = self.present().filter_map(|id| {
                let name = str::from_utf8(self.path(id)).ok()?;
                (!name.is_ascii()).then(|| (self.state.hash_one(composed(name).as_ref()), id))
            });
            named.collect()
        });
        let id = *by_form.get(&self.state.hash_one(composed(path).as_ref()))?;
        let name = str::from_utf8(self.path(id)).ok()?;
        (composed(name) == composed(path)).then_some(id)
    }

    /// Takes a path that is listed somewhere but is not in the bag.
    pub(crate) fn list(&mut self, path: &[u8], limits: &Limits) -> Result<PathId, Full> {
        let id = self.push(path, 0, Held::NOTHING, limits)?;
        let hash = self.state.hash_one(path);
        let (names, entries, state) = (&self.names, &self.entries, &self.state);
        self.index.insert_unique(hash, id, |other| state.hash_one(name_of(names, entries, *other)));
        Ok(id)
    }

    pub(crate) fn path(&self, id: PathId) -> &[u8] {
        name_of(&self.names, &self.entries, id)
    }

    /// A path for people.
    pub(crate) fn shown(&self, id: PathId) -> String {
        String::from_utf8_lossy(self.path(id)).into_owned()
    }

    pub(crate) fn held(&self, id: PathId) -> &Held {
        &self.entries[id as usize].held
    }

    /// The numbers of all files in the bag.
    pub(crate) fn present(&self) -> impl Iterator<Item = PathId> + '_ {
        self.all().filter(|id| self.is_present(*id))
    }

    /// The numbers of all paths, also of those that are only listed.
    pub(crate) fn all(&self) -> impl Iterator<Item = PathId> + use<> {
        0..PathId::try_from(self.entries.len()).unwrap_or(PathId::MAX)
    }

    pub(crate) fn present_count(&self) -> usize {
        self.present_count
    }

    /// How many numbers are given out.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_present(&self, id: PathId) -> bool {
        self.entries[id as usize].flags & PRESENT != 0
    }

    /// Whether the name itself was found bad, so that nothing more is said of it.
    pub(crate) fn has_bad_name(&self, id: PathId) -> bool {
        self.entries[id as usize].flags & BAD_NAME != 0
    }

    pub(crate) fn mark_bad_name(&mut self, id: PathId) {
        self.entries[id as usize].flags |= BAD_NAME;
    }

    pub(crate) fn is_fetched(&self, id: PathId) -> bool {
        self.entries[id as usize].flags & FETCHED != 0
    }

    pub(crate) fn mark_fetched(&mut self, id: PathId) {
        self.entries[id as usize].flags |= FETCHED;
    }

    fn push(
        &mut self,
        name: &[u8],
        flags: u16,
        held: Held,
        limits: &Limits,
    ) -> Result<PathId, Full> {
        if self.entries.len() as u64 >= limits.entry_count
            || self.names.len() + name.len() > limits.paths_bytes
        {
            return Err(Full);
        }
        let id = PathId::try_from(self.entries.len()).map_err(|_| Full)?;
        let start = u32::try_from(self.names.len()).map_err(|_| Full)?;
        let len = u16::try_from(name.len()).map_err(|_| Full)?;
        // Grown in steps: doubling would hold half as much again for nothing.
        if self.names.capacity() - self.names.len() < name.len() {
            self.names.reserve_exact(NAMES_STEP.max(self.names.len() / 8));
        }
        if self.entries.capacity() == self.entries.len() {
            self.entries.reserve_exact(ENTRIES_STEP.max(self.entries.len() / 8));
        }
        self.names.extend_from_slice(name);
        self.entries.push(Entry { start, len, flags, held });
        Ok(id)
    }
}

/// Why a file is not a file of the bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Odd {
    Elsewhere,
    Twice,
}

fn name_of<'n>(names: &'n [u8], entries: &[Entry], id: PathId) -> &'n [u8] {
    let entry = &entries[id as usize];
    &names[entry.start as usize..entry.start as usize + usize::from(entry.len)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> Held {
        Held { size_bytes: 1, position: 0, modified_ns: 1_500_000_000 }
    }

    #[test]
    fn names_become_paths_and_odd_ones_are_told() {
        let limits = Limits::default();
        let mut ledger = Ledger::default();
        for name in ["bag/a", "bag/data/b", "loose", "bag/a", "bag2/a"] {
            ledger.take(name.as_bytes(), held(), &limits).unwrap();
        }
        let mut odd = Vec::new();
        ledger
            .settle(b"bag/", |name, why| odd.push((String::from_utf8(name.into()).unwrap(), why)));
        let told = [("loose", Odd::Elsewhere), ("a", Odd::Twice), ("bag2/a", Odd::Elsewhere)];
        assert_eq!(odd, told.map(|(name, why)| (name.to_owned(), why)));
        assert_eq!(ledger.present_count(), 2);
        assert_eq!(ledger.find(b"data/b"), Some(1));
        assert_eq!(ledger.find(b"loose"), None);
        let listed = ledger.list(b"data/c", &limits).unwrap();
        assert_eq!(ledger.find(b"data/c"), Some(listed));
        assert!(!ledger.is_present(listed) && ledger.is_present(1));
        assert_eq!(ledger.held(0).modified_seconds(), Some(1));
    }

    #[test]
    fn a_name_is_found_in_its_other_unicode_form() {
        let mut ledger = Ledger::default();
        ledger.take("data/e\u{301}".as_bytes(), held(), &Limits::default()).unwrap();
        ledger.settle(b"", |_, _| {});
        assert_eq!(ledger.find("data/é".as_bytes()), None);
        assert_eq!(ledger.find_by_form("data/é"), Some(0));
        assert_eq!(ledger.find_by_form("data/è"), None);
    }

    #[test]
    fn a_full_ledger_says_so() {
        let limits = Limits { entry_count: 1, ..Limits::default() };
        let mut ledger = Ledger::default();
        assert_eq!(ledger.take(b"a", held(), &limits), Ok(0));
        assert_eq!(ledger.take(b"b", held(), &limits), Err(Full));
    }
}
