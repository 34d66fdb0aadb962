//! The tables of a drop.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A table of reference data. The order is that of the reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// Land parcels with what they give off now and with houses on them.
    CoefficientLayer,
    /// Catchments of treatment works.
    WwtwCatchments,
    /// Planning authorities.
    LpaBoundaries,
    /// Nutrient catchments.
    NnCatchments,
    /// Subcatchments.
    Subcatchments,
    /// Plan areas.
    EdpBoundaries,
    /// Rates and permit limits.
    Lookups,
}

impl Table {
    pub const ALL: [Table; 7] = [
        Table::CoefficientLayer,
        Table::WwtwCatchments,
        Table::LpaBoundaries,
        Table::NnCatchments,
        Table::Subcatchments,
        Table::EdpBoundaries,
        Table::Lookups,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Table::CoefficientLayer => "coefficient_layer",
            Table::WwtwCatchments => "wwtw_catchments",
            Table::LpaBoundaries => "lpa_boundaries",
            Table::NnCatchments => "nn_catchments",
            Table::Subcatchments => "subcatchments",
            Table::EdpBoundaries => "edp_boundaries",
            Table::Lookups => "lookups",
        }
    }

    pub fn named(name: &str) -> Option<Table> {
        Table::ALL.into_iter().find(|table| table.name() == name)
    }

    /// Whether a drop must have it. Plan areas only answer boundary checks.
    pub fn is_required(self) -> bool {
        !matches!(self, Table::EdpBoundaries)
    }

    /// The column that becomes the id; `None` where rows are numbered.
    pub(crate) fn id_column(self) -> Option<&'static str> {
        match self {
            Table::CoefficientLayer => Some("cromeid"),
            Table::WwtwCatchments => Some("WwTw_ID"),
            Table::NnCatchments => Some("OID"),
            Table::LpaBoundaries | Table::Subcatchments | Table::EdpBoundaries | Table::Lookups => {
                None
            }
        }
    }

    /// The column that becomes the name.
    pub(crate) fn name_column(self) -> &'static str {
        match self {
            Table::CoefficientLayer => "Land_use_cat",
            Table::WwtwCatchments => "WwTW",
            Table::LpaBoundaries => "NAME",
            Table::NnCatchments => "N2K_Site_N",
            Table::Subcatchments => "OPCAT_NAME",
            Table::EdpBoundaries => "EDP_Name",
            Table::Lookups => "",
        }
    }

    /// Whether an id may come once only.
    pub(crate) fn has_unique_ids(self) -> bool {
        matches!(self, Table::CoefficientLayer | Table::NnCatchments)
    }

    /// Whether a name may be missing.
    pub(crate) fn needs_name(self) -> bool {
        !matches!(self, Table::WwtwCatchments)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
