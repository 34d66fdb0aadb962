//! What happened that no alert says yet. Each question names the alert it looks for, in the same
//! words as the alert will be named, so that telling it makes it disappear from the answer.

use rusqlite::params;

use crate::clock::Timestamp;
use crate::registry::item::ItemRow;
use crate::registry::moment::Fields;
use crate::registry::{Error, ITEMS, Registry, Uuid};

/// A step of a deletion request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionStep {
    /// It was asked for.
    Requested,
    /// A second person approved it.
    Approved,
    /// It was called off.
    Cancelled,
    /// Everything it was about is gone from every replica.
    Completed,
}

impl DeletionStep {
    /// Every step, in order.
    pub const ALL: [DeletionStep; 4] = [
        DeletionStep::Requested,
        DeletionStep::Approved,
        DeletionStep::Cancelled,
        DeletionStep::Completed,
    ];

    /// The word in the name of its alert.
    pub fn word(self) -> &'static str {
        match self {
            DeletionStep::Requested => "requested",
            DeletionStep::Approved => "approved",
            DeletionStep::Cancelled => "cancelled",
            DeletionStep::Completed => "completed",
        }
    }

    /// When it happened, and who did it.
    fn columns(self) -> (&'static str, &'static str) {
        match self {
            DeletionStep::Requested => ("requested_at", "requested_by_id"),
            DeletionStep::Approved => ("confirmed_at", "confirmed_by_id"),
            DeletionStep::Cancelled => ("cancelled_at", "cancelled_by_id"),
            DeletionStep::Completed => ("completed_at", "NULL"),
        }
    }
}

/// A step of a deletion request that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletionMoment {
    /// The request.
    pub request_id: i64,
    /// By which vaults know it.
    pub uuid: Uuid,
    /// Whose request it is.
    pub institution_id: i64,
    /// What was given as the reason.
    pub reason: String,
    /// When the step was taken.
    pub at: Timestamp,
    /// Who took it; nobody completes a deletion.
    pub by: Option<String>,
    /// Whether somebody else entered the request in the name of who asks.
    pub is_entered: bool,
    /// Not approved by then, it is as if cancelled.
    pub expires_at: Timestamp,
    /// Approved, nothing is erased before this moment.
    pub erase_after: Option<Timestamp>,
    /// Objects that go whole.
    pub object_count: u64,
    /// Files that go alone.
    pub file_count: u64,
}

/// An item that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParkedItem {
    /// The item.
    pub id: i64,
    /// What it is about.
    pub name: String,
    /// Its kind of work.
    pub action: String,
    /// Its stage.
    pub stage: String,
    /// Since when.
    pub since: Timestamp,
    /// What happened.
    pub happened: String,
    /// What was kept.
    pub kept: String,
    /// What to do next.
    pub advice: String,
}

/// Items of one institution that wait for a person for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParkedTogether {
    /// Whose they are; none for the house.
    pub institution_id: Option<i64>,
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// When the newest of them began to wait.
    pub newest: Timestamp,
}

/// Items that have been at one stage for too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stalled {
    /// How many.
    pub count: u64,
    /// The one that is there for longest.
    pub oldest: i64,
    /// What that is about.
    pub name: String,
    /// Since when it is there.
    pub since: Timestamp,
}

/// Items that have waited for the same thing for too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongWait {
    /// What they wait for.
    pub cause: String,
    /// How many wait for it, however long.
    pub count: u64,
    /// The one that has waited longest.
    pub oldest: i64,
    /// What that is about.
    pub name: String,
    /// What it says.
    pub note: String,
    /// Since when it waits.
    pub since: Timestamp,
}

/// The copy in a replica that was not looked at for longest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleCheck {
    /// The replica.
    pub replica: String,
    /// When it was looked at.
    pub checked_at: Timestamp,
}

