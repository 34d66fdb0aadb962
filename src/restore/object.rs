//! Makes a tarred bag of an object in the restoration area of its institution.
//!
//! Promise: when the stage has ended, a whole bag stands there under its name, on the medium: every
//! file compared with its digest, the bag judged as a deposit would be. Interruptible: every few
//! megabytes. Repeats: safe, it begins anew and what an interrupted attempt left is removed; until the
//! end nothing is seen in the area but what stood there before.

use std::time::Duration;

use storage::registry::{About as EventAbout, ObjectRow, Outcome};

use super::bagging::Making;
use super::events::Telling;
use super::patience::{ask_for_room, patient};
use super::place::{Draft, target};
use super::proof::prove;
use super::slip::Slip;
use super::wish::Wish;
use crate::app::App;
use crate::fault::{Failure, Fault, Kind};
use crate::work::{About, Done, Job, Policy, Stage};

const POLICY: Policy = Policy { patience: Duration::from_secs(3600), ..Policy::DISK };

/// Bytes of a tar around each file, and of manifests: room is asked for these too.
const AROUND: u64 = 4096;

pub(super) struct RestoreObject;

impl Stage<App> for RestoreObject {
    fn about(&self) -> About {
        About { topic: "restore_object", label: "Restore Object", env: Some("BAG_RESTORER") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let wish = Wish::of(job.item)?;
        if wish.path.is_some() {
            return Ok(Done::Advance);
        }
        patient(job, restore(job, &wish))
    }
}

fn restore(job: &Job<'_, App>, wish: &Wish) -> Result<Done, Fault> {
    let object = held(job.app, wish)?;
    let target = target(&job.app.config, wish)?;
    let draft = Draft::begin(job.app, job.item.id, wish)?;
    let made = bag(job, &object, wish, &draft)?;
    draft.publish(&made.path, &target)?;
    Slip::of(job, wish, &target)?.keep(job.app)?;
    let path = target.display().to_string();
    let event = Telling {
        about: EventAbout::Object { object: object.id, deposit: None },
        outcome: Outcome::Success,
        detail: "restored the object as a bag",
        outcome_detail: format!("version {}, {} files", wish.version, made.file_count),
        information: format!(
            "asked for by {}; every file was compared by its digest, and the bag is valid",
            job.item.subject.user
        ),
    };
    job.app.registry.put_events(&[event.event(job)])?;
    // The path comes last: people and programs look for it there.
    job.note(format!("{}{} restored to {path}", wish.words(), made.remark()));
    Ok(Done::Finish)
}

/// The object, if it is held.
pub(super) fn held(app: &App, wish: &Wish) -> Result<ObjectRow, Fault> {
    let found = app.registry.object_by_identifier(&wish.object_identifier)?;
    found.ok_or_else(|| {
        Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "not-held",
            advice: "cancel the item".into(),
            source: format!("{} is not held", wish.object_identifier).into(),
        })
    })
}

/// A bag that was made and proved.
pub(super) struct Bagged {
    pub(super) path: std::path::PathBuf,
    pub(super) file_count: u64,
    doubted_count: usize,
}

impl Bagged {
    /// What there is to know besides.
    fn remark(&self) -> String {
        match self.doubted_count {
            0 => String::new(),
            1 => " (one copy was not sound, and another was read)".into(),
            count => format!(" ({count} copies were not sound, and others were read)"),
        }
    }
}

/// Makes the bag in a draft, and proves it.
pub(super) fn bag(
    job: &Job<'_, App>,
    object: &ObjectRow,
    wish: &Wish,
    draft: &Draft,
) -> Result<Bagged, Fault> {
    let making = Making::of(job, object, wish.version)?;
    let recipe = &making.recipe;
    let around = recipe.file_count.saturating_mul(AROUND);
    ask_for_room(job.app, &draft.folder, recipe.size_bytes.saturating_add(around))?;
    let (path, recipe, doubted_count) = making.make(job, wish, &draft.folder)?;
    prove(job, &path, &recipe)?;
    Ok(Bagged { path, file_count: recipe.file_count, doubted_count })
}
