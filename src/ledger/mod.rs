//! The ledger: everything the registry knows that no chronicle tells, as pages of JSON lines in
//! every hot replica.
//!
//! Items that have ended, events after a deposit, checks, deletions, people and messages are rows
//! that change long after a version was sealed. The registry notes which of them changed; `keep`
//! writes them to the newest page until it is full. A replica that was away gets the pages it missed
//! from another. `retell` reads them back into a registry that is made again. A kill loses nothing:
//! what is not told yet is still noted.

mod keep;
mod page;
mod retell;
#[cfg(test)]
mod tests;

pub use keep::Keeper;
pub use retell::RetellError;
pub(crate) use retell::retell;
