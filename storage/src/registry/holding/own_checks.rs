//! How the checks stand for one institution: the same figures as for the whole registry, added up
//! over the objects that somebody may see.
//!
//! The whole registry keeps its sums by day; an institution's are added up from a row for each of
//! its objects and replicas, and kept until something is written.

use rusqlite::Row;

use super::check::{CheckAge, DAY_MS, ReplicaChecks, UnsoundCopy, UnsoundSums};
use super::identity::ReplicaId;
use crate::clock::Timestamp;
use crate::registry::moment::Fields;
use crate::registry::query::Sight;
use crate::registry::{Error, Registry};

/// What chooses the objects `o` that are seen; `?1` is the institution.
pub(super) fn seen(sight: Sight) -> &'static str {
    match sight {
        Sight::All => "?1 IS NULL",
        Sight::Own { restricted: true, .. } => "o.institution_id = ?1",
        Sight::Own { restricted: false, .. } => {
            "o.institution_id = ?1 AND o.access <> 'restricted'"
        }
        Sight::Shared { .. } => "o.institution_id <> ?1 AND o.access = 'consortia'",
    }
}

impl Registry {
    /// How every replica stands with what somebody sees, by name.
    pub fn replica_checks_of(&self, sight: Sight) -> Result<Vec<ReplicaChecks>, Error> {
        let sql = format!(
            "SELECT r.id, r.name, r.place, count(s.object_id), coalesce(sum(s.copy_count), 0),
                 coalesce(sum(s.unsound_count), 0), min(s.oldest_checked_at)
             FROM replicas AS r LEFT JOIN (SELECT n.object_id, n.replica_id, n.copy_count,
                     n.unsound_count, n.oldest_checked_at
                 FROM objects AS o CROSS JOIN object_copies AS n ON n.object_id = o.id
                 WHERE {} AND o.version > 0 AND n.copy_count > 0) AS s ON s.replica_id = r.id
             GROUP BY r.id ORDER BY r.name LIMIT 1000",
            seen(sight)
        );
        let name = format!("{sql} {sight:?}");
        self.memory.figure((self.memory.mark(), &name), || {
            self.rows(&sql, [sight.institution()], ReplicaChecks::read)
        })
    }

    /// How many days ago the copies of a replica that somebody sees were looked at, newest first.
    pub fn check_ages_of(
        &self,
        replica: ReplicaId,
        now: Timestamp,
        sight: Sight,
    ) -> Result<Vec<CheckAge>, Error> {
        let sql = format!(
            "SELECT max(0, ?2 - n.oldest_checked_at / {DAY_MS}) AS days, count(*),
                 sum(n.copy_count)
             FROM objects AS o CROSS JOIN object_copies AS n ON n.object_id = o.id
             WHERE {} AND o.version > 0 AND n.replica_id = ?3 AND n.copy_count > 0
             GROUP BY days ORDER BY days LIMIT 40000",
            seen(sight)
        );
        let today = i64::try_from(now.0 / DAY_MS).unwrap_or(i64::MAX);
        let values = (sight.institution(), today, replica);
        let read = |row: &Row<'_>| {
            let mut of = Fields::of(row);
            Ok(CheckAge { days: of.count()?, object_count: of.count()?, copy_count: of.count()? })
        };
        let name = format!("{sql} {values:?} {sight:?}");
        self.memory.figure((self.memory.mark(), &name), || self.rows(&sql, values, read))
    }

    /// Copies in a replica that somebody sees and that are due by `before`.
    pub fn due_copy_count_of(
        &self,
        replica: ReplicaId,
        before: Timestamp,
        sight: Sight,
    ) -> Result<u64, Error> {
        let sql = format!(
            "SELECT coalesce(sum(n.copy_count), 0)
             FROM objects AS o CROSS JOIN object_copies AS n ON n.object_id = o.id
             WHERE {} AND o.version > 0 AND n.replica_id = ?3 AND n.oldest_checked_at <= ?2",
            seen(sight)
        );
        let until = i64::try_from(before.0).unwrap_or(i64::MAX);
        let values = (sight.institution(), until, replica);
        let count = self.one(&sql, values, |row| Fields::of(row).count())?;
        Ok(count.unwrap_or(0))
    }

    /// Copies that somebody sees and that were not sound when last looked at.
    pub fn unsound_copies_of(&self, sight: Sight, limit: u32) -> Result<Vec<UnsoundCopy>, Error> {
        let sql = UnsoundCopy::select(seen(sight));
        self.rows(&sql, (sight.institution(), limit), UnsoundCopy::read)
    }

    /// How many copies that somebody sees are not sound, and how many versions of files are lost.
    pub fn unsound_sums_of(&self, sight: Sight) -> Result<UnsoundSums, Error> {
        let sql = UnsoundSums::select(seen(sight));
        let sums = self.one(&sql, [sight.institution()], UnsoundSums::read)?;
        Ok(sums.unwrap_or_default())
    }
}
