//! The kinds of alerts: their names on disk, their words on pages, and who is told.

use storage::registry::Audience;

/// What an alert is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    CopyFailed,
    CopyRepaired,
    FileLost,
    CopiesMissing,
    RestorationReady,
    DeletionRequested,
    DeletionApproved,
    DeletionCancelled,
    DeletionCompleted,
    ItemParked,
    ItemStalled,
    ItemWaiting,
    ReplicaAway,
    ReplicaNearlyFull,
    FixityOverdue,
    ResultUndelivered,
    JournalAltered,
    MessageRejected,
    MessagesStopped,
}

impl Kind {
    /// Every kind, in the order that pages offer them.
    pub const ALL: [Kind; 19] = [
        Kind::FileLost,
        Kind::CopyFailed,
        Kind::CopiesMissing,
        Kind::CopyRepaired,
        Kind::FixityOverdue,
        Kind::ReplicaAway,
        Kind::ReplicaNearlyFull,
        Kind::JournalAltered,
        Kind::ItemParked,
        Kind::ItemStalled,
        Kind::ItemWaiting,
        Kind::DeletionRequested,
        Kind::DeletionApproved,
        Kind::DeletionCancelled,
        Kind::DeletionCompleted,
        Kind::RestorationReady,
        Kind::ResultUndelivered,
        Kind::MessageRejected,
        Kind::MessagesStopped,
    ];

    /// The name in the registry and in calls: forever.
    pub fn word(self) -> &'static str {
        match self {
            Kind::CopyFailed => "copy-failed",
            Kind::CopyRepaired => "copy-repaired",
            Kind::FileLost => "file-lost",
            Kind::CopiesMissing => "copies-missing",
            Kind::RestorationReady => "restoration-ready",
            Kind::DeletionRequested => "deletion-requested",
            Kind::DeletionApproved => "deletion-approved",
            Kind::DeletionCancelled => "deletion-cancelled",
            Kind::DeletionCompleted => "deletion-completed",
            Kind::ItemParked => "item-parked",
            Kind::ItemStalled => "item-stalled",
            Kind::ItemWaiting => "item-waiting",
            Kind::ReplicaAway => "replica-away",
            Kind::ReplicaNearlyFull => "replica-nearly-full",
            Kind::FixityOverdue => "fixity-overdue",
            Kind::ResultUndelivered => "result-undelivered",
            Kind::JournalAltered => "journal-altered",
            Kind::MessageRejected => "message-rejected",
            Kind::MessagesStopped => "messages-stopped",
        }
    }

    /// The words on pages.
    pub fn label(self) -> &'static str {
        match self {
            Kind::CopyFailed => "Failed fixity check",
            Kind::CopyRepaired => "Copy repaired",
            Kind::FileLost => "File lost",
            Kind::CopiesMissing => "Copies missing",
            Kind::RestorationReady => "Restoration ready",
            Kind::DeletionRequested => "Deletion requested",
            Kind::DeletionApproved => "Deletion approved",
            Kind::DeletionCancelled => "Deletion cancelled",
            Kind::DeletionCompleted => "Deletion completed",
            Kind::ItemParked => "Item needs a person",
            Kind::ItemStalled => "Item stands still",
            Kind::ItemWaiting => "Item has waited long",
            Kind::ReplicaAway => "Replica away",
            Kind::ReplicaNearlyFull => "Replica nearly full",
            Kind::FixityOverdue => "Fixity check overdue",
            Kind::ResultUndelivered => "Result not delivered",
            Kind::JournalAltered => "Journal altered",
            Kind::MessageRejected => "Message rejected",
            Kind::MessagesStopped => "Messages stopped",
        }
    }

    /// The kind of this name.
    pub fn of(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Who is told.
    pub fn audience(self) -> Audience {
        match self {
            Kind::CopyFailed
            | Kind::CopyRepaired
            | Kind::FileLost
            | Kind::ItemParked
            | Kind::ResultUndelivered => Audience::AdministratorsAndStaff,
            Kind::RestorationReady => Audience::Everyone,
            // Where there is one administrator only, somebody else is told, too.
            Kind::DeletionRequested | Kind::DeletionApproved | Kind::DeletionCancelled => {
                Audience::AdministratorsAndStaff
            }
            Kind::DeletionCompleted => Audience::Administrators,
            Kind::ItemStalled
            | Kind::ItemWaiting
            | Kind::CopiesMissing
            | Kind::ReplicaAway
            | Kind::ReplicaNearlyFull
            | Kind::JournalAltered
            | Kind::MessageRejected
            | Kind::MessagesStopped
            | Kind::FixityOverdue => Audience::Staff,
        }
    }

    /// Whether it is so for a while, and ends. What happened once does not.
    pub fn ends(self) -> bool {
        match self {
            Kind::CopyFailed
            | Kind::FileLost
            | Kind::ItemParked
            | Kind::ItemStalled
            | Kind::ItemWaiting
            | Kind::CopiesMissing
            | Kind::ReplicaAway
            | Kind::ReplicaNearlyFull
            | Kind::FixityOverdue => true,
            Kind::CopyRepaired
            | Kind::RestorationReady
            | Kind::DeletionRequested
            | Kind::DeletionApproved
            | Kind::DeletionCancelled
            | Kind::DeletionCompleted
            | Kind::JournalAltered
            | Kind::MessageRejected
            | Kind::MessagesStopped
            | Kind::ResultUndelivered => false,
        }
    }
}
