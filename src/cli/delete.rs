//! `strongroom delete`: request, confirm, approve, cancel, list, show, certificate.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use storage::registry::DeletionState;

use super::counter::Counter;
use super::deletions::{self, Person};
use super::list::{Wanted, print_list};
use super::print::{clip, json, line, plain, table};
use super::{Failure, Outcome, Place};
use crate::desk::DeletionDetail;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    strongroom delete request archive.local/letters --reason \"sent twice\" --user ann@archive.example\n  \
    strongroom delete approve 3 --user bea@archive.example\n  strongroom delete show 3\n\n\
    The password is asked for on the terminal, or taken from STRONGROOM_PASSWORD. Deletion takes two\n\
    administrators of the institution, here as everywhere. An approved deletion waits for\n\
    deletion.cooling_off_h hours, and can be cancelled until then.")]
pub(super) enum Delete {
    /// Ask for the deletion of objects and files
    #[command(after_help = "Example:\n  strongroom delete request archive.local/letters \
        archive.local/maps/data/old.tif --reason \"sent twice\" --user ann@archive.example")]
    Request(Request),
    /// Confirm a request that somebody else entered in your name, so that another administrator can
    /// approve it
    #[command(
        after_help = "Example:\n  strongroom delete confirm 3 --user ann@archive.example\n\n\
        The password and a code are asked for as by strongroom delete approve."
    )]
    Confirm(Approval),
    /// Approve a request: what it names is deleted, for ever, when its cooling-off period is over
    #[command(
        after_help = "Examples:\n  strongroom delete approve 3 --user bea@archive.example\n  \
        strongroom delete approve 3 --user bea@archive.example --password-stdin < password.txt\n  \
        STRONGROOM_TOKEN=... strongroom delete approve 3 --user bea@archive.example --code 123456\n\n\
        The password is asked for also where a token is used. An account with a second factor uses a\n\
        token that was made with --scope manage, and a code; while its second factor is younger than\n\
        seven days or than the request also the password, with --password-stdin."
    )]
    Approve(Approval),
    /// Cancel a request; also one that is approved, until its cooling-off period is over
    #[command(after_help = "Example:\n  strongroom delete cancel 3 --user bea@archive.example")]
    Cancel(Cancellation),
    /// List requests, newest first
    #[command(after_help = "Example:\n  strongroom delete list --state requested")]
    List(List),
    /// Show one request and how far it is
    #[command(after_help = "Example:\n  strongroom delete show 3")]
    Show(One),
    /// Print the certificate of a completed request
    #[command(after_help = "Example:\n  strongroom delete certificate 3 > certificate.txt")]
    Certificate(One),
}

#[derive(Args)]
pub(super) struct Request {
    /// Objects and files, by identifier; a file by its UUID too, an object by its number
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Why; the second person reads it
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    who: Who,
}

#[derive(Args)]
pub(super) struct Approval {
    /// The number of the request
    request: i64,
    #[command(flatten)]
    who: Who,
    /// A code of the second factor, for an account that has one
    #[arg(long)]
    code: Option<String>,
}

#[derive(Args)]
pub(super) struct Cancellation {
    /// The number of the request
    request: i64,
    #[command(flatten)]
    who: Who,
}

