//! A small HTTP client over hyper: for the appliance on this machine, and for one elsewhere.

use std::io::{self, Write};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{HeaderMap, Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::Failure;
use super::server::Server;
use crate::appliance::Doorplate;

/// Longest wait for a sign of life.
const KNOCK: Duration = Duration::from_secs(5);
/// Longest wait for an answer to begin: a doctor's look at a large store takes a while.
const PATIENCE: Duration = Duration::from_secs(600);
/// Longest wait for a whole answer from elsewhere; nothing that is asked there is large.
const PATIENCE_ELSEWHERE: Duration = Duration::from_secs(60);

/// A connection to an appliance.
#[derive(Clone)]
pub(super) struct Client {
    way: Way,
    authorization: String,
}

/// How it is reached.
#[derive(Clone)]
enum Way {
    /// On this machine, by its doorplate.
    Door(Doorplate),
    /// Elsewhere.
    Server(Server),
}

/// An answer.
pub(super) struct Reply {
    pub status: u16,
    pub head: HeaderMap,
    pub body: Vec<u8>,
}

impl Client {
    pub(super) fn new(door: Doorplate) -> Client {
        let authorization = format!("Bearer {}", door.key);
        Client { way: Way::Door(door), authorization }
    }

    /// An appliance elsewhere, with the token of a person.
    pub(super) fn elsewhere(server: Server, token: &str) -> Client {
        Client { way: Way::Server(server), authorization: format!("Bearer {}", token.trim()) }
    }

    /// The same way, for a person instead of the owner of the data directory.
    pub(super) fn as_person(&self, email: &str, password: &str) -> Client {
        let pair = base64(format!("{email}:{password}").as_bytes());
        Client { way: self.way.clone(), authorization: format!("Basic {pair}") }
    }

    /// The same way, with the token of a person.
    pub(super) fn bearing(&self, token: &str) -> Client {
        Client { way: self.way.clone(), authorization: format!("Bearer {}", token.trim()) }
    }

    /// What browsers call the appliance.
    pub(super) fn origin(&self) -> &str {
        match &self.way {
            Way::Door(door) => &door.origin,
            Way::Server(server) => server.origin(),
        }
    }

    /// Whether an appliance is behind the plate: one that died leaves it hanging.
    pub(super) fn answers(&self) -> bool {
        let Ok(request) = self.request(Method::GET, "/health/live", "") else { return false };
        let knock = run(async {
            let answer = tokio::time::timeout(KNOCK, self.send(request)).await?;
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

    /// A part of what is at the path, as long as it is what it was; the bounds are a range's.
    pub(super) fn part(
        &self,
        path: &str,
        (first, last): (u64, u64),
        tag: Option<&str>,
    ) -> Result<Reply, Failure> {
        let mut request = self.request(Method::GET, path, "")?;
        let head = request.headers_mut();
        head.insert("range", format!("bytes={first}-{last}").parse()?);
        if let Some(tag) = tag {
            head.insert("if-range", tag.parse()?);
        }
        self.whole(request)
    }

    /// Asks, and waits up to so many seconds for there to be something to answer.
    pub(super) fn post_waiting(
        &self,
        path: &str,
        body: &str,
        wait_s: u32,
    ) -> Result<Reply, Failure> {
        let mut request = self.request(Method::POST, path, body)?;
        request.headers_mut().insert("prefer", format!("wait={wait_s}").parse()?);
        self.whole(request)
    }

    fn ask(&self, method: Method, path: &str, body: &str) -> Result<Reply, Failure> {
        self.whole(self.request(method, path, body)?)
    }

    fn whole(&self, request: Request<Full<Bytes>>) -> Result<Reply, Failure> {
        let answer = async { reply(self.send(request).await?).await };
        run(async {
            match &self.way {
                Way::Door(_) => answer.await,
                Way::Server(_) => tokio::time::timeout(PATIENCE_ELSEWHERE, answer).await?,
            }
        })
    }

    /// Copies an answer as it comes in; one that ends early is an error, and a refusal is returned.
    pub(super) fn copy(&self, path: &str, out: &mut dyn Write) -> Result<Option<Reply>, Failure> {
        let request = self.request(Method::GET, path, "")?;
        let mut unwritten = None;
        let copied = run(async {
            let mut response = self.send(request).await?;
            if !response.status().is_success() {
                return reply(response).await.map(Some);
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
        let host = match &self.way {
            Way::Door(_) => "localhost",
            Way::Server(server) => server.authority(),
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", host)
            .header("authorization", &self.authorization)
            .header("accept", "application/json");
        Ok(request.body(Full::new(Bytes::copy_from_slice(body.as_bytes())))?)
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>> {
        match &self.way {
            Way::Door(door) => talk(knock(door).await?, request).await,
            Way::Server(server) => {
                let stream = TcpStream::connect(server.place()).await?;
                match server.secured(stream).await? {
                    Ok(secured) => talk(secured, request).await,
                    Err(plain) => talk(plain, request).await,
                }
            }
        }
    }
}

/// All of an answer.
async fn reply(response: Response<Incoming>) -> io::Result<Reply> {
    let (status, head) = (response.status().as_u16(), response.headers().clone());
    let body = response.into_body().collect().await.map_err(io::Error::other)?;
    Ok(Reply { status, head, body: body.to_bytes().to_vec() })
}

async fn knock(door: &Doorplate) -> io::Result<TcpStream> {
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
    TcpStream::connect(address).await
}

async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> io::Result<Response<Incoming>> {
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
