//! How much one file may cost. Whatever a file claims about itself, looking at it ends here.

use std::time::Duration;

/// Bounds on looking at one file. A file that exceeds one is unknown, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes read of the file, all windows and containers together.
    pub read_bytes: u64,
    /// Bytes compared, all signatures together: time that does not depend on the machine.
    pub compared_bytes: u64,
    /// Time, for storage that answers slowly. Needs [`Looking::steady`](super::Looking).
    pub time: Duration,
    /// Bytes from the start and from the end in which patterns without a place are searched.
    pub window_bytes: usize,
    /// The same, for signatures that already match at the start of the file: what tells a PDF/A
    /// from a PDF may stand anywhere.
    pub deep_window_bytes: usize,
    /// Entries of a container that are looked at.
    pub entry_count: u64,
    /// Bytes of one entry of a container, unpacked.
    pub entry_bytes: usize,
    /// Bytes of all entries of a container, unpacked.
    pub unpacked_bytes: usize,
    /// Folders inside folders in a container.
    pub depth: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            read_bytes: 32 << 20,
            compared_bytes: 1 << 30,
            time: Duration::from_secs(20),
            window_bytes: 128 << 10,
            deep_window_bytes: 2 << 20,
            entry_count: 200_000,
            entry_bytes: 1 << 20,
            unpacked_bytes: 8 << 20,
            depth: 32,
        }
    }
}
