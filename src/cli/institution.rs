//! `strongroom institution`: list, add, show, edit, deactivate, reactivate.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use storage::registry::Standing;

use super::counter::Counter;
use super::list::{Wanted, print_list};
use super::print::{clip, json, line, plain};
use super::{Outcome, Place};
use crate::desk::{InstitutionDetail, InstitutionEdit, InstitutionWish};

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom institution list\n  \
    strongroom institution add library.example --name \"Town library\"\n  \
    strongroom institution show library.example")]
pub(super) enum Institution {
    /// List institutions by name
    #[command(after_help = "Example:\n  strongroom institution list")]
    List(Wanted),
    /// Add an institution; its deposits are received from then on
    #[command(after_help = "Examples:\n  \
        strongroom institution add library.example --name \"Town library\"\n  \
        strongroom institution add maps.library.example --name \"Map room\" \
        --member library.example")]
    Add(Add),
    /// Show one institution
    #[command(after_help = "Example:\n  strongroom institution show library.example")]
    Show(One),
    /// Shut an institution out with its users; what it holds stays
    #[command(after_help = "Example:\n  strongroom institution deactivate library.example")]
    Deactivate(One),
    /// Let an institution in again
    #[command(after_help = "Example:\n  strongroom institution reactivate library.example")]
    Reactivate(One),
    /// Change an institution's name, or what it chooses for itself
    #[command(after_help = "Examples:\n  \
        strongroom institution edit library.example --name \"Public library\"\n  \
        strongroom institution edit library.example --second-factor true --spot-restore-days 90")]
    Edit(Edit),
}

#[derive(Args)]
pub(super) struct Edit {
    /// The identifier or the number of the institution
    institution: String,
    /// The new name
    #[arg(long)]
    name: Option<String>,
    /// Days between restoration tests; 0 for none
    #[arg(long)]
    spot_restore_days: Option<i64>,
    /// Whether everybody there signs in with a second factor
    #[arg(long)]
    second_factor: Option<bool>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Add {
    /// A DNS name, with which the identifiers of all it owns begin
    identifier: String,
    /// The name
    #[arg(long)]
    name: String,
    /// The member that it is an account of, by identifier or number
    #[arg(long)]
    member: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct One {
    /// The identifier or the number of the institution
    institution: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Institution {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Institution::List(wanted) => list(&wanted, place),
            Institution::Add(Add { identifier, name, member, json }) => {
                let wish = InstitutionWish { name, identifier, member };
                show(&Counter::open(place)?.add_institution(&wish)?, json)
            }
            Institution::Show(one) => {
                show(&Counter::open(place)?.institution(&one.institution)?, one.json)
            }
            Institution::Deactivate(one) => {
                show(&Counter::open(place)?.admit_institution(&one.institution, false)?, one.json)
            }
            Institution::Reactivate(one) => {
                show(&Counter::open(place)?.admit_institution(&one.institution, true)?, one.json)
            }
            Institution::Edit(Edit {
                institution,
                name,
                spot_restore_days,
                second_factor,
                json,
            }) => {
                let edit = InstitutionEdit {
                    name,
                    spot_restore_frequency: spot_restore_days,
                    otp_enabled: second_factor,
                };
                show(&Counter::open(place)?.edit_institution(&institution, &edit)?, json)
            }
        }
    }
}

fn list(wanted: &Wanted, place: &Place) -> Outcome {
    let list = Counter::open(place)?.institutions(&wanted.pairs(&[])?)?;
    if wanted.json {
        json(&list)?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<_> = list
        .institutions
        .iter()
        .map(|it| {
            let standing = if it.state == Standing::Active { "active" } else { "shut out" };
            let (id, standing) = (it.id.to_string(), standing.to_owned());
            vec![id, clip(&it.identifier, 60), clip(&it.name, 60), standing]
        })
        .collect();
    let head = ["INSTITUTION", "IDENTIFIER", "NAME", "STANDING"];
    print_list("institutions", (list.count, list.count_is_exact), &head, &rows);
    Ok(ExitCode::SUCCESS)
}

fn show(detail: &InstitutionDetail, as_json: bool) -> Outcome {
    if as_json {
        json(detail)?;
        return Ok(ExitCode::SUCCESS);
    }
    let it = &detail.institution;
    line(&format!("Institution {}: {} ({})", it.id, plain(&it.name), plain(&it.identifier)));
    if let Some(at) = it.deactivated_at {
        line(&format!("Shut out since {}", at.to_minute()));
    }
    if let Some(member) = &detail.member {
        line(&format!("Account of {}", plain(&member.name)));
    }
    if it.otp_enabled {
        line("Everybody there signs in with a second factor");
    }
    line(&format!("Receives in {}", plain(&it.receiving_bucket)));
    line(&format!("Has {} who may sign in", web::counted(detail.user_count, "user")));
    Ok(ExitCode::SUCCESS)
}
