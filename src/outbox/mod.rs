//! What is to be sent, on its way out of the house: e-mail by SMTP or into a spool folder, and calls
//! of another program.
//!
//! - Rows of the registry's outbox are sent one by one, and noted when the other side has said yes.
//!   Should the program die between the two, a row is sent once more: at least once, never less. Its
//!   number is the same then, in `Message-ID` and `Idempotency-Key`, so that the other side can tell.
//! - Results of assessments go out the same way (`courier`): by PATCH to the program that asked
//!   (`callback`), and by letter. Each of their attempts is a row.
//! - What fails is tried again after growing waits, and given up after days with a line on the page.
//! - Each channel has a thread of its own while something is due: a mail server that hangs keeps
//!   neither the calls nor the appliance waiting. Every wait for the other side has an end.

mod callback;
mod courier;
mod encoding;
mod hook;
mod letter;
mod patience;
mod secret;
mod sending;
mod smtp;
mod spool;

pub use encoding::hmac_sha256;
pub use sending::{Outbox, Sent};

/// Why something could not be sent.
#[derive(Debug, PartialEq, Eq)]
enum Trouble {
    /// The way itself is closed: whatever else goes this way waits too.
    Way(String),
    /// The other side answered, and does not take this one.
    Parcel(String),
}

impl Trouble {
    fn sentence(&self) -> &str {
        match self {
            Trouble::Way(sentence) | Trouble::Parcel(sentence) => sentence,
        }
    }
}
