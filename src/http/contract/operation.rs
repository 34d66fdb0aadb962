//! One operation of the API, as the contract tells it: what it takes and what it gives, by the types
//! that it really takes and gives.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::parameters;
use crate::http::listed::{CSV, Listed};

/// How a type is described.
pub(super) type Described = fn(&mut SchemaGenerator) -> Schema;

/// What an operation takes besides its address.
pub(super) enum Input {
    /// Nothing: a body is not looked at.
    Nothing,
    /// JSON that may be left out.
    Maybe(Described),
    /// JSON.
    Json(Described),
    /// A file.
    Bytes,
}

/// What it gives when it goes well.
pub(super) enum Output {
    /// JSON.
    Json(Described),
    /// A page of a list, or all its rows as a table or lines.
    List(Described),
    /// Something of one of these media types.
    Other(&'static [&'static str]),
}

/// One operation.
pub(super) struct Operation {
    pub(super) method: &'static str,
    /// Its address below `/api/v1`. What stands in braces there is one part of the address: slashes
    /// in an identifier are escaped, or stand as they are.
    pub(super) path: &'static str,
    /// What it does.
    pub(super) says: &'static str,
    pub(super) query: Vec<Value>,
    pub(super) input: Input,
    pub(super) status: u16,
    pub(super) output: Output,
    /// Whether it can be told that it has not changed.
    pub(super) tagged: bool,
    /// Statuses of refusals that its shape does not tell.
    refused: &'static [u16],
    /// Statuses of refusals that may have the form of what it gives.
    pub(super) alike: &'static [u16],
}

impl Operation {
    fn new(method: &'static str, path: &'static str, says: &'static str) -> Operation {
        Operation {
            method,
            path,
            says,
            query: Vec::new(),
            input: Input::Nothing,
            status: 200,
            output: Output::Other(&[]),
            tagged: false,
            refused: &[],
            alike: &[],
        }
    }

    pub(super) fn takes<T: JsonSchema>(mut self) -> Operation {
        self.input = Input::Json(SchemaGenerator::subschema_for::<T>);
        self
    }

    pub(super) fn may_take<T: JsonSchema>(mut self) -> Operation {
        self.input = Input::Maybe(SchemaGenerator::subschema_for::<T>);
        self
    }

    pub(super) fn takes_bytes(mut self) -> Operation {
        self.input = Input::Bytes;
        self
    }

    pub(super) fn asks(mut self, name: &str, schema: Value, says: &str) -> Operation {
        self.query.push(parameters::query(name, schema, says));
        self
    }

    /// Asks for it in any case.
    pub(super) fn needs(self, name: &str, schema: Value, says: &str) -> Operation {
        let mut asked = self.asks(name, schema, says);
        if let Some(last) = asked.query.last_mut() {
            last["required"] = true.into();
        }
        asked
    }

    pub(super) fn gives<T: JsonSchema>(mut self) -> Operation {
        self.output = Output::Json(SchemaGenerator::subschema_for::<T>);
        self.tagged = self.method == "GET";
        self
    }

    pub(super) fn lists<L: Listed>(mut self) -> Operation {
        self.query.extend(parameters::of_list::<L>());
        self.output = Output::List(SchemaGenerator::subschema_for::<L>);
        self.tagged = true;
        self
    }

    /// Gives all rows of a list, as a table only.
    pub(super) fn tables<L: Listed>(mut self) -> Operation {
        self.query.extend(parameters::of_rows::<L>());
        self.sends(&[CSV])
    }

    pub(super) fn sends(mut self, kinds: &'static [&'static str]) -> Operation {
        self.output = Output::Other(kinds);
        self
    }

    pub(super) fn with_status(mut self, status: u16) -> Operation {
        self.status = status;
        self
    }

    /// Also refuses with these.
    pub(super) fn refuses(mut self, statuses: &'static [u16]) -> Operation {
        self.refused = statuses;
        self
    }

    /// Refuses with these in the form of what it gives, or as a problem.
    pub(super) fn refuses_alike(mut self, statuses: &'static [u16]) -> Operation {
        self.alike = statuses;
        self
    }

    /// The names in braces of its address.
    pub(super) fn places(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// A name that programs can call it by: `get_items_id_report`.
    pub(super) fn id(&self) -> String {
        let path = self.path.replace(['/', '.', '-'], "_").replace(['{', '}'], "");
        format!("{}{path}", self.method.to_lowercase())
    }

    /// Statuses of refusals, besides those that any request may get.
    pub(super) fn refusals(&self) -> Vec<u16> {
        // A parameter that nobody asks for is refused everywhere.
        let mut statuses = vec![400];
        statuses.extend(self.refused);
        let has_place = self.places().next().is_some();
        let has_body = !matches!(self.input, Input::Nothing);
        if has_place || has_body {
            statuses.push(404);
        }
        if self.method != "GET" {
            statuses.extend([409, 422]);
        }
        statuses.sort_unstable();
        statuses.dedup();
        statuses
    }
}

pub(super) fn get(path: &'static str, says: &'static str) -> Operation {
    Operation::new("GET", path, says)
}

pub(super) fn post(path: &'static str, says: &'static str) -> Operation {
    Operation::new("POST", path, says)
}

pub(super) fn put(path: &'static str, says: &'static str) -> Operation {
    Operation::new("PUT", path, says)
}

pub(super) fn patch(path: &'static str, says: &'static str) -> Operation {
    Operation::new("PATCH", path, says)
}

/// A word of these.
pub(super) fn one_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}