#[derive(Args)]
pub(super) struct Who {
    /// Who you are, by e-mail; the password is asked for, or taken from STRONGROOM_PASSWORD
    #[arg(long, value_name = "EMAIL")]
    user: String,
    /// Read the password from the first line of standard input
    #[arg(long)]
    password_stdin: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct List {
    /// Only requests in this state: requested, approved, cancelled, expired, completed
    #[arg(long)]
    state: Option<String>,
    #[command(flatten)]
    wanted: Wanted,
}

#[derive(Args)]
pub(super) struct One {
    /// The number of the request
    request: i64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Delete {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Delete::Request(Request { ids, reason, who }) => {
                let counter = Counter::open(place)?;
                let wish = deletions::wish(ids, reason);
                show(&counter.request_deletion(&wish, &who.person()?)?, who.json)
            }
            Delete::Confirm(Approval { request, who, code }) => {
                let (counter, person) = (Counter::open(place)?, who.person()?);
                let proof = person.prove_again(code, who.password_stdin)?;
                show(&counter.confirm_deletion(request, &person, &proof)?, who.json)
            }
            Delete::Approve(Approval { request, who, code }) => {
                let (counter, person) = (Counter::open(place)?, who.person()?);
                let proof = person.prove_again(code, who.password_stdin)?;
                show(&counter.approve_deletion(request, &person, &proof)?, who.json)
            }
            Delete::Cancel(Cancellation { request, who }) => {
                let (counter, person) = (Counter::open(place)?, who.person()?);
                show(&counter.cancel_deletion(request, &person)?, who.json)
            }
            Delete::List(list) => list.run(place),
            Delete::Show(one) => show(&Counter::open(place)?.deletion(one.request)?, one.json),
            Delete::Certificate(one) => {
                let text = Counter::open(place)?.certificate(one.request, one.json)?;
                line(text.trim_end());
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

impl Who {
    fn person(&self) -> Result<Person, Failure> {
        Person::ask(&self.user, self.password_stdin)
    }
}

impl List {
    fn run(self, place: &Place) -> Outcome {
        let pairs = self.wanted.pairs(&[("state", &self.state)])?;
        let list = Counter::open(place)?.deletions(&pairs)?;
        if self.wanted.json {
            json(&list)?;
            return Ok(ExitCode::SUCCESS);
        }
        let rows: Vec<_> = list
            .deletions
            .iter()
            .map(|row| {
                vec![
                    row.id.to_string(),
                    row.state.name().to_owned(),
                    web::counted(row.deleted_file_count, "file"),
                    web::parts::human_size(row.size),
                    clip(&row.requested_by_email, 40),
                    row.requested_at.to_string(),
                    clip(&row.reason, 60),
                ]
            })
            .collect();
        let head = ["REQUEST", "STATE", "FILES", "SIZE", "ASKED BY", "ASKED", "WHY"];
        print_list("requests", (list.count, list.count_is_exact), &head, &rows);
        Ok(ExitCode::SUCCESS)
    }
}

fn show(detail: &DeletionDetail, as_json: bool) -> Outcome {
    if as_json {
        json(detail)?;
        return Ok(ExitCode::SUCCESS);
    }
    let request = &detail.deletion;
    line(&format!("Deletion request {}: {}", request.id, request.state.name()));
    line(&format!("Why: {}", plain(&request.reason)));
    let by = |email: &str, at: storage::clock::Timestamp| format!("{email}, {}", at.to_minute());
    line(&format!("Asked by {}", plain(&by(&request.requested_by_email, request.requested_at))));
    for (deed, email, at) in [
        ("Agreed to", &request.confirmed_by_email, request.confirmed_at),
        ("Cancelled", &request.cancelled_by_email, request.cancelled_at),
    ] {
        if let (Some(email), Some(at)) = (email, at) {
            line(&format!("{deed} by {}", plain(&by(email, at))));
        }
    }
    match (request.state, request.completed_at) {
        (DeletionState::Requested, _) if detail.needs_confirmation => {
            line(&format!(
                "Entered in the name of {}, who has to confirm it (strongroom delete confirm {}) \
                 before another administrator of {} approves it by {}; otherwise everything stays",
                plain(&request.requested_by_email),
                request.id,
                plain(&request.institution_identifier),
                request.expires_at.to_minute()
            ));
        }
        (DeletionState::Requested, _) => {
            let who = if detail.approver_count > 1 { "Another" } else { "The only" };
            line(&format!(
                "{who} administrator of {} has to agree before {}; otherwise everything stays",
                plain(&request.institution_identifier),
                request.expires_at.to_minute()
            ));
        }
        (_, Some(at)) => line(&format!("Completed {}", at.to_minute())),
        (DeletionState::Approved, None) => {
            let from = request.erase_after.map(|at| at.to_minute()).unwrap_or_default();
            line(&format!("Erased no earlier than {from}; until then it can be cancelled"));
        }
        (_, None) => {}
    }
    let size = web::parts::human_size(request.size);
    line(&format!("{}, {size}", web::counted(request.deleted_file_count, "file")));
    line("");
    let rows: Vec<_> = detail
        .parts
        .iter()
        .map(|part| {
            let path = part.path.as_ref().map(|path| format!("/{path}")).unwrap_or_default();
            let done = part.done_at.map(|at| at.to_string()).unwrap_or_default();
            let item = part.item_id.map(|id| id.to_string()).unwrap_or_default();
            vec![clip(&format!("{}{path}", part.object_identifier), 80), item, done]
        })
        .collect();
    table(&["WHAT", "ITEM", "GONE"], &rows);
    for it in &detail.under_way {
        let gone = if it.gone_from.is_empty() {
            "gone from no replica yet".to_owned()
        } else {
            format!("gone from {}", it.gone_from.join(", "))
        };
        line(&plain(&format!("{}: {gone}. {}", it.what, it.note)));
    }
    Ok(ExitCode::SUCCESS)
}
