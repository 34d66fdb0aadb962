//! The configuration reference: every key, written from the keys themselves.

use super::custody::{self, DESCRIBED_OPTIONS, DescribedOption};
use super::load::{Flags, KnownStage, Surroundings};
use super::pick::{Explained, Pick};
use super::raw::RawConfig;
use super::rule::quoted;
use super::{sections, stages};

const HEAD: &str = "\
# Configuration of Strongroom.
#
# Every key is shown with its default, switched off by the # before it. Flags win over environment
# variables, variables over this file, this file over the defaults. The file is named with --config
# or STRONGROOM_CONFIG; otherwise strongroom.toml in the data directory is read if it is there.
";

const REPLICAS: &str = "
# One section for every replica: a storage root with copies of its own. When the file has none, there
# are a and b, as shown. They survive a damaged file, not a lost disk: one disk is one place. For a
# second place, write both sections and give one of them a url elsewhere.
# [replica.a]
";

const OPTIONS: &str = "
# One section for every storage option that bags may ask for. When the file has none, there is
# Standard with every replica there is. An option that has no section is not available. Known, with
# their days, are:
";

const STAGES: &str = "
# One section for every stage that shall differ from its own policy. TOPIC is the stage's name on
# the page of queues, PREFIX stands for its prefix in the environment, if it has one.
# [stage.TOPIC]
";

/// Before a key that has no value by itself.
const UNSET: &str = "# Not set. For example: ";

/// A configuration file with every key in it, all of them switched off.
pub fn reference() -> String {
    let example = KnownStage { topic: "TOPIC", env: Some("PREFIX") };
    let (flags, around) = (Flags::default(), Surroundings::BARE);
    let mut pick = Pick::new(&flags, &around, None);
    sections::read(&mut pick, RawConfig::default(), &[example]);

    let mut text = HEAD.to_owned();
    let mut section = "";
    let named = [custody::REPLICA, custody::OPTION, stages::SECTION];
    let has_name = |row: &&Explained| named.iter().any(|section| row.key.starts_with(section));
    for row in pick.explained.iter().filter(|row| !has_name(row)) {
        let (home, key) = row.key.rsplit_once('.').unwrap_or(("", &row.key));
        if home != section {
            text.push_str(&format!("\n[{home}]\n"));
            section = home;
        }
        let off = if row.default.is_some() && !row.is_unset() { "#" } else { UNSET };
        text.push_str(&entry(row, off, key));
    }
    text.push_str(&replicas(&pick.explained));
    text.push_str(&options(&pick.explained));
    text.push_str(STAGES);
    for (row, key) in below(&pick.explained, stages::SECTION) {
        text.push_str(&entry(row, "# ", key));
    }
    text
}

/// The keys of the first replica with all they need, of the others what tells them apart.
fn replicas(rows: &[Explained]) -> String {
    let [(first, _), others @ ..] = custody::DEFAULT_REPLICAS;
    let mut text = REPLICAS.to_owned();
    for (row, key) in below(rows, &format!("{}{first}.", custody::REPLICA)) {
        text.push_str(&entry(row, if row.is_unset() { UNSET } else { "# " }, key));
    }
    for (name, url) in others {
        let section = format!("{}{name}", custody::REPLICA);
        text.push_str(&format!("\n# [{section}]\n# url = {}\n", quoted(url)));
    }
    text
}

fn options(rows: &[Explained]) -> String {
    let mut text = OPTIONS.to_owned();
    for DescribedOption { name, minimum_retention_days } in DESCRIBED_OPTIONS {
        text.push_str(&format!("#   {name:<16}{minimum_retention_days:>4}\n"));
    }
    let mut section = "";
    for (row, key) in below(rows, custody::OPTION) {
        let (home, _) = row.key.rsplit_once('.').unwrap_or_default();
        if home != section {
            text.push_str(&format!("# [{home}]\n"));
            section = home;
        }
        text.push_str(&entry(row, "# ", key));
    }
    text
}

/// The rows whose keys begin like this, with the last word of the key.
fn below<'a>(
    rows: &'a [Explained],
    section: &str,
) -> impl Iterator<Item = (&'a Explained, &'a str)> {
    let rows = rows.iter().filter(move |row| row.key.starts_with(section));
    rows.map(|row| (row, row.key.rsplit('.').next().unwrap_or_default()))
}

fn entry(row: &Explained, off: &str, key: &str) -> String {
    let mut lines = format!("\n# {}\n# Allowed: {}.\n", row.about, row.allowed);
    if !row.env.is_empty() {
        lines.push_str(&format!("# Environment: {}.\n", row.env.join(", else ")));
    }
    if let Some(flag) = row.flag {
        lines.push_str(&format!("# Flag: {flag}.\n"));
    }
    lines.push_str(&format!("{off}{key} = {}\n", row.example));
    lines
}
