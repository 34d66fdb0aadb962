//! Who may ask and who may agree.

use rusqlite::Connection;

use super::row::DeletionRow;
use crate::clock::Timestamp;
use crate::registry::institution::{Standing, require};
use crate::registry::user::{Role, User, find};
use crate::registry::{Error, Registry};

/// Seven days before a request: long enough for others to notice an account that was made for it.
const ARMS_LENGTH_MS: u64 = 7 * 86_400_000;

/// An active administrator of an active institution, or a sentence that says what stands against it.
pub(super) fn require_admin(
    conn: &Connection,
    user: i64,
    institution: i64,
    wish: &str,
) -> Result<User, Error> {
    let refused = |why: String| Err(Error::Refused { why: format!("{why}; {KEPT}") });
    let Some(user) = find(conn, "id = ?1", &user)? else {
        return Err(Error::NotFound { what: format!("user {user}") });
    };
    let owner = require(conn, institution)?;
    if owner.state != Standing::Active {
        return refused(format!("{} is deactivated, so nobody can {wish}", owner.identifier));
    }
    if user.deactivated_at.is_some() {
        return refused(format!("{} is deactivated and cannot {wish}", user.email));
    }
    if user.institution_id != institution || user.role != Role::InstitutionalAdmin {
        let who = &user.email;
        let owner = &owner.identifier;
        return refused(format!("{who} is no administrator of {owner} and cannot {wish}"));
    }
    Ok(user)
}

/// What every refusal ends with.
pub(super) const KEPT: &str = "nothing was changed";

/// Refuses the requester as approver, unless there was nobody else to ask since the request was made.
pub(super) fn require_another(
    conn: &Connection,
    approver: &User,
    request: &DeletionRow,
) -> Result<(), Error> {
    if approver.id != request.requested_by_id {
        return require_own_hand(conn, approver, request);
    }
    let sql = "SELECT count(*) FROM users WHERE institution_id = ?1 AND id <> ?2
        AND role = 'institutional_admin' AND (deactivated_at IS NULL OR deactivated_at >= ?3)";
    let values = (request.institution_id, approver.id, request.requested_at);
    let others: i64 = conn.query_row(sql, values, |row| row.get(0))?;
    if others == 0 {
        return Ok(());
    }
    let why = format!(
        "deletion request {} was made by {} and must be approved by another administrator of {}, \
         who was there when it was made or came since; {KEPT}",
        request.id, approver.email, request.institution_identifier
    );
    Err(Error::Refused { why })
}

/// Refuses an approver whose account was in the requester's hand: whoever made it, or a link that
/// sets its password, could have come as both.
fn require_own_hand(
    conn: &Connection,
    approver: &User,
    request: &DeletionRow,
) -> Result<(), Error> {
    let sql = "SELECT count(*) FROM audit WHERE user_id = ?1 AND at >= ?2 AND about_kind = 'user'
        AND about = ?3 AND outcome = 'done'
        AND deed IN ('add-user', 'change-user', 'let-in-user', 'make-link', 'reset-factor')";
    let since = Timestamp(request.requested_at.0.saturating_sub(ARMS_LENGTH_MS));
    let values = (request.requested_by_id, since, &approver.email);
    let touched: i64 = conn.query_row(sql, values, |row| row.get(0))?;
    if touched == 0 {
        return Ok(());
    }
    let why = format!(
        "deletion request {} was made by {}, who made or changed the account of {} less than seven \
         days before it, or since: another administrator of {} has to approve it; {KEPT}",
        request.id, request.requested_by_email, approver.email, request.institution_identifier
    );
    Err(Error::Refused { why })
}

impl Registry {
    /// How many people could approve what this institution's administrators ask for.
    pub fn deletion_approver_count(&self, institution: i64) -> Result<u64, Error> {
        let sql = "SELECT count(*) FROM users WHERE institution_id = ?1
            AND role = 'institutional_admin' AND deactivated_at IS NULL";
        let count = self.one(sql, [institution], |row| row.get::<_, i64>(0))?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    }
}
