//! What is asked of people who sign in: `[accounts]`.

use super::pick::{Key, Pick};
use super::raw::RawAccounts;
use super::rule::Switch;

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
