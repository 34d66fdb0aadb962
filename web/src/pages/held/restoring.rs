//! A button that asks for a restoration.

use maud::{Markup, html};
use serde::Serialize;

/// What the button asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RestoreWish {
    /// `object` or `file`.
    pub kind: String,
    /// Its number.
    pub number: u64,
    /// The version; the newest if it says none.
    pub version: Option<u64>,
    /// What is restored, for those who hear the button.
    pub about: String,
}

/// Renders the button, or nothing where there is nothing to restore.
pub(super) fn restore_button(wish: Option<&RestoreWish>) -> Markup {
    html! {
        @if let Some(wish) = wish {
            form.actions method="post" action="/restorations" {
                input type="hidden" name=(wish.kind) value=(wish.number);
                @if let Some(version) = wish.version {
                    input type="hidden" name="version" value=(version);
                }
                button type="submit" { "Restore" span.unseen { " " (wish.about) } }
            }
        }
    }
}
