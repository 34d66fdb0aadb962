//! Two ways to the same desk: through the running appliance, or by opening its directory when
//! none runs. Commands cannot tell the difference.

use std::io::Write;
use std::sync::Arc;

use byteio::causes::chain;
use serde::de::DeserializeOwned;
use storage::clock::SystemClock;
use storage::home::is_home;
use storage::registry::Counting;

use super::client::{Client, Reply, escape};
use super::{Failure, Place};
use crate::accounts::AccountError;
use crate::app::{App, OnDamage, OpenError};
use crate::appliance::Doorplate;
use crate::assess::AskError;
use crate::desk::{Desk, DeskError, Diagnosis, Emptied, ItemDetail, ItemList, QueueRow};
use crate::flows::FLOWS;
use crate::maintenance::MaintenanceError;
use crate::research::ResearchError;
use crate::work::Requeued;

/// Where a command puts its questions.
pub(super) enum Counter {
    /// The directory, opened by this process.
    Here(Box<App>),
    /// The appliance that has it open.
    There(Client),
}

impl Counter {
    /// Finds the appliance of a place, or opens its directory. A directory that is not there is
    /// not made: only `serve` does that.
    pub(super) fn open(place: &Place) -> Result<Counter, Failure> {
        let config = place.load(None)?;
        if !is_home(&config.data) {
            let dir = config.data.display();
            return Err(Failure::Unable(format!(
                "{dir} is not a data directory: start one with `strongroom serve --data {dir}`, \
                 or name another with --data"
            )));
        }
        let data = config.data.clone();
        match App::open(config, FLOWS, Arc::new(SystemClock::start()), OnDamage::Refuse) {
            Ok(app) => Ok(Counter::Here(Box::new(app))),
            Err(OpenError::Work(in_use @ storage::Error::InUse { .. })) => {
                match Doorplate::read(&data).map(Client::new) {
                    Some(client) if client.answers() => Ok(Counter::There(client)),
                    // It may be starting or stopping, or be another command at work.
                    Some(_) | None => Err(in_use.into()),
                }
            }
            Err(error) if is_damage(&error) => Err(Failure::Damaged(chain(&error))),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn items(&self, pairs: &[(String, String)]) -> Result<ItemList, Failure> {
        match self {
            Counter::Here(app) => {
                app.mirror.reconcile(app.shop.clock.now())?;
                said(app.desk().items(pairs, Counting::Exact))
            }
            Counter::There(client) => read(client.get("/api/v1/items", pairs)?),
        }
    }

    pub(super) fn item(&self, id: u64) -> Result<ItemDetail, Failure> {
        match self {
            Counter::Here(app) => {
                app.mirror.reconcile(app.shop.clock.now())?;
                said(app.desk().item(id))
            }
            Counter::There(client) => read(client.get(&format!("/api/v1/items/{id}"), &[])?),
        }
    }

    pub(super) fn report(&self, id: u64) -> Result<String, Failure> {
        match self {
            Counter::Here(app) => {
                app.mirror.reconcile(app.shop.clock.now())?;
                said(app.desk().report(id))
            }
            Counter::There(client) => {
                let reply = client.get(&format!("/api/v1/items/{id}/report"), &[])?;
                text(reply)
            }
        }
    }

    pub(super) fn requeue(&self, id: u64, stage: Option<&str>) -> Result<ItemDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().requeue(id, stage)),
            Counter::There(client) => {
                let wish = serde_json::json!({"stage": stage});
                read(client.post(&format!("/api/v1/items/{id}/requeue"), &wish.to_string())?)
            }
        }
    }

    pub(super) fn requeue_all(
        &self,
        reason: &str,
        topic: Option<&str>,
    ) -> Result<Requeued, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().requeue_all(reason, topic)),
            Counter::There(client) => {
                let wish = serde_json::json!({"reason": reason, "topic": topic});
                read(client.post("/api/v1/items/requeue", &wish.to_string())?)
            }
        }
    }

    pub(super) fn cancel(&self, id: u64) -> Result<ItemDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().cancel(id)),
            Counter::There(client) => read(client.post(&format!("/api/v1/items/{id}/cancel"), "")?),
        }
    }

    pub(super) fn queues(&self) -> Result<Vec<QueueRow>, Failure> {
        match self {
            // Nobody works while a command has the directory: that is not an ailment of a stage.
            Counter::Here(app) => said(app.desk().queues()),
            Counter::There(client) => read(client.get("/api/v1/queues", &[])?),
        }
    }

    pub(super) fn pause(
        &self,
        topic: Option<&str>,
        paused: bool,
    ) -> Result<Vec<QueueRow>, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().pause(topic, paused)),
            Counter::There(client) => {
                let action = if paused { "pause" } else { "resume" };
                read(client.post(&on_topic(topic, action), "")?)
            }
        }
    }

    pub(super) fn empty(&self, topic: Option<&str>) -> Result<Emptied, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().empty(topic)),
            Counter::There(client) => read(client.post(&on_topic(topic, "empty"), "")?),
        }
    }

    pub(super) fn doctor(&self, mend: bool) -> Result<Diagnosis, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().doctor(mend)),
            Counter::There(client) if mend => read(client.post("/api/v1/doctor", "")?),
            Counter::There(client) => read(client.get("/api/v1/doctor", &[])?),
        }
    }

    /// Writes one part of the export.
    pub(super) fn export(&self, part: &str, out: &mut dyn Write) -> Result<(), Failure> {
        match self {
            Counter::Here(app) => {
                said(match part {
                    "work" => app.desk().export_work(out),
                    table => app.desk().export_table(table, out),
                })?;
            }
            Counter::There(client) => copy(client, &format!("/api/v1/export/{part}"), out)?,
        }
        Ok(())
    }

    /// Writes the PREMIS document of an object.
    pub(super) fn premis(&self, which: &str, out: &mut dyn Write) -> Result<(), Failure> {
        match self {
            Counter::Here(app) => {
                let desk = app.desk();
                said(desk.held_object(which).and_then(|object| desk.premis(&object, out)))
            }
            Counter::There(client) => {
                copy(client, &format!("/api/v1/objects/{}/premis", escape(which)), out)
            }
        }
    }

    /// The parts of an export.
    pub(super) fn parts() -> impl Iterator<Item = &'static str> {
        Desk::tables().iter().copied().chain(["work"])
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Counter::Here(app) = self {
            app.settle();
        }
    }
}

