//! The report on one deposit, for the depositor.

use storage::registry::FindingRow;
use storage::work::item::ItemId;

use super::{Desk, DeskError};
use crate::ingest::{About, Line, Stay, judging_profile, report, stay};

/// Findings told in one report; the rest are counted.
const TOLD: u32 = 10_000;

impl Desk<'_> {
    /// What was found wrong with the deposit of an item, as a text that can be sent on. Of several
    /// attempts the last one that found something counts.
    pub fn report(&self, id: u64) -> Result<String, DeskError> {
        let item = self.item(id)?.item;
        // One more than is told, to know whether there are more.
        let mut findings = self.app.registry.findings(item.id, TOLD + 1)?;
        let Some(last) = findings.first().map(|finding| finding.attempt) else {
            return Err(DeskError::NothingToReport(id));
        };
        findings.retain(|finding| finding.attempt == last);
        let unshown_count = findings.len().saturating_sub(TOLD as usize) as u64;
        findings.truncate(TOLD as usize);
        let stay = match (item.status.as_str(), item.reason.as_deref()) {
            ("Suspended", Some("rejected")) => stay(self.app, item.date_processed),
            ("Cancelled" | "Failed", _) => Stay::Over,
            (_, _) => Stay::UntilRemoved,
        };
        let name = item.institution_name.as_deref().unwrap_or_default();
        let judged = judging_profile(self.app, ItemId(id))?;
        let named = item.bagit_profile_identifier.as_deref().unwrap_or_default();
        let about = About {
            item: id,
            name: &item.name,
            size_bytes: item.size.unsigned_abs(),
            institution: &format!("{name} ({})", item.bucket),
            received: item.created_at,
            object: item.object_identifier.as_deref().unwrap_or_default(),
            profile: judged.as_deref().unwrap_or(named),
            stay,
            unshown_count,
        };
        Ok(report(&about, findings.iter().map(line)))
    }
}

fn line(finding: &FindingRow) -> Line<'_> {
    Line {
        is_error: finding.severity == "error",
        code: &finding.code,
        place: &finding.place,
        sentence: &finding.sentence,
    }
}
