//! An S3 server on loopback, with a door in front of it that can fail on purpose.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::super::*;

pub(super) struct Server {
    /// Kept, or the server stops.
    _runtime: Runtime,
    pub endpoint: String,
    pub door: Arc<Door>,
}

/// What goes wrong at the door.
#[derive(Default)]
pub(super) struct Door {
    /// So many requests are still answered with 503.
    pub unavailable: AtomicU32,
    /// So many answers to GET are still cut in the middle.
    pub cut: AtomicU32,
    /// Requests are counted down; at zero every one is answered with 503, as if the line broke.
    pub breaks_after: AtomicU32,
    pub requests: AtomicU32,
}

impl Server {
    pub(super) fn start(root: &Path) -> Server {
        std::fs::create_dir_all(root.join("vault")).unwrap();
        let mut builder = S3ServiceBuilder::new(FileSystem::new(root).unwrap());
        builder.set_auth(SimpleAuth::from_single("key", "secret"));
        let service = builder.build();
        let door = Arc::new(Door { breaks_after: AtomicU32::new(u32::MAX), ..Door::default() });
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(serve(listener, service, door.clone()));
        Server { _runtime: runtime, endpoint, door }
    }

    /// Without a prefix, because this server cannot hold keys of more than some 165 bytes.
    pub(super) fn settings(&self, dir: &Path, secret: &str) -> ReplicaSettings {
        let path = dir.join(format!("keys-{secret}"));
        let keys =
            format!("[default]\naws_access_key_id = key\naws_secret_access_key = {secret}\n");
        byteio::durable::write(&path, keys.as_bytes(), true).unwrap();
        ReplicaSettings {
            url: "s3://vault".into(),
            endpoint: Some(self.endpoint.clone()),
            region: Some("us-east-1".into()),
            path_style: true,
            allow_http: true,
            credentials: Credentials::File(path),
            ..ReplicaSettings::folder("s", "")
        }
    }

    pub(super) fn replica(&self, dir: &Path) -> Replica {
        let replica = Replica::new(self.settings(dir, "secret"), None, dir).unwrap();
        replica.prepare().unwrap();
        replica
    }
}

async fn serve(listener: TcpListener, service: S3Service, door: Arc<Door>) {
    while let Ok((socket, _)) = listener.accept().await {
        let (service, door) = (service.clone(), door.clone());
        let answer = service_fn(move |request| answer(request, service.clone(), door.clone()));
        let served = hyper::server::conn::http1::Builder::new();
        tokio::spawn(async move {
            drop(served.serve_connection(TokioIo::new(socket), answer).await);
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    service: S3Service,
    door: Arc<Door>,
) -> Result<Response<Torn>, s3s::HttpError> {
    door.requests.fetch_add(1, Ordering::SeqCst);
    let countdown = |counter: &AtomicU32| {
        counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
    };
    if countdown(&door.unavailable).is_ok() || countdown(&door.breaks_after).is_err() {
        let mut busy = Response::new(Torn { body: Full::new(Bytes::from("busy")), cut_at: None });
        *busy.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return Ok(busy);
    }
    let is_get = request.method() == hyper::Method::GET && request.uri().query().is_none();
    let (head, body) = service.call(request.map(s3s::Body::from)).await?.into_parts();
    let bytes = body.collect().await.map(|all| all.to_bytes()).unwrap_or_default();
    let is_cut = is_get && bytes.len() > 4 && countdown(&door.cut).is_ok();
    let cut_at = is_cut.then_some(bytes.len() / 2);
    Ok(Response::from_parts(head, Torn { body: Full::new(bytes), cut_at }))
}

/// A body that may break off before the length its head promised.
pub(super) struct Torn {
    body: Full<Bytes>,
    cut_at: Option<usize>,
}

impl hyper::body::Body for Torn {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, std::io::Error>>> {
        let cut_at = self.cut_at.take();
        let polled = std::pin::Pin::new(&mut self.body).poll_frame(context);
        polled.map(|frame| match (frame?, cut_at) {
            (Ok(frame), Some(at)) => {
                let bytes = frame.into_data().unwrap_or_default().slice(..at);
                self.body = Full::new(Bytes::new());
                self.cut_at = Some(usize::MAX);
                Some(Ok(hyper::body::Frame::data(bytes)))
            }
            (Ok(frame), None) => Some(Ok(frame)),
            (Err(never), _) => match never {},
        })
    }

    fn is_end_stream(&self) -> bool {
        self.cut_at.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self.cut_at {
            Some(_) => hyper::body::SizeHint::default(),
            None => self.body.size_hint(),
        }
    }
}
