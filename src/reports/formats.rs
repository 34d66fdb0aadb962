//! Which formats are held.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{self, FormatFigures, Registry, Sight, Warned};

/// Formats told; PRONOM has some 2,500.
const MOST: u32 = 10_000;

/// Formats by bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatReport {
    /// Every format, the most bytes first.
    pub rows: Vec<FormatFigures>,
    /// All files.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
    /// Files whose format is not known.
    pub unidentified_count: u64,
    /// Their bytes.
    pub unidentified_size: u64,
    /// Files whose name and format do not go together.
    pub mismatches: Warned,
}

/// The formats that are held now.
pub fn formats(registry: &Registry, sight: Sight) -> Result<FormatReport, registry::Error> {
    let rows = registry.format_figures(sight, MOST)?;
    let sum = |of: fn(&FormatFigures) -> u64, known: Option<bool>| {
        let wanted = rows.iter().filter(|row| known.is_none_or(|it| row.puid.is_empty() != it));
        wanted.map(of).fold(0, u64::saturating_add)
    };
    Ok(FormatReport {
        file_count: sum(|row| row.file_count, None),
        size: sum(|row| row.size, None),
        unidentified_count: sum(|row| row.file_count, Some(false)),
        unidentified_size: sum(|row| row.size, Some(false)),
        mismatches: registry.format_warnings(sight)?,
        rows,
    })
}
