//! Who may ask, who may approve and who may cancel.
//!
//! The rule of two people joins accounts into hands: whoever made or changed an account could act as it.
//! Acts come from the audit log, by the number of the account they were about and of who did them. Whom
//! the command line or an administrator of the appliance acted on is nobody's second person for a week:
//! either of them may be anybody who has another account besides. So may be an administrator of the
//! appliance who gave that role up, and one who enters a request in another's name: whom the request
//! names confirms it before anybody else approves it.

use rusqlite::Connection;

use super::row::{DeletionRow, DeletionState};
use crate::clock::Timestamp;
use crate::registry::institution::{Institution, Standing, require};
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
    let (user, owner) = require_active(conn, user, institution, wish)?;
    if user.institution_id != institution || user.role != Role::InstitutionalAdmin {
        let (who, owner) = (&user.email, &owner.identifier);
        let why = format!("{who} is no administrator of {owner} and cannot {wish}; {KEPT}");
        return Err(Error::Refused { why });
    }
    Ok(user)
}

/// An active administrator of the institution or of the appliance: both are told of deletions.
pub(super) fn require_canceller(
    conn: &Connection,
    user: i64,
    institution: i64,
) -> Result<(), Error> {
    let wish = "cancel a deletion of it";
    let (user, owner) = require_active(conn, user, institution, wish)?;
    let own = user.institution_id == institution && user.role == Role::InstitutionalAdmin;
    if own || user.role == Role::Admin {
        return Ok(());
    }
    let (who, owner) = (&user.email, &owner.identifier);
    let why = format!("{who} is no administrator of {owner} and cannot {wish}; {KEPT}");
    Err(Error::Refused { why })
}

fn require_active(
    conn: &Connection,
    user: i64,
    institution: i64,
    wish: &str,
) -> Result<(User, Institution), Error> {
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
    Ok((user, owner))
}

/// What every refusal ends with.
pub(super) const KEPT: &str = "nothing was changed";

/// Acts that let one person act as an account: making it, changing it, a link that sets its password,
/// a token of it, its second factor taken away, its access taken or given back.
const TOUCHED: &str = "d.outcome = 'done' AND d.about_user_id IS NOT NULL AND d.at >= ?1
    AND d.deed IN ('add-user', 'change-user', 'change-email', 'let-in-user', 'shut-out-user',
        'make-link', 'make-token', 'reset-factor')";

/// The hand of an act: the number of a user, or zero for the command line, whose key is no person's.
const HAND: &str = "coalesce(d.user_id, iif(d.how = 'command', 0, NULL))";

/// Acts of the command line, and of accounts that are or were administrators of the appliance.
const BY_ANYBODY: &str = "(d.user_id IS NULL AND d.how = 'command'
    OR d.user_id <> d.about_user_id AND (
        EXISTS (SELECT 1 FROM users AS h
            WHERE h.id = d.user_id AND h.role <> 'institutional_admin')
        OR EXISTS (SELECT 1 FROM audit AS t WHERE t.about_user_id = d.user_id
            AND t.outcome = 'done' AND t.at >= ?1 AND t.deed = 'take-admin-role')))";

/// Changes of one's own e-mail: an account that does that may have come to another person.
const OWN_EMAIL: &str = "d.outcome = 'done' AND d.at >= ?1 AND d.user_id = d.about_user_id
    AND (d.deed = 'change-email' OR (d.deed = 'change-user' AND d.detail LIKE '%e-mail from %'))";

/// That this role of an administrator was taken from somebody; in the change itself before that had a
/// line of its own.
fn role_taken(role: Role) -> String {
    let role = role.name();
    format!(
        "d.outcome = 'done' AND (d.deed = 'take-admin-role' AND d.detail = '{role}'
             OR d.deed = 'change-user' AND d.detail LIKE '%role from \"{role}\"%')"
    )
}

