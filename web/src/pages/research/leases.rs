//! The leases: who holds what until when, and who held what before.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, Link, Pager};
use crate::shell::{Frame, Shell, document};

/// Everything the page of leases shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeasesPage {
    /// Those that are out, the one that ends first.
    pub live: Vec<LeaseRow>,
    /// Leases that are out beyond those.
    pub live_unshown_count: u64,
    /// Those that are over, the newest first.
    pub ended: Vec<EndedLeaseRow>,
    /// Which of those that are over these are.
    pub pager: Pager,
    /// Whether who looks may revoke; asked about at `/research/leases/{lease}/revoke`.
    pub may_revoke: bool,
    /// The moment that others are compared with, as RFC 3339 in UTC.
    pub now: String,
}

/// One lease that is out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeaseRow {
    /// Its id.
    pub lease: String,
    /// The episode that is searched.
    pub episode: Link,
    /// Who holds it; none while nobody has taken it.
    pub holder: Option<String>,
    /// Clips that it was made for.
    pub clip_count: u64,
    /// Clips that are left.
    pub left_count: u64,
    /// When it was made, as RFC 3339 in UTC.
    pub made: String,
    /// How often it was extended.
    pub renewals: u64,
    /// When it ends, as RFC 3339 in UTC.
    pub expires: String,
    /// Until when it is offered, as RFC 3339 in UTC, while nobody has taken it.
    pub offered_until: Option<String>,
}

/// One lease that is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EndedLeaseRow {
    /// Its id.
    pub lease: String,
    /// The episode that was searched.
    pub episode: Link,
    /// Who held it.
    pub holder: String,
    /// Clips that it was made for.
    pub clip_count: u64,
    /// Clips that were done.
    pub done_count: u64,
    /// When it was taken, as RFC 3339 in UTC.
    pub taken: String,
    /// How often it was extended.
    pub renewals: u64,
    /// When it ended, as RFC 3339 in UTC.
    pub ended: String,
    /// How it ended, in a word.
    pub ending: Badge,
}

/// Renders the page of leases.
pub fn leases_page(shell: &Shell, page: &LeasesPage) -> Markup {
    let main = html! { h1 { "Leases" } (leases_fragment(page)) };
    document(shell, Frame::Live, main)
}

/// Renders what changes on it; served at `/fragments/leases`.
pub fn leases_fragment(page: &LeasesPage) -> Markup {
    let _ = page;
    html! {}
}
