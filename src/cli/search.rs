//! `strongroom search`: objects, files and items by what they are called.

use std::process::ExitCode;

use clap::Args;
use storage::registry::Found;

use super::counter::Counter;
use super::print::{clip, json, line, table};
use super::{Outcome, Place};

#[derive(Args)]
#[command(after_help = "Exit: 0 something was found, 1 nothing was, 2 could not run.\n\n\
    Examples:\n  strongroom search letters 1790\n  \
    strongroom search archive.local/letters --json\n  strongroom search 9f86d081884c7d65")]
pub(super) struct Search {
    /// Words of a title, an identifier, a file name; or a UUID or digest. All must be there, of the
    /// last one its beginning is enough
    #[arg(required = true)]
    words: Vec<String>,
    /// Most to show of each kind, up to 100
    #[arg(long, value_name = "N", default_value_t = 25,
        value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Search {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let found = Counter::open(place)?.search(&self.words.join(" "), self.limit)?;
        let any = !(found.objects.is_empty() && found.files.is_empty() && found.items.is_empty());
        if self.json {
            json(&found)?;
        } else if any {
            print(&found);
        } else {
            line("Nothing was found. All words must be there: try fewer, or a beginning.");
        }
        Ok(if any { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn print(found: &Found) {
    let objects: Vec<Vec<String>> = found
        .objects
        .iter()
        .map(|row| vec![row.id.to_string(), clip(&row.identifier, 60), clip(&row.title, 60)])
        .collect();
    if !objects.is_empty() {
        table(&["OBJECT", "IDENTIFIER", "TITLE"], &objects);
    }
    let files: Vec<Vec<String>> = found
        .files
        .iter()
        .map(|row| vec![row.id.to_string(), row.size.to_string(), clip(&row.identifier, 120)])
        .collect();
    if !files.is_empty() {
        table(&["FILE", "BYTES", "IDENTIFIER"], &files);
    }
    let items: Vec<Vec<String>> = found
        .items
        .iter()
        .map(|row| vec![row.id.to_string(), row.status.clone(), clip(&row.name, 80)])
        .collect();
    if !items.is_empty() {
        table(&["ITEM", "STATUS", "NAME"], &items);
    }
    if found.more {
        line("There is more than is shown here: another word finds fewer.");
    }
}
