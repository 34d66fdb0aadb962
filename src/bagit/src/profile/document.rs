//! JSON that remembers its lines, so that a refusal can name the key and the place.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Far more than any profile needs: the largest known has 12 KiB. Patterns are tried on paths in
/// time that grows with both, so this bounds the time as well.
pub(super) const BYTES_MAX: usize = 256 << 10;

/// Lists and their items are bounded for the same reason.
const ITEMS_MAX: usize = 1_000;
const ITEM_BYTES_MAX: usize = 1_024;

/// A document with more problems than this is another kind of document.
const PROBLEMS_MAX: usize = 100;

/// Why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// It is longer than a profile can be.
    #[error("the profile has {bytes} bytes, and at most {BYTES_MAX} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It is not JSON.
    #[error("the profile is not JSON: line {line}, column {column}")]
    NotJson {
        /// The line, from one.
        line: usize,
        /// The column, from one.
        column: usize,
        /// What the parser says.
        #[source]
        source: serde_json::Error,
    },
    /// It is JSON, but not a profile. All problems that were found, one hundred at most.
    #[error("the profile cannot be used: {}", .0.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))]
    Unusable(Vec<Problem>),
}

/// One thing wrong with a profile document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key, with the keys above it: `Bag-Info Title required`.
    pub key: String,
    /// The line of its value, from one.
    pub line: usize,
    /// What is wrong and what to write instead.
    pub sentence: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if self.key.is_empty() { "the document" } else { &self.key };
        write!(f, "line {}, {key}: {}", self.line, self.sentence)
    }
}

/// A value in the document, by the keys that lead to it; the outermost has none.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub(super) key: String,
    raw: &'a RawValue,
}

impl Node<'_> {
    pub(super) fn is_null(&self) -> bool {
        self.raw.get() == "null"
    }

    pub(super) fn is_text(&self) -> bool {
        self.raw.get().starts_with('"')
    }
}

/// A document being read.
pub(super) struct Document<'a> {
    text: &'a str,
    problems: Vec<Problem>,
}

impl<'a> Document<'a> {
    /// Reads the outermost braces.
    pub(super) fn open(text: &'a str) -> Result<(Document<'a>, Node<'a>), ProfileError> {
        if text.len() > BYTES_MAX {
            return Err(ProfileError::TooLong { bytes: text.len() });
        }
        // Editors on some systems put a byte-order mark in front.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let raw = serde_json::from_str(text).map_err(|source| ProfileError::NotJson {
            line: source.line(),
            column: source.column(),
            source,
        })?;
        Ok((Document { text, problems: Vec::new() }, Node { key: String::new(), raw }))
    }

    /// Ends the reading: a value only if there was no problem.
    pub(super) fn close<T>(self, value: T) -> Result<T, ProfileError> {
        if self.problems.is_empty() {
            Ok(value)
        } else {
            Err(ProfileError::Unusable(self.problems))
        }
    }

    /// Notes a problem.
    pub(super) fn refuse(&mut self, node: &Node<'_>, sentence: impl Into<String>) {
        if self.problems.len() < PROBLEMS_MAX {
            let (key, line) = (node.key.clone(), self.line(node));
            self.problems.push(Problem { key, line, sentence: sentence.into() });
        }
    }

    /// The line a value starts on.
    pub(super) fn line(&self, node: &Node<'_>) -> usize {
        // The raw value is a part of the text, so the distance is an offset into it.
        let offset = (node.raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }

    /// The members of an object, in order.
    pub(super) fn members(&mut self, node: &Node<'a>) -> Vec<(String, Node<'a>)> {
        let Ok(Fields(fields)) = serde_json::from_str(node.raw.get()) else {
            self.refuse(node, "must be an object in braces");
            return Vec::new();
        };
        let mut names = std::collections::HashSet::new();
        let mut members = Vec::with_capacity(fields.len());
        for (name, raw) in fields {
            let key =
                if node.key.is_empty() { name.clone() } else { format!("{} {name}", node.key) };
            let member = Node { key, raw };
            if names.insert(name.clone()) {
                members.push((name, member));
            } else {
                self.refuse(&member, "stands here twice: keep one");
            }
        }
        members
    }

    /// The values of a list.
    pub(super) fn items(&mut self, node: &Node<'a>) -> Vec<Node<'a>> {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(node.raw.get()) else {
            self.refuse(node, "must be a list in brackets");
            return Vec::new();
        };
        if items.len() > ITEMS_MAX {
            self.refuse(node, format!("has more than {ITEMS_MAX} items"));
            return Vec::new();
        }
        let named = |(at, raw)| Node { key: format!("{} {}", node.key, at + 1), raw };
        items.into_iter().enumerate().map(named).collect()
    }

    /// A yes or no.
    pub(super) fn boolean(&mut self, node: &Node<'_>) -> bool {
        serde_json::from_str(node.raw.get()).unwrap_or_else(|_| {
            self.refuse(node, "must be true or false, without quotes");
            false
        })
    }

    /// A text.
    pub(super) fn text(&mut self, node: &Node<'_>) -> String {
        serde_json::from_str(node.raw.get()).unwrap_or_else(|_| {
            self.refuse(node, "must be a text in quotes");
            String::new()
        })
    }

    /// A list of texts.
    pub(super) fn list(&mut self, node: &Node<'_>) -> Vec<String> {
        let Ok(items) = serde_json::from_str::<Vec<String>>(node.raw.get()) else {
            self.refuse(node, "must be a list of texts, each in quotes");
            return Vec::new();
        };
        if items.len() > ITEMS_MAX || items.iter().any(|item| item.len() > ITEM_BYTES_MAX) {
            let sentence =
                format!("has more than {ITEMS_MAX} items, or one over {ITEM_BYTES_MAX} bytes");
            self.refuse(node, sentence);
            return Vec::new();
        }
        items
    }
}

/// The members of an object in their order, repeated ones included.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}
