//! Sections that have names of the operator's choice.

use std::collections::BTreeMap;

use toml::Spanned;

use crate::config::pick::Pick;
use crate::config::refusal::Refusal;

/// Whether a replica or an option may have this name: one that is safe in paths and on pages.
pub(in crate::config) fn is_name(name: &str) -> bool {
    (1..=40).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

/// The sections in the order of the file, without those whose name is refused.
pub(super) fn named_sections<S>(
    pick: &mut Pick<'_>,
    kind: &'static str,
    raw: BTreeMap<Spanned<String>, S>,
) -> Vec<(Spanned<String>, S)> {
    let mut sections: Vec<_> = raw.into_iter().collect();
    sections.sort_by_key(|(name, _)| name.span().start);
    sections.retain(|(name, _)| {
        let sound = is_name(name.get_ref());
        if let Some(place) = pick.place_in_file(&name.span()).filter(|_| !sound) {
            let name = name.get_ref().clone();
            pick.refusals.push(Refusal::Name { place, kind, name });
        }
        sound
    });
    sections
}
