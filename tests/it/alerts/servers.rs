//! A mail server and a program to be called, on loopback. What each does with one visitor after the
//! other is written down beforehand; what it was told can be asked.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// What a mail server does with one visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Takes what it is given.
    Take,
    /// Says not now, or never, to the recipient.
    Refuse(u16),
    /// Says nothing, and keeps the line open.
    Hang,
    /// Ends the line in the middle of the message.
    Drop,
    /// Takes the whole message, and ends the line before it says so.
    TakeAndDrop,
    /// Takes the whole message, and says nothing until the visitor leaves.
    TakeAndHang,
}

/// What was told to a server, and what it will do.
struct Book<T> {
    plan: Mutex<VecDeque<T>>,
    told: Mutex<Vec<String>>,
    kept: Mutex<Vec<TcpStream>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A server; after its plan it does what it did last.
pub(crate) struct Server<T> {
    pub(crate) address: SocketAddr,
    book: Arc<Book<T>>,
}

impl<T: Copy + Send + 'static> Server<T> {
    fn start(
        plan: &[T],
        serve: impl Fn(TcpStream, T, &dyn Fn(String)) -> Option<TcpStream> + Send + 'static,
    ) -> Server<T> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let book = Arc::new(Book {
            plan: Mutex::new(plan.iter().copied().collect()),
            told: Mutex::default(),
            kept: Mutex::default(),
        });
        let ours = Arc::clone(&book);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut plan = lock(&ours.plan);
                let manner = if plan.len() > 1 { plan.pop_front() } else { plan.front().copied() };
                drop(plan);
                let Some(manner) = manner else { return };
                let kept = serve(stream, manner, &|text| lock(&ours.told).push(text));
                lock(&ours.kept).extend(kept);
            }
        });
        Server { address, book }
    }

    /// How many lines are kept open in silence.
    pub(crate) fn kept(&self) -> usize {
        lock(&self.book.kept).len()
    }

    /// Ends the lines that are kept open.
    pub(crate) fn hang_up(&self) {
        lock(&self.book.kept).clear();
    }

    /// Everything that was told, in order.
    pub(crate) fn told(&self) -> Vec<String> {
        lock(&self.book.told).clone()
    }
}

/// A mail server.
pub(crate) fn mail_server(plan: &[Manner]) -> Server<Manner> {
    Server::start(plan, |stream, manner, tell| {
        let kept = stream.try_clone().unwrap();
        if manner == Manner::Hang {
            return Some(kept);
        }
        // A visitor who leaves is no failure of the server.
        drop(converse(stream, manner, tell));
        None
    })
}

fn converse(
    stream: TcpStream,
    manner: Manner,
    tell: &dyn Fn(String),
) -> Result<(), std::io::Error> {
    let mut out = stream.try_clone()?;
    let mut lines = BufReader::new(stream);
    let mut say = |text: &str| out.write_all(format!("{text}\r\n").as_bytes());
    say("220 test.example.org ESMTP")?;
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let word = line.split([' ', ':']).next().unwrap_or_default().trim().to_ascii_uppercase();
        match (word.as_str(), manner) {
            ("EHLO", _) => say("250-test.example.org\r\n250 8BITMIME")?,
            ("RCPT", Manner::Refuse(code)) => say(&format!("{code} not for {}", line.trim()))?,
            ("DATA", Manner::Drop) => return Ok(()),
            ("DATA", _) => {
                say("354 go on")?;
                let letter = read_letter(&mut lines)?;
                tell(letter);
                if manner == Manner::TakeAndDrop {
                    return Ok(());
                }
                if manner == Manner::TakeAndHang {
                    return lines.read_to_end(&mut Vec::new()).map(drop);
                }
                say("250 taken")?;
            }
            ("QUIT", _) => return say("221 bye"),
            (_, _) => say("250 ok")?,
        }
    }
}

/// A message up to its lonely dot, with doubled dots undone.
fn read_letter(lines: &mut impl BufRead) -> Result<String, std::io::Error> {
    let mut letter = String::new();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line == ".\r\n" {
            return Ok(letter);
        }
        letter.push_str(
            line.strip_prefix("..").map(|rest| format!(".{rest}")).as_ref().unwrap_or(&line),
        );
    }
}

/// A program that answers calls with these numbers; zero is silence.
pub(crate) fn hook_server(plan: &[u16]) -> Server<u16> {
    hook_server_that_says(plan, "")
}

/// The same, with these words in every answer.
pub(crate) fn hook_server_that_says(plan: &[u16], words: &'static str) -> Server<u16> {
    Server::start(plan, move |stream, status, tell| {
        let kept = stream.try_clone().unwrap();
        let mut lines = BufReader::new(stream);
        let (mut call, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(number) = lower.strip_prefix("content-length:") {
                length = number.trim().parse().unwrap();
            }
            call.push_str(&line);
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        lines.read_exact(&mut body).unwrap();
        call.push_str(&String::from_utf8(body).unwrap());
        tell(call);
        if status == 0 {
            return Some(kept);
        }
        let answer = format!(
            "HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{words}",
            words.len()
        );
        drop((&kept).write_all(answer.as_bytes()));
        None
    })
}
