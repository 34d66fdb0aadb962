//! `strongroom user`: list, add, show, reset, confirm, deactivate, reactivate.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use storage::registry::Role;

use super::counter::Counter;
use super::list::{Wanted, print_list};
use super::print::{clip, json, line, plain};
use super::{Failure, Outcome, Place};
use crate::desk::{Invitation, UserDetail, UserEdit, UserWish};

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom user list\n  \
    strongroom user add ann@archive.example --name \"Ann Archer\" --role institutional-admin\n  \
    strongroom user reset ann@archive.example\n  strongroom user deactivate ann@archive.example")]
pub(super) enum User {
    /// List users by name
    #[command(after_help = "Example:\n  strongroom user list --filter role=admin")]
    List(Wanted),
    /// Add a user, and print the link by which they set their password
    #[command(after_help = "Example:\n  strongroom user add ann@archive.example \
        --name \"Ann Archer\" --role institutional-admin --institution archive.local")]
    Add(Add),
    /// Show one user
    #[command(after_help = "Example:\n  strongroom user show ann@archive.example")]
    Show(One),
    /// Print a new link by which a user sets their password
    #[command(after_help = "Example:\n  strongroom user reset ann@archive.example")]
    Reset(One),
    /// Shut a user out; where they are signed in, that ends
    #[command(after_help = "Example:\n  strongroom user deactivate ann@archive.example")]
    Deactivate(One),
    /// Change a user's name, e-mail, phone number or role
    #[command(after_help = "Examples:\n  \
        strongroom user edit ann@archive.example --role admin\n  \
        strongroom user edit 3 --name \"Ann Archer\" --email ann.archer@archive.example")]
    Edit(Edit),
    /// Take away the second factor of a user who lost it
    #[command(after_help = "Example:\n  strongroom user reset-factor ann@archive.example")]
    ResetFactor(One),
    /// Give an administrator back the role from before the registry was rebuilt
    #[command(after_help = "Example:\n  strongroom user confirm ann@archive.example\n\n\
        After `strongroom rebuild` administrators have no role until it is confirmed here. Confirm\n\
        only those whom you know. A password does not come back: `strongroom user reset` prints a\n\
        link that sets a new one.")]
    Confirm(One),
    /// Let a user in again
    #[command(after_help = "Example:\n  strongroom user reactivate ann@archive.example")]
    Reactivate(One),
}

