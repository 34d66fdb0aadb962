//! The command line: one file per command. Exit codes: 0 done, 1 a finding or a refusal, 2 could
//! not run.

mod alerts;
mod assess;
mod bag;
mod bag_create;
mod bag_profile;
mod bag_validate;
mod client;
mod completions;
mod counter;
mod delete;
mod deletions;
mod demo;
mod doctor;
mod events;
mod export;
mod files;
mod fixity;
mod fixity_check;
mod fixity_counter;
mod formats;
mod formats_show;
mod formats_update;
mod held;
mod identify;
mod ingest;
mod ingest_put;
mod ingest_wait;
mod institution;
mod items;
mod list;
mod maintenance;
mod meter;
mod objects;
mod people;
mod print;
mod queues;
mod rebuild;
mod reference;
mod report;
mod requeue;
mod research;
mod research_feed;
mod research_match;
mod research_match_text;
mod research_office;
mod research_pack;
mod research_remove;
mod research_work;
mod restore;
mod search;
mod secret;
mod serve;
mod server;
mod standard_input;
mod token;
mod user;

use std::path::PathBuf;
use std::process::ExitCode;

use byteio::causes::chain;
use clap::{Args, Parser, Subcommand};

use crate::config::{Config, Flags};
use crate::flows::FLOWS;
use crate::work::Chart;

/// A digital preservation repository in one program.
#[derive(Parser)]
#[command(name = "strongroom", version, about, max_term_width = 100)]
#[command(after_help = "Without a command, `strongroom` serves.\n\n\
    Examples:\n  strongroom serve --data /srv/strongroom\n  \
    strongroom ingest letters.tar --wait\n  \
    strongroom restore archive.local/letters --wait\n  \
    strongroom items list --status Suspended\n  \
    strongroom queues pause upkeep01_snapshot\n  strongroom identify letters\n  strongroom doctor")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    place: Place,
}

/// Which appliance.
#[derive(Args, Clone, Default)]
struct Place {
    /// The data directory [default: ./strongroom-data]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The configuration file [default: strongroom.toml in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Start the appliance and serve until asked to stop
    Serve(serve::Serve),
    /// Start a house with sample people and deposits, for a look around
    Demo(demo::Demo),
    /// List items, show one, or cancel one
    #[command(subcommand)]
    Items(items::Items),
    /// Show the queues; pause, resume or empty them
    #[command(subcommand)]
    Queues(queues::Queues),
    /// Give bags to the appliance to preserve
    Ingest(ingest::Ingest),
    /// List the objects that are held, or show one
    #[command(subcommand)]
    Objects(objects::Objects),
    /// Find objects, files and items by words, identifiers and digests
    Search(search::Search),
    /// List the files that are held, or show one
    #[command(subcommand)]
    Files(files::Files),
    /// List what happened to objects and files, or show one event
    #[command(subcommand)]
    Events(events::Events),
    /// Read copies again, and say how the checks stand
    #[command(subcommand)]
    Fixity(fixity::Fixity),
    /// Say how much is held, by whom, in which formats and where; and the NDSA Levels
    #[command(subcommand)]
    Report(report::Report),
    /// Add episodes and clips, and see how far research has come
    #[command(subcommand)]
    Research(research::Research),
    /// Ask for a deletion, agree to one, follow it; takes two persons
    #[command(subcommand)]
    Delete(delete::Delete),
    /// List what people were told of, show one alert, or mark alerts as read
    #[command(subcommand)]
    Alerts(alerts::Alerts),
    /// Put an item, or everything parked for one reason, back in line
    Requeue(requeue::Requeue),
    /// Give back an object or a file that is held
    Restore(restore::Restore),
    /// Judge bags, or make one; needs no appliance
    #[command(subcommand)]
    Bag(bag::Bag),
    /// Say what files are, by their bytes and names; needs no appliance
    Identify(identify::Identify),
    /// Assess the sites of a file against reference data; needs no appliance
    Assess(assess::Assess),
    /// Show the reference data that sites are assessed with, load some, or go back
    #[command(subcommand)]
    Reference(reference::Reference),
    /// Show the signatures that formats are known by, or put newer ones in use
    #[command(subcommand)]
    Formats(formats::Formats),
    /// List institutions, add, show, change, shut out or let one in again
    #[command(subcommand)]
    Institution(institution::Institution),
    /// List users, add, show, change, shut out or let one in again
    #[command(subcommand)]
    User(user::User),
    /// Make, list or revoke tokens, which programs of a user sign in with
    #[command(subcommand)]
    Token(token::Token),
    /// Close the house to all but administrators, or open it again
    #[command(subcommand)]
    Maintenance(maintenance::Maintenance),
    /// Check the invariants of every store; exit 1 with findings
    Doctor(doctor::Doctor),
    /// Write everything as JSON lines, and every object as PREMIS
    Export(export::Export),
    /// Make the registry again from a vault
    Rebuild(rebuild::Rebuild),
    /// Print completions for a shell
    Completions(completions::Completions),
}

