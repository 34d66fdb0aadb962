//! The token that says where the last page ended.
//!
//! It holds the sort values of the last row and a check that ties them to their listing and order.
//! The check catches a token that was cut, edited or used with another order; it is no secret and
//! needs to be none, because the values in it are only ever bound.

use rusqlite::types::Value;

use super::listing::{Column, Kind, Listing};
use super::parse::{BadQuery, Sort};
use super::value;

/// Room for eight sort values in JSON, in hexadecimal.
const TOKEN_MAX: usize = 64 * 1024;

pub(super) fn encode(listing: &Listing, sorts: &[Sort], last: &[Value]) -> String {
    let json: Vec<serde_json::Value> = last.iter().map(to_json).collect();
    let text = serde_json::Value::Array(json).to_string();
    let check = check(listing, sorts, text.as_bytes());
    let mut token = format!("{check:016x}");
    for byte in text.bytes() {
        token.push_str(&format!("{byte:02x}"));
    }
    token
}

pub(super) fn decode(
    listing: &Listing,
    sorts: &[Sort],
    token: &str,
) -> Result<Vec<Value>, BadQuery> {
    read(listing, sorts, token).ok_or_else(|| {
        BadQuery::new("cursor", "is not one that this list gave for this order; start without it")
    })
}

fn read(listing: &Listing, sorts: &[Sort], token: &str) -> Option<Vec<Value>> {
    if token.len() > TOKEN_MAX {
        return None;
    }
    let (stored, hex) = token.split_at_checked(16)?;
    let stored = u64::from_str_radix(stored, 16).ok()?;
    let bytes = unhex(hex)?;
    if stored != check(listing, sorts, &bytes) {
        return None;
    }
    let json: Vec<serde_json::Value> = serde_json::from_slice(&bytes).ok()?;
    if json.len() != sorts.len() {
        return None;
    }
    json.iter().zip(sorts).map(|(value, sort)| from_json(value, sort.column)).collect()
}

fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Text(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Null | Value::Real(_) | Value::Blob(_) => serde_json::Value::Null,
    }
}

fn from_json(json: &serde_json::Value, column: &Column) -> Option<Value> {
    if json.is_null() {
        return column.nullable.then_some(Value::Null);
    }
    match column.kind {
        Kind::Time if column.millis => json.as_i64().map(Value::Integer),
        Kind::Text | Kind::Time => {
            let text = json.as_str()?;
            value::check_text(text).ok()?;
            Some(Value::Text(text.to_owned()))
        }
        Kind::Integer | Kind::Bool => json.as_i64().map(Value::Integer),
    }
}

fn unhex(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks_exact(2).map(pair).collect()
}

/// FNV-1a over the listing, the order and the values.
fn check(listing: &Listing, sorts: &[Sort], values: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(listing.table.as_bytes());
    for sort in sorts {
        add(sort.column.name.as_bytes());
        add(&[u8::from(sort.descending)]);
    }
    add(values);
    hash
}
