//! `strongroom alerts`: list, show, read.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use storage::registry::{Counting, OutboxRow, Reader};

use super::counter::{Counter, read, said};
use super::list::{Wanted, print_list};
use super::print::{clip, json, line, plain};
use super::{Failure, Outcome, Place};
use crate::desk::{AlertDetail, AlertList, AlertTold, Desk, DeskError, Marked, Marking};

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom alerts list --open\n  \
    strongroom alerts show 12\n  strongroom alerts read 12 13 --as ada@example.org")]
pub(super) enum Alerts {
    /// List alerts, newest first
    #[command(after_help = "Examples:\n  strongroom alerts list --kind replica-away --open\n  \
        strongroom alerts list --unread --as ada@example.org --json")]
    List(List),
    /// Show one alert, and what was sent about it
    #[command(after_help = "Exit: 0 shown, 1 there is no such alert, 2 could not run.\n\n\
        Example:\n  strongroom alerts show 12")]
    Show(Show),
    /// Mark alerts as read, or as unread, for a person
    #[command(after_help = "Examples:\n  strongroom alerts read 12 13 --as ada@example.org\n  \
        strongroom alerts read --all --as ada@example.org\n  \
        strongroom alerts read 12 --unread --as ada@example.org")]
    Read(Read),
}

#[derive(Args)]
pub(super) struct List {
    /// Only alerts of this kind, such as replica-away
    #[arg(long)]
    kind: Option<String>,
    /// Only what is still so, or happened once
    #[arg(long)]
    open: bool,
    /// Only what the person has not read
    #[arg(long, requires = "reader")]
    unread: bool,
    /// What the person with this e-mail address may see
    #[arg(long = "as", value_name = "EMAIL", id = "reader")]
    reader: Option<String>,
    #[command(flatten)]
    wanted: Wanted,
}

#[derive(Args)]
pub(super) struct Show {
    /// The alert's number
    id: i64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Read {
    /// The alerts' numbers
    #[arg(required_unless_present = "all")]
    ids: Vec<i64>,
    /// Everything the person may see
    #[arg(long, conflicts_with_all = ["ids", "unread"])]
    all: bool,
    /// Mark them as unread instead
    #[arg(long)]
    unread: bool,
    /// The e-mail address of the person who has read them
    #[arg(long = "as", value_name = "EMAIL")]
    reader: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Alerts {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Alerts::List(list) => list.run(place),
            Alerts::Show(show) => {
                let detail = Counter::open(place)?.alert(show.id)?;
                if show.json {
                    json(&detail)?
                } else {
                    print(&detail)
                }
                Ok(ExitCode::SUCCESS)
            }
            Alerts::Read(wish) => wish.run(place),
        }
    }
}

impl List {
    fn run(self, place: &Place) -> Outcome {
        let yes = |wanted: bool| wanted.then(|| "true".to_owned());
        let pairs = self.wanted.pairs(&[
            ("kind", &self.kind),
            ("ended_at__is_null", &yes(self.open)),
            ("unread", &yes(self.unread)),
        ])?;
        let list = Counter::open(place)?.alerts(&pairs, self.reader.as_deref())?;
        if self.wanted.json {
            json(&list)?;
            return Ok(ExitCode::SUCCESS);
        }
        let rows: Vec<_> = list.alerts.iter().map(row).collect();
        let head = ["ALERT", "WHEN", "KIND", "ENDED", "READ", "WHAT"];
        print_list("alerts", (list.count, list.count_is_exact), &head, &rows);
        Ok(ExitCode::SUCCESS)
    }
}

fn row(told: &AlertTold) -> Vec<String> {
    let AlertTold { alert, unread } = told;
    let read = match unread {
        Some(true) => "unread",
        Some(false) => "read",
        None => "",
    };
    vec![
        alert.id.to_string(),
        alert.created_at.to_string(),
        alert.kind.clone(),
        alert.ended_at.map(|at| at.to_string()).unwrap_or_default(),
        read.to_owned(),
        clip(&alert.subject, 70),
    ]
}

fn print(detail: &AlertDetail) {
    let alert = &detail.alert.alert;
    line(&format!("Alert {}: {}", alert.id, plain(&alert.subject)));
    let ended = alert.ended_at.map(|at| format!(", ended {at}")).unwrap_or_default();
    line(&format!("{}, raised {}{ended}", alert.kind, alert.created_at));
    line("");
    for text in alert.content.lines() {
        line(&plain(text));
    }
    if let Some(page) = &alert.page {
        line("");
        line(&format!("Page: {}", plain(page)));
    }
    for row in &detail.sent {
        line(&sent(row));
    }
}

fn sent(row: &OutboxRow) -> String {
    let to = plain(&row.recipient);
    let trouble = plain(row.trouble.as_deref().unwrap_or_default());
    match (row.sent_at, row.given_up_at) {
        (Some(at), _) => format!("Sent to {to}: {at}"),
        (None, Some(at)) => format!("Not sent to {to}, given up {at}: {trouble}"),
        (None, None) if row.attempts > 0 => {
            format!("Not sent to {to} yet, tried again {}: {trouble}", row.due_at)
        }
        (None, None) => format!("To be sent to {to}"),
    }
}

impl Read {
    fn run(self, place: &Place) -> Outcome {
        let marking = match (self.all, self.unread) {
            (true, _) => Marking::AllRead,
            (false, false) => Marking::Read(self.ids),
            (false, true) => Marking::Unread(self.ids),
        };
        let marked = Counter::open(place)?.mark_alerts(&self.reader, &marking)?;
        if self.json {
            json(&marked)?;
            return Ok(ExitCode::SUCCESS);
        }
        let how = if self.unread { "unread" } else { "read" };
        let alerts = if marked.marked == 1 { "alert" } else { "alerts" };
        line(&format!("Marked {} {alerts} as {how}.", marked.marked));
        Ok(ExitCode::SUCCESS)
    }
}

impl Counter {
    fn alerts(
        &self,
        pairs: &[(String, String)],
        reader: Option<&str>,
    ) -> Result<AlertList, Failure> {
        match self {
            Counter::Here(app) => {
                let desk = app.desk();
                let reader = known(desk, reader)?;
                said(desk.alerts(pairs, reader, Counting::Exact))
            }
            Counter::There(client) => {
                let mut pairs = pairs.to_vec();
                pairs.extend(reader.map(|email| ("as".to_owned(), email.to_owned())));
                read(client.get("/api/v1/alerts", &pairs)?)
            }
        }
    }

    fn alert(&self, id: i64) -> Result<AlertDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().alert(id, None)),
            Counter::There(client) => read(client.get(&format!("/api/v1/alerts/{id}"), &[])?),
        }
    }

    fn mark_alerts(&self, reader: &str, marking: &Marking) -> Result<Marked, Failure> {
        match self {
            Counter::Here(app) => {
                let desk = app.desk();
                let who = said(desk.alert_reader(reader))?;
                said(desk.mark_alerts(who, marking))
            }
            Counter::There(client) => {
                let wish = match marking {
                    Marking::Read(ids) => serde_json::json!({"as": reader, "read": ids}),
                    Marking::AllRead => serde_json::json!({"as": reader, "all": true}),
                    Marking::Unread(ids) => serde_json::json!({"as": reader, "unread": ids}),
                };
                read(client.post("/api/v1/alerts/read", &wish.to_string())?)
            }
        }
    }
}

fn known(desk: Desk<'_>, email: Option<&str>) -> Result<Option<Reader>, Failure> {
    let known: Option<Result<Reader, DeskError>> = email.map(|email| desk.alert_reader(email));
    said(known.transpose())
}
