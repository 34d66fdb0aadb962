//! What the desk tells: the same values for pages, API and commands, with stable keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{AttemptRow, FindingRow, ItemRow};

/// A page of items.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ItemList {
    /// How many there are.
    pub count: u64,
    /// False when there are more than were counted.
    pub count_is_exact: bool,
    /// Continues behind this page.
    pub next_cursor: Option<String>,
    /// The items.
    pub items: Vec<ItemRow>,
}

/// One item with its past.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ItemDetail {
    /// The item.
    pub item: ItemRow,
    /// Its attempts, oldest first.
    pub attempts: Vec<AttemptRow>,
    /// What is wrong with the deposit.
    pub findings: Vec<FindingRow>,
    /// The topics it may be put back to.
    pub requeue_to: Vec<StageName>,
    /// Whether it may be cancelled.
    pub cancellable: bool,
    /// Whether its deposit was rejected, is kept, and can be removed.
    #[serde(default)]
    pub removable: bool,
    /// Whether its deposit lies in the receiving area, and can be taken again.
    pub takeable: bool,
    /// When that deposit is removed by itself; none if somebody has to.
    #[serde(default)]
    pub kept_until: Option<String>,
}

/// A stage by its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageName {
    /// The topic.
    pub topic: String,
    /// The label.
    pub label: String,
}

/// One topic as it stands.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct QueueRow {
    /// The flow.
    pub flow: String,
    /// The flow's action.
    pub action: String,
    /// The topic.
    pub topic: String,
    /// The stage's label.
    pub label: String,
    /// Whether work is given out.
    pub paused: bool,
    /// Items worked on at the same time.
    pub workers: u16,
    /// Most items held at the same time.
    pub buffer: u16,
    /// Attempts before giving up.
    pub max_attempts: u16,
    /// In line.
    pub ready: u64,
    /// Waiting for a moment.
    pub delayed: u64,
    /// Being worked on.
    pub in_flight: u64,
    /// Waiting for a person.
    pub parked: u64,
    /// How long the oldest in line has waited.
    pub oldest_seconds: Option<f64>,
    /// Ever put in line.
    pub pushed: u64,
    /// Ever claimed.
    pub claimed: u64,
    /// Ever done.
    pub done: u64,
    /// Ever tried again.
    pub retried: u64,
    /// Ever failed.
    pub failed: u64,
    /// Ever cancelled.
    pub cancelled: u64,
    /// Ever expired.
    pub expired: u64,
    /// Whether its workers are well.
    pub healthy: bool,
}

/// How many items were taken out of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Emptied {
    /// Cancelled.
    pub cancelled: u64,
}

/// The text of an event about many files, with an ellipsis in place of the words in braces that each
/// file fills in.
pub fn unbraced(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        told.push_str(before);
        let word = after.split_once('}').filter(|(word, _)| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        rest = match word {
            Some((_, after)) => {
                told.push('…');
                after
            }
            None => {
                told.push('{');
                after
            }
        };
    }
    told + rest
}
