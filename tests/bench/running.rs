//! The real binary on a data directory, while a bench looks at it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

pub(crate) struct Running {
    pub(crate) child: Child,
    address: SocketAddr,
}

#[expect(clippy::disallowed_methods, reason = "a bench measures real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Starts the binary and returns when it answers anything at all.
pub(crate) fn start(data: &Path) -> Running {
    let mut child = Command::new(env!("CARGO_BIN_EXE_strongroom"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let (mut text, mut byte) = (String::new(), [0]);
    while !text.contains("/\n") {
        assert_eq!(out.read(&mut byte).unwrap(), 1, "it ended: {text}");
        text.push(char::from(byte[0]));
    }
    let address = text.split("http://").nth(1).unwrap().trim_end().trim_end_matches('/');
    let running = Running { address: address.parse().unwrap(), child };
    get(&running, "/health/live");
    running
}

pub(crate) fn get(running: &Running, path: &str) -> String {
    let mut stream = TcpStream::connect(running.address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

pub(crate) fn stop(mut running: Running) {
    let id = rustix::process::Pid::from_child(&running.child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    running.child.wait().unwrap();
}
