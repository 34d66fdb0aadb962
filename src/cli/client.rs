//! A small HTTP client for the appliance on this machine, over hyper.

use std::io::{self, Write};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::Failure;
use crate::appliance::Doorplate;

/// Longest wait for a sign of life.
const KNOCK: Duration = Duration::from_secs(5);
/// Longest wait for an answer to begin: a doctor's look at a large store takes a while.
const PATIENCE: Duration = Duration::from_secs(600);

/// A connection to the appliance behind a doorplate.
pub(super) struct Client {
    door: Doorplate,
    authorization: String,
}

/// An answer.
pub(super) struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Client {
    pub(super) fn new(door: Doorplate) -> Client {
        let authorization = format!("Bearer {}", door.key);
        Client { door, authorization }
    }

    /// The same way, for a person instead of the owner of the data directory.
    pub(super) fn as_person(&self, email: &str, password: &str) -> Client {
        let pair = base64(format!("{email}:{password}").as_bytes());
        Client { door: self.door.clone(), authorization: format!("Basic {pair}") }
    }

    /// The same way, with the token of a person.
    pub(super) fn bearing(&self, token: &str) -> Client {
        Client { door: self.door.clone(), authorization: format!("Bearer {}", token.trim()) }
    }

    /// What browsers call the appliance.
    pub(super) fn origin(&self) -> &str {
        &self.door.origin
    }

    /// Whether an appliance is behind the plate: one that died leaves it hanging.
    pub(super) fn answers(&self) -> bool {
        let Ok(request) = self.request(Method::GET, "/health/live", "") else { return false };
        let knock = run(async {
            let answer = tokio::time::timeout(KNOCK, send(&self.door, request)).await?;
            Ok(answer?.status().is_success())
        });
        knock.unwrap_or(false)
    }

    pub(super) fn get(&self, path: &str, pairs: &[(String, String)]) -> Result<Reply, Failure> {
        self.ask(Method::GET, &format!("{path}{}", query(pairs)), "")
    }

    pub(super) fn post(&self, path: &str, body: &str) -> Result<Reply, Failure> {
        self.ask(Method::POST, path, body)
    }

    pub(super) fn patch(&self, path: &str, body: &str) -> Result<Reply, Failure> {
        self.ask(Method::PATCH, path, body)
    }

    fn ask(&self, method: Method, path: &str, body: &str) -> Result<Reply, Failure> {
        let request = self.request(method, path, body)?;
        run(async {
            let response = send(&self.door, request).await?;
            let status = response.status().as_u16();
            let body = response.into_body().collect().await.map_err(io::Error::other)?;
            Ok(Reply { status, body: body.to_bytes().to_vec() })
        })
    }

    /// Copies an answer as it comes in; one that ends early is an error, and a refusal is returned.
    pub(super) fn copy(&self, path: &str, out: &mut dyn Write) -> Result<Option<Reply>, Failure> {
        let request = self.request(Method::GET, path, "")?;
        let mut unwritten = None;
        let copied = run(async {
            let mut response = send(&self.door, request).await?;
            if !response.status().is_success() {
                let status = response.status().as_u16();
                let body = response.into_body().collect().await.map_err(io::Error::other)?;
                return Ok(Some(Reply { status, body: body.to_bytes().to_vec() }));
            }
            while let Some(frame) = response.frame().await {
                let frame = frame.map_err(io::Error::other)?;
                if let Ok(bytes) = frame.into_data()
                    && let Err(error) = out.write_all(&bytes)
                {
                    unwritten = Some(error);
                    break;
                }
            }
            Ok(None)
        });
        // Not the fault of the appliance: a disk may be full.
        match unwritten {
            Some(error) => Err(Failure::Unable(format!("cannot write the export: {error}"))),
            None => copied,
        }
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: &str,
    ) -> Result<Request<Full<Bytes>>, Failure> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("authorization", &self.authorization)
            .header("accept", "application/json");
        Ok(request.body(Full::new(Bytes::copy_from_slice(body.as_bytes())))?)
    }
}

async fn send(door: &Doorplate, request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>> {
    let mut address = door.address;
    if address.ip().is_unspecified() {
        // It listens everywhere; loopback is one of these places.
        let loopback: std::net::IpAddr = if address.is_ipv4() {
            std::net::Ipv4Addr::LOCALHOST.into()
        } else {
            std::net::Ipv6Addr::LOCALHOST.into()
        };
        address.set_ip(loopback);
    }
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    tokio::spawn(connection);
    let answer = tokio::time::timeout(PATIENCE, sender.send_request(request)).await?;
    answer.map_err(io::Error::other)
}

fn run<T>(work: impl Future<Output = io::Result<T>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime
        .block_on(work)
        .map_err(|error| Failure::Unable(format!("the running appliance did not answer: {error}")))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| usize::from(chunk.get(at).copied().unwrap_or(0));
        let all = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = char::from(LETTERS[all >> (18 - 6 * at) & 63]);
            text.push(if at <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

/// The pairs as the end of an address; nothing when there are none.
pub(super) fn query(pairs: &[(String, String)]) -> String {
    let pairs: Vec<_> =
        pairs.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// Percent-encodes one part of an address.
pub(super) fn escape(text: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if safe(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let told =
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|it| base64(it.as_bytes()));
        assert_eq!(told, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
