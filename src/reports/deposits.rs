//! Deposits by institution and storage option: now, or when a month began.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::moment::Moment;
use storage::registry::{self, Figures, Month, Registry, Sight};

use super::names::Names;
use super::question::Question;

/// Deposits at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DepositReport {
    /// At which moment.
    #[serde(with = "Moment")]
    pub at: Timestamp,
    /// The month whose beginning that is; none when the figures are of now.
    pub month: Option<Month>,
    /// Whether they were worked out afterwards.
    pub is_derived: bool,
    /// By institution and option.
    pub rows: Vec<DepositLine>,
    /// All of them together: of a member with its accounts.
    pub total: Figures,
    /// The months that can be asked for, the latest first.
    pub months: Vec<Month>,
    /// The options that there are deposits under.
    pub storage_options: Vec<String>,
    /// The institutions that can be asked for: identifier and name.
    pub institutions: Vec<(String, String)>,
}

/// What an institution holds under one option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DepositLine {
    /// The institution's identifier.
    pub institution: String,
    /// Its name.
    pub institution_name: String,
    /// The option.
    pub storage_option: String,
    /// How much.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Deposits now, or as they were when a month began: the last one that is written down up to the one
/// that was asked for.
pub fn deposits(
    registry: &Registry,
    sight: Sight,
    asked: &Question,
    now: Timestamp,
) -> Result<DepositReport, registry::Error> {
    let names = Names::seen_by(registry, sight)?;
    let chosen = names.chosen(asked.institution.as_deref())?;
    let months = registry.recorded_months()?;
    // A month that has not begun is now.
    let asked_month = asked.month.filter(|month| month.begins() <= now);
    let recorded =
        asked_month.and_then(|month| months.iter().rev().find(|known| known.month <= month));
    if let (Some(month), None) = (asked_month, recorded) {
        let what = format!("a figure of {month} or before");
        return Err(registry::Error::NotFound { what });
    }
    let mut sums: BTreeMap<(i64, String), Figures> = BTreeMap::new();
    let mut add = |institution, option, figures| {
        sums.entry((institution, option)).or_default().add(figures);
    };
    match recorded {
        Some(known) => {
            for row in registry.month_figures(sight, (known.month, known.month))? {
                add(row.institution_id, row.storage_option, row.figures);
            }
        }
        None => {
            for row in registry.deposit_figures(sight)? {
                add(row.institution_id, row.storage_option, row.figures);
            }
        }
    }
    let mut storage_options: Vec<String> = sums.keys().map(|(_, option)| option.clone()).collect();
    storage_options.sort_unstable();
    storage_options.dedup();
    let is_wanted = |(institution, option): &(i64, String)| {
        chosen.as_ref().is_none_or(|chosen| chosen.contains(institution))
            && asked.storage_option.as_ref().is_none_or(|wanted| wanted == option)
    };
    let mut total = Figures::default();
    let mut rows = Vec::new();
    for (key, figures) in sums.into_iter().filter(|(key, _)| is_wanted(key)) {
        let (institution, institution_name) = names.of(key.0);
        total.add(figures);
        rows.push(DepositLine { institution, institution_name, storage_option: key.1, figures });
    }
    rows.sort_by(|a, b| {
        let key = |it: &DepositLine| (it.institution_name.clone(), it.storage_option.clone());
        key(a).cmp(&key(b))
    });
    Ok(DepositReport {
        at: recorded.map_or(now, |known| known.month.begins()),
        month: recorded.map(|known| known.month),
        is_derived: recorded.is_some_and(|known| known.is_derived),
        rows,
        total,
        months: months.iter().rev().map(|known| known.month).collect(),
        storage_options,
        institutions: names.choices(),
    })
}
