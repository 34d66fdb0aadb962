//! Where preserved bytes lie: the replicas, and the storage options that write to them.

use maud::{Markup, html};
use serde::Serialize;

use crate::pages::replicas::{ReplicaRow, replicas_fragment};
use crate::parts::{
    Badge, Fact, FactValue, badge, cell, count, counted, facts, human_size, num, time,
};
use crate::shell::{Frame, Shell, document};

/// Where bytes lie.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StoragePage {
    /// How the replicas are, for everybody.
    pub standings: Vec<ReplicaRow>,
    /// The replicas, for those who look after the house.
    pub replicas: Vec<ReplicaPanel>,
    /// The storage options, for the same.
    pub options: Vec<OptionLine>,
    /// Private files that other users of the machine can read, a sentence each, for the same.
    pub exposed: Vec<String>,
}

/// One replica with all that is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReplicaPanel {
    /// Its name.
    pub name: String,
    /// Which building or provider it stands in.
    pub place: String,
    /// How soon it can be read, in a word.
    pub class: String,
    /// Whether it can be used.
    pub state: Badge,
    /// Since when, as RFC 3339 in UTC.
    pub since: Option<String>,
    /// What is wrong with it.
    pub why: Option<String>,
    /// Where it is.
    pub url: String,
    /// The server that answers for it.
    pub endpoint: Option<String>,
    /// Objects with a copy there.
    pub object_count: u64,
    /// Copies of files.
    pub copy_count: u64,
    /// Their bytes.
    pub size: u64,
    /// Free bytes and all, where that is known.
    pub room: Option<(u64, u64)>,
    /// Bytes set aside, where that was asked.
    pub set_aside: Option<u64>,
    /// Whether there is more than that.
    pub set_aside_is_more: bool,
    /// Days before a file may be deleted without a fee.
    pub retention_days: u64,
    /// The lowest is read from first.
    pub priority: u64,
    /// Days between two checks of a copy.
    pub check_days: u64,
    /// Items that wait for it.
    pub waiting: u64,
}

/// One storage option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OptionLine {
    /// Its name.
    pub name: String,
    /// The replicas it writes to.
    pub replicas: Vec<String>,
    /// Days before what it keeps may be deleted.
    pub retention_days: u64,
    /// What its replicas share.
    pub warnings: Vec<String>,
}

/// Renders where bytes lie.
pub fn storage_page(shell: &Shell, page: &StoragePage) -> Markup {
    let main = html! {
        h1 { "Storage" }
        p.lead {
            "A replica is one whole place for preserved bytes. A storage option says which replicas \
             a deposit is copied to."
        }
        @if !page.exposed.is_empty() {
            section.trouble.warn aria-labelledby="exposed-heading" {
                h2 #exposed-heading { "Files that should be private" }
                ul { @for sentence in &page.exposed { li { (sentence) "." } } }
            }
        }
        @if page.replicas.is_empty() { (replicas_fragment(&page.standings)) }
        @else {
            section aria-labelledby="options-heading" {
                h2 #options-heading { "Storage options" }
                (options(&page.options))
            }
            @for replica in &page.replicas { (panel(replica)) }
            p.quiet {
                "Where replicas are is set in the configuration; see "
                a href="/settings" { "Settings" } "."
            }
        }
    };
    document(shell, Frame::Still, main)
}

fn options(rows: &[OptionLine]) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Option" }
                th scope="col" { "Replicas" }
                th.num scope="col" { "Kept at least, days" }
                th scope="col" { "How safe that is" }
            } }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (row.name) }
                        (cell("Replicas", row.replicas.join(", ")))
                        (num("Kept at least, days", row.retention_days))
                        td.say data-label="How safe that is" {
                            @if row.warnings.is_empty() {
                                (counted(row.replicas.len() as u64, "copy in a place of its own"))
                            }
                            @for warning in &row.warnings { p.warning { (warning) } }
                        }
                    }
                }
            }
        }
    }
}

fn panel(replica: &ReplicaPanel) -> Markup {
    let id = format!("replica-{}", replica.name);
    html! {
        section.panel aria-labelledby=(id) {
            h2 id=(id) { "Replica " (replica.name) " " (badge(&replica.state)) }
            @if let Some(since) = &replica.since { p.quiet { "Since " (time(since)) "." } }
            @if let Some(why) = &replica.why { p { (why) } }
            @if replica.waiting > 0 { p { (counted(replica.waiting, "item")) " waiting for it." } }
            (facts(&told(replica)))
        }
    }
}

fn told(replica: &ReplicaPanel) -> Vec<Fact> {
    let days = |days: u64| if days == 0 { "none".to_owned() } else { counted(days, "day") };
    let mut told = vec![
        Fact::text("Place", &replica.place),
        Fact::text("Class", &replica.class),
        Fact::new("Address", FactValue::Code(replica.url.clone())),
    ];
    if let Some(endpoint) = &replica.endpoint {
        told.push(Fact::new("Server", FactValue::Code(endpoint.clone())));
    }
    told.extend([
        Fact::new("Objects", FactValue::Count(replica.object_count)),
        Fact::new("Copies of files", FactValue::Count(replica.copy_count)),
        Fact::new("Bytes, newest versions", FactValue::Bytes(replica.size)),
    ]);
    if let Some((free, all)) = replica.room {
        let share = u128::from(free) * 100 / u128::from(all.max(1));
        let words = format!("{} of {} ({share} %)", human_size(free), human_size(all));
        told.push(Fact::text("Room left", words));
    }
    if let Some(aside) = replica.set_aside {
        let more = if replica.set_aside_is_more { "at least " } else { "" };
        let words = format!("{more}{} ({} bytes)", human_size(aside), count(aside));
        told.push(Fact::text("Set aside", words));
    }
    told.extend([
        Fact::text("Minimum retention", days(replica.retention_days)),
        Fact::text("Copies are read every", days(replica.check_days)),
        Fact::new("Read first, lowest wins", FactValue::Count(replica.priority)),
    ]);
    told
}
