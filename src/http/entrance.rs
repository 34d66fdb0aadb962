//! The entrance: who asks, and whether this door opens to them. Every request comes through here;
//! the handler behind it finds the caller in its `Visit`.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use storage::registry::Deed;

use super::assessments::CHECK_BOUNDARY;
use super::doors::{Door, Unmapped, door, methods};
use super::framed::frame;
use super::origin::origin;
use super::proxy::{FromHere, is_private};
use super::refusal::Refusal;
use super::{Site, Visit, accounts, gate, keeping};
use crate::accounts::Note;
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
        Err(Unmapped::OtherMethod) => {
            let allowed = methods(path.as_str(), uri.path());
            return Refusal::wrong_method(&uri).allowing(allowed).into_response();
        }
        Err(Unmapped::Nowhere) => {
            tracing::error!(path = path.as_str(), "an address has no door: nobody is let in");
            return Refusal::no_such_page(&uri).into_response();
        }
    };
    let origin = origin(request.extensions(), request.headers());
    // Before it is looked at: a password that others may have read opens nothing.
    if !is_private(request.extensions()) && gate::takes_password(&request, path.as_str()) {
        return gate::not_private().for_path(&uri).into_response();
    }
    let from = (is_from_here(&request), origin.address.as_str());
    let (caller, owes) = match caller(&site, request.headers(), from).await {
        Ok(found) => found,
        // Who comes to sign in may bear what is no longer known.
        Err(_) if door == Door::Open => (Caller::Stranger, false),
        Err(refusal) => return refusal.for_path(&uri).into_response(),
    };
    if let Some(closed) = keeping::closed(&site, &caller, door, &uri) {
        return closed;
    }
    if owes && door != Door::Open && !path.as_str().starts_with(ENROLMENT) {
        return enrol_first(&method, &uri);
    }
    let caller = Arc::new(caller);
    let visit = Visit { site, caller: caller.clone(), origin: Arc::new(origin) };
    if let Some((refused, why)) = refused(&caller, door, &request) {
        // A browser that is sent to sign in was not refused anything yet.
        if !refused.status().is_redirection() {
            let address = format!("{method} {}", path.as_str());
            note(&visit, address, why).await;
        }
        return frame(visit, refused).await;
    }
    request.extensions_mut().insert(caller);
    frame(visit, next.run(request).await).await
}

/// Where a second factor is begun: all that is open to somebody who owes one.
const ENROLMENT: &str = "/account/second-factor";

/// Who asks: by the key of the data directory, by what a program sends, or by the session's cookie;
/// and whether they owe a second factor.
async fn caller(
    site: &Site,
    headers: &HeaderMap,
    (from_here, address): (bool, &str),
) -> Result<(Caller, bool), Refusal> {
    if site.gate.knows_key(headers) {
        return if from_here { Ok((Caller::House, false)) } else { Err(key_elsewhere()) };
    }
    let known = accounts::known(site, headers, address).await?;
    Ok(known.map_or((Caller::Stranger, false), |known| {
        (Caller::Person(Box::new(known.person)), known.owes_factor)
    }))
}

/// Why the key of the data directory is not taken from elsewhere: whoever has a copy of it would be
/// anyone.
fn key_elsewhere() -> Refusal {
    let sentence = "The key of the data directory works on the machine itself, and not through a \
        proxy. Nothing was done.";
    Refusal::new(StatusCode::FORBIDDEN, "key-elsewhere", sentence)
        .next("Send a token of a person, made on the page My account (Authorization: Bearer).")
}

/// Leads somebody who owes a second factor to where it is begun, and nowhere else.
fn enrol_first(method: &Method, uri: &Uri) -> Response {
    if !is_for_programs(uri) && *method == Method::GET && !uri.path().starts_with("/fragments/") {
        return (StatusCode::SEE_OTHER, [(header::LOCATION, ENROLMENT)]).into_response();
    }
    let sentence = "Your institution asks for a second factor, and you have none yet.";
    let refusal = Refusal::new(StatusCode::FORBIDDEN, "second-factor-owed", sentence);
    refusal.next("Sign in with a browser and set it up.").for_path(uri).into_response()
}

/// Writes a refusal into the log.
async fn note(visit: &Visit, address: String, why: &'static str) {
    let written = visit.aside(move |visit| {
        let note = Note::of(Deed::Enter).from(&visit.origin.address).by(&visit.caller);
        let note = note.to("address", &address).refused(why);
        note.write(&visit.registry, visit.shop.clock.now());
        Ok(())
    });
    written.await.ok();
}

/// What is said to a caller who may not go through this door, and why not.
fn refused(caller: &Caller, door: Door, request: &Request) -> Option<(Response, &'static str)> {
    let uri = request.uri();
    let right = match door {
        Door::Open => return None,
        Door::Local if is_from_here(request) && gate::is_local(request.headers()) => return None,
        Door::Local => Right::KeepHouse,
        Door::Asks(right) => right,
    };
    if matches!(caller, Caller::Stranger) {
        return Some((stranger(request.method(), uri), "nobody has signed in"));
    }
    let looks = matches!(*request.method(), Method::GET | Method::HEAD);
    let changes = !looks && !LOOKED_AT.contains(&uri.path());
    if changes && !caller.may_change() {
        let sentence = "This token is for reading; nothing was changed.";
        let refusal = Refusal::new(StatusCode::FORBIDDEN, "read-only-token", sentence);
        let refusal = refusal.next("Make one for writing.").for_path(uri);
        return Some((refusal.into_response(), "a token for reading"));
    }
    if caller.may(right) {
        return None;
    }
    Some((not_allowed(caller, right).for_path(uri).into_response(), right.deed()))
}

/// Where something is sent to be looked at and nothing is kept: a token for reading may.
const LOOKED_AT: [&str; 2] = [CHECK_BOUNDARY, "/api/v1/treatment-works/nearby"];

/// Whether a request was made on this machine and handed on by nobody: a name alone can be forged.
fn is_from_here(request: &Request) -> bool {
    request.extensions().get::<FromHere>().is_some_and(|it| it.0)
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
