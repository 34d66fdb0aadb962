//! Which reports there are.

use maud::{Markup, html};
use serde::Serialize;

use super::tabs::ReportTab;
use crate::parts::{counted, size};
use crate::shell::{Frame, Shell, document};

/// What is held altogether.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReportsPage {
    /// Objects.
    pub object_count: u64,
    /// Their files.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
}

/// Renders the list of reports.
pub fn reports_page(shell: &Shell, page: &ReportsPage) -> Markup {
    let main = html! {
        h1 { "Reports" }
        p.lead {
            "Held now: " (counted(page.object_count, "object")) " with "
            (counted(page.file_count, "file")) ", " (size(page.size)) "."
        }
        dl.answers {
            @for tab in ReportTab::ALL {
                @let (href, label, about) = tab.entry();
                dt { a href=(href) { (label) } }
                dd { (about) }
            }
            dt { a href="/fixity" { "Fixity" } }
            dd { "When copies were last read, what is due, and what is not sound." }
        }
    };
    document(shell, Frame::Still, main)
}
