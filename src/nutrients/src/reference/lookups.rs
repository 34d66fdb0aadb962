//! The lookup tables: water rates of catchments, and permit limits of treatment works.

use std::collections::BTreeMap;
use std::path::Path;

use byteio::cancel::Cancel;
use serde::{Deserialize, Serialize};

use super::error::ReferenceError;
use super::gate::GateReport;
use super::import::Strictness;
use super::table::Table;
use crate::input::Database;

/// Rows that a lookup table may have.
const ROWS_MAX: usize = 1_000_000;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lookups {
    pub rates: Vec<RateRow>,
    /// By code, each once.
    pub works: BTreeMap<i64, WorksRow>,
}

/// People in a dwelling, and litres that each uses in a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateRow {
    pub catchment: String,
    pub occupancy: f64,
    pub litres_per_person: f64,
}

/// A treatment works with its limits, mg/l.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorksRow {
    pub name: Option<String>,
    pub subcatchment: Option<String>,
    /// The table's own spelling of the two, where it has blanks around them: strict parity tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_as_written: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subcatchment_as_written: Option<String>,
    pub nitrogen_2025_2030: Option<f64>,
    pub nitrogen_2030_onwards: Option<f64>,
    pub phosphorus_2025_2030: Option<f64>,
    pub phosphorus_2030_onwards: Option<f64>,
}

impl Lookups {
    /// The rates of a name; the first row of it counts.
    pub fn rates_of(&self, name: &str) -> Option<&RateRow> {
        self.rates.iter().find(|row| row.catchment == name)
    }

    /// The works by name, to choose from: people look for a name, however it is written.
    pub fn works_by_name(&self) -> Vec<(String, i64)> {
        let named = self
            .works
            .iter()
            .map(|(code, row)| (row.name.clone().unwrap_or_else(|| format!("WWTW {code}")), *code));
        let mut named: Vec<(String, i64)> = named.collect();
        named.sort_by_cached_key(|(name, code)| (name.to_lowercase(), *code));
        named
    }
}

/// Reads both tables. Rows that cannot be used are left out and told, or refused.
pub(super) fn read(
    path: &Path,
    strictness: Strictness,
    report: &mut GateReport,
) -> Result<Lookups, ReferenceError> {
    let unreadable = |why| ReferenceError::Unreadable { path: path.to_owned(), why };
    let database = Database::open(path, &Cancel::default()).map_err(unreadable)?;
    let mut lookups = Lookups::default();
    let severity = strictness.of_lookups();
    let mut read = 0_usize;
    let mut bounded = move || {
        read += 1;
        if read > ROWS_MAX { Err("it has too many rows".to_owned()) } else { Ok(()) }
    };
    let columns = ["NN_Catchment", "Occ_Rate", "Water_Usage_L_Day"];
    let rates = database.rows("rates_lookup", &columns, |row| {
        bounded()?;
        match (row.text(0), row.number(1), row.number(2)) {
            (Some(catchment), Some(occupancy), Some(litres_per_person)) => {
                lookups.rates.push(RateRow { catchment, occupancy, litres_per_person });
            }
            (name, _, _) => {
                let name = name.unwrap_or_else(|| "no name".to_owned());
                report.note(Table::Lookups, "rates without a name or number", severity, name);
            }
        }
        Ok(())
    });
    rates.map_err(unreadable)?;
    let columns = [
        "WwTW_code",
        "WwTW_name",
        "Subcatchment_name",
        "Nitrogen_2025_2030",
        "Nitrogen_2030_onwards",
        "Phosphorus_2025_2030",
        "Phosphorus_2030_onwards",
    ];
    let works = database.rows("WwTw_lookup", &columns, |row| {
        bounded()?;
        let name = row.text(1).unwrap_or_else(|| "no name".to_owned());
        if row.is_null(0) {
            report.note(Table::Lookups, "works without a code were left out", severity, name);
            return Ok(());
        }
        let Some(code) = code(row.number(0)) else {
            let rule = "works with a code that is no number were left out";
            report.note(Table::Lookups, rule, severity, row.text(0).unwrap_or(name));
            return Ok(());
        };
        if lookups.works.contains_key(&code) {
            let rule = "codes come twice; the first row counts";
            report.note(Table::Lookups, rule, severity, code.to_string());
            return Ok(());
        }
        let row = WorksRow {
            name: row.text(1),
            subcatchment: row.text(2),
            name_as_written: row.padded_text(1),
            subcatchment_as_written: row.padded_text(2),
            nitrogen_2025_2030: row.number(3),
            nitrogen_2030_onwards: row.number(4),
            phosphorus_2025_2030: row.number(5),
            phosphorus_2030_onwards: row.number(6),
        };
        lookups.works.insert(code, row);
        Ok(())
    });
    works.map_err(unreadable)?;
    Ok(lookups)
}

/// A code as a whole number.
pub(super) fn code(number: Option<f64>) -> Option<i64> {
    let number = number.filter(|it| it.fract() == 0.0 && it.abs() < 1e15)?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    Some(number as i64)
}
