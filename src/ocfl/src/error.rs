//! What can go wrong with a replica, sorted by what the caller can do about it.
//!
//! A replica that is away or full makes an item wait; wrong credentials, damage and conflicts park
//! it at once, because waiting would not help. Nothing here is printed twice: a sentence names the
//! replica and the thing, the cause hangs below it.

use std::io;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a replica could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// Unmounted, unreachable, timing out or failing at the other end.
    #[error("replica `{replica}` is away: {what}")]
    Away { replica: String, what: String, source: Option<Cause> },
    /// No room left, or a quota reached.
    #[error("replica `{replica}` is full: {what}")]
    Full { replica: String, what: String, source: Cause },
    /// Wrong credentials, no permission, or a file system mounted read-only.
    #[error("replica `{replica}` denies access: {what}")]
    Denied { replica: String, what: String, source: Cause },
    /// Neither a file nor an object of this name.
    #[error("replica `{replica}` does not hold {what}")]
    NotFound { replica: String, what: String },
    /// It has no version of the object that the next one could build on: it is new, or was replaced.
    #[error("replica `{replica}` does not hold version {version} of `{object}` yet")]
    Lacks { replica: String, object: String, version: u32 },
    /// What is held is not what was once written.
    #[error("replica `{replica}` is damaged: {what}")]
    Damaged { replica: String, what: String },
    /// The replica holds something sealed that differs from what is to be sealed.
    #[error("replica `{replica}` holds something else: {what}")]
    Conflict { replica: String, what: String },
    /// The replica holds what was recorded once and what the caller does not know.
    #[error("replica `{replica}` holds what the registry does not know: {what}")]
    Ahead { replica: String, what: String },
    /// Asked for something that must not be done, such as filling a foreign folder.
    #[error("refused: {what}")]
    Refused { what: String },
    /// The bytes that were to be copied could not be read.
    #[error("the source of {what} cannot be read")]
    Source { what: String, source: io::Error },
    /// The bytes that were to be copied are not those that were surveyed.
    #[error("the source of {what} has changed since it was surveyed")]
    Changed { what: String },
    /// The folder for interim files of this machine failed.
    #[error("the scratch folder failed while {what}")]
    Scratch { what: String, source: io::Error },
}

/// Whether trying again later may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Transient,
    Fatal,
}

impl VaultError {
    /// Whether the item waits or is parked.
    pub fn kind(&self) -> Kind {
        match self {
            VaultError::Away { .. }
            | VaultError::Full { .. }
            | VaultError::Source { .. }
            | VaultError::Scratch { .. } => Kind::Transient,
            VaultError::Denied { .. }
            | VaultError::NotFound { .. }
            | VaultError::Lacks { .. }
            | VaultError::Damaged { .. }
            | VaultError::Conflict { .. }
            | VaultError::Ahead { .. }
            | VaultError::Refused { .. }
            | VaultError::Changed { .. } => Kind::Fatal,
        }
    }

    /// The replica that is away or full.
    pub fn replica(&self) -> Option<&str> {
        match self {
            VaultError::Away { replica, .. } | VaultError::Full { replica, .. } => Some(replica),
            VaultError::Denied { .. }
            | VaultError::NotFound { .. }
            | VaultError::Lacks { .. }
            | VaultError::Damaged { .. }
            | VaultError::Conflict { .. }
            | VaultError::Ahead { .. }
            | VaultError::Refused { .. }
            | VaultError::Source { .. }
            | VaultError::Changed { .. }
            | VaultError::Scratch { .. } => None,
        }
    }

    /// A name that programs may rely on.
    pub fn code(&self) -> &'static str {
        match self {
            VaultError::Away { .. } => "replica-away",
            VaultError::Full { .. } => "replica-full",
            VaultError::Denied { .. } => "replica-denied",
            VaultError::NotFound { .. } => "copy-not-found",
            VaultError::Lacks { .. } => "replica-not-filled",
            VaultError::Damaged { .. } => "copy-damaged",
            VaultError::Conflict { .. } => "version-conflict",
            VaultError::Ahead { .. } => "registry-behind",
            VaultError::Refused { .. } => "vault-refused",
            VaultError::Source { .. } => "source-unreadable",
            VaultError::Changed { .. } => "source-changed",
            VaultError::Scratch { .. } => "scratch-failed",
        }
    }

    /// What a person should do.
    pub fn advice(&self) -> &'static str {
        match self {
            VaultError::Away { .. } => {
                "Mount the disk or restore the connection; the item goes on by itself."
            }
            VaultError::Full { .. } => {
                "Make room or raise the quota; the item goes on by itself and nothing is lost."
            }
            VaultError::Denied { .. } => {
                "Correct the credentials, region or permissions of the replica, start the appliance \
                 again if its keys were changed, then requeue."
            }
            VaultError::NotFound { .. } | VaultError::Lacks { .. } => {
                "Run a fixity check of the object; restore the copy from another replica."
            }
            VaultError::Damaged { .. } => {
                "Leave the replica as it is and restore the object from another replica."
            }
            VaultError::Conflict { .. } => {
                "Somebody else wrote this version; compare the replica with the registry."
            }
            VaultError::Ahead { .. } => {
                "The registry was lost or is an older one: stop the appliance, make it again with \
                 `strongroom rebuild`, then requeue."
            }
            VaultError::Refused { .. } => "Correct the configuration or the deposit, then requeue.",
            VaultError::Source { .. } => "Check the staging disk; the item goes on by itself.",
            VaultError::Changed { .. } => "Submit the bag again; its bytes changed on the way.",
            VaultError::Scratch { .. } => "Make room in the scratch folder of this machine.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_never_repeats_its_cause() {
        let source = Some("no route to host".into());
        let error = VaultError::Away { replica: "b".into(), what: "no answer".into(), source };
        assert!(!error.to_string().contains("route"));
        assert!(std::error::Error::source(&error).is_some());
        assert_eq!((error.kind(), error.code()), (Kind::Transient, "replica-away"));
        assert!(error.advice().ends_with('.'));
    }
}
