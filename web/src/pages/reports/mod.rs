//! Reports: how much is held, by whom, in what and where, and the scorecard.

mod columns;
mod deposits;
mod filter;
mod formats;
mod growth;
mod index;
mod ndsa;
mod ndsa_declare;
mod storing;
mod tabs;

pub use columns::PlotColumn;
pub use deposits::{DepositsReportPage, DepositsReportRow, deposits_report_page};
pub use filter::{ReportChoices, ReportFilter};
pub use formats::{FormatsReportPage, formats_report_page};
pub use growth::{GrowthReportPage, GrowthReportRow, growth_report_page};
pub use index::{ReportsPage, reports_page};
pub use ndsa::{NdsaArea, NdsaCell, NdsaNote, NdsaPage, NdsaRequirement, ndsa_page};
pub use ndsa_declare::{DeclarePage, DeclaredLine, declare_page};
pub use storing::{StorageReportPage, StorageReportRow, storage_report_page};
pub use tabs::ReportTab;
