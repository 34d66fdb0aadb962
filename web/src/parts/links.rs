//! Links: names of stages and people's words become safe paths and queries here.

use serde::Serialize;

/// Where a link goes and what it says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The address, relative to this house.
    pub href: String,
    /// The words shown.
    pub label: String,
}

impl Link {
    /// Pairs an address with its words.
    pub fn new(href: impl Into<String>, label: impl Into<String>) -> Link {
        Link { href: href.into(), label: label.into() }
    }
}

/// Joins segments into a path, percent-encoding each, so `ingest/validate` stays one segment.
pub fn path(segments: &[&str]) -> String {
    let mut out = String::new();
    for segment in segments {
        out.push('/');
        encode(segment, &mut out);
    }
    out
}

/// Joins the pairs that have a value into a query with its `?`, or nothing when none has.
pub fn query(pairs: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        out.push(if out.is_empty() { '?' } else { '&' });
        encode(name, &mut out);
        out.push('=');
        encode(value, &mut out);
    }
    out
}

/// Keeps the unreserved characters of RFC 3986 and encodes every other byte.
fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_name_with_a_slash_stays_one_segment() {
        assert_eq!(path(&["queues", "ingest/validate"]), "/queues/ingest%2Fvalidate");
    }

    #[test]
    fn a_query_leaves_out_what_is_not_set() {
        assert_eq!(query(&[("a", ""), ("b", "x&y"), ("c", "é")]), "?b=x%26y&c=%C3%A9");
        assert_eq!(query(&[("a", "")]), "");
    }
}
