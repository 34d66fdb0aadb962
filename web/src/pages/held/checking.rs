//! The wish to have an object looked at now.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::time;

/// How an object is looked at out of turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckWish {
    /// Where the wish is sent to.
    pub action: String,
    /// When the copy that was not read for longest was read; none if there is no copy.
    pub last: Option<String>,
}

/// Renders when it was last looked at as a whole, and a button.
pub(super) fn check_button(wish: Option<&CheckWish>) -> Markup {
    html! {
        @if let Some(wish) = wish {
            form.check-now method="post" action=(wish.action) {
                button #check-now type="submit" {
                    "Check now" span.unseen { " every copy of this object" }
                }
                @if let Some(last) = &wish.last {
                    span.quiet { "Last checked as a whole " (time(last)) }
                }
            }
        }
    }
}
