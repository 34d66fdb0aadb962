//! The configuration reference: every key, written from the keys themselves.

use super::load::{Flags, KnownStage, Surroundings};
use super::pick::{Explained, Pick};
use super::raw::RawConfig;
use super::{sections, stages};

const HEAD: &str = "\
# Configuration of Strongroom.
#
# Every key is shown with its default, switched off by the # before it. Flags win over environment
# variables, variables over this file, this file over the defaults. The file is named with --config
# or STRONGROOM_CONFIG; otherwise strongroom.toml in the data directory is read if it is there.
";

const STAGES: &str = "
# One section for every stage that shall differ from its own policy. TOPIC is the stage's name on
# the page of queues, PREFIX stands for its prefix in the environment, if it has one.
# [stage.TOPIC]
";

/// A configuration file with every key in it, all of them switched off.
pub fn reference() -> String {
    let example = KnownStage { topic: "TOPIC", env: Some("PREFIX") };
    let (flags, around) = (Flags::default(), Surroundings::BARE);
    let mut pick = Pick::new(&flags, &around, None);
    sections::read(&mut pick, RawConfig::default(), &[example]);

    let mut text = HEAD.to_owned();
    let mut section = "";
    let (stage, keys): (Vec<_>, Vec<_>) =
        pick.explained.iter().partition(|row| row.key.starts_with(stages::SECTION));
    for row in keys {
        let (home, key) = row.key.rsplit_once('.').unwrap_or(("", &row.key));
        if home != section {
            text.push_str(&format!("\n[{home}]\n"));
            section = home;
        }
        let off = if row.default.is_some() { "#" } else { "# Not set. For example: " };
        text.push_str(&entry(row, off, key));
    }
    text.push_str(STAGES);
    for row in stage {
        let key = row.key.rsplit('.').next().unwrap_or_default();
        text.push_str(&entry(row, "# ", key));
    }
    text
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
