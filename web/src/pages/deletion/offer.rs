//! What the page of an object or file says about deleting it.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::Link;

/// Whether the reader can ask for it to be deleted, and if not, why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeletionOffer {
    /// What is so; empty where there is nothing to say.
    pub sentence: String,
    /// Where to go for it.
    pub link: Option<Link>,
    /// Whether the link asks for the deletion.
    pub asks: bool,
}

/// Renders the panel, if there is anything to say.
pub(in crate::pages) fn offer(offer: &DeletionOffer) -> Markup {
    html! {
        @if !offer.sentence.is_empty() {
            section.panel aria-labelledby="deletion-heading" {
                h2 #deletion-heading { "Deletion" }
                p { (offer.sentence) }
                @if let Some(link) = &offer.link {
                    p.actions {
                        a.button .danger[offer.asks] href=(link.href) { (link.label) }
                    }
                }
            }
        }
    }
}
