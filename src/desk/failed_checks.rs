//! Failed fixity checks, told once a day to whom they concern, for those who ask for that.
//!
//! What fails is told when it fails, object by object; this is the daily sum of it that clients of
//! the described registry ask for. That it was asked for is itself an alert, which nobody is sent: so
//! the day is remembered by the registry, and a second call of the same day does nothing.

use storage::clock::Timestamp;
use storage::registry::{
    ALERTS, AlertRow, Counting, EVENTS, EventType, INSTITUTIONS, Outcome, Query,
};

use super::{Desk, DeskError};
use crate::alerts::{Kind, checks_failed, checks_told, raise};

/// How far back the first call looks.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Failures counted of one institution.
const COUNTED: u64 = 100_000;

impl Desk<'_> {
    /// Tells the administrators of each institution how many checks failed since this was last asked
    /// for. None when that was today, by the calendar of UTC.
    pub fn tell_failed_checks(&self) -> Result<Option<Vec<AlertRow>>, DeskError> {
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        let since = self.last_told()?.unwrap_or(Timestamp(now.0.saturating_sub(DAY_MS)));
        let told = checks_told(since, now);
        if self.is_raised(&told.name)? {
            return Ok(None);
        }
        let mut raised = Vec::new();
        for page in 1_u32.. {
            let pairs = [("per_page", "1000".to_owned()), ("page", page.to_string())];
            let query = Query::parse(&INSTITUTIONS, &named(&pairs))?.counting(Counting::No);
            let found = registry.list_institutions(&query)?;
            for institution in found.rows {
                raised.extend(self.tell_institution(institution.id, (since, now))?);
            }
            if found.next_page.is_none() {
                break;
            }
        }
        // Last: after a crash on the way the day is told again, and each name is raised once.
        let first = registry.raise_alert(&told, &[], now)?.is_some();
        registry.end_alert(&told.name, now)?;
        Ok(first.then_some(raised))
    }

    fn is_raised(&self, name: &str) -> Result<bool, DeskError> {
        let query = Query::parse(&ALERTS, &named(&[("name", name.to_owned())]))?;
        Ok(!self.app.registry.list_alerts(&query.counting(Counting::No))?.rows.is_empty())
    }

    fn tell_institution(
        &self,
        institution: i64,
        (since, now): (Timestamp, Timestamp),
    ) -> Result<Option<AlertRow>, DeskError> {
        let pairs = [
            ("institution_id", institution.to_string()),
            ("event_type", EventType::FixityCheck.name().to_owned()),
            ("outcome", Outcome::Failure.name().to_owned()),
            ("date_time__gt", since.to_string()),
            ("date_time__lteq", now.to_string()),
            ("per_page", "1".to_owned()),
        ];
        let query = Query::parse(&EVENTS, &named(&pairs))?.counting(Counting::UpTo(COUNTED));
        let failed = self.app.registry.list_events(&query)?.count.map_or(0, |count| count.value);
        if failed == 0 {
            return Ok(None);
        }
        let alert = checks_failed(institution, failed, since, now);
        let raised = raise(self.app, &alert)?;
        // It is news, and nothing that lasts: each failure has its own alert.
        self.app.registry.end_alert(&alert.name, now)?;
        Ok(raised)
    }

    /// When this was last asked for: the newest alert of its kind that is the house's own.
    fn last_told(&self) -> Result<Option<Timestamp>, DeskError> {
        let pairs = [
            ("kind", Kind::CopyFailed.word().to_owned()),
            ("institution_id__is_null", "true".to_owned()),
            ("sort", "created_at__desc".to_owned()),
            ("per_page", "1".to_owned()),
        ];
        let query = Query::parse(&ALERTS, &named(&pairs))?.counting(Counting::No);
        Ok(self.app.registry.list_alerts(&query)?.rows.pop().map(|alert| alert.created_at))
    }
}

fn named<const N: usize>(pairs: &[(&str, String); N]) -> [(String, String); N] {
    pairs.clone().map(|(name, value)| (name.to_owned(), value))
}