/// Refuses the requester as approver, unless there was nobody else to ask; and an approver who may be
/// the requester under another name.
pub(super) fn require_another(
    conn: &Connection,
    approver: &User,
    request: &DeletionRow,
) -> Result<(), Error> {
    let since = Timestamp(request.requested_at.0.saturating_sub(ARMS_LENGTH_MS));
    let (id, requester) = (request.id, &request.requested_by_email);
    let owner = &request.institution_identifier;
    let changed = match changed_own_email(conn, request.requested_by_id, since)? {
        true => Some(requester),
        false => changed_own_email(conn, approver.id, since)?.then_some(&approver.email),
    };
    let why = if let Some(changed) = changed {
        format!(
            "{changed} changed the e-mail of this account less than seven days before deletion \
             request {id}, or since: other administrators of {owner} have to request and approve it"
        )
    } else if approver.id == request.requested_by_id {
        if !others_were_there(conn, request, since)? {
            return Ok(());
        }
        format!(
            "deletion request {id} was made by {requester} and must be approved by another \
             administrator of {owner}: there was one within seven days before it, or is one since, \
             or {requester} became the only one by an act of their own, or by that of somebody \
             else within these days"
        )
    } else if are_in_one_hand(conn, request, approver.id, since)? {
        format!(
            "less than seven days before deletion request {id}, or since, the accounts of \
             {requester} and {} were made or changed by one of them, by the same person, or both \
             at the command line: another administrator of {owner} has to approve it",
            approver.email
        )
    } else if let Some(at) = touched_by_anybody(conn, request.requested_by_id, since)? {
        let who = "other administrators have to request and approve it";
        touched(request, requester, (at, who))
    } else if let Some(at) = touched_by_anybody(conn, approver.id, since)? {
        let who = "another administrator has to approve it";
        touched(request, &approver.email, (at, who))
    } else if request.entered_by_id.is_some() && !is_confirmed(conn, request)? {
        format!(
            "deletion request {id} was entered in the name of {requester}, who has to confirm it \
             before another administrator of {owner} approves it"
        )
    } else {
        return Ok(());
    };
    Err(Error::Refused { why: format!("{why}; {KEPT}") })
}

/// Why an account that the command line or an administrator of the appliance acted on does not count,
/// and what two administrators do who have no third.
fn touched(request: &DeletionRow, account: &str, (at, who): (Timestamp, &str)) -> String {
    let free = Timestamp(at.0.saturating_add(ARMS_LENGTH_MS)).to_minute();
    format!(
        "the account of {account} was made or changed on {}, less than seven days before deletion \
         request {}, or since, at the command line or by an administrator of the appliance, who may \
         be anybody: {who}; or cancel this request and request the deletion again after {free}",
        at.to_minute(),
        request.id
    )
}

/// When the command line or an administrator of the appliance last acted on an account, themselves or
/// over other accounts that they had acted on; or when the account itself lost the role of the latter.
fn touched_by_anybody(
    conn: &Connection,
    user: i64,
    since: Timestamp,
) -> Result<Option<Timestamp>, Error> {
    let sql = format!(
        "WITH RECURSIVE touched (hand, account, at, by_anybody) AS MATERIALIZED (
             SELECT DISTINCT {HAND}, d.about_user_id, d.at, {BY_ANYBODY} FROM audit AS d
             WHERE {TOUCHED} AND {HAND} IS NOT NULL AND {HAND} <> d.about_user_id),
         reached (id, at) AS (SELECT account, at FROM touched WHERE by_anybody
             UNION SELECT d.about_user_id, d.at FROM audit AS d
                 WHERE d.about_user_id IS NOT NULL AND d.at >= ?1 AND {was_staff}
             UNION SELECT t.account, t.at FROM reached JOIN touched AS t ON t.hand = reached.id)
         SELECT max(at) FROM reached WHERE id = ?2",
        was_staff = role_taken(Role::Admin)
    );
    Ok(conn.prepare_cached(&sql)?.query_row((since, user), |row| row.get(0))?)
}

fn changed_own_email(conn: &Connection, user: i64, since: Timestamp) -> Result<bool, Error> {
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM audit AS d WHERE d.about_user_id = ?2 AND {OWN_EMAIL})"
    );
    Ok(conn.prepare_cached(&sql)?.query_row((since, user), |row| row.get(0))?)
}

