//! One player for a page, and links that play from a moment.

use maud::{Markup, html};
use serde::Serialize;

use crate::assets::asset_url;
use crate::parts::{play_seconds, play_time};

/// A recording that can be played from here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Player {
    /// Its address, relative to this house; must answer range requests.
    pub href: String,
    /// Its media type, as in `audio/mpeg`.
    pub media_type: String,
}

/// Renders the player of a page; its script makes links seek in it.
pub(super) fn player(player: Option<&Player>, title: &str) -> Markup {
    html! {
        @match player {
            Some(player) => {
                audio #player controls preload="none" aria-label={ "Play " (title) } {
                    source src=(player.href) type=[known(&player.media_type)];
                    p { a href=(player.href) { "Download the recording" } }
                }
                script type="module" src=(asset_url("play.js")) {}
            },
            None => p.quiet { "Its bytes cannot be given out from here, so it cannot be played." },
        }
    }
}

fn known(media_type: &str) -> Option<&str> {
    Some(media_type).filter(|it| !it.is_empty())
}

/// Renders a link that plays from a moment: as a part of the file where there is no script, in the
/// player of the page where there is one.
pub(super) fn play_from(player: Option<&Player>, offset_ns: i64, about: &str) -> Markup {
    let at = play_seconds(offset_ns);
    html! {
        @if let Some(player) = player {
            a.button.play href={ (player.href) "#t=" (at) } data-seek=(at) {
                "Play" span.unseen { " from " (play_time(offset_ns.max(0))) ", " (about) }
            }
        }
    }
}
