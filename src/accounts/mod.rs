//! Who somebody is: passwords, sessions, and links that work once.
//!
//! This room promises:
//!
//! - A secret (password, session, link) leaves this room once, to its bearer. What is stored is a
//!   digest; what is logged names the user and nothing secret.
//! - A wrong password, an unknown e-mail, a locked account and one that was shut out are answered
//!   with the same sentence after the same work.
//! - A session ends by idleness, by age, by signing out, by a new password, and when the user or the
//!   institution is shut out.
//!
//! Forged forms: `http/gate.rs` refuses every change that does not come from our own page, the
//! session's cookie is `SameSite=Strict`, so that a foreign page can not even bear it, and every form
//! bears a mark of its session (`http/csrf.rs`).
//!
//! Everything that happens here is logged with the target `audit`.

mod error;
mod link;
mod password;
mod secret;
mod session;
mod sign_in;
mod welcome;

pub use error::AccountError;
pub use link::{LINK_LIFE, link_user, make_link, redeem_link};
pub use password::PASSWORD_RULE;
pub use secret::Secret;
pub use session::{MOST, begin_session, end_session, person};
pub use sign_in::{change_password, sign_in};
pub use welcome::{NewAdmin, Welcome};
