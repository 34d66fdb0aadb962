//! The receiving areas as their page shows them.

use web::parts::human_size;
use web::{AreaPanel, Badge, Choice, DepositRow, DepositsPage, Tone};

use crate::desk::{Area, Deposit, DepositState};
use crate::http::Visit;
use crate::http::refusal::Refusal;

pub(super) fn value(visit: &Visit) -> Result<DepositsPage, Refusal> {
    let areas = visit.desk().deposits()?.areas;
    let most = visit.config.ingest.max_bag_bytes;
    Ok(DepositsPage {
        choices: areas
            .iter()
            .map(|area| Choice::new(&*area.institution, &*area.institution_name))
            .collect(),
        elsewhere: visit.doorstep.is_bucket().then(|| visit.config.receiving_shown()),
        areas: areas.into_iter().map(panel).collect(),
        most_bytes: most,
        most: human_size(most),
    })
}

fn panel(area: Area) -> AreaPanel {
    AreaPanel {
        institution: area.institution,
        label: area.institution_name,
        folder: area.folder,
        used: area
            .used_bytes
            .zip(area.quota_bytes)
            .map(|(used, most)| format!("{} of {}", human_size(used), human_size(most))),
        note: area.note,
        rows: area.deposits.into_iter().map(row).collect(),
        unshown_count: area.unshown_count,
    }
}

fn row(deposit: Deposit) -> DepositRow {
    let (word, tone) = match deposit.state {
        DepositState::Arriving => ("Arriving", Tone::Busy),
        DepositState::Waiting => ("Waiting", Tone::Calm),
        DepositState::InProcess => ("In process", Tone::Busy),
        DepositState::TurnedAway => ("Rejected", Tone::Bad),
        DepositState::NeedsAPerson => ("Needs a person", Tone::Warn),
        DepositState::Left => ("Left here", Tone::Warn),
        DepositState::NoBag => ("No bag", Tone::Warn),
    };
    let findings = deposit.state == DepositState::TurnedAway;
    let takeable = deposit.state == DepositState::Left;
    DepositRow {
        name: deposit.name,
        size_bytes: deposit.size_bytes,
        changed: deposit.changed,
        state: Badge::new(word, tone),
        sentence: deposit.sentence,
        item: deposit.item,
        findings,
        takeable,
    }
}
