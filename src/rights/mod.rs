//! Who may do what: the one place that pages, API and commands ask.
//!
//! [`Caller`] is who asks, [`Right`] what can be asked for, and the table in [`Right::held_by`] says
//! which role has which. How much of a list somebody sees is their [`Sight`]. Which address asks
//! for which right stands in `http/doors.rs`; an address that is not there opens to nobody.
//!
//! What the table cannot know is whose a thing is. The desk does: it was made for a caller, finds
//! nothing that is beyond that caller's sight, and changes only what is their own.

mod caller;

pub use caller::{Caller, Person, Proof, TokenScope};
pub use storage::registry::Sight;

use storage::registry::Role;

/// Something that not everybody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Objects, files, events, items, reports: read what is within one's sight.
    Read,
    /// Put bags into the institution's receiving area.
    Deposit,
    /// Have copies read now.
    Check,
    /// Have things restored, and fetch what was.
    Restore,
    /// Have sites assessed, and read what came of it.
    Assess,
    /// Read requests to delete.
    SeeDeletions,
    /// Ask for a deletion, approve one.
    Delete,
    /// Cancel a deletion.
    CancelDeletion,
    /// Read alerts and mark them.
    ReadAlerts,
    /// One's own account: password, second factor, sessions, tokens, saved filters.
    OwnAccount,
    /// Users of the institution.
    KeepUsers,
    /// What the institution may choose for itself.
    KeepInstitution,
    /// Institutions: add, change, shut out.
    KeepInstitutions,
    /// The log of who did what, within one's sight.
    SeeAudit,
    /// Queues, and items that wait for a person.
    KeepWork,
    /// Do research: take work, hear what it is about, tell results.
    DoResearch,
    /// See what there is to search, who does it, and what was found.
    Research,
    /// Episodes and clips, leases of researchers, and what is looked at again.
    KeepResearch,
    /// The house: settings, storage, export, doctor, maintenance, declarations.
    KeepHouse,
}

impl Right {
    /// All of them, in the order of the table.
    pub const ALL: [Right; 19] = [
        Right::Read,
        Right::Deposit,
        Right::Check,
        Right::Restore,
        Right::Assess,
        Right::SeeDeletions,
        Right::Delete,
        Right::CancelDeletion,
        Right::ReadAlerts,
        Right::OwnAccount,
        Right::KeepUsers,
        Right::KeepInstitution,
        Right::KeepInstitutions,
        Right::SeeAudit,
        Right::KeepWork,
        Right::DoResearch,
        Right::Research,
        Right::KeepResearch,
        Right::KeepHouse,
    ];

    /// Whether a role has it. Nobody deletes for an institution but its own administrators.
    pub fn held_by(self, role: Role) -> bool {
        let (user, institutional_admin, admin) = match self {
            Right::Read
            | Right::Deposit
            | Right::Restore
            | Right::Assess
            | Right::SeeDeletions
            | Right::ReadAlerts
            | Right::OwnAccount => (true, true, true),
            Right::Check
            | Right::CancelDeletion
            | Right::KeepUsers
            | Right::KeepInstitution
            | Right::SeeAudit => (false, true, true),
            Right::Delete => (false, true, false),
            // The catalogue names files of every institution, restricted ones too.
            Right::KeepInstitutions
            | Right::KeepWork
            | Right::DoResearch
            | Right::Research
            | Right::KeepResearch
            | Right::KeepHouse => (false, false, true),
        };
        match role {
            Role::InstitutionalUser => user,
            Role::InstitutionalAdmin => institutional_admin,
            Role::Admin => admin,
            Role::None => false,
        }
    }

    /// Whether the owner of the data directory has it, who is no person: what needs to be known
    /// whose wish it was is not done for a key.
    pub fn held_by_house(self) -> bool {
        !matches!(self, Right::Delete | Right::CancelDeletion | Right::OwnAccount)
    }

    /// What it is, as the end of "this account may not ...".
    pub fn deed(self) -> &'static str {
        match self {
            Right::Read => "read what is held",
            Right::Deposit => "deposit",
            Right::Check => "have copies checked",
            Right::Restore => "have things restored",
            Right::Assess => "have sites assessed",
            Right::SeeDeletions => "see requests to delete",
            Right::Delete => "ask for deletions or approve them",
            Right::CancelDeletion => "cancel deletions",
            Right::ReadAlerts => "read alerts",
            Right::OwnAccount => "do this",
            Right::KeepUsers => "look after users",
            Right::KeepInstitution => "change the institution's preferences",
            Right::KeepInstitutions => "look after institutions",
            Right::SeeAudit => "read the log",
            Right::KeepWork => "look after queues and items",
            Right::DoResearch => "take part in research",
            Right::Research => "see research",
            Right::KeepResearch => "look after research",
            Right::KeepHouse => "look after the appliance",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_described_one() {
        let roles = [Role::InstitutionalUser, Role::InstitutionalAdmin, Role::Admin, Role::None];
        let row = |right: Right| {
            let marks = roles.map(|role| if right.held_by(role) { 'x' } else { '-' });
            format!("{right:?} {}", marks.iter().collect::<String>())
        };
        let table: Vec<String> = Right::ALL.iter().map(|right| row(*right)).collect();
        assert_eq!(
            table,
            [
                "Read xxx-",
                "Deposit xxx-",
                "Check -xx-",
                "Restore xxx-",
                "Assess xxx-",
                "SeeDeletions xxx-",
                "Delete -x--",
                "CancelDeletion -xx-",
                "ReadAlerts xxx-",
                "OwnAccount xxx-",
                "KeepUsers -xx-",
                "KeepInstitution -xx-",
                "KeepInstitutions --x-",
                "SeeAudit -xx-",
                "KeepWork --x-",
                "DoResearch --x-",
                "Research --x-",
                "KeepResearch --x-",
                "KeepHouse --x-",
            ]
        );
    }
}
