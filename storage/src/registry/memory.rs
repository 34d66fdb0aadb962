//! Figures that hold until something is written: how many rows a list has, what is held in all.
//!
//! Whoever leafs through a list, or looks at the front page again, asks for the same figures while
//! nothing has changed. A figure is kept with the number of the last write before it was read; any
//! write that ends makes all of them old. A write that ends while a figure is read makes that one old
//! before it is kept, never fresh by mistake.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most figures that are kept; the next one begins anew.
const MOST: usize = 256;

type Figure = Arc<dyn Any + Send + Sync>;

#[derive(Default)]
pub(super) struct Memory {
    writes: AtomicU64,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The writes before all of these.
    as_of: u64,
    figures: HashMap<String, Figure>,
}

impl Memory {
    /// Makes all figures old. Called when a write has ended, before whoever wrote goes on.
    pub(super) fn forget(&self) {
        self.writes.fetch_add(1, Ordering::SeqCst);
    }

    /// The figure of this name, read anew when something was written since. `read` must be what
    /// begins to look at the registry: a state that was there before could be an old one.
    pub(super) fn figure<T: Clone + Send + Sync + 'static, E>(
        &self,
        name: &str,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let writes = self.writes.load(Ordering::SeqCst);
        if let Some(figure) = self.known(writes).figures.get(name)
            && let Some(figure) = figure.downcast_ref::<T>()
        {
            return Ok(figure.clone());
        }
        let figure = read()?;
        let mut known = self.known(writes);
        if known.as_of == writes && known.figures.len() < MOST {
            known.figures.insert(name.to_owned(), Arc::new(figure.clone()));
        }
        Ok(figure)
    }

    /// What is known as of so many writes, or of more if others have looked since.
    fn known(&self, writes: u64) -> MutexGuard<'_, Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_of < writes || known.figures.len() == MOST {
            known.as_of = known.as_of.max(writes);
            known.figures.clear();
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(memory: &Memory, name: &str, now: u64) -> u64 {
        memory.figure(name, || Ok::<_, ()>(now)).unwrap()
    }

    #[test]
    fn a_figure_holds_until_something_is_written() {
        let memory = Memory::default();
        assert_eq!((ask(&memory, "a", 1), ask(&memory, "a", 2), ask(&memory, "b", 3)), (1, 1, 3));
        memory.forget();
        assert_eq!((ask(&memory, "a", 4), ask(&memory, "a", 5)), (4, 4));
        let refused: Result<u64, &str> = memory.figure("c", || Err("no"));
        assert_eq!((refused, ask(&memory, "c", 6)), (Err("no"), 6));
    }

    #[test]
    fn what_was_read_while_something_was_written_is_not_kept() {
        let memory = Memory::default();
        let read = memory.figure("a", || {
            memory.forget();
            Ok::<_, ()>(1)
        });
        assert_eq!((read, ask(&memory, "a", 2)), (Ok(1), 2));
    }

    #[test]
    fn only_so_many_are_kept() {
        let memory = Memory::default();
        for number in 0..3 * MOST as u64 {
            assert_eq!(ask(&memory, &number.to_string(), number), number);
        }
        assert!(memory.known(0).figures.len() <= MOST);
    }
}
