//! Deletion: what two people agreed to delete goes out of every replica, and is proved to be gone.
//!
//! A request names objects and files; the registry holds it to the rule of two people. Each thing it
//! names is a part, and each part of an approved request gets one item (`due`). The stage (`delete`)
//! asks the registry for the agreement again, waits for what stands in the way (`hindrance`), writes
//! the record of the deletion into every replica, takes the bytes out, looks whether they are gone,
//! and marks the registry last. Until that mark readers see the object as it was, with a word that it
//! is being deleted: what is half gone is never shown as gone, nor as whole. `certificate` tells how
//! it went.

mod certificate;
mod delete;
mod due;
mod hindrance;
mod record;

pub use certificate::{Certificate, CertifiedPart, certificate};
pub use due::DeletionsDue;
pub(crate) use due::push_due;
pub(crate) use hindrance::{pending_work, retained_until};

use crate::app::App;
use crate::work::Flow;

/// The flow.
pub const DELETION: Flow<App> =
    Flow { name: "delete", action: "Delete", stages: &[&delete::Delete], cleanup: None };
