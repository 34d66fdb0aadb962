//! `strongroom rebuild`: the registry, made again from a vault.

use std::process::ExitCode;

use byteio::causes::chain;
use clap::Args;
use storage::clock::SystemClock;

use super::meter::Meter;
use super::print::{json, line, plain};
use super::{Failure, Outcome, Place};
use crate::chronicle::{RebuildError, Rebuilt, rebuild};

/// Make the registry again from what a replica says about its objects.
#[derive(Args)]
#[command(after_help = "Examples:\n  strongroom rebuild --from a\n\n\
    The appliance must not be running. Everything comes back as it was, but passwords, sessions,\n\
    what was read of messages, and work that had not ended: its deposits are found again where\n\
    they were received. Administrators have no role until `strongroom user confirm` gives it back,\n\
    and deletions that were approved and not completed are cancelled: whoever can write to a\n\
    replica could have written them. A registry that holds objects is never replaced.")]
pub(super) struct Rebuild {
    /// The name of the replica, as in the configuration
    #[arg(long, value_name = "REPLICA")]
    from: String,
    /// Put the registry in place although something could not be taken
    #[arg(long)]
    incomplete: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Rebuild {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let config = place.load(None)?;
        place.say_if_absent(&config.data);
        let meter = Meter::of_stages("rebuild");
        let mut told = |objects: u64| meter.say(&web::counted(objects, "object"));
        let wanted = (self.from.as_str(), self.incomplete);
        let rebuilt =
            rebuild(&config, wanted, &SystemClock::start(), &mut told).map_err(refused)?;
        drop(meter);
        if self.json {
            json(&rebuilt)?;
        } else {
            self.tell(&rebuilt);
        }
        let whole = rebuilt.damage_count == 0;
        Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn tell(&self, rebuilt: &Rebuilt) {
        let (objects, versions) =
            (web::counted(rebuilt.objects, "object"), web::counted(rebuilt.versions, "version"));
        let from = plain(&self.from);
        for sentence in &rebuilt.damage {
            line(&plain(sentence));
        }
        if rebuilt.damage_count > 0 && !self.incomplete {
            line(&format!(
                "{} could not be taken from {from}, and the registry was not made. Try another \
                 replica; with --incomplete the rest is taken: {objects} in {versions}.",
                web::counted(rebuilt.damage_count, "thing")
            ));
            return;
        }
        line(&format!("The registry was made again from {from}: {objects} in {versions}."));
        if rebuilt.unfinished > 0 {
            line(&format!(
                "{} had a version that was still being ingested; its deposit is taken again.",
                web::counted(rebuilt.unfinished, "object")
            ));
        }
        for notice in &rebuilt.notices {
            line(&plain(notice));
        }
        tell_distrusted(rebuilt);
        if let Some(kept) = &rebuilt.kept {
            line(&format!("The registry that was there is kept as {}.", kept.display()));
        }
    }
}

/// What does not hold until a person says so, and how to say it.
fn tell_distrusted(rebuilt: &Rebuilt) {
    if !rebuilt.cancelled_deletions.is_empty() {
        let ids: Vec<String> = rebuilt.cancelled_deletions.iter().map(i64::to_string).collect();
        line(&format!(
            "Deletion requests that were approved and not completed were cancelled: {}. Nothing more of \
             them is deleted. Request what is still to be deleted again.",
            ids.join(", ")
        ));
    }
    if !rebuilt.unconfirmed.is_empty() {
        line(
            "Administrators cannot sign in until their role is confirmed at this console. Confirm those \
             whom you know, then give each a link for a new password (strongroom user reset EMAIL):",
        );
        for email in &rebuilt.unconfirmed {
            line(&format!("  strongroom user confirm {}", plain(email)));
        }
    }
}

fn refused(error: RebuildError) -> Failure {
    match error {
        RebuildError::Held(_) | RebuildError::NoSuchReplica { .. } => {
            Failure::Refused(chain(&error))
        }
        RebuildError::Home(_)
        | RebuildError::Registry(_)
        | RebuildError::Vault(_)
        | RebuildError::Ledger(_)
        | RebuildError::Files { .. } => Failure::Unable(chain(&error)),
    }
}
