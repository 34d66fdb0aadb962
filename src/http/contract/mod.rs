//! `/api/v1/openapi.json`: the contract of the API as OpenAPI 3.1.
//!
//! Nothing is told twice. The types describe themselves, lists say what can be asked of them, the
//! table of doors says who may; [`operations`] says which type belongs to which address.

mod operation;
mod operations;
mod parameters;
mod unasked;

use std::sync::OnceLock;

use axum::Json;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use self::operation::{Input, Operation, Output};
use self::operations::operations;
pub(super) use self::unasked::refuse as refuse_unasked;
use super::accounts::COOKIE;
use super::doors::{DOORS, Door};
use super::listed::{CSV, LINES};
use super::refusal::{PROBLEM, Problem};

const ROOT: &str = "/api/v1";

/// Serves the document. It is the same as long as the program runs.
pub(super) async fn serve() -> Json<&'static Value> {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    Json(DOCUMENT.get_or_init(document))
}

/// Types as they are sent, and as they are read: what may be left out differs.
struct Types {
    sent: SchemaGenerator,
    read: SchemaGenerator,
}

impl Types {
    fn new() -> Types {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = "/components/schemas".into();
            settings
        };
        Types {
            sent: settings().for_serialize().into_generator(),
            read: settings().for_deserialize().into_generator(),
        }
    }

    fn definitions(&mut self) -> Map<String, Value> {
        let mut all = self.read.take_definitions(true);
        all.extend(self.sent.take_definitions(true));
        all
    }
}

fn document() -> Value {
    let mut types = Types::new();
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations() {
        let path = paths.entry(format!("{ROOT}{}", operation.path)).or_insert_with(|| json!({}));
        path[operation.method.to_lowercase()] = told(&operation, &mut types);
    }
    let problem = types.sent.subschema_for::<Problem>();
    let refused =
        |says: &str| json!({"description": says, "content": {PROBLEM: {"schema": problem}}});
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Strongroom",
            "version": env!("CARGO_PKG_VERSION"),
            "description": INTRODUCTION,
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"bearer": []}, {"basic": []}, {"session": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": {
                    "type": "http", "scheme": "bearer",
                    "description": "The token of a person, or the key of the data directory.",
                },
                "basic": {"type": "http", "scheme": "basic", "description": "E-mail and password."},
                "session": {
                    "type": "apiKey", "in": "cookie", "name": COOKIE,
                    "description": "The session of a browser. It changes something only from our own \
                        pages, with the mark of their forms as X-CSRF-Token.",
                },
            },
            "responses": {
                "Refused": refused("Refused, with the reason. Nothing was changed."),
                "TooLong": {"description": "The address or the head is longer than is read."},
            },
            "schemas": types.definitions(),
        },
    })
}

const INTRODUCTION: &str = "\
Whatever is refused is answered with problem JSON (RFC 9457): a stable code, a sentence, and what to \
do next; nothing was changed then. Lists are walked by page, or by cursor: send next_cursor as cursor \
until it is null. All rows of a list come as CSV or JSON lines with format=csv or format=jsonl. Answers \
to GET bear an ETag; sent back as If-None-Match, it brings 304 while nothing has changed.";

/// What any request may be refused with, before or behind its door: who asks, too slow, too large, not
/// for this house, too often, and stores that fail.
const ANYWHERE: [&str; 6] = ["403", "408", "413", "421", "429", "5XX"];

/// The same before it is read: its address or its head is too long. Nobody words that.
const UNREAD: [&str; 2] = ["414", "431"];

/// One operation as OpenAPI has it.
fn told(operation: &Operation, types: &mut Types) -> Value {
    let door = door(operation);
    let places = operation.places().map(parameters::place);
    let parameters: Vec<Value> = places.chain(operation.query.iter().cloned()).collect();
    let tag = operation.path.split('/').nth(1).unwrap_or_default();
    let mut told = json!({
        "operationId": operation.id(),
        "summary": operation.says,
        "tags": [tag],
        "parameters": parameters,
        "responses": responses(operation, door, types),
    });
    match door {
        Some(Door::Asks(right)) => {
            told["description"] = format!("For accounts that may {}.", right.deed()).into();
        }
        Some(Door::Open) => told["security"] = json!([]),
        Some(Door::Local) | None => {}
    }
    if let Some(body) = body(&operation.input, types) {
        told["requestBody"] = body;
    }
    told
}

