//! `strongroom reference`: what sites are assessed with.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::counter::{Counter, read, said};
use super::fixity_check::followed;
use super::print::{json, line, out, plain};
use super::{Failure, Outcome, Place};
use crate::desk::{LoadRun, LoadWish, ReferenceTold, RolledBackTold};

/// Show the reference data that sites are assessed with, load some, or go back.
#[derive(Subcommand)]
pub(super) enum Reference {
    /// Show which versions there are, and what was found wrong with them
    Show(Show),
    /// Load a folder of layers: whole, or not at all. The appliance does it
    Load(Load),
    /// Go back to the version before the one in use
    RollBack(Show),
}

#[derive(Args)]
pub(super) struct Show {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(
    after_help = "A delivery is known by its content: the same once more changes nothing, but \
    replaces what is damaged; other content under a name that is known is refused.\n\n\
    With --wait, exit: 0 it is in use; 1 it was refused, or needs a person; 2 could not run.\n\n\
    Examples:\n  strongroom reference load /srv/layers/2026-11 --wait\n  \
    strongroom reference load /srv/layers/2026-11 --force --strict"
)]
pub(super) struct Load {
    /// The folder, with a manifest.json or files named after their tables
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// What it is called, where its manifest does not say [default: the name of the folder]
    #[arg(long, value_name = "NAME")]
    version: Option<String>,
    /// Load it even where the same is in use, or its name is known with other content
    #[arg(long)]
    force: bool,
    /// Refuse rows that could be put right
    #[arg(long)]
    strict: bool,
    /// Wait until it is in use, or was refused
    #[arg(long)]
    wait: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Reference {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        match self {
            Reference::Show(show) => told(&counter, show.json),
            Reference::Load(load) => load.run(&counter),
            Reference::RollBack(show) => back(&counter, show.json),
        }
    }
}

fn told(counter: &Counter, as_json: bool) -> Outcome {
    let told: ReferenceTold = match counter {
        Counter::Here(app) => said(app.desk().reference_data())?,
        Counter::There(client) => read(client.get("/api/v1/reference-data", &[])?)?,
    };
    if as_json {
        json(&told)?;
        return Ok(ExitCode::SUCCESS);
    }
    if told.versions.is_empty() {
        line("There is no reference data.");
    }
    for version in &told.versions {
        let state = if version.is_current { "in use" } else { "kept" };
        line(&format!("Version {}, {} ({state})", version.number, plain(&version.data_version)));
        version.report.lines().for_each(|text| out(&format!("  {}\n", plain(text))));
    }
    if let Some(trouble) = told.last_load.and_then(|last| last.trouble) {
        line(&format!("The last load was refused: {}", plain(&trouble)));
    }
    Ok(ExitCode::SUCCESS)
}

impl Load {
    fn run(&self, counter: &Counter) -> Outcome {
        let is_served = matches!(counter, Counter::There(_));
        if self.wait && !is_served {
            return Err(Failure::Unable(
                "--wait needs a running appliance: start one with `strongroom serve`, or leave \
                 --wait away; nothing was asked for"
                    .into(),
            ));
        }
        let folder = std::path::absolute(&self.folder)?;
        let wish = LoadWish {
            folder: folder.to_str().map(str::to_owned).ok_or_else(|| {
                Failure::Unable("the name of the folder is no text: give it another".into())
            })?,
            data_version: self.version.clone().unwrap_or_default(),
            force: self.force,
            strict: self.strict,
        };
        let run: LoadRun = match counter {
            Counter::Here(app) => said(app.desk().load_reference(&wish))?,
            Counter::There(client) => {
                let wish = serde_json::to_string(&wish)?;
                read(client.post("/api/v1/reference-data", &wish)?)?
            }
        };
        if self.wait {
            return self.waited(counter, run.item);
        }
        if self.json {
            json(&run)?;
            return Ok(ExitCode::SUCCESS);
        }
        line(&format!("Item {} loads it; `strongroom items show {0}` follows it.", run.item));
        if !is_served {
            line("No appliance runs: it is loaded after its next start.");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Follows the load to its end, and says what became of it.
    fn waited(&self, counter: &Counter, item: u64) -> Outcome {
        let detail = followed(counter, counter.item(item)?)?;
        let item = &detail.item;
        let code = ExitCode::from(u8::from(item.status != "Success"));
        if self.json {
            json(&detail)?;
            return Ok(code);
        }
        line(&format!("{} (item {})", item.status, item.id));
        let said = [&item.happened, &item.kept, &item.advice].into_iter().flatten();
        for text in said.chain([&item.note]).filter(|text| !text.is_empty()) {
            line(&format!("  {}", plain(text)));
        }
        Ok(code)
    }
}

fn back(counter: &Counter, as_json: bool) -> Outcome {
    let told: RolledBackTold = match counter {
        Counter::Here(app) => said(app.desk().roll_back_reference())?,
        Counter::There(client) => read(client.post("/api/v1/reference-data/roll-back", "")?)?,
    };
    if as_json {
        json(&told)?;
    } else {
        line(&format!("Version {} is in use again, instead of {}.", told.to, told.from));
    }
    Ok(ExitCode::SUCCESS)
}
