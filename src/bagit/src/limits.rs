//! How large a bag may be, in every direction: what is not bounded here is bounded by these.

/// Bounds on what is read and kept. Reaching one is a finding, never a crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files in the bag, and entries in an archive.
    pub entry_count: u64,
    /// Bytes of one path inside the bag. APTrust turns away paths over 1,000; disks end at 4,096.
    pub path_bytes: usize,
    /// Bytes of one part of a path. Common file systems end at 255.
    pub name_bytes: usize,
    /// Folders in one path.
    pub depth: usize,
    /// Bytes of all paths together.
    pub paths_bytes: usize,
    /// Bytes of one line of a tag file or manifest.
    pub line_bytes: usize,
    /// Bytes of one tag file that is parsed for tags.
    pub tag_file_bytes: u64,
    /// Tags kept of all tag files.
    pub tag_count: usize,
    /// Bytes of all tags kept.
    pub tags_bytes: usize,
    /// Bytes of what is set aside of a `.tar.gz`: everything but its payload.
    pub spool_bytes: u64,
    /// Bytes that an archive may unpack to.
    pub unpacked_bytes: u64,
    /// How many times its own size an archive may unpack to, beyond [`Limits::unpacked_free`].
    pub unpack_ratio: u64,
    /// Bytes unpacked before the ratio counts: a small archive of blank pages is no bomb.
    pub unpacked_free: u64,
    /// Findings kept; the others are counted.
    pub finding_count: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            entry_count: 10_000_000,
            path_bytes: 4_096,
            name_bytes: 255,
            depth: 128,
            paths_bytes: 1 << 30,
            line_bytes: 64 << 10,
            tag_file_bytes: 16 << 20,
            tag_count: 100_000,
            tags_bytes: 8 << 20,
            spool_bytes: 16 << 30,
            unpacked_bytes: 16 << 40,
            unpack_ratio: 250,
            unpacked_free: 256 << 20,
            finding_count: 10_000,
        }
    }
}
