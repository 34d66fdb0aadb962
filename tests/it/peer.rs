//! `bagit` from PyPI, the peer that bags are exchanged with; tests and the bench share it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Another version may judge otherwise and run at another speed.
const WANTED: &str = "bagit==1.9.0";

/// A Python with bagit; `None` with a printed reason where that cannot be.
pub(crate) fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match PYTHON.get_or_init(install) {
        Ok(python) => Some(python),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    }
}

/// Makes the environment in the build folder, once for all builds until that is cleaned.
fn install() -> Result<PathBuf, String> {
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("peers");
    fs::create_dir_all(&room).map_err(|error| format!("no room for bagit: {error}"))?;
    // Every test may be a process of its own, and all of them come here at once.
    let gate = File::create(room.join("lock")).map_err(|error| error.to_string())?;
    gate.lock().map_err(|error| error.to_string())?;
    let venv = room.join("bagit");
    let python = venv.join("bin/python");
    let works = || done(Command::new(&python).args(["-c", "import bagit"])).is_ok();
    if !works() {
        done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))
            .map_err(|why| format!("python3 cannot make an environment: {why}"))?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        done(pip.args(["--retries", "1", "--timeout", "20", WANTED]))
            .map_err(|why| format!("pip cannot install {WANTED}: {why}"))?;
    }
    works().then_some(python).ok_or_else(|| format!("{WANTED} is installed and does not start"))
}

/// Runs a command; the last thing it said if it failed.
fn done(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.trim().lines().last().unwrap_or("no reason given").to_owned())
}
