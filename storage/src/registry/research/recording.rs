//! An episode or a clip: what is told of it, and the rules for that.

use std::fmt;

use rusqlite::Row;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::clock::Timestamp;
use crate::registry::Error;
use crate::registry::moment::{Fields, MaybeMoment, Moment};

const TITLE_MAX: usize = 250;
const DESCRIPTION_MAX: usize = 10_000;
const WORD_MAX: usize = 100;
const LOCATION_MAX: usize = 4096;

/// Whether it is searched or looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecordingKind {
    /// A long recording that clips occur in; known by its title and the date it was aired.
    Episode,
    /// A short recording; known by its title.
    Clip,
}

impl RecordingKind {
    pub(super) fn table(self) -> &'static str {
        match self {
            RecordingKind::Episode => "research_episodes",
            RecordingKind::Clip => "research_clips",
        }
    }

    /// The word for one.
    pub fn word(self) -> &'static str {
        match self {
            RecordingKind::Episode => "episode",
            RecordingKind::Clip => "clip",
        }
    }
}

/// Where the bytes of a recording are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Location {
    /// A file of an object that is held here.
    Vault {
        /// The object's identifier.
        object: String,
        /// The path of the file in it.
        path: String,
    },
    /// A file on the appliance's machine.
    File {
        /// Its path, from the root on.
        path: String,
    },
    /// Somewhere on the network.
    Url {
        /// Its address; `http` or `https`.
        url: String,
    },
}

impl Location {
    /// Reads it from one line of text: `vault:OBJECT#PATH`, an address, or a path from the root on.
    pub fn parse(text: &str) -> Option<Location> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("vault:") {
            let (object, path) = rest.split_once('#')?;
            return Some(Location::Vault { object: object.into(), path: path.into() });
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            return Some(Location::Url { url: text.into() });
        }
        let path = text.strip_prefix("file://").unwrap_or(text);
        path.starts_with('/').then(|| Location::File { path: path.into() })
    }

    pub(super) fn columns(&self) -> (&'static str, Option<&str>, &str) {
        match self {
            Location::Vault { object, path } => ("vault", Some(object), path),
            Location::File { path } => ("file", None, path),
            Location::Url { url } => ("url", None, url),
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let (_, object, rest) = self.columns();
        for part in object.into_iter().chain([rest]) {
            if part.is_empty() || part.len() > LOCATION_MAX || part.chars().any(char::is_control) {
                let rule = format!("must be 1 to {LOCATION_MAX} bytes of one line of text");
                return Err(Error::Invalid { field: "the location", rule });
            }
        }
        let wrong = match self {
            Location::Vault { path, .. } => path.starts_with('/').then_some(
                "must name the file by its path in the object, which begins with no slash",
            ),
            Location::File { path } => {
                (!path.starts_with('/')).then_some("must be a path from the root on")
            }
            Location::Url { url } => {
                let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
                let is_bad =
                    rest.is_none_or(|it| it.is_empty() || it.contains(char::is_whitespace));
                is_bad.then_some("must be an address that begins with http:// or https://")
            }
        };
        match wrong {
            Some(rule) => Err(Error::Invalid { field: "the location", rule: rule.into() }),
            None => Ok(()),
        }
    }
}

/// An episode or clip as a curator tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRecording {
    /// One line, 1 to 250 letters.
    pub title: String,
    /// What is said about it.
    #[serde(default)]
    pub description: String,
    /// When it was broadcast.
    #[serde(default, with = "MaybeMoment")]
    pub date_aired: Option<Timestamp>,
    /// Where its bytes are: in parts, or in one line of text: an address, a path from the root on, or
    /// `vault:OBJECT#PATH`.
    #[serde(deserialize_with = "location_of_any")]
    #[schemars(with = "TextOrLocation")]
    pub location: Location,
    /// Such as `audio/mpeg`; empty when unknown.
    #[serde(default)]
    pub media_type: String,
    /// Who says so.
    #[serde(default)]
    pub curator: String,
    /// Higher comes first; the scales of episodes and clips have nothing to do with each other.
    #[serde(default)]
    pub priority: i32,
    /// When it was first known of; now when absent. Kept for ever.
    #[serde(default, with = "MaybeMoment")]
    pub first_curated_at: Option<Timestamp>,
    /// When it was last seen; now when absent.
    #[serde(default, with = "MaybeMoment")]
    pub last_curated_at: Option<Timestamp>,
}

