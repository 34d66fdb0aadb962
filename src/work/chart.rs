//! The flows as names and policies: what pages, commands and settings need, without the stages.

use std::collections::BTreeMap;

use super::stage::{Flow, Policy};
use crate::config::{Config, KnownStage};

/// Every flow with its stages in order.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// The flows.
    pub flows: Vec<FlowChart>,
}

/// One flow.
#[derive(Clone, Debug)]
pub struct FlowChart {
    /// Its name.
    pub name: &'static str,
    /// What its items are called.
    pub action: &'static str,
    /// Its stages in order.
    pub stages: Vec<StageChart>,
    /// The topic that cleans up.
    pub cleanup: Option<&'static str>,
}

/// One stage.
#[derive(Clone, Copy, Debug)]
pub struct StageChart {
    /// Its topic.
    pub topic: &'static str,
    /// Its label.
    pub label: &'static str,
    /// How it is run, the operator's wishes included.
    pub policy: Policy,
}

impl Chart {
    /// The chart of these flows under this configuration.
    pub fn of<C>(flows: &[Flow<C>], config: &Config) -> Chart {
        let flows = flows.iter().map(|flow| FlowChart {
            name: flow.name,
            action: flow.action,
            cleanup: flow.cleanup,
            stages: flow
                .stages
                .iter()
                .map(|stage| {
                    let about = stage.about();
                    let policy = stage.policy().with(config.stage(about.topic));
                    StageChart { topic: about.topic, label: about.label, policy }
                })
                .collect(),
        });
        Chart { flows: flows.collect() }
    }

    /// What the configuration may name.
    pub fn known_stages<C>(flows: &[Flow<C>]) -> Vec<KnownStage> {
        let stages = flows.iter().flat_map(|flow| flow.stages.iter());
        stages
            .map(|stage| KnownStage { topic: stage.about().topic, env: stage.about().env })
            .collect()
    }

    /// Every stage of every flow.
    pub fn stages(&self) -> impl Iterator<Item = (&FlowChart, &StageChart)> {
        self.flows.iter().flat_map(|flow| flow.stages.iter().map(move |stage| (flow, stage)))
    }

    /// The flow and stage of a topic.
    pub fn find(&self, topic: &str) -> Option<(&FlowChart, &StageChart)> {
        self.stages().find(|(_, stage)| stage.topic == topic)
    }

    /// A flow by name.
    pub fn flow(&self, name: &str) -> Option<&FlowChart> {
        self.flows.iter().find(|flow| flow.name == name)
    }

    /// Topic to label.
    pub fn labels(&self) -> BTreeMap<String, String> {
        self.stages().map(|(_, stage)| (stage.topic.to_owned(), stage.label.to_owned())).collect()
    }
}

impl FlowChart {
    /// The stages an item standing at `topic` may be put back to: that one and every earlier one.
    pub fn up_to(&self, topic: &str) -> &[StageChart] {
        let at = self.stages.iter().position(|stage| stage.topic == topic);
        at.map_or(&[], |at| &self.stages[..=at])
    }
}
