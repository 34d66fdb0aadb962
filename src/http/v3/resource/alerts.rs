//! Alerts, each as one person reads it: the one who asks, or the one whom an administrator names by
//! `user_id`. The key of the data directory is nobody, and reads them as nobody.

use axum::extract::Path;
use axum::http::StatusCode;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{AlertFate, AlertRow, Reader, User, moment};

use crate::alerts::Kind;
use crate::desk::COUNTED;
use crate::http::Visit;
use crate::http::asked::{Pairs, bad};
use crate::http::refusal::Refusal;
use crate::http::v3::answer::{Told, number, one, tell};
use crate::http::v3::asked::{Asked, Envelope};
use crate::rights::Sight;

/// An alert, and what became of it for one person.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct AlertView {
    id: i64,
    institution_id: i64,
    institution_name: String,
    institution_identifier: String,
    r#type: &'static str,
    subject: String,
    content: String,
    deletion_request_id: Option<i64>,
    #[serde(with = "moment")]
    created_at: Timestamp,
    user_id: i64,
    user_name: String,
    user_email: String,
    user_institution_id: Option<i64>,
    #[serde(with = "moment::option")]
    sent_at: Option<Timestamp>,
    #[serde(with = "moment::option")]
    read_at: Option<Timestamp>,
}

/// The described registry's word for a kind; those that it does not have keep ours.
fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::CopyFailed => "Failed Fixity Check",
        Kind::RestorationReady => "Restoration Completed",
        Kind::DeletionRequested => "Deletion Requested",
        Kind::DeletionApproved => "Deletion Confirmed",
        Kind::DeletionCancelled => "Deletion Cancelled",
        Kind::DeletionCompleted => "Deletion Completed",
        Kind::ItemStalled => "Stalled Work Items",
        Kind::CopyRepaired
        | Kind::FileLost
        | Kind::ItemParked
        | Kind::ItemWaiting
        | Kind::ReplicaAway
        | Kind::ReplicaNearlyFull
        | Kind::FixityOverdue
        | Kind::CopiesMissing
        | Kind::JournalAltered
        | Kind::MessageRejected
        | Kind::MessagesStopped
        | Kind::ResultUndelivered => kind.label(),
    }
}

/// Types that are no alerts here: a letter to one person is all there is of them.
const LETTERS: [&str; 3] = ["Password Changed", "Password Reset", "Welcome New User"];

impl AlertView {
    pub(in crate::http::v3) fn of(
        visit: &Visit,
        row: AlertRow,
        (user, fate): (Option<&User>, Option<&AlertFate>),
    ) -> Result<AlertView, Refusal> {
        let owner = match row.institution_id {
            Some(owner) => visit.registry.institution(owner)?,
            None => None,
        };
        Ok(AlertView {
            id: row.id,
            // What is about the appliance itself belongs to nobody.
            institution_id: row.institution_id.unwrap_or_default(),
            institution_name: owner.as_ref().map(|it| it.name.clone()).unwrap_or_default(),
            institution_identifier: owner.map(|it| it.identifier).unwrap_or_default(),
            r#type: Kind::of(&row.kind).map(word).unwrap_or_default(),
            subject: row.subject,
            content: row.content,
            deletion_request_id: row.deletion_request_id,
            created_at: row.created_at,
            user_id: user.map(|it| it.id).unwrap_or_default(),
            user_name: user.map(|it| it.name.clone()).unwrap_or_default(),
            user_email: user.map(|it| it.email.clone()).unwrap_or_default(),
            user_institution_id: user.map(|it| it.institution_id),
            sent_at: fate.and_then(|it| it.sent_at),
            read_at: fate.and_then(|it| it.read_at),
        })
    }
}

/// The question with our words for types.
fn in_our_words(pairs: &Pairs) -> Result<Pairs, Refusal> {
    let ours = |(name, value): &(String, String)| {
        if !["type", "type__eq"].contains(&name.as_str()) {
            return Ok((name.clone(), value.clone()));
        }
        let kind = Kind::ALL.into_iter().find(|kind| word(*kind) == value);
        match (kind, LETTERS.contains(&value.as_str())) {
            (Some(kind), _) => Ok((name.clone(), kind.word().to_owned())),
            (None, true) => Ok((name.clone(), value.clone())),
            (None, false) => {
                let words = [&Kind::ALL.map(word)[..], &LETTERS].concat().join(", ");
                Err(bad(name, format!("is {value:?}; it is one of {words}")))
            }
        }
    };
    pairs.iter().map(ours).collect()
}

/// Who reads; none for nobody in particular. `named` is another than the one who asks.
fn reading(visit: &Visit, named: Option<i64>) -> Result<Option<(User, Reader)>, Refusal> {
    let user = match named {
        Some(user) => visit.registry.user(user)?,
        None => visit.user().cloned(),
    };
    let Some(user) = user else { return Ok(None) };
    let reader = visit.registry.alert_reader(user.id)?;
    Ok(reader.map(|reader| (user, reader)))
}

pub(in crate::http::v3) async fn list(visit: Visit, asked: Asked) -> Told<Envelope<AlertView>> {
    tell(&visit, move |visit| {
        let named = asked.value("user_id").map(number::<i64>).transpose()?;
        let own = visit.user().map(|user| user.id);
        if visit.desk().sight() != Sight::All && named.is_some_and(|named| Some(named) != own) {
            return Ok(asked.nothing());
        }
        let reading = reading(visit, named)?;
        if named.is_some() && reading.is_none() {
            return Ok(asked.nothing());
        }
        let (user, reader) = reading.unzip();
        let pairs = in_our_words(&asked.pairs)?;
        let list = visit.desk().alerts(&pairs, reader, COUNTED)?;
        let ids: Vec<i64> = list.alerts.iter().map(|told| told.alert.id).collect();
        let fates = match &user {
            Some(user) => visit.registry.alert_fates(user.id, &ids)?,
            None => Vec::new(),
        };
        let of = |told: crate::desk::AlertTold| {
            let fate = fates.iter().find(|fate| fate.alert_id == told.alert.id);
            AlertView::of(visit, told.alert, (user.as_ref(), fate))
        };
        let rows = list.alerts.into_iter().map(of).collect::<Result<_, _>>()?;
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(
    visit: Visit,
    Path((id, user)): Path<(String, String)>,
) -> Told<AlertView> {
    let (id, user): (i64, i64) = (number(&id)?, number(&user)?);
    one(&visit, move |visit, desk| {
        let own = visit.user().map(|it| it.id) == Some(user);
        if desk.sight() != Sight::All && !own {
            let sentence = "Alerts are read by their own readers only.";
            return Err(Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence));
        }
        let Some((user, reader)) = reading(visit, Some(user))? else {
            let sentence = format!("There is no user {user} who reads alerts.");
            return Err(Refusal::new(StatusCode::NOT_FOUND, "no-such-reader", sentence));
        };
        // The house looks whether there is such an alert at all, for whomever.
        let reader =
            (desk.sight() != Sight::All || visit.desk().sight() == Sight::All).then_some(reader);
        let told = desk.alert(id, reader)?;
        let fates = visit.registry.alert_fates(user.id, &[id])?;
        AlertView::of(visit, told.alert.alert, (Some(&user), fates.first()))
    })
    .await
}
