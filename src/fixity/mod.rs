//! Fixity: every copy in every hot replica is read again from time to time; what is damaged is set
//! aside and replaced from a copy that is sound.
//!
//! `due` finds the objects that were not looked at for longest. `check` looks at one object in every
//! replica that is there, `holders` knows which these are, `cold` what differs in cold storage, `mending`
//! mends what it finds, `telling` says so to the registry and to
//! people, `loss` says how a check ends that found one, `pace` keeps all of it from getting in the way of others.

mod check;
mod cold;
mod due;
mod holders;
mod loss;
mod mending;
mod pace;
mod standing;
mod telling;

pub use due::FixityDue;
pub use standing::{ReplicaFixity, Standing, standing, standing_of};

use crate::app::App;
use crate::checkup::{ACTION, FLOW};
use crate::work::Flow;

/// The flow.
pub const FIXITY: Flow<App> =
    Flow { name: FLOW, action: ACTION, stages: &[&check::Check], cleanup: None };
