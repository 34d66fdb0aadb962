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

/// What makes an account another's: made, changed, opened by a link, let in or shut out by them.
const TOUCHED: &str = "d.outcome = 'done' AND d.about_kind = 'user' AND d.at >= ?1 AND d.deed IN
    ('add-user', 'change-user', 'let-in-user', 'shut-out-user', 'make-link', 'reset-factor')";

/// Refuses the requester as approver, unless there was nobody else to ask; and an approver who may be
/// the requester in another coat.
pub(super) fn require_another(
    conn: &Connection,
    approver: &User,
    request: &DeletionRow,
) -> Result<(), Error> {
    let since = Timestamp(request.requested_at.0.saturating_sub(ARMS_LENGTH_MS));
    let is_own = approver.id == request.requested_by_id;
    let stands_against = match is_own {
        true => others_were_there(conn, request, since)?,
        false => are_in_one_hand(conn, (request.requested_by_id, approver.id), since)?,
    };
    if !stands_against {
        return Ok(());
    }
    let (id, requester) = (request.id, &request.requested_by_email);
    let owner = &request.institution_identifier;
    let why = match is_own {
        true => format!(
            "deletion request {id} was made by {requester} and must be approved by another \
             administrator of {owner}: there was one within seven days before it, or is one since"
        ),
        false => format!(
            "less than seven days before deletion request {id}, or since, the accounts of \
             {requester} and {} were made or changed by one of them, or by the same person: another \
             administrator of {owner} has to approve it",
            approver.email
        ),
    };
    Err(Error::Refused { why: format!("{why}; {KEPT}") })
}

/// Whether somebody else could have been asked, or was made unable to be.
fn others_were_there(
    conn: &Connection,
    request: &DeletionRow,
    since: Timestamp,
) -> Result<bool, Error> {
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM users WHERE institution_id = ?2 AND id <> ?3
             AND role = 'institutional_admin' AND (deactivated_at IS NULL OR deactivated_at >= ?1))
         OR EXISTS (SELECT 1 FROM audit AS d JOIN users AS u ON u.email = d.about
             WHERE d.user_id = ?3 AND u.id <> ?3 AND {TOUCHED})"
    );
    let values = (since, request.institution_id, request.requested_by_id);
    Ok(conn.query_row(&sql, values, |row| row.get(0))?)
}

/// Whether one made or changed the other's account, or somebody both, over however many hands: whoever
/// did could have come as both. Administrators of the appliance can be anyone, and are not counted.
fn are_in_one_hand(
    conn: &Connection,
    (requester, approver): (i64, i64),
    since: Timestamp,
) -> Result<bool, Error> {
    let sql = format!(
        "WITH RECURSIVE touched (hand, account) AS (
             SELECT d.user_id, u.id FROM audit AS d JOIN users AS u ON u.email = d.about
             JOIN users AS h ON h.id = d.user_id
             WHERE {TOUCHED} AND h.role <> 'admin' AND h.id <> u.id),
         near (id) AS (VALUES (?2)
             UNION SELECT t.account FROM near JOIN touched AS t ON t.hand = near.id
             UNION SELECT t.hand FROM near JOIN touched AS t ON t.account = near.id)
         SELECT EXISTS (SELECT 1 FROM near WHERE id = ?3)"
    );
    Ok(conn.query_row(&sql, (since, requester, approver), |row| row.get(0))?)
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
