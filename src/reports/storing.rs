//! How much lies in which replica.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{self, Figures, Sight};

use crate::app::App;
use crate::vaults::Standing;

/// Replicas that a registry may know.
const REPLICAS: u32 = 1000;

/// What the replicas have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StorageReport {
    /// All that is held.
    pub held: Figures,
    /// Of that, what no replica has a sound copy of every version of.
    pub nowhere_whole: Figures,
    /// Each replica.
    pub replicas: Vec<ReplicaLine>,
}

/// What one replica has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaLine {
    /// Its name.
    pub replica: String,
    /// Which building or provider it is in.
    pub place: String,
    /// `hot` or `cold`.
    pub class: String,
    /// `there`, `away`, `full`, `unusable`, `unused`, or `unknown` when it was not asked yet.
    pub standing: String,
    /// What it has a sound copy of, in every version: objects, their files and bytes of now.
    #[serde(flatten)]
    pub whole: Figures,
    /// Free bytes of its disk, if it is a folder that is there.
    pub free_bytes: Option<u64>,
    /// All bytes of its disk.
    pub total_bytes: Option<u64>,
}

/// What every replica has that was ever used or is configured.
pub fn storing(app: &App, sight: Sight) -> Result<StorageReport, registry::Error> {
    let rows = app.registry.held_figures(sight)?;
    let (mut held, mut nowhere_whole) = (Figures::default(), Figures::default());
    for row in &rows {
        held.add(row.figures);
        if row.sound_in.is_empty() {
            nowhere_whole.add(row.figures);
            nowhere_whole.object_count = nowhere_whole.object_count.saturating_sub(row.empty_count);
        }
    }
    let known = app.registry.replicas(REPLICAS)?;
    let mut replicas: Vec<ReplicaLine> = Vec::new();
    for standing in app.vaults.standings() {
        let id = known.iter().find(|it| it.replica.name == standing.name).map(|it| it.id);
        let mut whole = Figures::default();
        let has = rows.iter().filter(|row| id.is_some_and(|id| row.sound_in.contains(&id)));
        has.for_each(|row| whole.add(row.figures));
        replicas.push(ReplicaLine {
            place: standing.place,
            class: match standing.class {
                ocfl::Class::Hot => "hot".to_owned(),
                ocfl::Class::Cold => "cold".to_owned(),
            },
            standing: word(&standing.standing).to_owned(),
            whole,
            free_bytes: standing.room.map(|(free, _)| free),
            total_bytes: standing.room.map(|(_, total)| total),
            replica: standing.name,
        });
    }
    // One that is no longer configured may still be all that has something.
    for row in known {
        if replicas.iter().any(|line| line.replica == row.replica.name) {
            continue;
        }
        let mut whole = Figures::default();
        let has = rows.iter().filter(|it| it.sound_in.contains(&row.id));
        has.for_each(|it| whole.add(it.figures));
        replicas.push(ReplicaLine {
            replica: row.replica.name,
            place: row.replica.place,
            class: row.replica.class.name().to_owned(),
            standing: "not configured".to_owned(),
            whole,
            free_bytes: None,
            total_bytes: None,
        });
    }
    Ok(StorageReport { held, nowhere_whole, replicas })
}

fn word(standing: &Standing) -> &'static str {
    match standing {
        Standing::Unused => "unused",
        Standing::Unknown => "unknown",
        Standing::There => "there",
        Standing::Away(_) => "away",
        Standing::Full(_) => "full",
        Standing::Unusable(_) => "unusable",
    }
}
