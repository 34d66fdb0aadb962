//! `strongroom research remove`: takes an episode or clip off that was added by mistake.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use storage::registry::{Recording, RecordingKind};

use super::counter::{Counter, read, said};
use super::print::{json, line, plain};
use super::{Failure, Outcome, Place};

#[derive(Args)]
pub(super) struct Remove {
    /// What it is
    #[arg(value_enum)]
    kind: Kind,
    /// Its number, as its page and the API have it
    id: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Episode,
    Clip,
}

impl Remove {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let kind = match self.kind {
            Kind::Episode => RecordingKind::Episode,
            Kind::Clip => RecordingKind::Clip,
        };
        let removed = Counter::open(place)?.remove_recording(kind, self.id)?;
        if self.json {
            json(&removed)?;
        } else {
            let (word, title) = (kind.word(), plain(&removed.title));
            line(&format!("{word} {}, {title}, is removed, with what was found", self.id));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Counter {
    fn remove_recording(&self, kind: RecordingKind, id: u32) -> Result<Recording, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().remove_recording(kind, id)),
            Counter::There(client) => {
                read(client.post(&format!("/api/v1/research/{}s/{id}/remove", kind.word()), "")?)
            }
        }
    }
}
