//! The words of the log: what can be done, how it was proved who did it, and what came of it.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A closed list of words that are stored and told by name.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All of them, in the order that pages offer them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The word in the registry, in the API and on pages: forever.
            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.word().into())
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<$name> {
                let word = value.as_str()?;
                let known = $name::ALL.iter().copied().find(|known| known.word() == word);
                known.ok_or(FromSqlError::InvalidType)
            }
        }
    };
}

words! {
    /// Something that somebody did, or tried to.
    Deed {
        /// Proved who they are.
        SignIn = "sign-in",
        /// Ended their own session.
        SignOut = "sign-out",
        /// Missed so often that nothing is looked at for a while.
        Lock = "lock",
        /// Went where they may not.
        Enter = "enter",
        /// Became the first administrator.
        BecomeFirst = "become-first",
        /// Said that the password is forgotten.
        ForgetPassword = "forget-password",
        /// Made a link that sets a password.
        MakeLink = "make-link",
        /// Set a password, by a link or by knowing the old one.
        SetPassword = "set-password",
        /// Began to use a second factor.
        BeginFactor = "begin-factor",
        /// Stopped using it.
        EndFactor = "end-factor",
        /// Took the second factor of somebody who lost it away.
        ResetFactor = "reset-factor",
        /// Made new backup codes.
        MakeCodes = "make-codes",
        /// Made a token.
        MakeToken = "make-token",
        /// Revoked a token.
        RevokeToken = "revoke-token",
        /// Ended a session from another one.
        EndSession = "end-session",
        /// Added a user.
        AddUser = "add-user",
        /// Changed a user.
        ChangeUser = "change-user",
        /// Took the role of an administrator from a user; a line of its own beside the change.
        TakeAdminRole = "take-admin-role",
        /// Asked to change their own e-mail; the old address has to confirm it.
        AskEmail = "ask-email",
        /// Changed their own e-mail, confirmed at the old address.
        ChangeEmail = "change-email",
        /// Shut a user out.
        ShutOutUser = "shut-out-user",
        /// Let a user in again.
        LetInUser = "let-in-user",
        /// Added an institution.
        AddInstitution = "add-institution",
        /// Changed an institution.
        ChangeInstitution = "change-institution",
        /// Shut an institution out.
        ShutOutInstitution = "shut-out-institution",
        /// Let an institution in again.
        LetInInstitution = "let-in-institution",
        /// Sent a bag.
        Deposit = "deposit",
        /// Asked for something back.
        Restore = "restore",
        /// Replaced a lost file.
        ReplaceFile = "replace-file",
        /// Asked for a deletion.
        RequestDeletion = "request-deletion",
        /// Confirmed a request to delete that was entered in their name.
        ConfirmDeletion = "confirm-deletion",
        /// Agreed to a deletion.
        ApproveDeletion = "approve-deletion",
        /// Called a deletion off.
        CancelDeletion = "cancel-deletion",
        /// Put an item back in line.
        Requeue = "requeue",
        /// Called an item off.
        CancelItem = "cancel-item",
        /// Removed a rejected deposit.
        RemoveDeposit = "remove-deposit",
        /// Had a deposit taken again whose item was given up.
        TakeDepositAgain = "take-deposit-again",
        /// Called everything in a line off.
        EmptyQueue = "empty-queue",
        /// Stopped giving out work.
        PauseQueue = "pause-queue",
        /// Went on giving out work.
        ResumeQueue = "resume-queue",
        /// Closed the house for maintenance.
        CloseHouse = "close-house",
        /// Opened the house again.
        OpenHouse = "open-house",
        /// Had a sweep look at once.
        RunSweep = "run-sweep",
        /// Added episodes or clips, or changed them.
        CurateResearch = "curate-research",
        /// Had recordings looked at again.
        RepeatResearch = "repeat-research",
        /// Ended the lease of a researcher.
        RevokeLease = "revoke-lease",
        /// Had a site assessed.
        Assess = "assess",
        /// Had a result sent once more.
        SendAgain = "send-again",
        /// Had reference data loaded.
        LoadReference = "load-reference",
        /// Went back to the reference data before.
        RollBackReference = "roll-back-reference",
    }
}

words! {
    /// How it is known who did it.
    AuditHow {
        /// The cookie of a session.
        Session = "session",
        /// E-mail and password.
        Password = "password",
        /// The password, and a code of the second factor.
        Code = "code",
        /// A token; which one, stands beside it.
        Token = "token",
        /// A link that works once.
        Link = "link",
        /// A command, or the key of the data directory.
        Command = "command",
        /// It is not known.
        Unproved = "unproved",
    }
}

words! {
    /// What came of it.
    AuditOutcome {
        /// It was done.
        Done = "done",
        /// It was not allowed.
        Refused = "refused",
        /// It was tried and missed.
        Failed = "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_plain_and_no_two_deeds_share_one() {
        for (at, deed) in Deed::ALL.iter().enumerate() {
            let word = deed.word();
            assert!(word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{word}");
            assert!(!Deed::ALL[..at].iter().any(|other| other.word() == word), "{word}");
            assert_eq!(serde_json::to_value(deed).unwrap(), word);
        }
    }
}
