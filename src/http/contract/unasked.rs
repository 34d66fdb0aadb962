//! Refuses what the contract does not know: a parameter that is misspelt and ignored brings an answer
//! to a question nobody asked.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use axum::extract::{MatchedPath, Query, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::operation::{Operation, Output};
use super::operations::operations;
use super::{DOORS, leads};
use crate::http::asked::{Pairs, bad};

/// The parameters of one address.
struct Known {
    method: &'static str,
    path: &'static str,
    /// None where what answers reads them more strictly than we could: a list.
    names: Option<BTreeSet<String>>,
}

/// Lets nothing by that bears a parameter which no operation at its address asks for.
pub(in crate::http) async fn refuse(request: Request, next: Next) -> Response {
    match stray(&request) {
        Some((name, known)) => {
            let problem = match known.is_empty() {
                true => "is not known here: this address takes no parameters".to_owned(),
                false => format!("is not known here; known are {known}"),
            };
            bad(&name, problem).as_json().into_response()
        }
        None => next.run(request).await,
    }
}

/// A parameter that is not known, and those that are.
fn stray(request: &Request) -> Option<(String, String)> {
    let path = request.extensions().get::<MatchedPath>()?;
    let known = known()
        .iter()
        .find(|it| it.method == request.method().as_str() && it.path == path.as_str())?;
    let names = known.names.as_ref()?;
    // What cannot be read is refused by whoever reads it.
    let Query(pairs) = Query::<Pairs>::try_from_uri(request.uri()).ok()?;
    let (stray, _) = pairs.into_iter().find(|(name, _)| !names.contains(name))?;
    Some((stray, names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")))
}

fn known() -> &'static [Known] {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let all = operations();
        let of = |method: &'static str, path: &'static str| {
            let here: Vec<&Operation> = all.iter().filter(|it| leads(method, path, it)).collect();
            let listed = here.iter().any(|it| matches!(it.output, Output::List(_)));
            let names = || here.iter().flat_map(|it| it.query.iter()).filter_map(name_of).collect();
            Known { method, path, names: (!listed).then(names) }
        };
        DOORS.iter().map(|(method, path, _)| of(method, path)).collect()
    })
}

fn name_of(parameter: &serde_json::Value) -> Option<String> {
    parameter["name"].as_str().map(str::to_owned)
}
