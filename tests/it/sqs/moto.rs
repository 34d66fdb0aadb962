//! A server of SQS by moto, in a process of its own that is told what to do line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::peer::MOTO;

/// A running server; it ends with its input.
pub(super) struct Moto {
    pub(super) endpoint: String,
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Moto {
    /// Starts it; none where moto is not to be had.
    pub(super) fn start() -> Option<Moto> {
        let python = MOTO.python()?;
        let mut child = Command::new(python)
            .args(["-c", include_str!("server.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut moto = Moto { endpoint: String::new(), child, commands, answers };
        moto.endpoint = moto.answer().as_str().unwrap().to_owned();
        Some(moto)
    }

    /// Has a function of the script called; its result.
    pub(super) fn ask(&mut self, name: &str, arguments: &[Value]) -> Value {
        let mut line = vec![json!(name)];
        line.extend_from_slice(arguments);
        let commands = self.commands.as_mut().unwrap();
        writeln!(commands, "{}", Value::from(line)).unwrap();
        commands.flush().unwrap();
        self.answer()
    }

    /// Sends a message; its number.
    pub(super) fn send(&mut self, queue: &str, body: &str) -> String {
        self.ask("send", &[json!(queue), json!(body)]).as_str().unwrap().to_owned()
    }

    /// How many messages were not removed.
    pub(super) fn left(&mut self, queue: &str) -> u64 {
        self.ask("left", &[json!(queue)]).as_u64().unwrap()
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("moto said {line:?}"))
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It ends by itself when nobody tells it anything any more.
        self.commands = None;
        self.child.wait().ok();
    }
}
