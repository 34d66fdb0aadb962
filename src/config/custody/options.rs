//! The keys of `[option.NAME]`, and the options of the described system.

use std::collections::BTreeMap;

use toml::Spanned;

use super::names::named_sections;
use super::{DescribedOption, OptionConfig, ReplicaConfig};
use crate::config::pick::{Key, Pick};
use crate::config::raw::RawOption;
use crate::config::refusal::{Hint, Refusal};
use crate::config::rule::{Names, Rule, whole};

/// How the keys of every option begin.
pub(in crate::config) const SECTION: &str = "option.";

/// The option of an appliance whose file has none; it writes to all replicas.
const DEFAULT: &str = "Standard";

/// The options that bags of the described system ask for, with the days its providers bill for.
/// It forgot those of Wasabi-TX; Wasabi did not.
pub const DESCRIBED_OPTIONS: [DescribedOption; 10] = [
    described("Standard", 0),
    described("Glacier-OH", 90),
    described("Glacier-OR", 90),
    described("Glacier-VA", 90),
    described("Glacier-Deep-OH", 180),
    described("Glacier-Deep-OR", 180),
    described("Glacier-Deep-VA", 180),
    described("Wasabi-OR", 90),
    described("Wasabi-TX", 90),
    described("Wasabi-VA", 90),
];

const fn described(name: &'static str, minimum_retention_days: u32) -> DescribedOption {
    DescribedOption { name, minimum_retention_days }
}

pub(in crate::config) fn read(
    pick: &mut Pick<'_>,
    raw: BTreeMap<Spanned<String>, RawOption>,
    replicas: &[ReplicaConfig],
) -> Vec<OptionConfig> {
    if raw.is_empty() {
        return vec![option(pick, RawOption::default(), (DEFAULT, true), replicas)];
    }
    let mut options = Vec::new();
    for (name, section) in named_sections(pick, "option", raw) {
        if let Some(place) = pick.place_in_file(&name.span()) {
            let same = |known: &&DescribedOption| known.name.eq_ignore_ascii_case(name.get_ref());
            // Bags ask for it by its exact name, so the one meant would never be found.
            let known = DESCRIBED_OPTIONS.iter().find(same).map(|known| known.name);
            if let Some(near) = known.filter(|known| known != name.get_ref()) {
                let (option, hint) = (name.get_ref().clone(), Hint::Near(near.to_owned()));
                let place = place.clone();
                pick.refusals.push(Refusal::UnknownOption { place, option, hint });
            }
            if section.replicas.is_none() {
                let (section, key) = (format!("{SECTION}{}", name.get_ref()), "replicas");
                let allowed = Names.allowed();
                pick.refusals.push(Refusal::Missing { place, section, key, allowed });
            }
        }
        options.push(option(pick, section, (name.get_ref(), false), replicas));
    }
    options
}

/// Reads one section; `named` is its name and whether it writes to all replicas unless told.
fn option(
    pick: &mut Pick<'_>,
    raw: RawOption,
    named: (&str, bool),
    replicas: &[ReplicaConfig],
) -> OptionConfig {
    let (name, builtin) = named;
    let key = |key: &str| format!("{SECTION}{name}.{key}");
    let about = "The replicas it writes to.";
    let days = "Days before what it keeps may be deleted; longer if a replica's are.";
    let all = replicas.iter().map(|replica| replica.name.as_str()).collect::<Vec<_>>().join(",");
    let names = if builtin && !replicas.is_empty() {
        pick.one(raw.replicas, &Key::new(&key("replicas"), Names, &all, about))
    } else {
        // A section without replicas is refused: what it reads as only lets the walk go on.
        pick.or(raw.replicas, &Key::unset(&key("replicas"), Names, "a,b", about), "a,b")
    };
    let known = DESCRIBED_OPTIONS.iter().find(|known| known.name == name);
    let usual = known.map_or(0, |known| known.minimum_retention_days).to_string();
    let own = pick.one(
        raw.minimum_retention_days,
        &Key::new(&key("minimum_retention_days"), whole(0, 36_500), &usual, days),
    );
    let theirs = replicas.iter().filter(|replica| names.contains(&replica.name));
    let minimum_retention_days =
        theirs.map(|replica| replica.minimum_retention_days).fold(own, u32::max);
    OptionConfig { name: name.to_owned(), replicas: names, minimum_retention_days }
}
