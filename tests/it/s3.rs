//! A real S3 server on loopback, and a door in front of it that numbers requests and fails those it
//! is told to.

mod freezer;

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::harness::lock;

use freezer::Freezer;

/// What a request meets at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ill {
    /// 503: the client asks again by itself.
    Busy,
    /// 500, the same.
    Broken,
    /// An answer that is asked for again by nobody.
    Odd,
    /// 403, as keys that were taken back.
    Denied,
    /// The line is cut before the request comes through.
    Cut,
    /// The request is carried out, and the line cut before the answer.
    Lost,
    /// The answer breaks off in the middle.
    Torn,
    /// Nothing is ever answered.
    Silent,
    /// A byte in the middle of the answer is another one.
    Altered,
}

/// What goes wrong, from one request on and up to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trouble {
    pub(crate) ill: Ill,
    pub(crate) from: usize,
    pub(crate) until: usize,
}

impl Trouble {
    /// One request only; the first is number 1.
    pub(crate) fn once(ill: Ill, at: usize) -> Trouble {
        Trouble { ill, from: at, until: at + 1 }
    }

    /// Every request until someone mends it.
    pub(crate) fn always(ill: Ill, from: usize) -> Trouble {
        Trouble { ill, from, until: usize::MAX }
    }
}

/// The door: open, unless told otherwise.
#[derive(Default)]
pub(crate) struct Door {
    /// Every request, and whether it met trouble.
    seen: Mutex<Vec<(String, bool)>>,
    trouble: Mutex<Option<Trouble>>,
    /// What becomes of requests that write.
    writes: Mutex<Option<Ill>>,
    /// The object that cannot be read until it is written again: a part of its key.
    unreadable: Mutex<Option<String>>,
    /// What one of the next requests that send a file of content meets, and how many come before it.
    content: Mutex<Option<(Ill, usize)>>,
    /// A bucket that takes so many files of content and no more.
    limit: Mutex<Option<(&'static str, usize)>>,
    /// After so many files of content, those that follow wait until it is opened.
    gate: Mutex<Option<usize>>,
    /// Requests that the server has answered with success.
    done: Mutex<Vec<String>>,
    /// What stands behind the door and keeps things cold.
    pub(crate) freezer: Freezer,
}

impl Door {
    pub(crate) fn expect(&self, trouble: Trouble) {
        *lock(&self.trouble) = Some(trouble);
    }

    /// Lets no more files of content through than so many, until the gate is opened.
    pub(crate) fn close_gate(&self, after: usize) {
        *lock(&self.gate) = Some(after);
    }

    pub(crate) fn open_gate(&self) {
        *lock(&self.gate) = None;
    }

    /// What the request meets that sends the `nth` file of content from now on.
    pub(crate) fn expect_content(&self, ill: Ill, nth: usize) {
        *lock(&self.content) = Some((ill, nth - 1));
    }

    /// What a request meets that sends a file of content.
    fn content_meets(&self) -> Option<Ill> {
        let mut content = lock(&self.content);
        match content.take() {
            Some((ill, 0)) => Some(ill),
            Some((ill, more)) => {
                *content = Some((ill, more - 1));
                None
            }
            None => None,
        }
    }

