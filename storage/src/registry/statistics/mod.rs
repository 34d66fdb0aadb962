//! How much is held, by whom and where: now, at the beginning of every month, and by format.
//!
//! Figures of now are added up from one narrow index. Those of a month are written down once and
//! never changed, so that what is deleted later does not rewrite what was reported.

mod declaration;
mod figures;
mod gaps;
mod history;
mod house;
mod month;
mod sights;

pub use declaration::{Declaration, NewDeclaration};
pub use figures::{Figures, FormatFigures, HeldFigures};
pub use gaps::{Gaps, Warned};
pub use history::{MonthFigures, RecordedMonth};
pub use house::{InstitutionName, RoleCount};
pub use month::Month;
