//! The quality gate: every row is judged, everything that is wrong is told, and only then is the
//! load refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::table::Table;

/// Examples that are kept for each line.
const EXAMPLES: usize = 5;

/// How much a line weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The load is refused.
    Refusal,
    /// It was put right, or left out, and the load goes on.
    CleanedUp,
}

/// One rule that rows of a table do not keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateLine {
    pub table: Table,
    pub rule: String,
    pub severity: Severity,
    /// How many rows.
    pub count: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// What the gate found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateReport {
    pub lines: Vec<GateLine>,
    /// Rows of each table that were taken.
    pub rows: BTreeMap<Table, u64>,
}

impl GateReport {
    pub fn is_refused(&self) -> bool {
        self.lines.iter().any(|line| line.severity == Severity::Refusal)
    }

    /// Notes one row that breaks a rule.
    pub(crate) fn note(&mut self, table: Table, rule: &str, severity: Severity, example: String) {
        let same = |line: &&mut GateLine| {
            line.table == table && line.rule == rule && line.severity == severity
        };
        match self.lines.iter_mut().find(same) {
            Some(line) => {
                line.count += 1;
                if line.examples.len() < EXAMPLES {
                    line.examples.push(example);
                }
            }
            None => self.lines.push(GateLine {
                table,
                rule: rule.to_owned(),
                severity,
                count: 1,
                examples: vec![example],
            }),
        }
    }

    /// The refusals as one sentence.
    pub fn refusals(&self) -> String {
        let lines = self.lines.iter().filter(|line| line.severity == Severity::Refusal);
        lines.map(GateLine::sentence).collect::<Vec<_>>().join("; ")
    }

    /// The whole report, a line for each finding, for people.
    pub fn to_text(&self) -> String {
        let rows = self.rows.iter().map(|(table, rows)| format!("{table}: {rows} rows"));
        let lines = self.lines.iter().map(|line| match line.severity {
            Severity::Refusal => format!("refused: {}", line.sentence()),
            Severity::CleanedUp => format!("cleaned up: {}", line.sentence()),
        });
        rows.chain(lines).map(|line| line + "\n").collect()
    }
}

impl GateLine {
    pub fn sentence(&self) -> String {
        let GateLine { table, rule, count, examples, .. } = self;
        format!("{table}: {count} rows: {rule} (such as {})", examples.join(", "))
    }
}
