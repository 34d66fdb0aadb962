//! Many clients at once: those who ask and read, one request after the other on a connection that
//! stays open, and beside them those who mean no good. Used by the bench and, for a few seconds, by
//! the tests.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// No answer takes this long, on however slow a machine.
const PATIENCE: Duration = Duration::from_secs(540);
/// How often a slow client brings another byte.
const DROP: Duration = Duration::from_millis(250);

/// Who comes, for how long, and for what.
#[derive(Clone)]
pub(crate) struct Crowd {
    pub(crate) address: SocketAddr,
    pub(crate) cookie: String,
    pub(crate) paths: Vec<String>,
    pub(crate) clients: usize,
    /// Clients that send their headers in drops, and as many that send bodies without an end.
    pub(crate) hostile: usize,
    pub(crate) lasting: Duration,
    /// How long a client looks at an answer before it asks again.
    pub(crate) pause: Duration,
}

/// How it went.
#[derive(Default)]
pub(crate) struct Went {
    /// How long each answer took, in order.
    pub(crate) took: Vec<Duration>,
    /// What was not answered with 200, at most a few of each client.
    pub(crate) errors: Vec<String>,
    /// How often a slow client, and one with an endless body, was cut off.
    pub(crate) slow_cut: usize,
    pub(crate) large_cut: usize,
    /// Most that one endless body could send.
    pub(crate) most_taken: usize,
}

#[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

impl Crowd {
    /// Lets all of them come, and waits until the last has gone.
    pub(crate) fn come(&self) -> Went {
        let end = now() + self.lasting;
        let asking: Vec<_> = (0..self.clients)
            .map(|number| {
                let crowd = self.clone();
                thread::spawn(move || crowd.ask_until(end, number))
            })
            .collect();
        let address = self.address;
        let slow: Vec<_> =
            (0..self.hostile).map(|_| thread::spawn(move || drip_until(address, end))).collect();
        let large: Vec<_> =
            (0..self.hostile).map(|_| thread::spawn(move || pour_until(address, end))).collect();
        let mut went = Went::default();
        for thread in asking {
            let (took, errors) = thread.join().unwrap();
            went.took.extend(took);
            went.errors.extend(errors);
        }
        went.slow_cut = slow.into_iter().map(|it| it.join().unwrap()).sum();
        for thread in large {
            let (cut, taken) = thread.join().unwrap();
            went.large_cut += cut;
            went.most_taken = went.most_taken.max(taken);
        }
        went.took.sort();
        went
    }

    fn ask_until(&self, end: Instant, number: usize) -> (Vec<Duration>, Vec<String>) {
        let (mut took, mut errors) = (Vec::new(), Vec::new());
        let mut line = None;
        for turn in number.. {
            let began = now();
            if began >= end || errors.len() > 3 {
                break;
            }
            let path = &self.paths[turn % self.paths.len()];
            match self.ask(&mut line, path) {
                Ok(200) => took.push(began.elapsed()),
                Ok(status) => errors.push(format!("{path}: {status}")),
                Err(error) => {
                    errors.push(format!("{path}: {error}"));
                    line = None;
                }
            }
            if !self.pause.is_zero() {
                thread::park_timeout(self.pause);
            }
        }
        (took, errors)
    }

    fn ask(&self, line: &mut Option<BufReader<TcpStream>>, path: &str) -> io::Result<u16> {
        let stream = match line {
            Some(stream) => stream,
            None => line.insert(BufReader::new(connect(self.address)?)),
        };
        let cookie = &self.cookie;
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\ncookie: {cookie}\r\n\r\n");
        stream.get_mut().write_all(head.as_bytes())?;
        read_answer(stream)
    }
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Reads a whole answer, whose length must be told; its status.
fn read_answer(stream: &mut impl BufRead) -> io::Result<u16> {
    let mut text = String::new();
    stream.read_line(&mut text)?;
    let status = text.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("it was cut off"))?;
    let mut length = 0;
    loop {
        text.clear();
        stream.read_line(&mut text)?;
        match text.trim_end().split_once(": ") {
            Some(("content-length", value)) => length = value.parse().map_err(io::Error::other)?,
            Some(_) => {}
            None => break,
        }
    }
    io::copy(&mut stream.take(length), &mut io::sink())?;
    Ok(status)
}

/// Sends headers a byte at a time, again and again; how often it was cut off.
fn drip_until(address: SocketAddr, end: Instant) -> usize {
    let mut cut = 0;
    while now() < end {
        let Ok(mut stream) = connect(address) else { continue };
        stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nx: ").ok();
        stream.set_read_timeout(Some(DROP)).unwrap();
        let is_cut = |stream: &mut TcpStream| match stream.read(&mut [0; 512]) {
            Ok(count) => count == 0,
            Err(error) => {
                !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
            }
        };
        while now() < end {
            if stream.write_all(b"y").is_err() || is_cut(&mut stream) {
                cut += 1;
                break;
            }
        }
    }
    cut
}

/// Sends a body that never ends, again and again; how often it was cut off, and the most it sent.
fn pour_until(address: SocketAddr, end: Instant) -> (usize, usize) {
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let (mut cut, mut most) = (0, 0);
    while now() < end {
        let Ok(mut stream) = connect(address) else { continue };
        let head = "POST /sign-in HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\n\
            content-type: application/x-www-form-urlencoded\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).ok();
        let mut sent = 0;
        while now() < end {
            if stream.write_all(piece.as_bytes()).is_err() {
                cut += 1;
                break;
            }
            sent += piece.len();
        }
        most = most.max(sent);
        // A client that is cut off does not come back at once.
        thread::park_timeout(DROP);
    }
    (cut, most)
}

impl Went {
    /// The time that this share of the answers took at most.
    pub(crate) fn share(&self, share: f64) -> Duration {
        let last = self.took.len().saturating_sub(1);
        #[expect(clippy::cast_possible_truncation, reason = "a place in a list")]
        let at = (last as f64 * share) as usize;
        self.took.get(at).copied().unwrap_or_default()
    }
}

/// The memory a process holds, in megabytes.
pub(crate) fn resident_mb(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1000.0
}
