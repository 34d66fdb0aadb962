//! What each error of the desk, the work and the registry means as an answer.

use axum::http::StatusCode;
use nutrients::{Findings, ReferenceError};
use storage::registry::BadQuery;

use super::refusal::{Refusal, sentence};
use crate::assess::AskError;
use crate::desk::{DeskError, Held};
use crate::ingest::AgainError;
use crate::maintenance::MaintenanceError;
use crate::research::ResearchError;
use crate::work::Refused;

impl From<BadQuery> for Refusal {
    fn from(error: BadQuery) -> Refusal {
        let sentence = format!("The {error}.");
        Refusal::new(StatusCode::BAD_REQUEST, "bad-query", sentence)
    }
}

impl From<DeskError> for Refusal {
    #[expect(clippy::too_many_lines, reason = "one arm for each error")]
    fn from(error: DeskError) -> Refusal {
        let text = sentence(&error);
        let (status, code, next) = match error {
            DeskError::Query(error) => return error.into(),
            DeskError::Refused(refused) => return refused.into(),
            DeskError::Account(error) => return error.into(),
            DeskError::Registry(error) => return error.into(),
            DeskError::Research(error) => return error.into(),
            DeskError::Replace(error) => return error.into(),
            DeskError::NotHeld { kind, .. } => not_held(kind),
            DeskError::NoSuchItem(_) => {
                (StatusCode::NOT_FOUND, "no-such-item", "Look for it in the list of items.")
            }
            DeskError::NoSuchAlert(_) => {
                (StatusCode::NOT_FOUND, "no-such-alert", "Look for it in the list of alerts.")
            }
            DeskError::NoSuchReader(_) => (StatusCode::NOT_FOUND, "no-such-reader", ""),
            DeskError::NoSuchDeletion(_) => {
                (StatusCode::NOT_FOUND, "no-such-deletion", "Look for it in the list of deletions.")
            }
            DeskError::BadSite(findings) => return bad_site(&findings, text),
            DeskError::Assessing(error) => return asking(error, text),
            DeskError::Reference(error) => return reference(&error, text),
            DeskError::NoSuchAssessment(_) => {
                (StatusCode::NOT_FOUND, "no-such-assessment", "Look for it in the list.")
            }
            DeskError::NoResult(..) => {
                (StatusCode::CONFLICT, "no-result", "Ask again when it is assessed.")
            }
            DeskError::LoadUnderWay(_) => {
                (StatusCode::CONFLICT, "load-under-way", "Ask again when that item has ended.")
            }
            DeskError::BadFolder(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad-folder", ""),
            DeskError::NoSuchSweep(_) => {
                (StatusCode::NOT_FOUND, "no-such-sweep", "Look for it at Schedules.")
            }
            DeskError::NotRestored(_) => {
                (StatusCode::NOT_FOUND, "not-restored", "Ask for the restoration again.")
            }
            DeskError::NothingToReport(_) => {
                let next = "Look at the item's page: its attempts say how it went.";
                (StatusCode::NOT_FOUND, "nothing-to-report", next)
            }
            DeskError::NotRejected(_) => {
                (StatusCode::CONFLICT, "not-rejected", "Look at the page Deposits.")
            }
            DeskError::TakeAgain(AgainError::NotGivenUp(_)) => {
                (StatusCode::CONFLICT, "not-given-up", "Look at the page of the item.")
            }
            DeskError::TakeAgain(AgainError::Gone(_)) => {
                (StatusCode::CONFLICT, "deposit-gone", "Send the bag again.")
            }
            DeskError::TakeAgain(AgainError::Busy(_)) => {
                (StatusCode::CONFLICT, "object-busy", "Ask again when the other item has ended.")
            }
            DeskError::TakeAgain(AgainError::Away { .. }) => {
                let next = "Ask again when the receiving area is there.";
                (StatusCode::SERVICE_UNAVAILABLE, "receiving-away", next)
            }
            DeskError::Replaced(_) => {
                let next = "Wait until the newer deposit is taken; look at the page Deposits.";
                (StatusCode::CONFLICT, "replaced", next)
            }
            DeskError::NotAllowed { .. } => (
                StatusCode::FORBIDDEN,
                "not-allowed",
                "Ask somebody of the institution that owns it.",
            ),
            DeskError::TokenScope(_) => (
                StatusCode::FORBIDDEN,
                "token-scope",
                "Sign in, or make a token with the scope \"manage\".",
            ),
            DeskError::Declined(_) => (StatusCode::CONFLICT, "declined", ""),
            DeskError::NothingParked(_) => (StatusCode::CONFLICT, "nothing-parked", ""),
            DeskError::Ended { .. } => (StatusCode::CONFLICT, "ended", ""),
            DeskError::OnlyCold(_) => {
                (StatusCode::CONFLICT, "only-cold", "Restore the object to compare its bytes.")
            }
            DeskError::NothingToCheck(_) => (StatusCode::CONFLICT, "deleted", ""),
            DeskError::Unwished(_) => (StatusCode::CONFLICT, "cannot-be-restored", ""),
            DeskError::Work(storage::Error::TopicFull { .. }) => {
                (StatusCode::CONFLICT, "line-full", "Ask again when some of what waits is done.")
            }
            DeskError::Maintenance(MaintenanceError::Sentence(_)) => {
                (StatusCode::UNPROCESSABLE_ENTITY, "bad-field", "")
            }
            DeskError::Maintenance(MaintenanceError::File { .. })
            | DeskError::Checks(_)
            | DeskError::Mirror(_)
            | DeskError::Work(_)
            | DeskError::Export(_)
            | DeskError::Areas(_)
            | DeskError::Restoring(_)
            | DeskError::Loading(_)
            | DeskError::Input(..)
            | DeskError::Write(_) => return Refusal::failed(&error),
        };
        let refusal = Refusal::new(status, code, text);
        if next.is_empty() { refusal } else { refusal.next(next) }
    }
}

/// What is wrong with a site, and where.
fn bad_site(findings: &Findings, text: String) -> Refusal {
    let code = findings.0.first().map_or(400, |finding| finding.code.http_status());
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST);
    let next = "Mend the boundary and send it again; check-boundary shows it with its bad places.";
    Refusal::new(status, "bad-site", text).next(next)
}