    /// Lets a bucket take so many files of content and refuse those that follow.
    pub(crate) fn limit_content(&self, limit: Option<(&'static str, usize)>) {
        *lock(&self.limit) = limit;
    }

    /// What a request meets whose bucket takes no more files of content; `seen` came before it.
    fn limit_meets(&self, path: &str, seen: &[(String, bool)]) -> Option<Ill> {
        let (bucket, most) = (*lock(&self.limit))?;
        let start = format!("/{bucket}/");
        let came = |(text, _): &&(String, bool)| {
            let path = text.strip_prefix("PUT ");
            path.is_some_and(|path| path.starts_with(&start) && path.contains("/content/"))
        };
        let is_full = path.starts_with(&start) && seen.iter().filter(came).count() >= most;
        is_full.then_some(Ill::Odd)
    }

    fn is_held(&self, nth: Option<usize>) -> bool {
        lock(&self.gate).is_some_and(|after| nth.is_some_and(|nth| nth > after))
    }

    /// Requests that were carried out.
    pub(crate) fn carried_out(&self) -> Vec<String> {
        lock(&self.done).clone()
    }

    pub(crate) fn mend(&self) {
        *lock(&self.trouble) = None;
    }

    /// What becomes of every request that writes; those that read are answered.
    pub(crate) fn writes_meet(&self, ill: Option<Ill>) {
        *lock(&self.writes) = ill;
    }

    /// No object whose key contains this is given out until it is written again.
    pub(crate) fn make_unreadable(&self, part: &str) {
        *lock(&self.unreadable) = Some(part.to_owned());
    }

    /// What a request about the object meets that cannot be read.
    fn unreadable_meets(&self, request: &Request<Incoming>) -> Option<Ill> {
        let (mut part, path) = (lock(&self.unreadable), request.uri().path());
        let is_it = |part: &str| path.contains(part) && !path.contains("set-aside");
        if !part.as_deref().is_some_and(is_it) {
            return None;
        }
        if request.method() == "PUT" {
            *part = None;
        }
        (request.method() == "GET").then_some(Ill::Odd)
    }

    /// Every request so far, in the order they came.
    pub(crate) fn requests(&self) -> Vec<String> {
        lock(&self.seen).iter().map(|(request, _)| request.clone()).collect()
    }

    /// Those that met trouble.
    pub(crate) fn struck(&self) -> Vec<String> {
        let seen = lock(&self.seen);
        seen.iter().filter(|(_, met)| *met).map(|(request, _)| request.clone()).collect()
    }

    /// What the request meets; of a file of content also the how manieth it is.
    fn enter(&self, request: &Request<Incoming>) -> (Option<usize>, Option<Ill>) {
        let mut seen = lock(&self.seen);
        let number = seen.len() + 1;
        let trouble = lock(&self.trouble).filter(|it| (it.from..it.until).contains(&number));
        let writes = ["PUT", "POST"].contains(&request.method().as_str());
        let is_content = request.method() == "PUT" && request.uri().path().contains("/content/");
        let ill = trouble.map(|it| it.ill).or_else(|| lock(&self.writes).filter(|_| writes));
        let ill = ill.or_else(|| self.unreadable_meets(request));
        let ill = ill.or_else(|| if is_content { self.content_meets() } else { None });
        let full = || self.limit_meets(request.uri().path(), &seen);
        let ill = ill.or_else(|| if is_content { full() } else { None });
        seen.push((format!("{} {}", request.method(), request.uri()), ill.is_some()));
        let is_content = |text: &str| text.starts_with("PUT ") && text.contains("/content/");
        let nth = seen.last().filter(|(text, _)| is_content(text));
        let nth = nth.map(|_| seen.iter().filter(|(text, _)| is_content(text)).count());
        (nth, ill)
    }
}

/// The server; it ends when it is dropped.
pub(crate) struct Server {
    runtime: Option<Runtime>,
    pub(crate) endpoint: String,
}

pub(crate) const SECRET: &str = "secret";

impl Server {
    /// Serves these buckets from a folder, in which objects are plain files.
    pub(crate) fn start(root: &Path, buckets: &[&str], door: Arc<Door>) -> Server {
        for bucket in buckets {
            std::fs::create_dir_all(root.join(bucket)).unwrap();
        }
        let mut builder = S3ServiceBuilder::new(FileSystem::new(root).unwrap());
        builder.set_auth(SimpleAuth::from_single("key", SECRET));
        let service = builder.build();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(serve(listener, service, door));
        Server { runtime: Some(runtime), endpoint }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Requests that are never answered must not be waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The file that keys are read from.
pub(crate) fn write_keys(path: &Path, secret: &str) {
    let keys = format!("[default]\naws_access_key_id = key\naws_secret_access_key = {secret}\n");
    byteio::durable::write(path, keys.as_bytes(), true).unwrap();
}

async fn serve(listener: TcpListener, service: S3Service, door: Arc<Door>) {
    while let Ok((socket, _)) = listener.accept().await {
        let (service, door) = (service.clone(), door.clone());
        let answer = service_fn(move |request| answer(request, service.clone(), door.clone()));
        let served = hyper::server::conn::http1::Builder::new();
        tokio::spawn(async move {
            // A connection that the door cuts ends in an error, which is what was wanted.
            drop(served.serve_connection(TokioIo::new(socket), answer).await);
        });
    }
}

type Body = BoxBody<Bytes, io::Error>;

async fn answer(
    request: Request<Incoming>,
    service: S3Service,
    door: Arc<Door>,
) -> io::Result<Response<Body>> {
    let (nth, ill) = door.enter(&request);
    while door.is_held(nth) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let refusal = match ill {
        Some(Ill::Busy) => Some((StatusCode::SERVICE_UNAVAILABLE, "SlowDown")),
        Some(Ill::Broken) => Some((StatusCode::INTERNAL_SERVER_ERROR, "InternalError")),
        Some(Ill::Odd) => Some((StatusCode::IM_A_TEAPOT, "Odd")),
        Some(Ill::Denied) => Some((StatusCode::FORBIDDEN, "AccessDenied")),
        Some(Ill::Cut) => return Err(io::ErrorKind::ConnectionAborted.into()),
        Some(Ill::Silent) => std::future::pending().await,
        Some(Ill::Lost | Ill::Torn | Ill::Altered) | None => None,
    };
    if let Some((status, code)) = refusal {
        // A client that is still sending when the connection closes sees that, and not the answer.
        drop(request.into_body().collect().await);
        return Ok(says(status, code));
    }
    if let Some(cold) = door.freezer.answer(&request) {
        return Ok(cold);
    }
    let what = format!("{} {}", request.method(), request.uri());
    let done = service.call(request.map(s3s::Body::from)).await;
    let (head, body) = done.map_err(io::Error::other)?.into_parts();
    if head.status.is_success() {
        lock(&door.done).push(what);
    }
    let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
    match ill {
        Some(Ill::Lost) => Err(io::ErrorKind::ConnectionAborted.into()),
        Some(Ill::Torn) => {
            let half = Ok(Frame::data(bytes.slice(..bytes.len() / 2)));
            let pieces = [half, Err(io::ErrorKind::ConnectionAborted.into())];
            Ok(Response::from_parts(head, StreamBody::new(stream::iter(pieces)).boxed()))
        }
        Some(Ill::Altered) => {
            let mut bytes = bytes.to_vec();
            let middle = bytes.len() / 2;
            if let Some(byte) = bytes.get_mut(middle) {
                *byte ^= 1;
            }
            Ok(Response::from_parts(head, whole(bytes.into())))
        }
        _ => Ok(Response::from_parts(head, whole(bytes))),
    }
}

fn says(status: StatusCode, code: &str) -> Response<Body> {
    let text = format!("<Error><Code>{code}</Code><Message>as planned</Message></Error>");
    let mut response = Response::new(whole(text.into()));
    *response.status_mut() = status;
    response
}

fn whole(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never: Infallible| match never {}).boxed()
}
