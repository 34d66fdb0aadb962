//! Who may do what next on a belt: pure bookkeeping, see [`belt`](super::belt).

/// Rounds are numbered from 0; round `r` lies in slot `r % slots`.
pub(super) struct Board {
    /// The round to be read next, and whether someone is reading it.
    read: usize,
    reading: bool,
    /// No round after this one will be read.
    exhausted: bool,
    /// For each column the round it takes next, and whether someone is at it.
    columns: Vec<(usize, bool)>,
    /// For each slot, how many columns have not yet taken its round.
    left: Vec<usize>,
    /// How many are at the belt.
    workers: usize,
}

/// Something to do that nobody else does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Read the next chunk of every seat into a slot.
    Read { slot: usize },
    /// Take the chunks of a slot into the states of a column.
    Digest { column: usize, slot: usize },
}

impl Board {
    /// A board with one at the belt.
    pub(super) fn new(columns: usize, slots: usize) -> Board {
        let columns = vec![(0, false); columns];
        let left = vec![0; slots];
        Board { read: 0, reading: false, exhausted: false, columns, left, workers: 1 }
    }

    /// The next unit, which is then the caller's. Without one the caller must leave.
    pub(super) fn take(&mut self) -> Option<Unit> {
        let unit = self.ready();
        match unit {
            Some(Unit::Read { .. }) => self.reading = true,
            Some(Unit::Digest { column, .. }) => self.columns[column].1 = true,
            None => self.workers -= 1,
        }
        unit
    }

    /// Whether the caller should call one more to the belt, who then counts as being there.
    pub(super) fn wants_hand(&mut self) -> bool {
        // Everyone here has a unit or is about to look for one, and there cannot be more units.
        let wanted = self.ready().is_some() && self.workers <= self.columns.len();
        self.workers += usize::from(wanted);
        wanted
    }

    /// What could be done. Reading comes first, so that the disk is never idle while there is
    /// room; then the column that is furthest behind.
    fn ready(&self) -> Option<Unit> {
        let slots = self.left.len();
        let slot = self.read % slots;
        if !self.reading && !self.exhausted && self.left[slot] == 0 {
            return Some(Unit::Read { slot });
        }
        let columns = self.columns.iter().enumerate();
        let ready = columns.filter(|(_, (next, busy))| !busy && *next < self.read);
        let (column, (next, _)) = ready.min_by_key(|(_, (next, _))| next)?;
        Some(Unit::Digest { column, slot: next % slots })
    }

    /// A slot was read; `more` says whether there is anything left to read after it. True if no
    /// column has to take it.
    pub(super) fn read(&mut self, slot: usize, more: bool) -> bool {
        self.reading = false;
        self.exhausted = !more;
        self.read += 1;
        self.left[slot] = self.columns.len();
        self.columns.is_empty()
    }

    /// A column has taken a slot. True if it was the last one to do so: then nobody but the caller
    /// knows the slot until [`Board::freed`].
    pub(super) fn digested(&mut self, column: usize, slot: usize) -> bool {
        let (next, busy) = &mut self.columns[column];
        *next += 1;
        *busy = false;
        self.left[slot] == 1 || {
            self.left[slot] -= 1;
            false
        }
    }

    /// All that was in the slot is delivered.
    pub(super) fn freed(&mut self, slot: usize) {
        self.left[slot] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_the_reader_and_the_reader_waits_for_the_slowest() {
        let mut board = Board { workers: 9, ..Board::new(2, 2) };
        assert_eq!(board.take(), Some(Unit::Read { slot: 0 }));
        assert_eq!(board.take(), None, "nothing is read, and someone reads");
        assert!(!board.read(0, true));
        assert_eq!(board.take(), Some(Unit::Read { slot: 1 }));
        assert_eq!(board.take(), Some(Unit::Digest { column: 0, slot: 0 }));
        assert!(!board.read(1, true));
        assert!(!board.digested(0, 0));
        assert_eq!(board.take(), Some(Unit::Digest { column: 1, slot: 0 }), "furthest behind");
        assert_eq!(board.take(), Some(Unit::Digest { column: 0, slot: 1 }));
        assert_eq!(board.take(), None, "slot 0 is still being taken");
        assert!(board.digested(1, 0));
        assert_eq!(board.take(), Some(Unit::Digest { column: 1, slot: 1 }), "slot 0 is not free");
        board.freed(0);
        assert_eq!(board.take(), Some(Unit::Read { slot: 0 }));
        assert!(!board.read(0, false));
        assert!(!board.digested(0, 1) && board.digested(1, 1));
        board.freed(1);
        assert_eq!(board.take(), Some(Unit::Digest { column: 0, slot: 0 }));
        assert_eq!(board.take(), Some(Unit::Digest { column: 1, slot: 0 }));
        assert!(!board.digested(0, 0) && board.digested(1, 0));
        board.freed(0);
        assert_eq!(board.take(), None, "all is read and taken");
    }

    #[test]
    fn hands_are_called_while_there_is_work_for_them() {
        let mut board = Board::new(2, 2);
        assert!(board.wants_hand(), "there is a slot to read");
        assert!(board.take().is_some());
        assert!(!board.wants_hand());
        assert_eq!(board.take(), None, "the hand came in vain and leaves");
        board.read(0, true);
        assert!(board.wants_hand() && board.wants_hand());
        assert!(!board.wants_hand(), "three are enough for two columns and a reader");
    }
}
