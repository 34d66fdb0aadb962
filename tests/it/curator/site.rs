//! A site on loopback that answers as it is told to, well or not, and remembers what it was asked.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, park_timeout, spawn};
use std::time::Duration;

/// How a path is answered.
#[derive(Clone)]
pub(crate) enum Says {
    /// With this.
    Page(String),
    /// With this, under a tag; with 304 to who knows the tag.
    Tagged(String),
    /// With a status and nothing else.
    Status(u16),
    /// With a status, and when to come back.
    Later(u16, &'static str),
    /// Elsewhere.
    Moved(String),
    /// With the first half of this.
    Cut(String),
    /// With more than anybody wants.
    Huge,
    /// A byte at a time, for longer than anybody waits.
    Trickle,
}

pub(crate) const TAG: &str = "\"v1\"";

/// Where programs look what they may read.
const ROBOTS: &str = "/robots.txt";

pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// Opens a site that lets programs read everything; `says` is told its address and a path.
    pub(crate) fn open(says: impl Fn(SocketAddr, &str) -> Says + Send + Sync + 'static) -> Site {
        Site::with_robots(Says::Status(404), says)
    }

    /// The same, with what it says when it is asked for its rules.
    pub(crate) fn with_robots(
        robots: Says,
        says: impl Fn(SocketAddr, &str) -> Says + Send + Sync + 'static,
    ) -> Site {
        let says = move |address, path: &str| match path {
            ROBOTS => robots.clone(),
            path => says(address, path),
        };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, closed) = (Arc::<Mutex<Vec<String>>>::default(), Arc::default());
        let (log, over, says) = (Arc::clone(&asked), Arc::clone(&closed), Arc::new(says));
        let thread = spawn(move || {
            let over: &AtomicBool = &over;
            while let Ok((stream, _)) = listener.accept() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let (log, says) = (Arc::clone(&log), Arc::clone(&says));
                // Whoever asks may go away at any time.
                spawn(move || answer(stream, &log, &|path| says(address, path)).ok());
            }
        });
        Site { address, asked, closed, thread: Some(thread) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What was asked for so far, in order, but for its rules.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|path| *path != ROBOTS).cloned().collect()
    }

    /// How often it was asked for its rules.
    pub(crate) fn asked_for_robots(&self) -> usize {
        self.asked.lock().unwrap().iter().filter(|path| *path == ROBOTS).count()
    }

    pub(crate) fn forget(&self) {
        self.asked.lock().unwrap().clear();
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address));
        self.thread.take().map(JoinHandle::join);
    }
}

fn answer(
    mut stream: TcpStream,
    log: &Mutex<Vec<String>>,
    says: &dyn Fn(&str) -> Says,
) -> std::io::Result<()> {
    let mut head = BufReader::new(stream.try_clone()?);
    let (mut path, mut known) = (String::new(), false);
    loop {
        let mut line = String::new();
        if head.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let line = line.trim_end();
        if path.is_empty() {
            path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        } else if line.is_empty() {
            break;
        }
        known |= line.to_ascii_lowercase() == format!("if-none-match: {TAG}");
    }
    log.lock().unwrap().push(path.clone());
    let say = |stream: &mut TcpStream, status: u16, more: &str, length: usize| {
        write!(
            stream,
            "HTTP/1.1 {status} Word\r\nConnection: close\r\nContent-Length: {length}\r\n{more}\r\n"
        )
    };
    match says(&path) {
        Says::Page(page) => {
            say(&mut stream, 200, "", page.len())?;
            stream.write_all(page.as_bytes())
        }
        Says::Tagged(_) if known => say(&mut stream, 304, "", 0),
        Says::Tagged(page) => {
            say(&mut stream, 200, &format!("ETag: {TAG}\r\n"), page.len())?;
            stream.write_all(page.as_bytes())
        }
        Says::Status(status) => say(&mut stream, status, "", 0),
        Says::Later(status, when) => {
            say(&mut stream, status, &format!("Retry-After: {when}\r\n"), 0)
        }
        Says::Moved(place) => say(&mut stream, 302, &format!("Location: {place}\r\n"), 0),
        Says::Cut(page) => {
            say(&mut stream, 200, "", page.len())?;
            stream.write_all(&page.as_bytes()[..page.len() / 2])
        }
        Says::Huge => {
            say(&mut stream, 200, "", 64 << 20)?;
            let piece = vec![b' '; 1 << 16];
            (0..1024).try_for_each(|_| stream.write_all(&piece))
        }
        Says::Trickle => {
            say(&mut stream, 200, "", 1 << 20)?;
            (0..200).try_for_each(|_| {
                park_timeout(Duration::from_millis(50));
                stream.write_all(b" ")
            })
        }
    }
}
