//! Reports: how much is held, by whom, in which formats and where; now and when months began.
//!
//! Every function takes the sight of whoever asks, and adds up nothing beyond it. Figures of deposits
//! count a member's accounts with it; nothing else does.

mod deposits;
mod due;
mod formats;
mod growth;
mod names;
mod question;
mod storing;

pub use deposits::{DepositLine, DepositReport, deposits};
pub use due::StatisticsDue;
pub use formats::{FormatReport, formats};
pub use growth::{GrowthLine, GrowthPoint, GrowthReport, OptionFigures, growth, growth_lines};
pub use question::{Metric, Question};
pub use storing::{ReplicaLine, StorageReport, storing};
