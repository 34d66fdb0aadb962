//! What proves who somebody is: passwords, sessions and one-time links, and who may come in at all.
//!
//! Secrets are kept as digests only: whoever reads the file can not sign in with what stands there.
//! These tables are never exported and never told to a vault.

mod credential;
mod session;
mod standing;

pub use credential::Credential;
pub use session::{SecretDigest, Sessions};
