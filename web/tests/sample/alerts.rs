//! Alerts as their pages show them.

use web::*;

use super::badge;

fn line(id: i64) -> AlertLine {
    let kinds = [
        ("Replica away", Tone::Bad, "Replica b is away"),
        ("Item needs a person", Tone::Warn, "Item 12 needs a person: parish-registers-1790.tar"),
        ("Restoration ready", Tone::Good, "Restored: archive.local/county-maps"),
        ("Deletion completed", Tone::Calm, "Deletion completed: 1 object and 3 files"),
    ];
    let (kind, tone, subject) = kinds[usize::try_from(id).unwrap_or(0) % kinds.len()];
    AlertLine {
        id,
        kind: badge(kind, tone),
        subject: subject.into(),
        created: "2026-11-16T07:20:41.000Z".into(),
        ended: (id % 4 == 0).then(|| "2026-11-16T09:00:00.000Z".into()),
        unread: Some(id % 2 == 1),
    }
}

pub(crate) fn alerts(rows: i64) -> AlertsPage {
    AlertsPage {
        kinds: vec![Choice::new("replica-away", "Replica away")],
        has_reader: true,
        unread: 3,
        pager: Pager {
            page: 1,
            per_page: 25,
            shown: 25,
            total: 60,
            at_least: false,
            export: "/api/v1/alerts?format=csv".into(),
        },
        rows: (1..=rows).map(line).collect(),
        ..AlertsPage::default()
    }
}

pub(crate) fn alert() -> AlertPage {
    let sent = |to: &str, label: &str, tone, trouble: &str| SentLine {
        to: to.into(),
        state: badge(label, tone),
        when: "2026-11-16T07:21:00.000Z".into(),
        trouble: trouble.into(),
    };
    AlertPage {
        line: line(4),
        content: vec![
            "Replica b (the other building) cannot be used since 2026-11-16 07:20 UTC.".into(),
            "What is kept in the other replicas is there.".into(),
            "Mount its disk or restore the connection; work goes on by itself.".into(),
        ],
        link: Some(Link::new("/", "Go to what it is about")),
        facts: vec![Fact::text("Institution", "Our archive")],
        sent: vec![
            sent("ada@example.org", "Sent", Tone::Good, ""),
            sent("webhook", "Tried again", Tone::Warn, "the webhook answered 503 and took nothing"),
        ],
    }
}
