//! Figures that hold until something is written: how many rows a list has, what is held in all.
//!
//! Whoever leafs through a list, or looks at the front page again, asks for the same figures while
//! nothing has changed. A figure is kept with the mark of the state it was read from. Marks are even
//! between writes and odd while one is made durable, so that who finds the same even mark before and
//! after the beginning of a read knows which state is read.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most figures that are kept; the next one begins anew.
const MOST: usize = 256;

type Figure = Arc<dyn Any + Send + Sync>;

/// Which state of the registry somebody begins to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark(u64);

#[derive(Default)]
pub(super) struct Memory {
    mark: AtomicU64,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    as_of: Mark,
    figures: HashMap<String, Figure>,
}

impl Known {
    fn of<T: Clone + 'static>(&self, mark: Mark, name: &str) -> Option<T> {
        let figure = self.figures.get(name).filter(|_| self.as_of == mark)?;
        figure.downcast_ref::<T>().cloned()
    }
}

impl Memory {
    /// The mark of the state that a read would begin with now.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.mark.load(Ordering::SeqCst))
    }

    /// Makes all figures old, while and after something is made durable by `commit`.
    pub(super) fn around<T>(&self, commit: impl FnOnce() -> T) -> T {
        self.mark.fetch_add(1, Ordering::SeqCst);
        let done = commit();
        self.mark.fetch_add(1, Ordering::SeqCst);
        done
    }

    /// The figure of this name. `begun` is the mark from before the read it belongs to began; `read`
    /// is asked when nothing of that state is known.
    pub(super) fn figure<T: Clone + Send + Sync + 'static, E>(
        &self,
        (begun, name): (Mark, &str),
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if begun.0 % 2 == 1 || self.mark() != begun {
            return read();
        }
        if let Some(figure) = self.known(begun).of(begun, name) {
            return Ok(figure);
        }
        let figure = read()?;
        let mut known = self.known(begun);
        if known.as_of == begun && known.figures.len() < MOST {
            known.figures.insert(name.to_owned(), Arc::new(figure.clone()));
        }
        Ok(figure)
    }

    /// What is known of this state, or of a later one if somebody has looked at that.
    fn known(&self, mark: Mark) -> MutexGuard<'_, Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_of < mark || known.figures.len() == MOST {
            known.as_of = known.as_of.max(mark);
            known.figures.clear();
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(memory: &Memory, name: &str, now: u64) -> u64 {
        memory.figure((memory.mark(), name), || Ok::<_, ()>(now)).unwrap()
    }

    #[test]
    fn a_figure_holds_until_something_is_written() {
        let memory = Memory::default();
        assert_eq!((ask(&memory, "a", 1), ask(&memory, "a", 2), ask(&memory, "b", 3)), (1, 1, 3));
        memory.around(|| {});
        assert_eq!((ask(&memory, "a", 4), ask(&memory, "a", 5)), (4, 4));
        let refused: Result<u64, &str> = memory.figure((memory.mark(), "c"), || Err("no"));
        assert_eq!((refused, ask(&memory, "c", 6)), (Err("no"), 6));
    }

    #[test]
    fn a_read_that_began_before_or_in_a_write_neither_takes_nor_leaves_anything() {
        let memory = Memory::default();
        let before = memory.mark();
        assert_eq!(ask(&memory, "a", 1), 1);
        let within = memory.around(|| {
            let within = memory.mark();
            assert_eq!(ask(&memory, "a", 2), 2);
            within
        });
        for begun in [before, within] {
            assert_eq!(memory.figure((begun, "a"), || Ok::<_, ()>(3)), Ok(3));
        }
        assert_eq!(ask(&memory, "a", 4), 4);
        let late = memory.figure((memory.mark(), "b"), || {
            memory.around(|| {});
            Ok::<_, ()>(5)
        });
        assert_eq!((late, ask(&memory, "b", 6)), (Ok(5), 6));
    }

    #[test]
    fn only_so_many_are_kept() {
        let memory = Memory::default();
        for number in 0..3 * MOST as u64 {
            assert_eq!(ask(&memory, &number.to_string(), number), number);
        }
        assert!(memory.known(Mark(0)).figures.len() <= MOST);
    }
}
