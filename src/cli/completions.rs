//! `strongroom completions`: for a shell to source.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::print::out;
use super::{Cli, Outcome};

/// Print completions for a shell.
#[derive(Args)]
#[command(after_help = "Example:\n  strongroom completions bash > strongroom.bash")]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> Outcome {
        let mut command = Cli::command();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "strongroom", &mut script);
        out(&String::from_utf8_lossy(&script));
        Ok(ExitCode::SUCCESS)
    }
}
