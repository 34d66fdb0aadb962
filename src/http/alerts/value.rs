//! Alerts as their pages show them.

use storage::registry::{OutboxRow, Reader};
use web::{
    AlertFilter, AlertLine, AlertPage, AlertsPage, Badge, Choice, Fact, FactValue, Link, Pager,
    SentLine, Tone,
};

use crate::alerts::Kind;
use crate::desk::AlertTold;
use crate::http::Visit;
use crate::http::asked::{Leaf, Pairs, export_href, find};
use crate::http::refusal::Refusal;

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 25;
/// Most that are counted; a page then says "1,000+".
const COUNTED: u64 = 1001;

pub(super) fn list(
    visit: &Visit,
    mut pairs: Pairs,
    reader: Option<Reader>,
) -> Result<AlertsPage, Refusal> {
    let on = |name: &str| find(&pairs, name) == Some("true");
    let kind = find(&pairs, "kind").unwrap_or_default().to_owned();
    let filter = AlertFilter { kind, open: on("ended_at__is_null"), unread: on("unread") };
    let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
    let list = visit.desk().alerts(&pairs, reader, leaf.counting())?;
    let unread = reader.map(|reader| visit.registry.unread_count(reader)).transpose()?;
    Ok(AlertsPage {
        filter,
        kinds: Kind::ALL.map(|kind| Choice::new(kind.word(), kind.label())).to_vec(),
        has_reader: reader.is_some(),
        unread: unread.unwrap_or(0),
        pager: Pager {
            export: export_href("alerts", &pairs),
            ..leaf.pager(list.alerts.len(), (list.count, list.count_is_exact))
        },
        rows: list.alerts.iter().map(line).collect(),
    })
}

pub(super) fn one(visit: &Visit, id: i64, reader: Option<Reader>) -> Result<AlertPage, Refusal> {
    let detail = visit.desk().alert(id, reader)?;
    let alert = &detail.alert.alert;
    let link = alert.page.clone().filter(|page| page.starts_with('/'));
    let mut facts = vec![
        Fact::new("Alert", FactValue::Code(alert.id.to_string())),
        Fact::new("Kind", FactValue::Code(alert.kind.clone())),
        Fact::new("Name", FactValue::Code(alert.name.clone())),
        Fact::new("Exact time", FactValue::Code(alert.created_at.to_string())),
    ];
    if let Some(institution) = alert.institution_id
        && let Some(institution) = visit.registry.institution(institution)?
    {
        facts.push(Fact::text("Institution", institution.name));
    }
    if let Some(item) = alert.item_id {
        let link = Link::new(format!("/items/{item}"), format!("Item {item}"));
        facts.push(Fact::new("Item", FactValue::Link(link)));
    }
    Ok(AlertPage {
        line: line(&detail.alert),
        content: alert.content.lines().filter(|it| !it.is_empty()).map(str::to_owned).collect(),
        link: link.map(|page| Link::new(page, "Go to what it is about")),
        facts,
        sent: detail.sent.iter().map(|row| sent(row, knows_people(reader))).collect(),
    })
}

fn line(told: &AlertTold) -> AlertLine {
    let alert = &told.alert;
    AlertLine {
        id: alert.id,
        kind: kind(&alert.kind),
        subject: alert.subject.clone(),
        created: alert.created_at.to_string(),
        ended: alert.ended_at.map(|at| at.to_string()),
        unread: told.unread,
    }
}

fn kind(word: &str) -> Badge {
    let Some(kind) = Kind::of(word) else { return Badge::new(word, Tone::Calm) };
    let tone = match kind {
        Kind::FileLost
        | Kind::CopyFailed
        | Kind::ReplicaAway
        | Kind::JournalAltered
        | Kind::MessagesStopped => Tone::Bad,
        Kind::CopyRepaired | Kind::RestorationReady => Tone::Good,
        Kind::DeletionRequested
        | Kind::ItemParked
        | Kind::ItemStalled
        | Kind::ItemWaiting
        | Kind::ReplicaNearlyFull
        | Kind::FixityOverdue
        | Kind::CopiesMissing
        | Kind::MessageRejected
        | Kind::ResultUndelivered => Tone::Warn,
        Kind::DeletionApproved | Kind::DeletionCancelled | Kind::DeletionCompleted => Tone::Calm,
    };
    Badge::new(kind.label(), tone)
}

/// Addresses of people are for those who look after people.
pub(super) fn knows_people(reader: Option<Reader>) -> bool {
    reader.is_some_and(|reader| reader.institution.is_none())
}

fn sent(row: &OutboxRow, knows_people: bool) -> SentLine {
    let hidden = !knows_people && row.recipient.contains('@');
    let (state, when) = match (row.sent_at, row.given_up_at) {
        (Some(at), _) => (Badge::new("Sent", Tone::Good), at),
        (None, Some(at)) => (Badge::new("Given up", Tone::Bad), at),
        (None, None) if row.attempts > 0 => (Badge::new("Tried again", Tone::Warn), row.due_at),
        (None, None) => (Badge::new("To be sent", Tone::Busy), row.due_at),
    };
    SentLine {
        to: if hidden { "a person".into() } else { row.recipient.clone() },
        state,
        when: when.to_string(),
        // What a mail server says may name the person.
        trouble: if hidden { String::new() } else { row.trouble.clone().unwrap_or_default() },
    }
}
