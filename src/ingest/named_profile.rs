//! Which profile is recorded of a bag: the one it names, which is not always the one it was judged by.

use bagit::profile::normalise;
use storage::work::dossier::Dossier;
use storage::work::item::ItemId;

use super::records::BagRecord;
use crate::app::App;

const FILE: &str = "bag-info.txt";
const TAG: &str = "BagIt-Profile-Identifier";

/// The identifier that the bag gives, a former address of the BTR profile as the present one. A bag
/// that gives none gets the profile it was judged by.
pub(super) fn named_profile(record: &BagRecord) -> String {
    let mut tags = record.tags.iter();
    let found = tags
        .find(|tag| tag.file.eq_ignore_ascii_case(FILE) && tag.name.eq_ignore_ascii_case(TAG))
        .map(|tag| tag.value.trim())
        .filter(|value| !value.is_empty());
    match found {
        Some(named) => normalise(named).to_owned(),
        None => record.facts.bagit_profile_identifier.clone(),
    }
}

/// The profile that the bag of an item was judged by, while the item has its records.
pub(crate) fn judging_profile(app: &App, item: ItemId) -> Result<Option<String>, storage::Error> {
    let record: Option<BagRecord> = Dossier::of(app.shop.queue.store(), item).whole()?;
    Ok(record.map(|record| record.facts.bagit_profile_identifier))
}
