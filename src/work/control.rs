//! What people do to items and queues. Pages, API and commands all come through here, so that the
//! rules of the flows hold for each of them.

use storage::work::item::{ItemId, State, WorkItem};

use super::chart::{Chart, FlowChart};
use super::workshop::Workshop;

/// Items looked at in one go of a bulk action.
const BATCH: usize = 500;

/// Why something was not done. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// No such topic.
    #[error("there is no topic {topic:?}; the topics are: {known}")]
    UnknownTopic {
        /// What was asked for.
        topic: String,
        /// What there is.
        known: String,
    },
    /// No such item in progress.
    #[error("there is no item {0} in progress")]
    NoSuchItem(ItemId),
    /// The stage is not one the item may go back to.
    #[error("item {item} cannot go to {topic}: it may go back to {allowed}")]
    NotEarlier {
        /// The item.
        item: ItemId,
        /// Where it was to go.
        topic: String,
        /// Where it may go.
        allowed: String,
    },
    /// It is in its clean-up stage already.
    #[error("item {0} is being cleaned up and ends by itself")]
    Ending(ItemId),
    /// A clean-up stage is not emptied.
    #[error("{0} cleans up after items that end; it is not emptied, pause it instead")]
    CleansUp(String),
    /// The work state refused.
    #[error(transparent)]
    Work(#[from] storage::Error),
}

/// How many items a bulk action put back.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct Requeued {
    /// Put back in line.
    pub requeued: u64,
}

/// The controls of a workshop.
#[derive(Clone, Copy)]
pub struct Controls<'a> {
    shop: &'a Workshop,
}

impl Workshop {
    /// The controls.
    pub fn controls(&self) -> Controls<'_> {
        Controls { shop: self }
    }
}

impl Controls<'_> {
    fn chart(&self) -> &Chart {
        &self.shop.chart
    }

    fn flow_of(&self, topic: &str) -> Result<&FlowChart, Refused> {
        match self.chart().find(topic) {
            Some((flow, _)) => Ok(flow),
            None => {
                let known: Vec<_> = self.chart().stages().map(|(_, stage)| stage.topic).collect();
                Err(Refused::UnknownTopic { topic: topic.into(), known: known.join(", ") })
            }
        }
    }

    /// Refuses a topic that no flow has.
    pub fn know(&self, topic: &str) -> Result<(), Refused> {
        self.flow_of(topic).map(drop)
    }

    fn live(&self, id: ItemId) -> Result<WorkItem, Refused> {
        let item = self.shop.queue.item(id)?;
        item.filter(|item| !item.state.is_terminal()).ok_or(Refused::NoSuchItem(id))
    }

    /// The stages an item may be put back to, first to current.
    pub fn stages_for(&self, item: &WorkItem) -> Vec<(&'static str, &'static str)> {
        let flow = self.chart().flow(&item.flow);
        let stages = flow.map_or(&[][..], |flow| flow.up_to(&item.topic));
        stages.iter().map(|stage| (stage.topic, stage.label)).collect()
    }

    /// Puts an item back in line, at its stage or an earlier one.
    pub fn requeue(&self, id: ItemId, to: Option<&str>, by: &str) -> Result<WorkItem, Refused> {
        let item = self.live(id)?;
        let to = to.unwrap_or(&item.topic);
        self.flow_of(to)?;
        let allowed = self.stages_for(&item);
        let Some((topic, label)) = allowed.iter().find(|(topic, _)| *topic == to) else {
            let allowed: Vec<_> = allowed.iter().map(|(topic, _)| *topic).collect();
            let (topic, allowed) = (to.to_owned(), allowed.join(", "));
            return Err(Refused::NotEarlier { item: id, topic, allowed });
        };
        let note = format!("requeued for {label} by {by}");
        Ok(self.shop.queue.requeue(id, topic, &note)?)
    }

    /// Puts back everything parked for the same reason, at the stage where it is.
    pub fn requeue_all(
        &self,
        reason: &str,
        topic: Option<&str>,
        by: &str,
    ) -> Result<Requeued, Refused> {
        if let Some(topic) = topic {
            self.flow_of(topic)?;
        }
        let mut requeued = 0;
        for (_, stage) in self.chart().stages() {
            if topic.is_some_and(|only| only != stage.topic) {
                continue;
            }
            let mut after = None;
            loop {
                let parked = self.shop.queue.parked(stage.topic, after, BATCH)?;
                let Some(last) = parked.last() else { break };
                after = Some(last.id);
                for item in parked {
                    let State::Parked { because } = &item.state else { continue };
                    if because.code != reason {
                        continue;
                    }
                    let note = format!("requeued for {} by {by}", stage.label);
                    match self.shop.queue.requeue(item.id, stage.topic, &note) {
                        Ok(_) => requeued += 1,
                        // Moved by someone else meanwhile: nothing left to do for it here.
                        Err(storage::Error::NoSuchItem(_) | storage::Error::WrongState { .. }) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
        Ok(Requeued { requeued })
    }

    /// Cancels an item; through the clean-up stage of its flow if there is one.
    pub fn cancel(&self, id: ItemId, by: &str) -> Result<WorkItem, Refused> {
        let item = self.live(id)?;
        let cleanup = self.chart().flow(&item.flow).and_then(|flow| flow.cleanup);
        if cleanup == Some(item.topic.as_str()) {
            return Err(Refused::Ending(id));
        }
        Ok(self.shop.queue.cancel(id, &format!("cancelled by {by}"), cleanup)?)
    }

    /// Stops or resumes giving out work of one topic, or of all.
    pub fn pause(&self, topic: Option<&str>, paused: bool) -> Result<(), Refused> {
        if let Some(topic) = topic {
            self.flow_of(topic)?;
            return Ok(self.shop.queue.pause(topic, paused)?);
        }
        for (_, stage) in self.chart().stages() {
            self.shop.queue.pause(stage.topic, paused)?;
        }
        Ok(())
    }

    /// Cancels everything that waits in one topic, or in all; what is being worked on or parked
    /// stays. Items already on their way out are left to their clean-up.
    pub fn empty(&self, topic: Option<&str>, by: &str) -> Result<u64, Refused> {
        let why = format!("the queue was emptied by {by}");
        if let Some(topic) = topic {
            let flow = self.flow_of(topic)?;
            if flow.cleanup == Some(topic) {
                return Err(Refused::CleansUp(topic.to_owned()));
            }
            return Ok(self.shop.queue.empty(topic, &why, flow.cleanup)?);
        }
        let mut emptied = 0;
        for (flow, stage) in self.chart().stages() {
            if flow.cleanup != Some(stage.topic) {
                emptied += self.shop.queue.empty(stage.topic, &why, flow.cleanup)?;
            }
        }
        Ok(emptied)
    }
}
