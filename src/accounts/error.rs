//! Why somebody was not let in, or a password not set. Nothing was changed.

/// Why not.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// One sentence for all that may be wrong: it must not tell who has an account.
    #[error("the e-mail and the password do not go together, or there were too many tries")]
    NotKnown,
    /// The second step was missed.
    #[error("the code is not right, or was used already, or there were too many tries")]
    WrongCode,
    /// The key that the secret of the second factor was sealed with is not there.
    #[error(
        "the second factor cannot be checked, because its key file was lost: use a backup code, or \
         ask an administrator to reset your second factor, and set it up anew"
    )]
    FactorUnreadable,
    /// The first step of signing in is too long ago, or never was.
    #[error("this sign-in took too long, or was never begun")]
    DeadHalf,
    /// A password alone does not open this account.
    #[error("this account has a second factor: a password alone does not open it")]
    NeedsToken,
    /// Who somebody is has to be proved once more, and nothing was given that could.
    #[error("this asks for your {0} again; nothing was changed")]
    ConfirmationMissing(&'static str),
    /// What was given to prove it is wrong.
    #[error("the {0} is not right, or there were too many tries; nothing was changed")]
    NotConfirmed(&'static str),
    /// The new password breaks the rule.
    #[error("the password {0}")]
    BadPassword(&'static str),
    /// The link does not work, or no more.
    #[error("this link does not work: it was used, it is too old, or it was never one")]
    DeadLink,
    /// A field breaks its rule.
    #[error("{field} {rule}")]
    BadField {
        /// The field.
        field: &'static str,
        /// The rule, as the end of a sentence that begins with the field.
        rule: String,
    },
    /// The e-mail or identifier is another's.
    #[error("{0} is taken")]
    Taken(String),
    /// There is nobody and nothing of this name.
    #[error("there is no {kind} {name:?}")]
    NoSuch {
        /// Of which kind.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The state of things does not allow it.
    #[error("{0}")]
    Refused(String),
    /// The system gave no random bytes.
    #[error("the system gave no random numbers")]
    NoRandom,
    /// A digest could not be made.
    #[error("the password could not be digested")]
    Digest,
    /// The registry failed.
    #[error(transparent)]
    Registry(storage::registry::Error),
}

impl From<storage::registry::Error> for AccountError {
    fn from(error: storage::registry::Error) -> AccountError {
        use storage::registry::Error as R;
        match error {
            R::Invalid { field, rule } => AccountError::BadField { field, rule },
            R::Refused { why } => AccountError::Refused(why),
            other @ (R::Unreadable { .. }
            | R::Newer { .. }
            | R::Busy(_)
            | R::Full(_)
            | R::ReadOnly(_)
            | R::NotFound { .. }
            | R::Conflict(_)
            | R::Corrupt { .. }
            | R::Io { .. }
            | R::Sqlite(_)) => AccountError::Registry(other),
        }
    }
}
