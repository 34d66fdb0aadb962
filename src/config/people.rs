//! What is asked of people who sign in and who delete: `[accounts]` and `[deletion]`.

use std::time::Duration;

use super::pick::{Key, Pick};
use super::raw::{RawAccounts, RawDeletion};
use super::rule::{Switch, hours};

/// What is asked of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountsConfig {
    /// Whether administrators must have a second factor.
    pub require_second_factor: bool,
}

pub(super) fn accounts(pick: &mut Pick<'_>, raw: RawAccounts) -> AccountsConfig {
    let second = "Administrators must have a second factor, and reach nothing else until they do. \
        Institutions say for themselves whether their people must.";
    AccountsConfig {
        require_second_factor: pick.one(
            raw.require_second_factor,
            &Key::new("accounts.require_second_factor", Switch, "false", second),
        ),
    }
}

/// How deletions are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletionConfig {
    /// How long after its approval nothing of a deletion is erased.
    pub cooling_off: Duration,
}

pub(super) fn deletion(pick: &mut Pick<'_>, raw: RawDeletion) -> DeletionConfig {
    let cooling_off = "How long an approved deletion waits before anything is erased. Administrators \
        of the institution and of the appliance are told, and any of them can cancel it until then; \
        0 is not at all. It counts for what is approved from then on.";
    DeletionConfig {
        cooling_off: pick.one(
            raw.cooling_off_h,
            &Key::new("deletion.cooling_off_h", hours(0, 8760), "72", cooling_off),
        ),
    }
}
