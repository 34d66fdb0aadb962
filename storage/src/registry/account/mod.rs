//! What proves who somebody is: passwords, second factors, sessions, tokens and one-time links, and
//! who may come in at all.
//!
//! Secrets are kept as digests only: whoever reads the file can not sign in with what stands there.
//! Two cannot be: what codes of a second factor are computed from, which is sealed (`seal.rs`), and a
//! link in a letter that was not sent yet. These tables are never exported and never told to a vault.

mod credential;
mod email_change;
mod factor;
mod letter;
mod preference;
mod seal;
mod session;
mod source;
mod standing;
mod token;

pub use credential::Credential;
pub use email_change::EmailChange;
pub use factor::Factor;
pub use letter::LetterRow;
pub use preference::InstitutionChange;
pub use session::{Origin, SecretDigest, SessionRow, Sessions};
pub use source::{Acquaintance, Counted, SignInSource, SourceState};
pub use token::{NewToken, TOKENS, TokenRow};

pub(super) use seal::{Sealing, seal_plain, unreadable};
pub(super) use standing::{active_admins, keep_an_admin};
