//! The log of who did what, as a page.

use axum::extract::Query;
use axum::http::HeaderMap;
use axum::response::Response;
use storage::registry::{AuditHow, AuditOutcome, AuditRow, Deed};
use web::{AuditFilter, AuditLine, AuditPage, Badge, Choice, Here, Pager, Tone, audit_page};

use crate::http::Visit;
use crate::http::asked::{Leaf, Pairs, export_href, find};
use crate::http::item_value::capital;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 50;
/// Most that are counted; a page then says "10,000+".
const COUNTED: u64 = 10_001;

pub(super) async fn page(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = value(visit, pairs)?;
            let shell = shell(visit, "Log", Here::Audit, &headers);
            Ok(answer(&shell, audit_page(&shell, &page)))
        })
        .await
}

fn value(visit: &Visit, mut pairs: Pairs) -> Result<AuditPage, Refusal> {
    let of = |name: &str| find(&pairs, name).unwrap_or_default().to_owned();
    let filter = AuditFilter {
        who: of("who__contains"),
        deed: of("deed"),
        outcome: of("outcome"),
        about: of("about__contains"),
        from: of("at__gteq"),
        to: of("at__lteq"),
    };
    let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
    let list = visit.desk().audit(&pairs, leaf.counting())?;
    let word = |word: &str| Choice::new(word, capital(&word.replace('-', " ")));
    Ok(AuditPage {
        filter,
        deeds: Deed::ALL.iter().map(|it| word(it.word())).collect(),
        outcomes: AuditOutcome::ALL.iter().map(|it| word(it.word())).collect(),
        pager: Pager {
            export: export_href("audit", &pairs),
            ..leaf.pager(list.audit.len(), (list.count, list.count_is_exact))
        },
        rows: list.audit.iter().map(line).collect(),
    })
}

fn line(row: &AuditRow) -> AuditLine {
    let how = match (row.how, row.token_id) {
        (AuditHow::Token, Some(token)) => format!("token {token}"),
        (how, _) => how.word().to_owned(),
    };
    let tone = match row.outcome {
        AuditOutcome::Done => Tone::Good,
        AuditOutcome::Refused | AuditOutcome::Failed => Tone::Warn,
    };
    AuditLine {
        at: row.at.to_string(),
        who: row.who.clone(),
        how: if row.address.is_empty() { how } else { format!("{how}, {}", row.address) },
        deed: capital(&row.deed.word().replace('-', " ")),
        about: format!("{} {}", row.about_kind, row.about).trim().to_owned(),
        outcome: Badge::new(capital(row.outcome.word()), tone),
        detail: row.detail.clone(),
    }
}
