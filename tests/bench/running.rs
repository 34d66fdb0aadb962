//! The real binary on a data directory, while a bench looks at it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use strongroom::appliance::Doorplate;

pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    /// The key of the data directory, as a header.
    key: String,
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
    let plate = Doorplate::read(data).unwrap();
    let key = format!("authorization: Bearer {}\r\n", plate.key);
    let running = Running { address: address.parse().unwrap(), child, key };
    get(&running, "/health/live");
    running
}

/// Asks as the owner of the data directory.
pub(crate) fn get(running: &Running, path: &str) -> String {
    get_as(running, path, &running.key)
}

/// Asks as whoever these headers say.
pub(crate) fn get_as(running: &Running, path: &str, headers: &str) -> String {
    send(running, &format!("GET {path}"), headers, "")
}

pub(crate) fn send(running: &Running, request: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(running.address).unwrap();
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\
         content-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

pub(crate) fn stop(mut running: Running) {
    let id = rustix::process::Pid::from_child(&running.child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    running.child.wait().unwrap();
}
