//! The keys of `[restore]`.

use super::RestoreConfig;
use crate::config::pick::{Key, Pick};
use crate::config::raw::RawRestore;
use crate::config::rule::{DataFolder, days, gigabytes};

pub(in crate::config) fn read(pick: &mut Pick<'_>, raw: RawRestore) -> RestoreConfig {
    let area = "Where restored bags and files are put, below the name of the institution.";
    let keep = "How long they stay there before they are removed.";
    let every = "How often an object of each institution is restored to see that it can be; 0 is \
                 never. An institution may have its own number of days.";
    let largest = "The largest object that is restored for that.";
    RestoreConfig {
        area: pick.one(
            raw.area,
            &Key::new("restore.area", DataFolder, "restoration", area).env(&["STRONGROOM_RESTORE"]),
        ),
        keep: pick.one(raw.keep_days, &Key::new("restore.keep_days", days(1, 36_500), "14", keep)),
        rehearse_every: Some(pick.one(
            raw.rehearse_every_days,
            &Key::new("restore.rehearse_every_days", days(0, 36_500), "7", every),
        ))
        .filter(|span| !span.is_zero()),
        rehearse_max_bytes: pick.one(
            raw.rehearse_max_gb,
            &Key::new("restore.rehearse_max_gb", gigabytes(1, 1_000_000), "20", largest),
        ),
    }
}
