//! Brings what lies in cold replicas to where it can be read.
//!
//! Promise: when the stage has ended, every file of the wish has a copy that can be read at once.
//! Each copy is asked for once, and looked at after growing spans until it is there. Interruptible:
//! after each copy. Repeats: safe, what was asked for is marked; a mark that is lost costs a second
//! request, which the server answers with the first.

use std::time::Duration;

use ocfl::{Class, Thawing};
use storage::work::item::Subject;

use super::bagging::Making;
use super::copies::{Shelves, Wanted};
use super::file::wanted_file;
use super::object::held;
use super::patience::patient;
use super::wish::Wish;
use crate::app::App;
use crate::fault::Fault;
use crate::work::{About, Done, Job, Policy, Stage};

const POLICY: Policy =
    Policy { max_attempts: 4, patience: Duration::from_secs(3600), ..Policy::NET };

const TOPIC: &str = "restore_glacier";

/// The first look comes after this, each next after twice as long, up to the last.
const FIRST_LOOK: Duration = Duration::from_secs(300);
const LAST_LOOK: Duration = Duration::from_secs(4 * 3600);

/// When so many are still on their way, nobody needs to know about the others yet.
const ENOUGH: u64 = 100;

/// Marks of a copy.
const ASKED: u64 = 1;
const THERE: u64 = 2;

pub(super) struct Thaw;

impl Stage<App> for Thaw {
    fn about(&self) -> About {
        About { topic: TOPIC, label: "Glacier Restore", env: Some("GLACIER_RESTORER") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let wish = Wish::of(job.item)?;
        patient(job, thaw(job, &wish))
    }
}

fn thaw(job: &Job<'_, App>, wish: &Wish) -> Result<Done, Fault> {
    let object = held(job.app, wish)?;
    let (shelves, files) = match wish.path {
        None => Making::of(job, &object, wish.version)?.into_files(),
        Some(_) => {
            let shelves = Shelves::of(job.app, &object)?;
            let file = wanted_file(job.app, wish, &shelves)?;
            (shelves, vec![file])
        }
    };
    job.total(files.len() as u64);
    let mut coming = 0;
    for file in &files {
        job.checkpoint()?;
        coming += u64::from(!look(job, (&shelves, file), coming)?);
        job.advance(1);
    }
    if coming == 0 {
        job.learn(Subject { action: wish.action().into(), ..job.item.subject.clone() })?;
        job.note("everything can be read now");
        return Ok(Done::Advance);
    }
    let looks: u64 = job.dossier().result(TOPIC)?.unwrap_or_default();
    job.dossier().put_result(TOPIC, &(looks + 1))?;
    let doubled = FIRST_LOOK.saturating_mul(1 << looks.min(16));
    let why = format!(
        "{} of {} files can be read; the others were asked for and take hours to come from cold \
         storage",
        files.len() as u64 - coming,
        files.len()
    );
    job.waits_for(waits_for(job), "");
    Ok(Done::Snooze { after: doubled.min(LAST_LOOK), why })
}

/// Cold storage takes hours, and two days at most where that is cheapest. What takes longer needs
/// somebody to look.
fn waits_for(job: &Job<'_, App>) -> &'static str {
    const LONGEST: Duration = Duration::from_secs(72 * 3600);
    let now = job.app.shop.clock.now();
    let is_overdue = job.item.waiting.as_ref().is_some_and(|wait| {
        wait.cause == OVERDUE || wait.cause == COLD && now.since(wait.since) >= LONGEST
    });
    if is_overdue { OVERDUE } else { COLD }
}

const COLD: &str = "cold-storage";
const OVERDUE: &str = "cold-storage-overdue";

/// Whether the best copy of a file can be read; one that cannot is asked for, once.
fn look(
    job: &Job<'_, App>,
    (shelves, file): (&Shelves<'_>, &Wanted),
    coming: u64,
) -> Result<bool, Fault> {
    let Some(shelf) = file.shelf().and_then(|at| shelves.get(at)) else { return Ok(true) };
    if shelf.replica.settings().class == Class::Hot {
        return Ok(true);
    }
    let place = file.place();
    // Files with the same content share a copy.
    let name = format!("{}/{place}", shelf.replica.name()).into_bytes();
    let mark = job.dossier().file::<u64>(&name)?;
    let stands = match mark {
        Some(THERE) => return Ok(true),
        Some(ASKED) if coming >= ENOUGH => return Ok(false),
        Some(ASKED) => shelf.replica.thawing(&shelves.object, &place)?,
        _ => Thawing::Unasked,
    };
    let stands = match stands {
        Thawing::Unasked => shelf.replica.thaw(&shelves.object, &place)?,
        known @ (Thawing::There | Thawing::Coming) => known,
    };
    let mark = match stands {
        Thawing::There => THERE,
        Thawing::Coming => ASKED,
        Thawing::Unasked => return Ok(false),
    };
    job.dossier().put_files([(name.as_slice(), &mark)])?;
    Ok(stands == Thawing::There)
}