fn asking(error: AskError, text: String) -> Refusal {
    match error {
        AskError::NoSuchMethod(_) => {
            Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "no-such-method", text)
        }
        AskError::Registry(storage::registry::Error::Refused { why }) => {
            Refusal::new(StatusCode::CONFLICT, "reference-taken", why)
                .next("Use a reference of your own.")
        }
        AskError::Registry(error) => error.into(),
        AskError::Work(error) => DeskError::Work(error).into(),
        AskError::Account(error) => error.into(),
        AskError::Reference(error) => reference(&error, text),
        AskError::Unwritable(_) => Refusal::mistake(),
    }
}

fn reference(error: &ReferenceError, text: String) -> Refusal {
    let (status, code, next) = match error {
        ReferenceError::Empty => (StatusCode::CONFLICT, "no-reference-data", "Load some first."),
        ReferenceError::NothingToRollBack => (StatusCode::CONFLICT, "nothing-to-roll-back", ""),
        ReferenceError::Busy => (StatusCode::CONFLICT, "load-under-way", "Ask again later."),
        ReferenceError::SameVersion(_) => (StatusCode::CONFLICT, "same-version", ""),
        ReferenceError::OtherContent { .. } => {
            (StatusCode::CONFLICT, "other-content", "Give the delivery a name of its own.")
        }
        ReferenceError::MissingTable(_)
        | ReferenceError::UnknownTable(_)
        | ReferenceError::NoDataVersion
        | ReferenceError::Refused(_) => {
            (StatusCode::UNPROCESSABLE_ENTITY, "bad-reference-data", "")
        }
        ReferenceError::Io { .. }
        | ReferenceError::Stopped
        | ReferenceError::Damaged { .. }
        | ReferenceError::Unreadable { .. }
        | ReferenceError::EmptyTable(_) => return Refusal::failed(error),
    };
    let refusal = Refusal::new(status, code, text);
    if next.is_empty() { refusal } else { refusal.next(next) }
}

fn not_held(kind: Held) -> (StatusCode, &'static str, &'static str) {
    let (code, next) = match kind {
        Held::Object => ("no-such-object", "Look for it in the list of objects."),
        Held::File => ("no-such-file", "Look for it in the list of files."),
        Held::Event => ("no-such-event", "Look for it in the list of events."),
        Held::Checksum => ("no-such-checksum", "Look for it in the list of checksums."),
        Held::StorageRecord => ("no-such-storage-record", "Look for it in the list."),
    };
    (StatusCode::NOT_FOUND, code, next)
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Refusal {
        let text = sentence(&refused);
        match refused {
            Refused::UnknownTopic { .. } => {
                Refusal::new(StatusCode::NOT_FOUND, "unknown-topic", text)
            }
            Refused::NoSuchItem(_) => Refusal::new(StatusCode::NOT_FOUND, "no-such-item", text),
            Refused::NotEarlier { .. } => Refusal::new(StatusCode::CONFLICT, "not-earlier", text),
            Refused::CleansUp(_) => Refusal::new(StatusCode::CONFLICT, "cleans-up", text),
            Refused::Ending(_) => Refusal::new(StatusCode::CONFLICT, "ending", text),
            Refused::Work(storage::Error::WrongState { .. }) => {
                Refusal::new(StatusCode::CONFLICT, "wrong-state", text)
            }
            Refused::Work(error) => Refusal::failed(&error),
        }
    }
}

impl From<storage::registry::Error> for Refusal {
    fn from(error: storage::registry::Error) -> Refusal {
        use storage::registry::Error as R;
        let (status, code) = match &error {
            R::NotFound { .. } => (StatusCode::NOT_FOUND, "not-found"),
            R::Refused { .. } => (StatusCode::CONFLICT, "refused"),
            R::Invalid { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "bad-field"),
            R::Unreadable { .. }
            | R::Newer { .. }
            | R::Busy(_)
            | R::Full(_)
            | R::ReadOnly(_)
            | R::Conflict(_)
            | R::Corrupt { .. }
            | R::Io { .. }
            | R::Sqlite(_) => return Refusal::failed(&error),
        };
        Refusal::new(status, code, sentence(&error))
    }
}

impl From<ResearchError> for Refusal {
    fn from(error: ResearchError) -> Refusal {
        let text = sentence(&error);
        match error {
            ResearchError::Refused(_) => {
                Refusal::new(StatusCode::CONFLICT, "research-refused", text)
            }
            ResearchError::Work(storage::Error::Malformed { .. }) => {
                Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-field", text)
            }
            ResearchError::Work(error) => Refusal::failed(&error),
            ResearchError::Registry(error) => error.into(),
        }
    }
}

impl From<storage::Error> for Refusal {
    fn from(error: storage::Error) -> Refusal {
        Refusal::failed(&error)
    }
}
