//! The matrix: what is asked for, how it stands, and what to do next.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::Declaration;
use storage::registry::moment::{MaybeMoment, Moment};

use super::facts::Facts;
use super::requirement::{Area, Cost, Evidence, LEVELS, Requirement, RestsOn, Seen};

const DAY: u64 = 86_400;

/// How one thing that is asked for stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NdsaStanding")]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It is so.
    Met,
    /// It is not, or nobody has said so.
    Unmet,
    /// Somebody has said so, too long ago.
    Stale,
}

/// The whole matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scorecard {
    /// When it was looked at.
    #[serde(with = "Moment")]
    pub at: Timestamp,
    /// Each area.
    pub areas: Vec<AreaScore>,
}

/// One area.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AreaScore {
    /// Which.
    pub area: Area,
    /// The level it has reached: this one and all below it. Zero for none.
    pub level_reached: u8,
    /// Its levels.
    pub cells: Vec<Cell>,
}

/// One level of one area.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// From one to four.
    pub level: u8,
    /// Whether everything that it asks for is so.
    pub is_met: bool,
    /// The cheapest thing that brings it further.
    pub next_step: Option<String>,
    /// What it asks for.
    pub requirements: Vec<Score>,
}

/// How one requirement stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// Its name.
    pub name: String,
    /// What is asked for.
    pub asks: String,
    /// How it stands.
    pub standing: Standing,
    /// What that rests on.
    pub rests_on: RestsOn,
    /// What the house can see.
    pub evidence: Vec<Evidence>,
    /// What somebody declared.
    pub declaration: Option<Declaration>,
    /// Until when that counts.
    #[serde(with = "MaybeMoment")]
    pub fresh_until: Option<Timestamp>,
    /// What a person would declare; empty where that does not help.
    pub declare: String,
    /// What to do next, unless it is met.
    pub next_step: Option<String>,
}

/// Judges the house by facts and by the declarations that stand.
pub fn assess(facts: &Facts, declarations: &[Declaration]) -> Scorecard {
    let areas = Area::ALL.map(|area| {
        let cells: Vec<Cell> =
            LEVELS.iter().map(|(level, _)| cell(area, *level, facts, declarations)).collect();
        let reached = cells.iter().take_while(|cell| cell.is_met).last();
        AreaScore { area, level_reached: reached.map_or(0, |cell| cell.level), cells }
    });
    Scorecard { at: facts.now, areas: areas.into() }
}

fn cell(area: Area, level: u8, facts: &Facts, declarations: &[Declaration]) -> Cell {
    let asked = area.requirements().iter().filter(|it| it.level == level);
    let scored: Vec<(Score, Cost)> = asked.map(|it| score(it, facts, declarations)).collect();
    let open = scored.iter().filter(|(score, _)| score.standing != Standing::Met);
    let cheapest = open.min_by_key(|(_, cost)| *cost);
    Cell {
        level,
        is_met: scored.iter().all(|(score, _)| score.standing == Standing::Met),
        next_step: cheapest.and_then(|(score, _)| score.next_step.clone()),
        requirements: scored.into_iter().map(|(score, _)| score).collect(),
    }
}

/// What a declaration is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Fresh,
    Stale,
    None,
}

fn score(asked: &Requirement, facts: &Facts, declarations: &[Declaration]) -> (Score, Cost) {
    let Seen { holds, evidence, next } = (asked.look)(facts);
    let spoken = asked.rests_on != RestsOn::Live;
    let declaration = declarations.iter().find(|it| spoken && it.requirement == asked.name);
    let fresh_until = declaration
        .map(|it| it.declared_at.after(std::time::Duration::from_secs(asked.fresh_days * DAY)));
    let word = match fresh_until {
        None => Word::None,
        Some(until) if facts.now <= until => Word::Fresh,
        Some(_) => Word::Stale,
    };
    let standing = match (asked.rests_on, holds, word) {
        (RestsOn::Live, true, _)
        | (RestsOn::Declaration, _, Word::Fresh)
        | (RestsOn::Both, true, Word::Fresh)
        | (RestsOn::Either, true, _)
        | (RestsOn::Either, false, Word::Fresh) => Standing::Met,
        (RestsOn::Declaration, _, Word::Stale)
        | (RestsOn::Both, true, Word::Stale)
        | (RestsOn::Either, false, Word::Stale) => Standing::Stale,
        (RestsOn::Live | RestsOn::Either | RestsOn::Both, false, _)
        | (RestsOn::Declaration | RestsOn::Both, _, Word::None) => Standing::Unmet,
    };
    let (cost, next_step) = match (standing, asked.rests_on) {
        (Standing::Met, _) => (Cost::Word, None),
        (Standing::Stale, _) => {
            let step =
                format!("Look whether it is still so, and declare it again. {}", asked.declare);
            (Cost::Word, Some(step))
        }
        (Standing::Unmet, RestsOn::Declaration) => (Cost::Word, Some(asked.declare.to_owned())),
        (Standing::Unmet, RestsOn::Both) if holds => (Cost::Word, Some(asked.declare.to_owned())),
        (Standing::Unmet, RestsOn::Live | RestsOn::Both | RestsOn::Either) => {
            (next.0, Some(next.1))
        }
    };
    let score = Score {
        name: asked.name.to_owned(),
        asks: asked.asks.to_owned(),
        standing,
        rests_on: asked.rests_on,
        evidence,
        declaration: declaration.cloned(),
        fresh_until,
        declare: asked.declare.to_owned(),
        next_step,
    };
    (score, cost)
}
