//! `strongroom formats`: the signatures that formats are known by.

use std::process::ExitCode;

use crate::signature_store::Shelf;
use crate::signature_store::{ShelfError, label};
use byteio::causes::chain;
use clap::{Args, Subcommand};

use super::formats_show::Show;
use super::formats_update::{Update, tell_changes};
use super::print::{error, json, line};
use super::{Failure, Outcome, Place};

#[derive(Subcommand)]
#[command(
    after_help = "Examples:\n  strongroom formats show\n  strongroom formats show fmt/18\n  \
    strongroom formats update DROID_SignatureFile_V123.xml container-signature-20260601.xml\n  \
    strongroom formats revert"
)]
pub(super) enum Formats {
    /// Show the signature set in use, or what it says about one format
    Show(Show),
    /// Put newer signature files of PRONOM in use
    Update(Update),
    /// Go back to the signature set that was in use before
    Revert(Revert),
}

/// Go back to the signature set that was in use before.
#[derive(Args)]
#[command(
    after_help = "Once more goes forward again. Exit: 0 done, 1 there is nothing to go back \
    to, 2 could not run.\n\nExample:\n  strongroom formats revert"
)]
pub(super) struct Revert {
    /// Go back to the set that comes with this program instead
    #[arg(long)]
    built_in: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Formats {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let data = place.load(None)?.data;
        place.say_if_absent(&data);
        match self {
            Formats::Show(show) => show.run(&Shelf::at(&data)),
            Formats::Update(update) => update.run(&data),
            Formats::Revert(revert) => {
                let shelf = Shelf::at(&data);
                warn(&shelf)?;
                let back = if revert.built_in { shelf.reset() } else { shelf.revert() };
                let (set, changes) = back.map_err(refusal)?;
                if revert.json {
                    let told = serde_json::json!({"signatures": set.about, "changes": changes});
                    json(&told)?;
                } else {
                    line(&format!("Back in use: {}", label(&set.about)));
                    tell_changes(&changes);
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// Says what is wrong with what is stored, if anything.
fn warn(shelf: &Shelf) -> Result<(), Failure> {
    if let Some(warning) = shelf.in_use()?.warning {
        error(&warning);
    }
    Ok(())
}

/// A set that is refused is an answer; a disk that refuses is not.
pub(super) fn refusal(refused: ShelfError) -> Failure {
    let sentence = format!("{}; the set in use is kept", chain(&refused));
    match refused {
        ShelfError::Older { .. }
        | ShelfError::Same(_)
        | ShelfError::NoPrevious
        | ShelfError::PreviousUseless(_)
        | ShelfError::PreviousOlder { .. } => Failure::Refused(sentence),
        ShelfError::Files { .. }
        | ShelfError::Place(_)
        | ShelfError::Store(_)
        | ShelfError::BuiltIn(_) => Failure::Unable(sentence),
    }
}
