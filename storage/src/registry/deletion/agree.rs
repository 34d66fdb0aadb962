//! The second person's word.

use rusqlite::params;

use super::people::{KEPT, require_admin, require_another};
use super::row::{DeletionId, DeletionRow, DeletionState, require};
use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

impl Registry {
    /// Agrees to a request: from now on each of its parts may be deleted, once.
    ///
    /// # Errors
    ///
    /// `NotFound` for a request or user that is not there, `Refused` with a sentence for somebody
    /// who may not agree, and for a request that does not wait any more. Nothing is changed then.
    pub fn approve_deletion(
        &self,
        id: DeletionId,
        user: i64,
        now: Timestamp,
    ) -> Result<DeletionRow, Error> {
        self.write(|tx| {
            let request = require(tx, id, now)?;
            let who = require_admin(tx, user, request.institution_id, "approve a deletion of it")?;
            require_waiting(&request)?;
            require_another(tx, &who, &request)?;
            let sql = "UPDATE deletion_requests SET confirmed_by_id = ?2, confirmed_at = ?3
                WHERE id = ?1";
            tx.execute(sql, params![id, user, now])?;
            require(tx, id, now)
        })
    }

    /// Withdraws a request; the requester may, and every other administrator.
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
            require_admin(tx, user, request.institution_id, "cancel a deletion of it")?;
            require_waiting(&request)?;
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
            format!("was approved by {} already", by(&request.confirmed_by_email))
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
