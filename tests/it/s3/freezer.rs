//! Cold storage in front of a real S3 server: contents cannot be read before they were asked for and
//! have come, which takes some looks. The protocol of S3 Glacier.

use std::collections::BTreeMap;
use std::sync::Mutex;

use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};

use super::{Body, says};
use crate::harness::lock;

/// What a copy in cold storage went through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frozen {
    /// Requests to bring it, and those that were taken.
    pub(crate) asked: u32,
    pub(crate) taken: u32,
    /// Looks at it since.
    looks: u32,
    /// Whether it is there.
    pub(crate) is_there: bool,
}

/// The freezer: warm until somebody closes it.
#[derive(Default)]
pub(crate) struct Freezer {
    bucket: Mutex<Option<String>>,
    copies: Mutex<BTreeMap<String, Frozen>>,
}

impl Freezer {
    /// Everything in the bucket is cold from now on.
    pub(crate) fn close(&self, bucket: &str) {
        *lock(&self.bucket) = Some(format!("/{bucket}/"));
    }

    /// What became of each copy that somebody wanted.
    pub(crate) fn copies(&self) -> BTreeMap<String, Frozen> {
        lock(&self.copies).clone()
    }

    /// An answer in place of the server's, if the request is about something cold.
    pub(super) fn answer(&self, request: &Request<Incoming>) -> Option<Response<Body>> {
        let path = request.uri().path();
        let bucket = lock(&self.bucket).clone()?;
        if !path.starts_with(&bucket) || !path.contains("/content/") {
            return None;
        }
        let query = request.uri().query().unwrap_or_default();
        let mut copies = lock(&self.copies);
        let first_answer = [503, 202, 409][copies.len() % 3];
        let copy = copies.entry(path.to_owned()).or_default();
        let is_signed = query.contains("X-Amz-Signature=");
        match (request.method(), query.contains("restore=")) {
            (&Method::POST, true) => {
                assert!(is_signed, "{query}");
                copy.asked += 1;
                let status = match copy.asked {
                    1 => first_answer,
                    2 if copy.taken == 0 => 202,
                    _ => 409,
                };
                copy.taken += u32::from(status != 503);
                Some(says(StatusCode::from_u16(status).unwrap(), "RestoreAlreadyInProgress"))
            }
            (&Method::HEAD, _) if copy.taken > 0 && !copy.is_there => {
                assert!(is_signed, "{query}");
                copy.looks += 1;
                let words = match copy.looks {
                    1 => "ongoing-request=\"true\"",
                    2 => return Some(says(StatusCode::SERVICE_UNAVAILABLE, "SlowDown")),
                    _ => "ongoing-request=\"false\", expiry-date=\"Fri, 23 Dec 2026 00:00:00 GMT\"",
                };
                copy.is_there = copy.looks >= 3;
                let mut found = says(StatusCode::OK, "");
                found.headers_mut().insert("x-amz-restore", words.parse().unwrap());
                Some(found)
            }
            (&Method::GET, _) if !copy.is_there => {
                Some(says(StatusCode::FORBIDDEN, "InvalidObjectState"))
            }
            _ => None,
        }
    }
}
