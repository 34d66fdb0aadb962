//! A password, typed unseen on the terminal, given by the environment or by standard input; never an
//! argument, which others on the machine could read.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use super::Failure;

/// Where scripts put it.
const VARIABLE: &str = "STRONGROOM_PASSWORD";
/// Longest that is read.
const LONGEST: u64 = 4096;

/// The password of this user; from the first line of standard input when a script says so.
pub(super) fn password(email: &str, from_stdin: bool) -> Result<String, Failure> {
    if from_stdin {
        return read_line(std::io::stdin().lock());
    }
    match std::env::var(VARIABLE) {
        Ok(password) if !password.is_empty() => Ok(password),
        _ => typed(email),
    }
}

fn read_line(from: impl Read) -> Result<String, Failure> {
    let mut line = String::new();
    BufReader::new(from.take(LONGEST)).read_line(&mut line)?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(Failure::Unable("no password was given".into()));
    }
    Ok(password.to_owned())
}

fn typed(email: &str) -> Result<String, Failure> {
    let nowhere = |_| {
        Failure::Unable(format!(
            "there is no terminal to ask for the password: set {VARIABLE}, or give it with \
             --password-stdin"
        ))
    };
    let terminal = File::options().read(true).write(true).open("/dev/tty").map_err(nowhere)?;
    let shown = tcgetattr(&terminal).map_err(std::io::Error::from)?;
    write!(&terminal, "Password of {}: ", super::print::plain(email))?;
    let unseen = Unseen::on(&terminal, shown)?;
    let read = read_line(&terminal);
    drop(unseen);
    writeln!(&terminal)?;
    read
}

/// A terminal that does not show what is typed, until dropped.
struct Unseen<'a> {
    terminal: &'a File,
    shown: Termios,
}

impl Unseen<'_> {
    fn on(terminal: &File, shown: Termios) -> Result<Unseen<'_>, Failure> {
        let mut unseen = shown.clone();
        unseen.local_modes.remove(LocalModes::ECHO);
        tcsetattr(terminal, OptionalActions::Flush, &unseen).map_err(std::io::Error::from)?;
        Ok(Unseen { terminal, shown })
    }
}

impl Drop for Unseen<'_> {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing anyway.
        tcsetattr(self.terminal, OptionalActions::Now, &self.shown).ok();
    }
}
