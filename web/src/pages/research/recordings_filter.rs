//! The filter of the lists of episodes and clips.

use serde::Serialize;

use crate::parts::Choice;

/// Which episodes or clips are wanted; an empty text asks for any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordingFilter {
    /// Words of title or description.
    pub find: String,
    /// The least priority.
    #[serde(rename = "priority__gteq")]
    pub priority: String,
    /// How far it is.
    pub state: String,
    /// The first day it was aired.
    #[serde(rename = "date_aired__gteq")]
    pub from: String,
    /// The last day it was aired.
    #[serde(rename = "date_aired__lteq")]
    pub to: String,
}

/// What the selects offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordingChoices {
    /// How far one may be.
    pub states: Vec<Choice>,
    /// Priorities in use; none makes it a line for a number.
    pub priorities: Vec<Choice>,
}
