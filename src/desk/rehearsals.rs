//! How rehearsals went, and what that implies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{Counting, ITEMS, Query};

use super::{Desk, DeskError};
use crate::restore::REHEARSAL;

/// Rehearsals that figures are made of: enough for a rule of thumb, few enough to be of now.
const LAST: &str = "100";

/// The last rehearsals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rehearsals {
    /// Those that came to an end, or stopped because the object could not be restored.
    pub tried: u64,
    /// Those that brought a valid bag.
    pub succeeded: u64,
    /// What that implies, in plain words.
    pub sentences: Vec<String>,
}

impl Desk<'_> {
    /// The figures of the last rehearsals.
    pub(super) fn rehearsals(&self) -> Result<Rehearsals, DeskError> {
        let wanted = [
            ("topic", REHEARSAL),
            ("status__in", "Success"),
            ("status__in", "Suspended"),
            ("status__in", "Failed"),
            ("per_page", LAST),
        ];
        let pairs = wanted.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let query = Query::parse(&ITEMS, &pairs)?.counting(Counting::No);
        let rows = self.app.registry.list_items(&query)?.rows;
        let tried = rows.len() as u64;
        let succeeded = rows.iter().filter(|row| row.status == "Success").count() as u64;
        Ok(Rehearsals { tried, succeeded, sentences: implied(tried, succeeded) })
    }
}

/// If n of n went well, at most 3 in n of all would fail, in nineteen cases out of twenty.
fn implied(tried: u64, succeeded: u64) -> Vec<String> {
    if tried == 0 {
        return Vec::new();
    }
    let counted = format!("{succeeded} of the last {tried} rehearsals brought a valid bag.");
    let meaning = match tried - succeeded {
        0 if tried < 4 => "That is too few to say anything about the other objects yet.".to_owned(),
        0 => {
            let percent = 300_u64.div_ceil(tried);
            format!(
                "So, in nineteen cases out of twenty, at most {percent} of 100 objects would not \
                 come back today."
            )
        }
        1 => "One object could not be restored: look at its item.".to_owned(),
        many => format!("{many} objects could not be restored: look at their items."),
    };
    vec![counted, meaning]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_without_failures_bounds_what_may_fail() {
        assert_eq!(implied(0, 0), Vec::<String>::new());
        let said = |tried, succeeded| implied(tried, succeeded).pop().unwrap_or_default();
        assert!(said(3, 3).contains("too few"));
        assert!(said(60, 60).contains("at most 5 of 100 objects"), "{}", said(60, 60));
        assert!(said(100, 100).contains("at most 3 of 100 objects"));
        assert!(said(7, 7).contains("at most 43 of 100 objects"));
        assert!(said(10, 9).starts_with("One object"));
        assert!(said(10, 8).starts_with("2 objects"));
    }
}