/// Why a command did not do what was asked.
enum Failure {
    /// It ran and says no: exit 1.
    Refused(String),
    /// What is stored is damaged: exit 2, unless damage was what the command looked for.
    Damaged(String),
    /// It could not run: exit 2.
    Unable(String),
}

impl<E: std::error::Error + 'static> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Unable(chain(&error))
    }
}

type Outcome = Result<ExitCode, Failure>;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let place = cli.place;
    let outcome = match cli.command.unwrap_or(Command::Serve(serve::Serve::default())) {
        Command::Serve(serve) => serve.run(&place),
        Command::Demo(demo) => demo.run(),
        Command::Items(items) => items.run(&place),
        Command::Queues(queues) => queues.run(&place),
        Command::Ingest(ingest) => ingest.run(&place),
        Command::Objects(objects) => objects.run(&place),
        Command::Search(search) => search.run(&place),
        Command::Files(files) => files.run(&place),
        Command::Events(events) => events.run(&place),
        Command::Fixity(fixity) => fixity.run(&place),
        Command::Report(report) => report.run(&place),
        Command::Research(research) => research.run(&place),
        Command::Delete(delete) => delete.run(&place),
        Command::Alerts(alerts) => alerts.run(&place),
        Command::Requeue(requeue) => requeue.run(&place),
        Command::Restore(restore) => restore.run(&place),
        Command::Bag(bag) => bag.run(),
        Command::Identify(identify) => identify.run(&place),
        Command::Assess(assess) => assess.run(&place),
        Command::Reference(reference) => reference.run(&place),
        Command::Formats(formats) => formats.run(&place),
        Command::Institution(institution) => institution.run(&place),
        Command::User(user) => user.run(&place),
        Command::Token(token) => token.run(&place),
        Command::Maintenance(maintenance) => maintenance.run(&place),
        Command::Doctor(doctor) => doctor.run(&place),
        Command::Export(export) => export.run(&place),
        Command::Rebuild(rebuild) => rebuild.run(&place),
        Command::Completions(completions) => completions.run(),
    };
    match outcome {
        Ok(_) if print::was_lost() => {
            print::error("the output could not be written");
            ExitCode::from(2)
        }
        Ok(code) => code,
        Err(Failure::Refused(sentence)) => {
            print::error(&sentence);
            ExitCode::from(1)
        }
        Err(Failure::Damaged(sentence)) => {
            print::error(&format!(
                "{sentence}; `strongroom serve` keeps a damaged work state aside"
            ));
            ExitCode::from(2)
        }
        Err(Failure::Unable(sentence)) => {
            print::error(&sentence);
            ExitCode::from(2)
        }
    }
}

impl Place {
    /// Says that a data directory that was named is not there: it may be a slip of the pen.
    fn say_if_absent(&self, data: &std::path::Path) {
        if self.data.is_some() && !data.is_dir() {
            let shown = print::plain(&data.display().to_string());
            print::error(&format!("there is no data directory at {shown}"));
        }
    }

    /// The configuration in force for this place.
    fn load(&self, listen: Option<String>) -> Result<Config, Failure> {
        let flags = Flags { config: self.config.clone(), data: self.data.clone(), listen };
        Ok(Config::of_this_machine(&flags, &Chart::known_stages(FLOWS))?)
    }
}
