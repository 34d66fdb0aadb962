//! Parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    strongroom::heap::keep_together();
    strongroom::cli::main()
}