impl Registry {
    /// Steps of this kind since a moment that no alert `deletion/UUID/STEP` tells of.
    pub fn untold_deletions(
        &self,
        step: DeletionStep,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<DeletionMoment>, Error> {
        let ((at, by), word) = (step.columns(), step.word());
        let sql = format!(
            "SELECT d.id, d.uuid, d.institution_id, d.reason, d.{at},
                 (SELECT u.name FROM users AS u WHERE u.id = {by}), d.entered_by_id IS NOT NULL,
                 d.expires_at, d.erase_after,
                 (SELECT count(*) FROM deletion_parts AS p
                     WHERE p.request_id = d.id AND p.file_id IS NULL),
                 (SELECT count(*) FROM deletion_parts AS p
                     WHERE p.request_id = d.id AND p.file_id IS NOT NULL)
             FROM deletion_requests AS d WHERE d.{at} >= ?1 AND NOT EXISTS (SELECT 1
                 FROM alerts WHERE name = 'deletion/' || lower(hex(d.uuid)) || '/{word}')
             ORDER BY d.id LIMIT ?2"
        );
        self.rows(&sql, params![since, limit], |row| {
            let mut of = Fields::of(row);
            Ok(DeletionMoment {
                request_id: of.take()?,
                uuid: of.take()?,
                institution_id: of.take()?,
                reason: of.take()?,
                at: of.take()?,
                by: of.take()?,
                is_entered: of.take()?,
                expires_at: of.take()?,
                erase_after: of.take()?,
                object_count: of.count()?,
                file_count: of.count()?,
            })
        })
    }

    /// Items of an action that ended well since a moment, and that no alert `restored/ITEM` tells of.
    pub fn untold_successes(
        &self,
        action: &str,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<ItemRow>, Error> {
        let sql = format!(
            "SELECT {} FROM work_items_view AS w WHERE action = ?1 AND date_processed >= ?2
             AND status = 'Success' AND NOT EXISTS (SELECT 1 FROM alerts
                 WHERE alerts.name = 'restored/' || w.id)
             ORDER BY date_processed, id LIMIT ?3",
            ITEMS.column_list()
        );
        self.rows(&sql, params![action, since, limit], ItemRow::read)
    }

    /// Items parked up to a moment that no alert tells of, neither `parked/ITEM/SINCE` nor one
    /// `parked-together/INSTITUTION/REASON/SINCE` of a later moment.
    pub fn untold_parked(
        &self,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<ParkedTogether>, Error> {
        let sql = format!(
            "SELECT w.institution_id, w.reason, count(*), max(w.date_processed)
             FROM work_items AS w WHERE {UNTOLD_PARKED}
             GROUP BY w.institution_id, w.reason ORDER BY w.institution_id, w.reason LIMIT ?2"
        );
        self.rows(&sql, params![until, limit], |row| {
            let mut of = Fields::of(row);
            Ok(ParkedTogether {
                institution_id: of.take()?,
                reason: of.take()?,
                count: of.count()?,
                newest: of.take()?,
            })
        })
    }

    /// The items of such a group.
    pub fn untold_parked_items(
        &self,
        group: &ParkedTogether,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<ParkedItem>, Error> {
        let sql = format!(
            "SELECT w.id, w.name, w.action, w.stage, w.date_processed, coalesce(w.happened, ''),
                 coalesce(w.kept, ''), coalesce(w.advice, '')
             FROM work_items AS w WHERE {UNTOLD_PARKED}
             AND w.institution_id IS ?3 AND w.reason = ?4 ORDER BY w.id LIMIT ?2"
        );
        let values = params![until, limit, group.institution_id, group.reason];
        self.rows(&sql, values, |row| {
            let mut of = Fields::of(row);
            Ok(ParkedItem {
                id: of.take()?,
                name: of.take()?,
                action: of.take()?,
                stage: of.take()?,
                since: of.take()?,
                happened: of.take()?,
                kept: of.take()?,
                advice: of.take()?,
            })
        })
    }

    /// Whether an item of this institution that was parked up to a moment still is, for this reason.
    pub fn is_parked(
        &self,
        institution: Option<i64>,
        reason: &str,
        until: Timestamp,
    ) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM work_items WHERE reason = ?2 AND date_processed <= ?3
            AND institution_id IS ?1 LIMIT 1";
        Ok(self.one(sql, params![institution, reason, until], |_| Ok(()))?.is_some())
    }

    /// Items in line, waiting or being worked on that nobody took in hand or put back since a moment.
    /// One that waits and is asked now and then does not stand still.
    pub fn stalled(&self, topic: &str, before: Timestamp) -> Result<Option<Stalled>, Error> {
        // With min(), SQLite takes bare columns from the row that has the minimum.
        let sql = "SELECT count(*), id, name, min(since) FROM (SELECT id, name,
                max(coalesce(stage_started_at, queued_at), coalesce(queued_at, '')) AS since
                FROM work_items WHERE topic = ?1 AND state IN ('ready', 'delayed', 'leased'))
            WHERE since < ?2 HAVING count(*) > 0";
        self.one(sql, params![topic, before], |row| {
            let mut of = Fields::of(row);
            Ok(Stalled {
                count: of.count()?,
                oldest: of.take()?,
                name: of.take()?,
                since: of.take()?,
            })
        })
    }

    /// What items have waited for since before a moment, each cause once. Causes that are `left_out`
    /// are so with everything that tells one such thing from others.
    pub fn long_waits(
        &self,
        before: Timestamp,
        left_out: &'static [&'static str],
        limit: u32,
    ) -> Result<Vec<LongWait>, Error> {
        // The cause is the first word. With min(), SQLite takes bare columns from the row that has the
        // minimum.
        let sql = format!(
            "SELECT waiting_for, count(*), id, name, note, min(waiting_since) AS since
             FROM work_items WHERE waiting_for IS NOT NULL AND waiting_since <= ?1
                 AND substr(waiting_for, 1, instr(waiting_for || ' ', ' ') - 1) NOT IN ('{}')
             GROUP BY waiting_for ORDER BY waiting_for LIMIT ?2",
            left_out.join("', '")
        );
        self.rows(&sql, params![before, limit], |row| {
            let mut of = Fields::of(row);
            Ok(LongWait {
                cause: of.take()?,
                count: of.count()?,
                oldest: of.take()?,
                name: of.take()?,
                note: of.take()?,
                since: of.take()?,
            })
        })
    }

    /// Per hot replica, when the copy that was not looked at for longest was looked at.
    pub fn stalest_checks(&self) -> Result<Vec<StaleCheck>, Error> {
        let sql = "SELECT r.name, (SELECT min(c.oldest_checked_at) FROM object_copies AS c
                WHERE c.replica_id = r.id AND c.oldest_checked_at > 0) AS oldest
            FROM replicas AS r WHERE r.class = 'hot' AND oldest IS NOT NULL
            ORDER BY r.name LIMIT 1000";
        self.rows(sql, [], |row| {
            let mut of = Fields::of(row);
            Ok(StaleCheck { replica: of.take()?, checked_at: of.millis()? })
        })
    }
}

const UNTOLD_PARKED: &str = "w.reason IS NOT NULL AND w.date_processed <= ?1
    AND NOT EXISTS (SELECT 1 FROM alerts AS a
        WHERE a.name = 'parked/' || w.id || '/' || w.date_processed)
    AND NOT EXISTS (SELECT 1 FROM alerts AS a
        WHERE a.name >= 'parked-together/' || coalesce(w.institution_id, 'house') || '/'
            || w.reason || '/' || w.date_processed
        AND a.name < 'parked-together/' || coalesce(w.institution_id, 'house') || '/'
            || w.reason || '0')";
