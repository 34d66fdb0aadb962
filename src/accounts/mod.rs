//! Who somebody is: passwords, second factors, sessions, tokens, and links that work once.
//!
//! This room promises:
//!
//! - A secret (password, code, session, token, link) leaves this room once, to its bearer. What is
//!   stored is a digest, but for what codes are computed from; what is logged names the user and
//!   nothing secret.
//! - A wrong password, an unknown e-mail, a locked account and one that was shut out are answered
//!   with the same sentence after the same work.
//! - A session ends by idleness, by age, by signing out, by a new password, by a second factor that
//!   was taken away, and when the user or the institution is shut out. Tokens die with the latter.
//! - Who has a second factor is let in by it, or by a token, and by nothing else.
//!
//! Forged forms: `http/gate.rs` refuses every change that does not come from our own page, the
//! session's cookie is `SameSite=Strict`, so that a foreign page can not even bear it, and every form
//! bears a mark of its session (`http/csrf.rs`).
//!
//! Everything that happens here is written to the log of who did what (`audit.rs`).

mod audit;
mod bond;
mod confirm;
mod email;
mod error;
mod factor;
mod link;
mod password;
mod secret;
mod session;
mod sign_in;
mod source;
mod token;
mod totp;
mod welcome;

pub use audit::Note;
pub use bond::Bond;
pub use confirm::{ConfirmedUser, IdentityProof, ProofAsked, confirm_identity, proof_asked};
pub use email::{ask_email_change, confirm_email_change, email_change};
pub use error::AccountError;
pub use factor::{
    Enrolment, confirm_factor, end_factor, has_factor, has_pending_factor, offer_factor,
    owes_factor, renew_codes, reset_factor,
};
pub use link::{LINK_LIFE, link_user, make_link, redeem_link};
pub use password::PASSWORD_RULE;
pub use secret::Secret;
pub use session::{
    Entered, HALF_LIFE, MOST, begin_session, end_own_session, end_session, enter, finish,
    finish_from, half_user, person, session, sessions_of,
};
pub use sign_in::{change_password, password_caller, sign_in, sign_in_again, sign_in_from};
pub use source::{KNOWN, Source, address_prefix, know_browser};
pub use token::{
    TOKEN_DAYS, TOKEN_DAYS_MOST, TOKEN_PREFIX, TokenWish, make_token, pharos_caller, revoke_token,
    scope_word, token_caller,
};
pub use welcome::{NewAdmin, Welcome};
