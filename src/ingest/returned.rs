//! A bag that was restored and comes back. Its `bag-info.txt` was written anew when it was restored;
//! that alone makes it no other bag, and no new version.

use bagit::restored;
use storage::registry::{FileRow, Tag};

use super::records::{BagRecord, Fate, FileRecord, FourDigests};
use crate::app::App;
use crate::fault::Fault;

const BAG_INFO: &str = "bag-info.txt";

/// The fate of a `bag-info.txt` that says what the held one said, but for what a restoration writes;
/// its record then stands for the held one. None for every other file.
pub(super) fn fate(
    app: &App,
    record: &BagRecord,
    (path, file): (&str, &mut FileRecord),
    held: Option<&FileRow>,
) -> Result<Option<Fate>, Fault> {
    if path != BAG_INFO {
        return Ok(None);
    }
    let Some(before) = restored::before(&tags(&record.tags)) else { return Ok(None) };
    let Some(row) = held else {
        // It never had one: what the restoration wrote is not the depositor's.
        return Ok(before.is_empty().then_some(Fate::NotPreserved));
    };
    let deposit = app.registry.deposit(row.deposit_id)?;
    if deposit.is_none_or(|deposit| tags(&deposit.facts.tags) != before) {
        return Ok(None);
    }
    file.size_bytes = row.size;
    file.digests = FourDigests::held(&row.digests);
    Ok(Some(Fate::Unchanged))
}

fn tags(all: &[Tag]) -> Vec<(String, String)> {
    let of_info = all.iter().filter(|tag| tag.file == BAG_INFO);
    of_info.map(|tag| (tag.name.clone(), tag.value.clone())).collect()
}
