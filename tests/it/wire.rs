//! A tiny HTTP client that sends exactly what it is told, hostile or not.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};

use crate::house::DEADLINE;

/// A request, written as it stands.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn get(path: impl Into<String>) -> Ask {
    let headers = vec![("host", "localhost".to_owned())];
    Ask { method: "GET", path: path.into(), headers, body: Vec::new() }
}

/// A form as our own page sends it.
pub(crate) fn post(path: impl Into<String>, body: impl Into<Vec<u8>>) -> Ask {
    let ask = Ask { method: "POST", body: body.into(), ..get(path) };
    ask.with("sec-fetch-site", "same-origin")
        .with("content-type", "application/x-www-form-urlencoded")
}

impl Ask {
    /// With a header, in place of one of the same name.
    pub(crate) fn with(self, name: &'static str, value: impl Into<String>) -> Ask {
        let mut ask = self.without(name);
        ask.headers.push((name, value.into()));
        ask
    }

    pub(crate) fn without(mut self, name: &str) -> Ask {
        self.headers.retain(|(known, _)| *known != name);
        self
    }

    /// Whether it says who asks.
    pub(crate) fn says_who(&self) -> bool {
        self.headers.iter().any(|(name, value)| match *name {
            "authorization" | "x-pharos-api-key" => true,
            "cookie" => value.contains("strongroom_session="),
            _ => false,
        })
    }

    pub(crate) fn method(self, method: &'static str) -> Ask {
        Ask { method, ..self }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut bytes = format!("{text}content-length: {}\r\n\r\n", self.body.len()).into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect_timeout(&address, DEADLINE).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.set_write_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// Sends a request on a connection of its own and reads the whole answer.
pub(crate) fn send(address: SocketAddr, ask: &Ask) -> Reply {
    let mut stream = connect(address);
    // A server may answer and close before it has read all of a request that it refuses.
    stream.write_all(&ask.bytes()).ok();
    let mut stream = BufReader::new(stream);
    let mut reply = read_head(&mut stream);
    if ask.method != "HEAD" {
        read_body(&mut stream, &mut reply);
    }
    reply
}

/// Sends a request and returns the answer's beginning with the rest still to come.
pub(crate) fn open(address: SocketAddr, ask: &Ask) -> (Reply, BufReader<TcpStream>) {
    let mut stream = connect(address);
    stream.write_all(&ask.bytes()).unwrap();
    let mut stream = BufReader::new(stream);
    (read_head(&mut stream), stream)
}

pub(crate) fn read_head(stream: &mut impl BufRead) -> Reply {
    let line = read_line(stream);
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
    let mut reply = Reply { status: status.unwrap_or(0), headers: Vec::new(), body: Vec::new() };
    loop {
        let line = read_line(stream);
        let Some((name, value)) = line.split_once(':') else { return reply };
        reply.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

pub(crate) fn read_body(stream: &mut impl BufRead, reply: &mut Reply) {
    if reply.header("transfer-encoding") == Some("chunked") {
        loop {
            let size = usize::from_str_radix(&read_line(stream), 16).expect("a chunk's size");
            let mut chunk = vec![0; size];
            stream.read_exact(&mut chunk).unwrap();
            reply.body.extend(chunk);
            read_line(stream);
            if size == 0 {
                return;
            }
        }
    }
    let length = reply.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    reply.body.resize(length, 0);
    stream.read_exact(&mut reply.body).unwrap();
}

fn read_line(stream: &mut impl BufRead) -> String {
    let mut line = String::new();
    // A connection that was cut off has no line to read: the caller sees no status.
    stream.read_line(&mut line).ok();
    line.trim_end().to_owned()
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// All headers of this name.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let named = self.headers.iter().filter(|(known, _)| known == name);
        named.map(|(_, value)| value.as_str()).collect()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// The code of a problem document.
    pub(crate) fn code(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        self.json()["code"].as_str().unwrap().to_owned()
    }

    /// Fails unless the answer has this status.
    pub(crate) fn is(self, status: u16) -> Reply {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        self
    }
}
