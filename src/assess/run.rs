//! Assesses one site.
//!
//! Promise: when the stage has ended there is a result in the registry, with everything that is to be
//! sent about it, once. Interruptible: between any two tiles of the coefficient layer. Repeats: safe, the
//! result of an attempt whose settlement was lost is found and nothing is written.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nutrients::{
    AssessError, Assessment, Method, Options, Progress, Reference, assess, expected_duration,
};
use storage::registry::{AssessmentRow, AssessmentState};
use storage::work::item::WorkItem;

use super::PIECES_MAX;
use super::ask::uuid_of;
use super::price::price;
use super::telling::{Told, assessed};
use super::wish::Wish;
use crate::app::App;
use crate::fault::{Failure, Fault, Kind};
use crate::work::{About, Admit, Backoff, Done, Job, OnStop, Policy, Pool, Stage};

/// One after another: a site uses every thread of the pool by itself. An assessment keeps nothing of
/// what it has measured, so a stop lets it finish.
const POLICY: Policy = Policy {
    pool: Pool::Geo,
    workers: 2,
    buffer: 20,
    backoff: SOON,
    patience: Duration::from_secs(60),
    on_stop: OnStop::Finish,
    ..Policy::DISK
};

/// The described pause of five seconds first, since somebody waits for the answer; then a minute, as
/// everywhere else.
const SOON: Backoff = Backoff { first: Duration::from_secs(5), factor: 12.0, ..Backoff::MINUTE };

/// Without reference data nothing can be assessed; somebody loads it.
const NO_DATA: Duration = Duration::from_secs(60);

pub(super) struct Assess;

impl Stage<App> for Assess {
    fn about(&self) -> About {
        About { topic: "assess01_run", label: "Assess", env: Some("ASSESS_RUN") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn admit(&self, item: &WorkItem, app: &App) -> Result<Admit, Fault> {
        let row = row(app, item)?;
        Ok(match row.state {
            AssessmentState::Cancelled => Admit::Drop("the assessment was cancelled".into()),
            AssessmentState::Waiting if !app.atlas.is_filled() => {
                let wait = ("no-reference-data", String::new());
                Admit::Later { after: NO_DATA, wait, why: "no reference data is loaded".into() }
            }
            AssessmentState::Waiting | AssessmentState::Assessed => Admit::Run,
        })
    }

    fn expected(&self, item: &WorkItem, app: &App) -> Option<Duration> {
        let wish = wish(app, &row(app, item).ok()?).ok()?;
        let parcels = app.atlas.reference().ok()?.parcels_near(&wish.site.shape.bounds());
        Some(expected_duration(wish.site.shape.vertex_count(), parcels))
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let app = job.app;
        let row = row(app, job.item)?;
        if row.state == AssessmentState::Assessed {
            job.note("assessed, by an attempt before");
            return Ok(Done::Finish);
        }
        let wish = wish(app, &row)?;
        let reference = app.atlas.reference()?;
        let method = method(&wish)?;
        // What cannot be priced is not assessed: nobody is told half an answer.
        let levy = price(app, &wish, &reference)?;
        job.checkpoint()?;
        let assessment = measured(job, &wish, &method, &reference)?;
        job.checkpoint()?;
        let told = Told { row: &row, wish: &wish, reference: &reference, method: &method };
        let (result, note) = assessed(app, &told, &assessment, levy.as_ref())?;
        app.registry.finish_assessment(row.id, &result, app.shop.clock.now())?;
        // It is written down what is to be sent; a sweep sees to what is not begun here.
        app.outbox.deliver_aside().ok();
        job.note(note);
        Ok(Done::Finish)
    }
}

/// Does the geometry on the threads that are there for it, with a sign of life between tiles.
fn measured(
    job: &Job<'_, App>,
    wish: &Wish,
    method: &Method,
    reference: &Arc<Reference>,
) -> Result<Assessment, Fault> {
    let options = Options {
        strict_parity: false,
        pieces_max: PIECES_MAX,
        coverage_floor: f64::from(job.app.config.assess.coverage_floor_percent) / 100.0,
    };
    let stopped: Mutex<Option<Fault>> = Mutex::new(None);
    let done = Mutex::new(0_u64);
    let told = job.enter(Pool::Geo, || {
        let pulse = |progress: Progress| {
            job.total(progress.tiles_in_all as u64);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            let now = progress.tiles_done as u64;
            job.advance(now.saturating_sub(*done));
            *done = now.max(*done);
            match job.checkpoint() {
                Ok(()) => ControlFlow::Continue(()),
                Err(fault) => {
                    *stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
                    ControlFlow::Break(())
                }
            }
        };
        assess(reference, &wish.site, method, &options, &pulse)
    });
    if let Some(fault) = stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(fault);
    }
    told.map_err(|error| match error {
        AssessError::Reference(error) => error.into(),
        // Only a pulse cancels, and that has told why.
        AssessError::Cancelled => Fault::Interrupted,
    })
}

/// The row that an item works on.
fn row(app: &App, item: &WorkItem) -> Result<AssessmentRow, Fault> {
    let uuid = uuid_of(item.unique.as_deref());
    let found = uuid.map(|uuid| app.registry.assessment_by_uuid(uuid)).transpose()?.flatten();
    found.ok_or_else(|| broken("no-such-assessment", "the registry does not know what is asked"))
}

fn wish(app: &App, row: &AssessmentRow) -> Result<Wish, Fault> {
    let text = app.registry.assessment_wish(row.id)?.unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| {
        broken("unreadable-assessment", &format!("what was asked cannot be read: {error}"))
    })
}

fn method(wish: &Wish) -> Result<Method, Fault> {
    let unknown = || broken("no-such-method", &format!("there is no method {:?}", wish.method));
    Method::named(&wish.method).ok_or_else(unknown)
}

fn broken(code: &'static str, what: &str) -> Fault {
    Fault::Failed(Failure {
        kind: Kind::Fatal,
        code,
        advice: "cancel the item and ask for the assessment again".into(),
        source: what.to_owned().into(),
    })
}