/// How a place is told, for descriptions of the interface.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its description is used")]
enum TextOrLocation {
    /// An address, a path from the root on, or `vault:OBJECT#PATH`.
    Text(String),
    /// In parts.
    Parts(Location),
}

/// A place in one line of text or in parts, each with its own sentence when it is wrong.
fn location_of_any<'de, D: Deserializer<'de>>(from: D) -> Result<Location, D::Error> {
    struct Any;

    impl<'de> Visitor<'de> for Any {
        type Value = Location;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an address, a path from the root on, vault:OBJECT#PATH, or its parts")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Location, E> {
            Location::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
        }

        fn visit_map<M: MapAccess<'de>>(self, parts: M) -> Result<Location, M::Error> {
            Location::deserialize(MapAccessDeserializer::new(parts))
        }
    }

    from.deserialize_any(Any)
}

impl NewRecording {
    /// Whether everything in it is within its bounds.
    ///
    /// # Errors
    ///
    /// `Invalid` names the field and its rule.
    pub fn check(&self) -> Result<(), Error> {
        let invalid = |field, rule: String| Err(Error::Invalid { field, rule });
        let one_line = |text: &str| !text.chars().any(char::is_control);
        let title = self.title.trim();
        if title.is_empty() || title.chars().count() > TITLE_MAX || !one_line(title) {
            return invalid("the title", format!("must be one line of 1 to {TITLE_MAX} letters"));
        }
        if self.description.chars().count() > DESCRIPTION_MAX {
            return invalid("the description", format!("may have {DESCRIPTION_MAX} letters"));
        }
        for (field, text) in [("the media type", &self.media_type), ("the curator", &self.curator)]
        {
            if text.chars().count() > WORD_MAX || !one_line(text) {
                return invalid(field, format!("must be one line of up to {WORD_MAX} letters"));
            }
        }
        if let (Some(first), Some(last)) = (self.first_curated_at, self.last_curated_at)
            && last < first
        {
            return invalid("the latest curation date", "must not be before the first".into());
        }
        self.location.check()
    }
}

/// An episode or clip as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recording {
    /// Given by the registry.
    pub id: u32,
    /// One line.
    pub title: String,
    /// What is said about it.
    pub description: String,
    /// When it was broadcast.
    #[serde(with = "MaybeMoment")]
    pub date_aired: Option<Timestamp>,
    /// Where its bytes are.
    pub location: Location,
    /// Such as `audio/mpeg`; empty when unknown.
    pub media_type: String,
    /// Who said so last.
    pub curator: String,
    /// Higher comes first.
    pub priority: i32,
    /// When it was first known of.
    #[serde(with = "Moment")]
    pub first_curated_at: Timestamp,
    /// When it was last seen.
    #[serde(with = "Moment")]
    pub last_curated_at: Timestamp,
    /// How long it is, when an analyst has measured it.
    pub duration_ns: Option<i64>,
    /// Of its bytes, when an analyst has read them.
    pub sha256: Option<String>,
    /// What was wrong with it and did not stop the analyst, a sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Recording {
    pub(super) const COLUMNS: &'static str = "id, title, description, date_aired, location_kind,
        location_object, location, media_type, curator, priority, first_curated_at,
        last_curated_at, duration_ns, sha256, notes";

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Recording> {
        let mut of = Fields::of(row);
        let (id, title, description, date_aired) = (of.take()?, of.take()?, of.take()?, of.take()?);
        let (kind, object, rest): (String, Option<String>, String) =
            (of.take()?, of.take()?, of.take()?);
        let location = match (kind.as_str(), object) {
            ("vault", Some(object)) => Location::Vault { object, path: rest },
            ("url", _) => Location::Url { url: rest },
            // The table lets nothing else in.
            _ => Location::File { path: rest },
        };
        Ok(Recording {
            id,
            title,
            description,
            date_aired,
            location,
            media_type: of.take()?,
            curator: of.take()?,
            priority: of.take()?,
            first_curated_at: of.take()?,
            last_curated_at: of.take()?,
            duration_ns: of.take()?,
            sha256: of.take()?,
            notes: of.take::<String>()?.lines().map(str::to_owned).collect(),
        })
    }
}
