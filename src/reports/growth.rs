//! Deposits over time: a point for the beginning of every month that is written down, and one for
//! now.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::moment;
use storage::registry::{self, Figures, Month, Registry, Sight};

use super::names::Names;
use super::question::Question;

/// Months told unless others are asked for: five years.
const USUAL: usize = 60;

/// Deposits over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrowthReport {
    /// The earliest first; the last is of now, unless the end was asked for.
    pub points: Vec<GrowthPoint>,
    /// The months that can be asked for, the latest first.
    pub months: Vec<Month>,
    /// The options that there are deposits under.
    pub storage_options: Vec<String>,
    /// The institutions that can be asked for: identifier and name.
    pub institutions: Vec<(String, String)>,
}

/// How much was held at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrowthPoint {
    /// When.
    #[serde(with = "moment::Moment")]
    pub at: Timestamp,
    /// The month whose beginning that is; none for now.
    pub month: Option<Month>,
    /// Whether it was worked out afterwards.
    pub is_derived: bool,
    /// How much.
    #[serde(flatten)]
    pub figures: Figures,
    /// How many bytes more than at the point before; less is below zero. None for the first.
    pub added_size: Option<i64>,
    /// The same by option.
    pub by_option: Vec<OptionFigures>,
}

/// How much is held under one option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OptionFigures {
    /// The option.
    pub storage_option: String,
    /// How much.
    #[serde(flatten)]
    pub figures: Figures,
}

/// One line of the table to download: a moment, an institution and an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrowthLine {
    /// When.
    pub at: Timestamp,
    /// Whether it was worked out afterwards.
    pub is_derived: bool,
    /// The institution's identifier.
    pub institution: String,
    /// The option.
    pub storage_option: String,
    /// How much.
    pub figures: Figures,
}

/// A moment with its rows.
struct Moment {
    at: Timestamp,
    month: Option<Month>,
    is_derived: bool,
    rows: BTreeMap<(i64, String), Figures>,
}

/// Deposits over time, all that was asked for together.
pub fn growth(
    registry: &Registry,
    sight: Sight,
    asked: &Question,
    now: Timestamp,
) -> Result<GrowthReport, registry::Error> {
    let names = Names::seen_by(registry, sight)?;
    let moments = moments(registry, sight, (&names, asked), now)?;
    let mut points: Vec<GrowthPoint> = Vec::new();
    let mut storage_options = Vec::new();
    for moment in moments {
        let (mut figures, mut by_option) = (Figures::default(), BTreeMap::new());
        for ((_, option), row) in moment.rows {
            figures.add(row);
            by_option.entry(option).or_insert_with(Figures::default).add(row);
        }
        storage_options.extend(by_option.keys().cloned());
        points.push(GrowthPoint {
            at: moment.at,
            month: moment.month,
            is_derived: moment.is_derived,
            added_size: points.last().map(|last| more(last.figures.size, figures.size)),
            figures,
            by_option: by_option
                .into_iter()
                .map(|(storage_option, figures)| OptionFigures { storage_option, figures })
                .collect(),
        });
    }
    storage_options.sort_unstable();
    storage_options.dedup();
    let months = registry.recorded_months()?.iter().rev().map(|known| known.month).collect();
    Ok(GrowthReport { points, months, storage_options, institutions: names.choices() })
}

/// The same by institution and option.
pub fn growth_lines(
    registry: &Registry,
    sight: Sight,
    asked: &Question,
    now: Timestamp,
) -> Result<Vec<GrowthLine>, registry::Error> {
    let names = Names::seen_by(registry, sight)?;
    let mut lines = Vec::new();
    for moment in moments(registry, sight, (&names, asked), now)? {
        for ((institution, storage_option), figures) in moment.rows {
            let institution = names.of(institution).0;
            let (at, is_derived) = (moment.at, moment.is_derived);
            lines.push(GrowthLine { at, is_derived, institution, storage_option, figures });
        }
    }
    Ok(lines)
}

fn moments(
    registry: &Registry,
    sight: Sight,
    (names, asked): (&Names, &Question),
    now: Timestamp,
) -> Result<Vec<Moment>, registry::Error> {
    let chosen = names.chosen(asked.institution.as_deref())?;
    let is_wanted = |institution: i64, option: &str| {
        chosen.as_ref().is_none_or(|chosen| chosen.contains(&institution))
            && asked.storage_option.as_ref().is_none_or(|wanted| wanted == option)
    };
    let known = registry.recorded_months()?;
    let usual = known.len().saturating_sub(if asked.start.is_some() { known.len() } else { USUAL });
    let within = |month: Month| {
        asked.start.is_none_or(|start| start <= month) && asked.end.is_none_or(|end| month <= end)
    };
    let mut moments: Vec<Moment> = known[usual..]
        .iter()
        .filter(|it| within(it.month))
        .map(|it| Moment {
            at: it.month.begins(),
            month: Some(it.month),
            is_derived: it.is_derived,
            rows: BTreeMap::new(),
        })
        .collect();
    if let (Some(first), Some(last)) = (moments.first(), moments.last())
        && let (Some(first), Some(last)) = (first.month, last.month)
    {
        for row in registry.month_figures(sight, (first, last))? {
            let at = moments.binary_search_by_key(&Some(row.month), |moment| moment.month);
            if let Ok(at) = at
                && is_wanted(row.institution_id, &row.storage_option)
            {
                let key = (row.institution_id, row.storage_option);
                moments[at].rows.entry(key).or_default().add(row.figures);
            }
        }
    }
    if asked.end.is_none_or(|end| end.begins() > now) {
        let mut rows: BTreeMap<(i64, String), Figures> = BTreeMap::new();
        for row in registry.deposit_figures(sight)? {
            if is_wanted(row.institution_id, &row.storage_option) {
                let key = (row.institution_id, row.storage_option);
                rows.entry(key).or_default().add(row.figures);
            }
        }
        moments.push(Moment { at: now, month: None, is_derived: false, rows });
    }
    Ok(moments)
}

fn more(before: u64, after: u64) -> i64 {
    let signed = |number| i64::try_from(number).unwrap_or(i64::MAX);
    signed(after).saturating_sub(signed(before))
}
