//! `strongroom demo`: a house with sample people and deposits, for a look around. Everything lies in a
//! temporary folder and is gone when it ends. Neither the environment nor a configuration file is read:
//! a look around must not reach the vaults of a real house.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bagit::make::{Form, Payload, Placing, Plan, Sheet, create};
use byteio::durable;
use clap::Args;
use storage::clock::{Clock, SystemClock};
use storage::registry::{NewUser, Role};

use super::print::line;
use super::serve::Signals;
use super::{Failure, Outcome};
use crate::accounts::{AccountError, NewAdmin, Secret, make_link, redeem_link};
use crate::app::App;
use crate::appliance::Appliance;
use crate::config::{Config, Flags, Surroundings};
use crate::desk::InstitutionWish;
use crate::flows::{FLOWS, SWEEPS};
use crate::rights::Caller;
use crate::telemetry;
use crate::work::Chart;

const LIBRARY: &str = "library.example";

/// Who looks after the house.
const ADMIN: (&str, &str) = ("Ada Admin", "ada@archive.local");
/// Who there is at the library: name, e-mail, role. Two of them may delete together.
const PEOPLE: [(&str, &str, Role); 3] = [
    ("Ines Keeper", "ines@library.example", Role::InstitutionalAdmin),
    ("Karl Keeper", "karl@library.example", Role::InstitutionalAdmin),
    ("Uma Reader", "uma@library.example", Role::InstitutionalUser),
];

/// What is deposited: name, title, who may see it, and how many files.
const DEPOSITS: [(&str, &str, &str, usize); 3] = [
    ("parish-letters", "Letters of the parish, 1790 to 1801", "Institution", 24),
    ("council-minutes", "Minutes of the council", "Consortia", 12),
    ("sealed-accounts", "Accounts, sealed until 2040", "Restricted", 6),
];
/// And one that was damaged on its way.
const DAMAGED: (&str, &str, &str, usize) = ("flood-reports", "Reports of floods", "Institution", 4);

/// Start a house with sample people and deposits, for a look around.
#[derive(Args)]
#[command(after_help = "Example:\n  strongroom demo --listen 127.0.0.1:9000\n\n\
    Everything is removed when it is stopped with Ctrl-C.")]
pub(super) struct Demo {
    /// The address to listen on [default: 127.0.0.1:8600]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
}

impl Demo {
    pub(super) fn run(self) -> Outcome {
        let waiting = Signals::listen()?.ignoring_hangup()?;
        let folder = tempfile::Builder::new().prefix("strongroom-demo-").tempdir()?;
        let config = sample_config(folder.path().join("data"), self.listen)?;
        telemetry::init(&config.log)?;
        let clock = SystemClock::start();
        let today = clock.now().to_string();
        let appliance = Appliance::start(config, FLOWS, SWEEPS, Arc::new(clock))?;
        let password = invite(appliance.app(), appliance.welcome().unwrap_or_default())?;
        deposit(appliance.app(), folder.path(), &today)?;
        line(&format!("A house for a look around is open at {}/sign-in", appliance.origin()));
        line(&format!("  {:<22} {}, looks after the house", ADMIN.1, ADMIN.0));
        for (name, email, role) in PEOPLE {
            line(&format!("  {email:<22} {name}, {} of {LIBRARY}", role.name()));
        }
        line(&format!("The password of all of them: {password}"));
        line("Three deposits are being preserved; a fourth was damaged, and waits for a person.");
        line("Everything is removed when this is stopped (Ctrl-C).");
        waiting.wait()?;
        appliance.stop();
        folder.close()?;
        line("Stopped; the sample house is removed.");
        Ok(ExitCode::SUCCESS)
    }
}

fn sample_config(data: PathBuf, listen: Option<String>) -> Result<Config, Failure> {
    let around = Surroundings {
        env: &|_| None,
        read: &|path| std::fs::read_to_string(path),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let flags = Flags { config: None, data: Some(data), listen };
    let mut config = Config::load(&flags, &around, &Chart::known_stages(FLOWS))?;
    // Whoever looks around wants to see a deletion through to its end.
    config.deletion.cooling_off = Duration::ZERO;
    Ok(config)
}

/// Makes the people, all with one password that is drawn anew each time.
fn invite(app: &App, welcome: &str) -> Result<String, Failure> {
    let password: String = Secret::draw()?.text().chars().take(16).collect();
    let desk = app.desk();
    let (name, email) = (ADMIN.0.to_owned(), ADMIN.1.to_owned());
    // The house's own institution is made with its first person.
    desk.welcome(token(welcome), NewAdmin { name, email, password: password.clone() }, "demo")?;
    let library = desk.add_institution(&InstitutionWish {
        name: "Town library".into(),
        identifier: LIBRARY.into(),
        member: None,
    })?;
    let (registry, now) = (&app.registry, app.shop.clock.now());
    for (name, email, role) in PEOPLE {
        let new = NewUser {
            name: name.into(),
            email: email.into(),
            phone_number: None,
            institution_id: library.institution.id,
            role,
        };
        // As if each was here before: two accounts that one person made do not delete together.
        let user = registry
            .create_user(&new, storage::registry::without_note, now)
            .map_err(AccountError::from)?;
        let (link, _) = make_link(registry, &Caller::Stranger, &user, now)?;
        redeem_link(registry, (&link.text(), &password), "demo", now)?;
    }
    Ok(password)
}

/// What a link proves itself with.
fn token(link: &str) -> &str {
    link.split_once("token=").map_or("", |(_, token)| token)
}

/// Makes the bags and puts them where the library's deposits are received.
fn deposit(app: &App, folder: &Path, today: &str) -> Result<(), Failure> {
    let Some(receiving) = app.config.receiving_folder() else { return Ok(()) };
    let area = receiving.join(LIBRARY);
    durable::create_folder(&area)?;
    for sample in DEPOSITS {
        let bag = make(folder, sample, Form::Tar, today)?;
        durable::rename(&bag, &area.join(format!("{}.tar", sample.0)))?;
    }
    let bag = make(folder, DAMAGED, Form::Folder(Placing::Copy), today)?;
    durable::write(&bag.join("data").join("page-001.txt"), b"washed out\n", true)?;
    durable::rename(&bag, &area.join(DAMAGED.0))?;
    Ok(())
}

fn make(
    folder: &Path,
    (name, title, access, pages): (&str, &str, &str, usize),
    form: Form,
    today: &str,
) -> Result<PathBuf, Failure> {
    let material = folder.join("material").join(name);
    durable::create_folder(&material)?;
    for page in 1..=pages {
        let text = format!("{title}\npage {page} of {pages}\n");
        durable::write(&material.join(format!("page-{page:03}.txt")), text.as_bytes(), true)?;
    }
    let suffix = if matches!(form, Form::Tar) { ".tar" } else { "" };
    let target = folder.join(format!("{name}{suffix}"));
    let date = today.get(..10).unwrap_or_default();
    let date = date.parse().map_err(|_| Failure::Unable(format!("{date} is no date")))?;
    let tags = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned())).collect()
    };
    let mut plan = Plan::new(name, Payload::Folder(material), target, date);
    plan.form = form;
    plan.sheets = vec![
        Sheet {
            file: "bag-info.txt".into(),
            tags: tags(&[("Source-Organization", "Town library")]),
        },
        Sheet {
            file: "aptrust-info.txt".into(),
            tags: tags(&[("Title", title), ("Access", access), ("Storage-Option", "Standard")]),
        },
    ];
    Ok(create(&plan)?.path)
}
