//! Reader connections, lent one at a time.
//!
//! Readers of a WAL database never wait for the writer, so a handful is enough. When all are out
//! the next caller waits: the number of open files and of page caches stays what it was at start.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

pub(super) struct Pool {
    idle: Mutex<Vec<Connection>>,
    returned: Condvar,
}

impl Pool {
    pub(super) fn new(connections: Vec<Connection>) -> Pool {
        Pool { idle: Mutex::new(connections), returned: Condvar::new() }
    }

    /// Lends a connection, waiting until one is back. A thread that already has one must not ask
    /// for a second: it could wait for itself.
    pub(super) fn lend(&self) -> Lent<'_> {
        let mut idle = self.idle();
        loop {
            if let Some(connection) = idle.pop() {
                return Lent { pool: self, connection: Some(connection) };
            }
            idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether a connection could be lent at once.
    pub(super) fn has_idle(&self) -> bool {
        !self.idle().is_empty()
    }

    // A list of idle connections is whole whatever a panicking thread did, so poison is ignored.
    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that goes back to its pool when dropped, also by a panic.
pub(super) struct Lent<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
}

impl Deref for Lent<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("present until dropped")
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("present until dropped")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.pool.idle().push(connection);
            self.pool.returned.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn never_more_out_than_there_are_and_a_panic_gives_back() {
        let pool = Pool::new((0..2).map(|_| Connection::open_in_memory().unwrap()).collect());
        let out = AtomicUsize::new(0);
        thread::scope(|scope| {
            for turn in 0..8 {
                let (pool, out) = (&pool, &out);
                let _handle = scope.spawn(move || {
                    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        let _lent = pool.lend();
                        assert!(out.fetch_add(1, Ordering::SeqCst) < 2);
                        thread::yield_now();
                        out.fetch_sub(1, Ordering::SeqCst);
                        assert!(turn % 2 == 0, "on purpose");
                    }));
                    assert_eq!(caught.is_ok(), turn % 2 == 0);
                });
            }
        });
        assert_eq!(pool.idle().len(), 2);
    }
}
