//! The log of who did what: added to, never changed, and told to the vaults as everything else that
//! must survive the loss of this file.
//!
//! - A deed is one of a closed list, so that a reader can ask for it.
//! - What strangers are refused is bounded: the same refusal is written once a minute and counted
//!   (`quiet`), so that nobody fills the disk by knocking.

mod deed;
mod note;
mod quiet;
mod row;

pub use deed::{AuditHow, AuditOutcome, Deed};
pub use note::{NewNote, without_note};
pub use row::{AUDIT, AuditRow};

pub(super) use quiet::Quiet;
