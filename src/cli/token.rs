//! `strongroom token`: create, list, revoke.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use storage::registry::TokenRow;

use super::counter::Counter;
use super::list::{Wanted, print_list};
use super::print::{clip, json, line, plain};
use super::{Outcome, Place};
use crate::accounts::TOKEN_DAYS;
use crate::desk::NewTokenWish;
use crate::rights::TokenScope;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    strongroom token create --user ann@archive.example --name \"nightly report\"\n  \
    strongroom token list --user ann@archive.example\n  strongroom token revoke 3")]
pub(super) enum Token {
    /// Make a token for programs of a user, and print it once
    #[command(after_help = "Example:\n  strongroom token create --user ann@archive.example \
        --name \"nightly report\" --scope read --days 30")]
    Create(Create),
    /// List the tokens of a user, the newest first
    #[command(after_help = "Example:\n  strongroom token list --user ann@archive.example")]
    List(List),
    /// End a token for good
    #[command(after_help = "Example:\n  strongroom token revoke 3")]
    Revoke(Revoke),
}

#[derive(Args)]
pub(super) struct Create {
    /// Whose token it is, by e-mail or number
    #[arg(long)]
    user: String,
    /// What to call it
    #[arg(long)]
    name: String,
    /// What it may be used for
    #[arg(long, value_enum, default_value = "read")]
    scope: Use,
    /// Days that it works, up to 365
    #[arg(long, default_value_t = TOKEN_DAYS)]
    days: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a token may be used for, as it is typed.
#[derive(Clone, Copy, ValueEnum)]
enum Use {
    /// Reading
    Read,
    /// Everything that its owner may do, but deletions, users and their own account
    Write,
    /// Taking work as a researcher and telling results, and nothing else
    Research,
    /// What write may, and also requesting and approving deletions and changing users
    Manage,
}

#[derive(Args)]
pub(super) struct List {
    /// Whose tokens, by e-mail or number
    #[arg(long)]
    user: String,
    #[command(flatten)]
    wanted: Wanted,
}

#[derive(Args)]
pub(super) struct Revoke {
    /// The number of the token
    token: i64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Token {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Token::Create(create) => create.run(place),
            Token::List(list) => list.run(place),
            Token::Revoke(revoke) => {
                let token = Counter::open(place)?.revoke_token(revoke.token)?;
                if revoke.json {
                    json(&token)?;
                } else {
                    line(&format!("Token {} ({}) is revoked", token.id, plain(&token.name)));
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

impl Create {
    fn run(self, place: &Place) -> Outcome {
        let scope = match self.scope {
            Use::Read => TokenScope::Read,
            Use::Write => TokenScope::Write,
            Use::Research => TokenScope::Research,
            Use::Manage => TokenScope::Manage,
        };
        let wish = NewTokenWish { name: self.name, scope, days: self.days };
        let made = Counter::open(place)?.make_token(&self.user, &wish)?;
        if self.json {
            json(&made)?;
            return Ok(ExitCode::SUCCESS);
        }
        let token = &made.token;
        line(&format!("Token {}: {} ({})", token.id, plain(&token.name), token.scope));
        line("Keep it where the program finds it. It is not shown again:");
        line(&format!("  {}", made.text));
        line(&format!("It works until {}.", token.expires_at.to_minute()));
        Ok(ExitCode::SUCCESS)
    }
}

impl List {
    fn run(self, place: &Place) -> Outcome {
        let pairs = self.wanted.pairs(&[])?;
        let list = Counter::open(place)?.tokens(&self.user, &pairs)?;
        if self.wanted.json {
            json(&list)?;
            return Ok(ExitCode::SUCCESS);
        }
        let rows: Vec<_> = list.tokens.iter().map(row).collect();
        let head = ["TOKEN", "NAME", "FOR", "UNTIL", "LAST USED", "REVOKED"];
        print_list("tokens", (list.count, true), &head, &rows);
        Ok(ExitCode::SUCCESS)
    }
}

fn row(token: &TokenRow) -> Vec<String> {
    let at = |at: Option<storage::clock::Timestamp>| {
        at.map(storage::clock::Timestamp::to_minute).unwrap_or_default()
    };
    vec![
        token.id.to_string(),
        clip(&token.name, 40),
        token.scope.clone(),
        token.expires_at.to_minute(),
        at(token.used_at),
        at(token.revoked_at),
    ]
}
