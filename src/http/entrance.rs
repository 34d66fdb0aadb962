//! The entrance: who asks, and whether this door opens to them. Every request comes through here;
//! the handler behind it finds the caller in its `Visit`.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::doors::{Door, Unmapped, door};
use super::proxy::ClientAddress;
use super::refusal::Refusal;
use super::{Site, accounts, gate};
use crate::rights::{Caller, Right};

/// Lets in who may come in.
pub(super) async fn check(State(site): State<Site>, mut request: Request, next: Next) -> Response {
    // Without one there is nothing at this address, and the answer to that is for everybody.
    let Some(path) = request.extensions().get::<MatchedPath>().cloned() else {
        return next.run(request).await;
    };
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let door = match door(&method, path.as_str()) {
        Ok(door) => door,
        Err(Unmapped::OtherMethod) => return Refusal::wrong_method(&uri).into_response(),
        Err(Unmapped::Nowhere) => {
            tracing::error!(path = path.as_str(), "an address has no door: nobody is let in");
            return Refusal::no_such_page(&uri).into_response();
        }
    };
    let caller = match caller(&site, request.headers()).await {
        Ok(caller) => caller,
        // Who comes to sign in may bear what is no longer known.
        Err(_) if door == Door::Open => Caller::Stranger,
        Err(refusal) => return refusal.for_path(&uri).into_response(),
    };
    if let Some(refused) = refused(&caller, door, &request) {
        return refused;
    }
    request.extensions_mut().insert(Arc::new(caller));
    next.run(request).await
}

/// Who asks: by the key of the data directory, by what a program sends, or by the session's cookie.
async fn caller(site: &Site, headers: &HeaderMap) -> Result<Caller, Refusal> {
    if site.gate.knows_key(headers) {
        return Ok(Caller::House);
    }
    let person = accounts::person(site, headers).await?;
    Ok(person.map_or(Caller::Stranger, |person| Caller::Person(Box::new(person))))
}

/// What is said to a caller who may not go through this door.
fn refused(caller: &Caller, door: Door, request: &Request) -> Option<Response> {
    let uri = request.uri();
    let right = match door {
        Door::Open => return None,
        Door::Local if is_from_here(request) => return None,
        Door::Local => Right::KeepHouse,
        Door::Asks(right) => right,
    };
    if matches!(caller, Caller::Stranger) {
        return Some(stranger(request.method(), uri));
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    if changes && !caller.may_change() {
        let sentence = "This token is for reading; nothing was changed.";
        let refusal = Refusal::new(StatusCode::FORBIDDEN, "read-only-token", sentence);
        return Some(refusal.next("Make one for writing.").for_path(uri).into_response());
    }
    if caller.may(right) {
        return None;
    }
    Some(not_allowed(caller, right).for_path(uri).into_response())
}

/// Whether a request was made on this machine, to this machine: a name alone can be forged.
fn is_from_here(request: &Request) -> bool {
    let from = request.extensions().get::<ClientAddress>();
    from.is_some_and(|from| from.0.is_loopback()) && gate::is_local(request.headers())
}

/// Sends a stranger's browser to the form, and tells a program what is missing.
fn stranger(method: &Method, uri: &Uri) -> Response {
    let is_page = !is_for_programs(uri) && !uri.path().starts_with("/fragments/");
    if is_page && *method == Method::GET && uri.path() != "/live" {
        return accounts::sign_in_first(uri);
    }
    let sentence = "This takes somebody who has signed in.";
    let next = "Sign in; a program sends a token of its owner (Authorization: Bearer).";
    let refusal = Refusal::new(StatusCode::UNAUTHORIZED, "not-signed-in", sentence).next(next);
    let response = refusal.for_path(uri).into_response();
    if !is_for_programs(uri) {
        return response;
    }
    ([(header::WWW_AUTHENTICATE, "Bearer realm=\"strongroom\"")], response).into_response()
}

/// Whether programs, and not people, ask at this address.
pub(super) fn is_for_programs(uri: &Uri) -> bool {
    ["/api/", "/member-api/", "/admin-api/"].iter().any(|start| uri.path().starts_with(start))
}

/// Why this caller may not do it.
pub(super) fn not_allowed(caller: &Caller, right: Right) -> Refusal {
    let (who, next) = match caller {
        Caller::House => ("The key of the data directory", "A person has to do it, signed in."),
        Caller::Person(_) => ("Your account", "Ask an administrator."),
        Caller::Stranger => ("A stranger", "Sign in."),
    };
    let sentence = format!("{who} may not {}.", right.deed());
    Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence).next(next)
}
