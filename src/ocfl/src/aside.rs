//! How much a replica keeps of what was replaced or did not belong.

use super::address::CORNER;
use super::error::VaultError;
use super::replica::Replica;

/// What was set aside, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAside {
    /// Files.
    pub count: u64,
    /// Their bytes.
    pub size: u64,
    /// Whether there is more than was looked at.
    pub is_more: bool,
}

impl Replica {
    /// Adds up what was set aside, and looks at no more than `most` files.
    pub fn set_aside_sums(&self, most: u64) -> Result<SetAside, VaultError> {
        let mut sums = SetAside::default();
        let looked = self.medium.list(&format!("{CORNER}/set-aside"), &mut |_, size| {
            if sums.count == most {
                sums.is_more = true;
                return Err(VaultError::Refused { what: "that is enough".into() });
            }
            sums.count += 1;
            sums.size = sums.size.saturating_add(size);
            Ok(())
        });
        if sums.is_more { Ok(sums) } else { looked.map(|()| sums) }
    }
}
