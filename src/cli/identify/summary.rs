//! How many files and bytes there are of each format.

use std::collections::HashMap;

use pronom::files::inspect::{Kind, Looked};
use pronom::signature::Format;
use serde::Serialize;

/// What was counted. It grows with the formats found, not with the files.
#[derive(Default)]
pub(super) struct Summary<'s> {
    formats: HashMap<&'s str, Count<'s>>,
    pub(super) totals: Totals,
}

/// What there is of one format. A file with several formats counts for each.
#[derive(Clone, Serialize)]
pub(super) struct Count<'s> {
    pub(super) puid: &'s str,
    pub(super) name: &'s str,
    pub(super) version: Option<&'s str>,
    pub(super) mime: &'s [String],
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// What there is of everything. Every file is identified or unknown; those with several formats,
/// the empty ones and those with warnings are among them.
#[derive(Default, Serialize)]
pub(super) struct Totals {
    pub(super) files: u64,
    pub(super) bytes: u64,
    pub(super) identified: u64,
    pub(super) several: u64,
    pub(super) unknown: u64,
    pub(super) unknown_bytes: u64,
    pub(super) empty: u64,
    /// Files, folders and paths.
    pub(super) unreadable: u64,
    pub(super) links: u64,
    pub(super) devices: u64,
    /// Files with something an archivist should know.
    pub(super) with_warnings: u64,
}

impl<'s> Summary<'s> {
    pub(super) fn add(&mut self, looked: &Looked<'s>) {
        let totals = &mut self.totals;
        match looked.kind {
            Kind::Folder | Kind::Unreadable => totals.unreadable += 1,
            Kind::Link => totals.links += 1,
            Kind::Device => totals.devices += 1,
            Kind::File | Kind::Empty => {
                let bytes = looked.size_bytes.unwrap_or(0);
                let count = looked.identification.matches.len();
                totals.files += 1;
                // Sparse files may claim any size.
                totals.bytes = totals.bytes.saturating_add(bytes);
                totals.empty += u64::from(looked.kind == Kind::Empty);
                totals.identified += u64::from(count > 0);
                totals.several += u64::from(count > 1);
                totals.unknown += u64::from(count == 0);
                let unknown_bytes = if count == 0 { bytes } else { 0 };
                totals.unknown_bytes = totals.unknown_bytes.saturating_add(unknown_bytes);
                totals.with_warnings += u64::from(!looked.identification.warnings.is_empty());
                for found in &looked.identification.matches {
                    self.count(found.format, bytes);
                }
            }
        }
    }

    fn count(&mut self, format: &'s Format, bytes: u64) {
        let count = self.formats.entry(&format.puid).or_insert_with(|| Count {
            puid: &format.puid,
            name: &format.name,
            version: format.version.as_deref(),
            mime: &format.mimes,
            files: 0,
            bytes: 0,
        });
        count.files += 1;
        count.bytes = count.bytes.saturating_add(bytes);
    }

    /// The formats, those of most files first.
    pub(super) fn formats(&self) -> Vec<Count<'s>> {
        let mut counts: Vec<_> = self.formats.values().cloned().collect();
        counts.sort_by(|one, other| {
            other.files.cmp(&one.files).then_with(|| one.puid.cmp(other.puid))
        });
        counts
    }
}
