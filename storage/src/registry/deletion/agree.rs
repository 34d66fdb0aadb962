//! The second person's approval, the confirmation of a request that was entered in somebody's name,
//! and the ways to call a request off.

use std::time::Duration;

use rusqlite::params;

use super::people::{KEPT, is_confirmed, require_admin, require_another, require_canceller};
use super::row::{DeletionId, DeletionRow, DeletionState, require};
use crate::clock::Timestamp;
use crate::registry::{Error, NewNote, Registry};

impl Registry {
    /// Confirms a request that somebody else entered in the name of this user. The line in the log is the
    /// confirmation: it must be by the user, about the request.
    ///
    /// # Errors
    ///
    /// As for [`Registry::approve_deletion`]; `Refused` also for a request that was confirmed already, or
    /// that the requester made.
    pub fn confirm_deletion(
        &self,
        id: DeletionId,
        user: i64,
        line: impl FnOnce(&DeletionRow) -> NewNote,
        now: Timestamp,
    ) -> Result<DeletionRow, Error> {
        self.write_noted(now, |tx| {
            let request = require(tx, id, now)?;
            require_admin(tx, user, request.institution_id, "confirm a deletion of it")?;
            require_waiting(&request)?;
            let requester = &request.requested_by_email;
            let refused = |why: String| Err(Error::Refused { why: format!("{why}; {KEPT}") });
            if user != request.requested_by_id {
                return refused(format!(
                    "deletion request {id} is in the name of {requester}, who alone can confirm it"
                ));
            }
            if request.entered_by_id.is_none() {
                return refused(format!(
                    "deletion request {id} was made by {requester} and needs no confirmation; \
                     another administrator approves it"
                ));
            }
            if is_confirmed(tx, &request)? {
                return refused(format!("deletion request {id} was confirmed already"));
            }
            let line = line(&request);
            Ok((request, vec![line]))
        })
    }

    /// Approves a request. Each of its parts may be deleted, once, when the cooling-off period is over.
    /// Its end is written down here, and a changed configuration does not move it.
    ///
    /// # Errors
    ///
    /// `NotFound` for a request or user that is not there, `Refused` with a sentence for somebody
    /// who may not agree, and for a request that does not wait any more. Nothing is changed then.
    pub fn approve_deletion(
        &self,
        id: DeletionId,
        user: i64,
        (cooling_off, now): (Duration, Timestamp),
    ) -> Result<DeletionRow, Error> {
        self.write(|tx| {
            let request = require(tx, id, now)?;
            let who = require_admin(tx, user, request.institution_id, "approve a deletion of it")?;
            require_waiting(&request)?;
            require_another(tx, &who, &request)?;
            let sql = "UPDATE deletion_requests SET confirmed_by_id = ?2, confirmed_at = ?3,
                erase_after = ?4 WHERE id = ?1";
            tx.execute(sql, params![id, user, now, now.after(cooling_off)])?;
            require(tx, id, now)
        })
    }

    /// Cancels a request: the requester may, and every administrator of the institution and of the
    /// appliance, until its cooling-off period is over.
    ///
    /// # Errors
    ///
    /// As for [`Registry::approve_deletion`].
    pub fn cancel_deletion(
        &self,
        id: DeletionId,
        user: i64,
        now: Timestamp,
    ) -> Result<DeletionRow, Error> {
        self.write(|tx| {
            let request = require(tx, id, now)?;
            require_canceller(tx, user, request.institution_id)?;
            if !request.is_cooling_off(now) {
                require_waiting(&request)?;
            }
            let sql = "UPDATE deletion_requests SET cancelled_by_id = ?2, cancelled_at = ?3
                WHERE id = ?1";
            tx.execute(sql, params![id, user, now])?;
            require(tx, id, now)
        })
    }
}

/// Refuses a request that has had its answer, or none in time.
fn require_waiting(request: &DeletionRow) -> Result<(), Error> {
    let by = |who: &Option<String>| who.clone().unwrap_or_default();
    let why = match request.state {
        DeletionState::Requested => return Ok(()),
        DeletionState::Approved | DeletionState::Completed => {
            let from = request.erase_after.map(|at| format!(", and is erased from {at} on"));
            let by = by(&request.confirmed_by_email);
            format!("was approved by {by} already{}", from.unwrap_or_default())
        }
        DeletionState::Cancelled => {
            format!("was cancelled by {}", by(&request.cancelled_by_email))
        }
        DeletionState::Expired => {
            format!("expired on {}; ask for the deletion again", request.expires_at)
        }
    };
    Err(Error::Refused { why: format!("deletion request {} {why}; {KEPT}", request.id) })
}