/// Whether somebody else could have been asked, or was made unable to be by anybody; or the account of
/// who asks was in another's hands, or looked after the appliance. Administrators whose role waits to be
/// confirmed after a rebuild are others, too. Whoever shut out the other administrators never approves
/// alone, however long ago that was.
fn others_were_there(
    conn: &Connection,
    request: &DeletionRow,
    since: Timestamp,
) -> Result<bool, Error> {
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM users AS u
             LEFT JOIN unconfirmed_roles AS w ON w.user_id = u.id
             WHERE u.institution_id = ?2 AND u.id <> ?3
                 AND 'institutional_admin' IN (u.role, w.role)
                 AND (u.deactivated_at IS NULL OR u.deactivated_at >= ?1))
         OR EXISTS (SELECT 1 FROM audit AS d JOIN users AS u ON u.id = d.about_user_id
             WHERE u.institution_id = ?2 AND u.id <> ?3 AND d.at >= ?1 AND {was_admin})
         OR EXISTS (SELECT 1 FROM audit AS d
             WHERE d.about_user_id = ?3 AND d.at >= ?1 AND {was_staff})
         OR EXISTS (SELECT 1 FROM audit AS d
             WHERE d.user_id = ?3 AND d.about_user_id <> ?3 AND {TOUCHED})
         OR EXISTS (SELECT 1 FROM audit AS d
             WHERE d.about_user_id = ?3 AND {HAND} <> ?3 AND {TOUCHED})
         OR EXISTS (SELECT 1 FROM audit AS d JOIN users AS u ON u.id = d.about_user_id
             WHERE d.user_id = ?3 AND u.id <> ?3 AND u.institution_id = ?2
                 AND ((d.outcome = 'done' AND d.deed = 'shut-out-user'
                     AND u.role = 'institutional_admin') OR {was_admin}))",
        was_admin = role_taken(Role::InstitutionalAdmin),
        was_staff = role_taken(Role::Admin)
    );
    let values = (since, request.institution_id, request.requested_by_id);
    Ok(conn.prepare_cached(&sql)?.query_row(values, |row| row.get(0))?)
}

/// Whether one made or changed the other's account, or somebody both, over however many hands: whoever
/// did could have come as both.
fn are_in_one_hand(
    conn: &Connection,
    request: &DeletionRow,
    approver: i64,
    since: Timestamp,
) -> Result<bool, Error> {
    let sql = format!(
        "WITH RECURSIVE touched (hand, account) AS MATERIALIZED (
             SELECT DISTINCT {HAND}, d.about_user_id FROM audit AS d
             WHERE {TOUCHED} AND {HAND} IS NOT NULL AND {HAND} <> d.about_user_id),
         near (id) AS (VALUES (?2), (?3)
             UNION SELECT t.account FROM near JOIN touched AS t ON t.hand = near.id
             UNION SELECT t.hand FROM near JOIN touched AS t ON t.account = near.id)
         SELECT EXISTS (SELECT 1 FROM near WHERE id = ?4)"
    );
    let requester = request.requested_by_id;
    let entered = request.entered_by_id.unwrap_or(requester);
    let values = (since, requester, entered, approver);
    Ok(conn.prepare_cached(&sql)?.query_row(values, |row| row.get(0))?)
}

/// Whether the requester confirmed a request that somebody else entered. The log says so: its lines are
/// never changed.
pub(super) fn is_confirmed(conn: &Connection, request: &DeletionRow) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM audit AS d
        WHERE d.about_kind = 'deletion' AND d.about = CAST(?1 AS TEXT) AND d.at >= ?3
            AND d.deed = 'confirm-deletion' AND d.outcome = 'done' AND d.user_id = ?2)";
    let values = (request.id, request.requested_by_id, request.requested_at);
    Ok(conn.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

impl Registry {
    /// Whether a request was entered by somebody else than it names, and who it names has not
    /// confirmed it yet.
    pub fn deletion_needs_confirmation(&self, request: &DeletionRow) -> Result<bool, Error> {
        let is_waiting =
            request.entered_by_id.is_some() && request.state == DeletionState::Requested;
        Ok(is_waiting && !self.read(|conn| is_confirmed(conn, request))?)
    }

    /// How many people could approve what this institution's administrators ask for.
    pub fn deletion_approver_count(&self, institution: i64) -> Result<u64, Error> {
        let sql = "SELECT count(*) FROM users WHERE institution_id = ?1
            AND role = 'institutional_admin' AND deactivated_at IS NULL";
        let count = self.one(sql, [institution], |row| row.get::<_, i64>(0))?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    }
}