#[derive(Args)]
pub(super) struct Add {
    /// The e-mail
    email: String,
    /// The name
    #[arg(long)]
    name: String,
    /// What they may do
    #[arg(long, value_enum)]
    role: Part,
    /// Where they belong, by identifier or number [default: the one of ingest.institution]
    #[arg(long)]
    institution: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Edit {
    /// The e-mail or the number of the user
    user: String,
    /// The new name
    #[arg(long)]
    name: Option<String>,
    /// The new e-mail
    #[arg(long)]
    email: Option<String>,
    /// The new phone number, + and 11 digits; empty for none
    #[arg(long)]
    phone: Option<String>,
    /// What they may do
    #[arg(long, value_enum)]
    role: Option<Part>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct One {
    /// The e-mail or the number of the user
    user: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A role, as it is typed.
#[derive(Clone, Copy, ValueEnum)]
enum Part {
    /// Reads and restores within the institution
    InstitutionalUser,
    /// Also deletes, with a second administrator
    InstitutionalAdmin,
    /// Looks after the whole appliance
    Admin,
    /// Nothing, not even signing in
    None,
}

impl Part {
    fn role(self) -> Role {
        match self {
            Part::InstitutionalUser => Role::InstitutionalUser,
            Part::InstitutionalAdmin => Role::InstitutionalAdmin,
            Part::Admin => Role::Admin,
            Part::None => Role::None,
        }
    }
}

impl User {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            User::List(wanted) => list(&wanted, place),
            User::Add(add) => add.run(place),
            User::Show(one) => show(&Counter::open(place)?.user(&one.user)?, one.json),
            User::Reset(one) => {
                let counter = Counter::open(place)?;
                hand_over(&counter, &counter.reset_user(&one.user)?, one.json)
            }
            User::Deactivate(one) => {
                show(&Counter::open(place)?.admit_user(&one.user, false)?, one.json)
            }
            User::Edit(edit) => edit.run(place),
            User::ResetFactor(one) => {
                show(&Counter::open(place)?.reset_factor(&one.user)?, one.json)
            }
            User::Confirm(one) => confirm(&one, place),
            User::Reactivate(one) => {
                show(&Counter::open(place)?.admit_user(&one.user, true)?, one.json)
            }
        }
    }
}

impl Add {
    fn run(self, place: &Place) -> Outcome {
        let institution = match self.institution {
            Some(institution) => institution,
            None => place.load(None)?.ingest.institution,
        };
        let wish = UserWish {
            name: self.name,
            email: self.email,
            phone_number: None,
            role: self.role.role(),
            institution,
        };
        let counter = Counter::open(place)?;
        hand_over(&counter, &counter.add_user(&wish)?, self.json)
    }
}

impl Edit {
    fn run(self, place: &Place) -> Outcome {
        let edit = UserEdit {
            name: self.name,
            email: self.email,
            phone_number: self.phone,
            role: self.role.map(Part::role),
        };
        show(&Counter::open(place)?.edit_user(&self.user, &edit)?, self.json)
    }
}

/// Gives back the role that was taken by a rebuild.
fn confirm(one: &One, place: &Place) -> Outcome {
    let counter = Counter::open(place)?;
    let known = counter.user(&one.user)?;
    let Some(role) = known.unconfirmed_role else {
        let (email, role) = (plain(&known.user.email), known.user.role.name());
        return Err(Failure::Refused(format!(
            "{email} has no role that waits to be confirmed, and nothing was changed; the role is {role}. \
             To give another one: strongroom user edit {email} --role ROLE"
        )));
    };
    let edit = UserEdit { role: Some(role), ..UserEdit::default() };
    let confirmed = counter.edit_user(&one.user, &edit)?;
    show(&confirmed, one.json)?;
    if !one.json && !confirmed.has_password {
        let email = plain(&confirmed.user.email);
        line(&format!("For a link that sets a password: strongroom user reset {email}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a link, once: it cannot be asked for again.
fn hand_over(counter: &Counter, invitation: &Invitation, as_json: bool) -> Outcome {
    let origin = counter.origin();
    let link = invitation.path.as_ref().map(|path| format!("{origin}{path}"));
    if as_json {
        json(&serde_json::json!({
            "user": invitation.user, "link": link, "expires_at": invitation.expires_at.to_string(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let user = &invitation.user;
    line(&format!(
        "User {}: {} <{}>, {}",
        user.id,
        plain(&user.name),
        plain(&user.email),
        user.role.name()
    ));
    if invitation.mailed {
        line("A link was mailed to them.");
    }
    let Some(link) = link else { return Ok(ExitCode::SUCCESS) };
    line("Hand over this link. It sets the password, once, and is not shown again:");
    line(&format!("  {link}"));
    line(&format!("It works until {}.", invitation.expires_at.to_minute()));
    Ok(ExitCode::SUCCESS)
}

fn list(wanted: &Wanted, place: &Place) -> Outcome {
    let list = Counter::open(place)?.users(&wanted.pairs(&[])?)?;
    if wanted.json {
        json(&list)?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<_> = list
        .users
        .iter()
        .map(|user| {
            vec![
                user.id.to_string(),
                clip(&user.email, 40),
                clip(&user.name, 40),
                user.role.name().to_owned(),
                user.institution_id.to_string(),
                user.deactivated_at.map(|at| at.to_string()).unwrap_or_default(),
            ]
        })
        .collect();
    let head = ["USER", "E-MAIL", "NAME", "ROLE", "INSTITUTION", "SHUT OUT"];
    print_list("users", (list.count, true), &head, &rows);
    Ok(ExitCode::SUCCESS)
}

fn show(detail: &UserDetail, as_json: bool) -> Outcome {
    if as_json {
        json(detail)?;
        return Ok(ExitCode::SUCCESS);
    }
    let user = &detail.user;
    line(&format!("User {}: {} <{}>", user.id, plain(&user.name), plain(&user.email)));
    line(&format!("{} of {}", user.role.name(), detail.institution));
    if let Some(role) = detail.unconfirmed_role {
        let email = plain(&user.email);
        line(&format!(
            "Was {} before the registry was rebuilt; to confirm that: strongroom user confirm {email}",
            role.name()
        ));
    }
    if let Some(at) = user.deactivated_at {
        line(&format!("Shut out since {}", at.to_minute()));
    } else if !detail.is_active {
        line("Shut out with the institution");
    }
    if !detail.has_password {
        line("Has not set a password yet");
    }
    if detail.has_second_factor {
        line("Has a second factor");
    } else if detail.owes_second_factor {
        line("Must set up a second factor, and has not yet");
    }
    if let Some(since) = detail.waits_for_link_since {
        line(&format!("Forgot the password and waits for a link since {}", since.to_minute()));
    }
    if let Some(end) = detail.locked_until {
        line(&format!("Locked until {} after too many wrong passwords", end.to_minute()));
    }
    Ok(ExitCode::SUCCESS)
}
