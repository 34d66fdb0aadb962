//! Badges: a word, a tone and a shape, so that no meaning rests on colour alone.

use maud::{Markup, html};
use serde::Serialize;

/// How a state should feel to the reader; the word beside it says what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Nothing happens and nothing is wrong: a ring.
    #[default]
    Calm,
    /// Finished as hoped: a tick.
    Good,
    /// Being worked on now: a half-filled disc.
    Busy,
    /// Needs a look before long: a triangle.
    Warn,
    /// Stopped or failed: a cross.
    Bad,
}

impl Tone {
    /// Names the CSS class that carries the colour and the shape.
    pub fn class(self) -> &'static str {
        match self {
            Tone::Calm => "calm",
            Tone::Good => "good",
            Tone::Busy => "busy",
            Tone::Warn => "warn",
            Tone::Bad => "bad",
        }
    }
}

/// A state word with its tone, chosen by the caller who knows the state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Badge {
    /// The word shown, for example "Parked".
    pub label: String,
    /// The feel of that word.
    pub tone: Tone,
}

impl Badge {
    /// Pairs a word with its tone.
    pub fn new(label: impl Into<String>, tone: Tone) -> Badge {
        Badge { label: label.into(), tone }
    }
}

/// Renders a badge; the stylesheet draws the shape before the word.
pub fn badge(badge: &Badge) -> Markup {
    html! { span class={ "badge " (badge.tone.class()) } { (badge.label) } }
}
