//! The keys of `[ingest]` and `[receiving]`.

use super::IngestConfig;
use super::reach::{RECEIVING, location};
use crate::config::pick::{Key, Pick};
use crate::config::raw::{RawIngest, RawReach};
use crate::config::rule::{
    DataFolder, FreeText, Institution, Name, Profile, Url, days, gigabytes, seconds, whole,
};

pub(in crate::config) fn read(
    pick: &mut Pick<'_>,
    raw: RawIngest,
    reach: RawReach,
) -> IngestConfig {
    let institution = "The institution that deposits belong to until others are made.";
    let name = "What that institution is called on pages.";
    let receiving =
        "Where deposits are dropped, below the name of the institution; see [receiving] too.";
    let staging = "Where a deposit's files stand one by one until they are kept.";
    let sweep = "How often receiving areas are looked at.";
    let still = "How long a deposit must not have changed before it is taken.";
    let kept = "How long a rejected deposit stays; 0 is until a person removes it.";
    let quota = "The most an institution may have in its receiving area, uploads under way included; \
                 0 is no limit. What is put there by other means waits until there is room.";
    let bag = "The largest bag that is taken, by the size of its files.";
    let files = "The most files a bag may have.";
    let path = "The longest path, in bytes, that a file may have in its bag.";
    let option = "The storage option of bags that name none.";
    let profile = "The rules for deposits. \"named\" is the profile a bag names, else APTrust's.";
    let institution = pick.one(
        raw.institution,
        &Key::new("ingest.institution", Institution, "archive.local", institution)
            .env(&["STRONGROOM_INSTITUTION"]),
    );
    let institution_name = pick.one(
        raw.institution_name,
        &Key::new("ingest.institution_name", FreeText, "Our archive", name)
            .env(&["STRONGROOM_INSTITUTION_NAME"]),
    );
    let target = pick.one(
        raw.receiving,
        &Key::new("ingest.receiving", Url, "receiving", receiving).env(&["STRONGROOM_RECEIVING"]),
    );
    IngestConfig {
        institution,
        institution_name,
        staging: pick.one(
            raw.staging,
            &Key::new("ingest.staging", DataFolder, "staging", staging)
                .env(&["STRONGROOM_STAGING"]),
        ),
        sweep: pick.one(
            raw.sweep_s,
            &Key::new("ingest.sweep_s", seconds(1, 86_400), "10", sweep)
                .env(&["INGEST_BUCKET_READER_INTERVAL"]),
        ),
        still: pick.one(raw.still_s, &Key::new("ingest.still_s", seconds(0, 3600), "5", still)),
        keep_turned_away: Some(pick.one(
            raw.keep_turned_away_days,
            &Key::new("ingest.keep_turned_away_days", days(0, 36_500), "14", kept),
        ))
        .filter(|span| !span.is_zero()),
        receiving_max_bytes: Some(pick.one(
            raw.receiving_max_gb,
            &Key::new("ingest.receiving_max_gb", gigabytes(0, 1_000_000), "10000", quota),
        ))
        .filter(|bytes| *bytes > 0),
        max_bag_bytes: pick.one(
            raw.max_bag_gb,
            &Key::new("ingest.max_bag_gb", gigabytes(1, 1_000_000), "5000", bag),
        ),
        max_files: pick.one(
            raw.max_files,
            &Key::new("ingest.max_files", whole(1, 1_000_000_000), "10000000", files),
        ),
        max_path_bytes: pick.one(
            raw.max_path_bytes,
            &Key::new("ingest.max_path_bytes", whole(64, 4096), "1024", path),
        ),
        default_option: pick
            .one(raw.default_option, &Key::new("ingest.default_option", Name, "Standard", option)),
        profile: pick.one(raw.profile, &Key::new("ingest.profile", Profile, "named", profile)),
        // The last, because its keys have a section of their own.
        receiving: location(pick, target, reach, RECEIVING),
    }
}