/// Whether what is stored is at fault, rather than the way to it.
fn is_damage(error: &OpenError) -> bool {
    use storage::registry::Error as R;
    match error {
        OpenError::Work(storage::Error::Damaged { .. } | storage::Error::Unreadable { .. }) => true,
        OpenError::Registry(R::Corrupt { .. }) | OpenError::RegistryGone { .. } => true,
        OpenError::Work(_)
        | OpenError::Registry(_)
        | OpenError::Mirror(_)
        | OpenError::Vaults(_)
        | OpenError::Research(_) => false,
    }
}

fn on_topic(topic: Option<&str>, action: &str) -> String {
    match topic {
        Some(topic) => format!("/api/v1/queues/{}/{action}", escape(topic)),
        None => format!("/api/v1/queues/{action}"),
    }
}

/// A refusal is an answer, exit 1; a failure of the stores is not, exit 2.
pub(super) fn said<T>(answer: Result<T, DeskError>) -> Result<T, Failure> {
    use storage::registry::Error as R;
    answer.map_err(|error| match error {
        // What does not exist cannot be acted upon: the command could not run.
        DeskError::Query(_) => Failure::Unable(error.to_string()),
        DeskError::Refused(crate::work::Refused::UnknownTopic { .. }) => {
            Failure::Unable(error.to_string())
        }
        DeskError::Account(
            AccountError::Registry(_) | AccountError::NoRandom | AccountError::Digest,
        ) => Failure::from(error),
        DeskError::Refused(_)
        | DeskError::Registry(R::Refused { .. } | R::Invalid { .. } | R::NotFound { .. })
        | DeskError::Account(_)
        | DeskError::NoSuchItem(_)
        | DeskError::NoSuchAlert(_)
        | DeskError::NoSuchReader(_)
        | DeskError::NotHeld { .. }
        | DeskError::NotAllowed { .. }
        | DeskError::TokenScope(_)
        | DeskError::NoSuchDeletion(_)
        | DeskError::NoSuchSweep(_)
        | DeskError::Declined(_)
        | DeskError::NothingParked(_)
        | DeskError::NothingToReport(_)
        | DeskError::NotRejected(_)
        | DeskError::Replaced(_)
        | DeskError::TakeAgain(_)
        | DeskError::Replace(_)
        | DeskError::NothingToCheck(_)
        | DeskError::OnlyCold(_)
        | DeskError::Work(storage::Error::TopicFull { .. })
        | DeskError::Unwished(_)
        | DeskError::Research(ResearchError::Refused(_))
        | DeskError::Research(ResearchError::Registry(
            R::Refused { .. } | R::Invalid { .. } | R::NotFound { .. },
        ))
        | DeskError::Maintenance(MaintenanceError::Sentence(_))
        | DeskError::NotRestored(_)
        | DeskError::NoSuchAssessment(_)
        | DeskError::NoResult(..)
        | DeskError::BadSite(_)
        | DeskError::Assessing(AskError::NoSuchMethod(_))
        | DeskError::Reference(_)
        | DeskError::LoadUnderWay(_)
        | DeskError::Input(..)
        | DeskError::BadFolder(_)
        | DeskError::Ended { .. } => Failure::Refused(error.to_string()),
        DeskError::Checks(_)
        | DeskError::Maintenance(_)
        | DeskError::Registry(_)
        | DeskError::Research(_)
        | DeskError::Mirror(_)
        | DeskError::Work(_)
        | DeskError::Export(_)
        | DeskError::Areas(_)
        | DeskError::Restoring(_)
        | DeskError::Assessing(_)
        | DeskError::Loading(_)
        | DeskError::Write(_) => Failure::from(error),
    })
}

/// Copies an answer that is no JSON; one that is a refusal is said.
pub(super) fn copy(client: &Client, path: &str, out: &mut dyn Write) -> Result<(), Failure> {
    match client.copy(path, out)? {
        Some(refused) => read::<serde::de::IgnoredAny>(refused).map(drop),
        None => Ok(()),
    }
}

/// The same distinction, by status.
pub(super) fn read<T: DeserializeOwned>(reply: Reply) -> Result<T, Failure> {
    if (200..300).contains(&reply.status) {
        return Ok(serde_json::from_slice(&reply.body)?);
    }
    Err(refused(&reply))
}

/// An answer that is a text for people.
pub(super) fn text(reply: Reply) -> Result<String, Failure> {
    if reply.status != 200 {
        return Err(refused(&reply));
    }
    Ok(String::from_utf8_lossy(&reply.body).into_owned())
}

fn refused(reply: &Reply) -> Failure {
    let problem: serde_json::Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let text = |key: &str| problem[key].as_str().unwrap_or_default().to_owned();
    let sentence = format!("{} {}", text("detail"), text("next")).trim().to_owned();
    match (reply.status, text("code").as_str()) {
        (_, "unknown-topic" | "bad-query") | (500.., _) => Failure::Unable(sentence),
        (_, _) => Failure::Refused(sentence),
    }
}