fn body(input: &Input, types: &mut Types) -> Option<Value> {
    let (schema, kind, required) = match input {
        Input::Nothing => return None,
        Input::Maybe(described) => (json!(described(&mut types.read)), "application/json", false),
        Input::Json(described) => (json!(described(&mut types.read)), "application/json", true),
        Input::Bytes => (json!({}), "application/octet-stream", true),
    };
    Some(json!({"required": required, "content": {kind: {"schema": schema}}}))
}

fn responses(operation: &Operation, door: Option<Door>, types: &mut Types) -> Value {
    let text = || json!({"schema": {"type": "string"}});
    let content = match &operation.output {
        Output::Json(described) => {
            let mut content = json!({"application/json": {"schema": described(&mut types.sent)}});
            if operation.path.ends_with("/certificate") {
                content["text/plain; charset=utf-8"] = text();
            }
            content
        }
        Output::List(described) => json!({
            "application/json": {"schema": described(&mut types.sent)},
            CSV: text(),
            LINES: text(),
        }),
        Output::Other(kinds) => kinds.iter().map(|kind| ((*kind).to_owned(), text())).collect(),
    };
    let mut responses = Map::new();
    let done = json!({"description": operation.says, "content": content});
    responses.insert(operation.status.to_string(), done);
    if operation.tagged {
        responses.insert("304".into(), json!({"description": "It has not changed."}));
    }
    let mut refusals: Vec<String> = operation.refusals().iter().map(u16::to_string).collect();
    if matches!(door, Some(Door::Asks(_))) {
        refusals.push("401".to_owned());
    }
    refusals.extend(ANYWHERE.map(str::to_owned));
    for status in refusals {
        responses.insert(status, json!({"$ref": "#/components/responses/Refused"}));
    }
    let problem = types.sent.subschema_for::<Problem>();
    for status in operation.alike {
        let mut told = responses[&operation.status.to_string()].clone();
        told["content"][PROBLEM] = json!({"schema": problem});
        responses.insert(status.to_string(), told);
    }
    for status in UNREAD {
        responses.insert(status.into(), json!({"$ref": "#/components/responses/TooLong"}));
    }
    responses.into()
}

/// The door that an operation goes through. One whose address ends in `{*which}` takes all that
/// begins alike.
fn door(operation: &Operation) -> Option<Door> {
    let found = DOORS.iter().find(|(method, path, _)| leads(method, path, operation));
    found.map(|(.., door)| *door)
}

fn leads(method: &str, path: &str, operation: &Operation) -> bool {
    let Some(path) = path.strip_prefix(ROOT).filter(|_| method == operation.method) else {
        return false;
    };
    match path.strip_suffix("{*which}") {
        Some(start) => operation.path.starts_with(start),
        None => path == operation.path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::doors::PROOFS;

    #[test]
    fn the_contract_and_the_doors_are_of_the_same_house() {
        let all = operations();
        for operation in &all {
            let here = format!("{} {}", operation.method, operation.path);
            assert!(door(operation).is_some(), "{here} has no door");
        }
        for (method, path, _) in DOORS.iter().filter(|(_, path, _)| path.starts_with("/api/")) {
            let told = all.iter().any(|operation| leads(method, path, operation));
            assert!(told, "{method} {path} is not in the contract");
        }
    }

    #[test]
    fn every_operation_whose_body_brings_a_password_or_a_code_is_known_to_the_gate() {
        let document = document();
        let mut bringing = Vec::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, told) in methods.as_object().unwrap() {
                let schema = &told["requestBody"]["content"]["application/json"]["schema"];
                let named = schema["$ref"].as_str().and_then(|it| document.pointer(&it[1..]));
                let fields = &named.unwrap_or(schema)["properties"];
                if ["password", "code"].iter().any(|field| fields[*field].is_object()) {
                    bringing.push((method.to_uppercase(), path.clone()));
                }
            }
        }
        let known = PROOFS.iter().map(|(method, path)| ((*method).into(), (*path).into()));
        assert_eq!(bringing, known.collect::<Vec<(String, String)>>());
    }

    #[test]
    fn every_reference_leads_somewhere_and_every_name_is_given_once() {
        let document = document();
        let text = document.to_string();
        for part in text.split("\"$ref\":\"#").skip(1) {
            let pointer = part.split('"').next().unwrap_or_default();
            assert!(document.pointer(pointer).is_some(), "{pointer} leads nowhere");
        }
        let mut ids: Vec<String> = operations().iter().map(Operation::id).collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count);
        // A type that shares its name with another gets a number: then one of them needs a better.
        let names = document["components"]["schemas"].as_object().unwrap();
        let numbered = names.keys().find(|name| name.ends_with(|it: char| it.is_ascii_digit()));
        assert_eq!(numbered, None);
    }
}
