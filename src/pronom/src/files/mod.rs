//! Files on disk: walked in a stable order, opened only if they are regular, identified on all
//! cores and told one after the other.

pub mod inspect;
pub mod walk;
