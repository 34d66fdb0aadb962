//! One entry, as its file has it, and the recording it means.

use serde::Deserialize;
use storage::clock::Timestamp;
use storage::registry::{Location, NewRecording};

use super::date;

/// An entry with the names that files use for its parts. Unknown names are left alone: catalogues
/// have many, and none of them is ours to judge.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Entry {
    pub(super) title: String,
    pub(super) description: String,
    #[serde(alias = "aired", alias = "pub_date")]
    pub(super) date_aired: Option<String>,
    #[serde(alias = "media_uri", alias = "url", alias = "path", alias = "media")]
    pub(super) location: Option<Whereabouts>,
    #[serde(alias = "type")]
    pub(super) media_type: String,
    #[serde(alias = "curator_information", alias = "curator_info")]
    pub(super) curator: String,
    pub(super) priority: Option<Whole>,
    #[serde(alias = "initial_date_curated")]
    pub(super) first_curated_at: Option<String>,
    #[serde(alias = "last_date_curated")]
    pub(super) last_curated_at: Option<String>,
    /// What was put right in it, a sentence each.
    #[serde(skip)]
    pub(super) notes: Vec<String>,
}

/// Where its bytes are, in one line of text or in parts.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Whereabouts {
    Text(String),
    Parts(Location),
}

/// A number, also one that is written as text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Whole {
    Number(i64),
    Text(String),
}

impl Entry {
    /// The recording it means, or what is wrong with it.
    pub(super) fn into_recording(self) -> Result<NewRecording, String> {
        let location = match self.location {
            Some(Whereabouts::Parts(location)) => location,
            Some(Whereabouts::Text(text)) => Location::parse(&text).ok_or_else(|| {
                format!(
                    "the location {:?} is neither an address, nor a path from the root on, nor \
                     vault:OBJECT#PATH",
                    shortened(&text)
                )
            })?,
            None => return Err("the location is missing: name it url, path or location".into()),
        };
        let recording = NewRecording {
            title: self.title.trim().to_owned(),
            description: self.description,
            date_aired: moment("the date it was aired", self.date_aired)?,
            location,
            media_type: self.media_type.trim().to_owned(),
            curator: self.curator.trim().to_owned(),
            priority: priority(self.priority)?,
            first_curated_at: moment("the first curation date", self.first_curated_at)?,
            last_curated_at: moment("the latest curation date", self.last_curated_at)?,
        };
        recording.check().map_err(|error| error.to_string())?;
        Ok(recording)
    }
}

fn priority(given: Option<Whole>) -> Result<i32, String> {
    let number = match given {
        None => return Ok(0),
        Some(Whole::Number(number)) => i32::try_from(number).ok(),
        Some(Whole::Text(text)) if text.trim().is_empty() => return Ok(0),
        Some(Whole::Text(text)) => text.trim().parse().ok(),
    };
    number.ok_or_else(|| "the priority must be a whole number of up to two thousand million".into())
}

/// A moment in any of the ways that catalogues write it.
fn moment(what: &str, text: Option<String>) -> Result<Option<Timestamp>, String> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    date::exact(&text).map(Some).ok_or_else(|| {
        format!("{what} is {:?}, which is no date such as 2021-02-28", shortened(text.trim()))
    })
}

/// The beginning of a text that may be anything.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}
