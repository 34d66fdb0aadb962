//! Deletions, as the desk offers them: ask, confirm, approve, cancel, look, and the certificate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::{
    AuditHow, BadQuery, Counting, DELETIONS, Deed, DeletionId, DeletionPart, DeletionPartId,
    DeletionRow, DeletionState, DeletionTarget, FileId, NewDeletion, ObjectId, ObjectRow, Query,
    User, Uuid,
};

use super::{Desk, DeskError};
use crate::accounts::{ConfirmedUser, Note};
use crate::deletion::{Certificate, certificate, pending_work, push_due, retained_until};
use crate::rights::{Caller, Right};

/// How long a request waits for the second person.
const PATIENCE_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Parts shown of one request.
const SHOWN: u32 = 1000;

/// Parts whose progress is told.
const PROGRESS: usize = 20;

/// Items made right after an approval; the sweep makes the others.
const AT_ONCE: usize = 1000;

/// What somebody wants to have deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeletionWish {
    /// Why.
    #[schemars(example = "sent twice")]
    pub reason: String,
    /// Whole objects, by number or identifier.
    #[serde(default)]
    #[schemars(example = ["1"])]
    pub objects: Vec<String>,
    /// Single files, by number or identifier.
    #[serde(default)]
    #[schemars(example = [""; 0])]
    pub files: Vec<String>,
}

/// A page of requests.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeletionList {
    /// How many there are.
    pub count: u64,
    /// False when there are more than were counted.
    pub count_is_exact: bool,
    /// Continues behind this page.
    pub next_cursor: Option<String>,
    /// The requests.
    pub deletions: Vec<DeletionRow>,
}

/// One request with what it names.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeletionDetail {
    /// The request.
    pub deletion: DeletionRow,
    /// What it names, the first thousand.
    pub parts: Vec<DeletionPart>,
    /// How many administrators of the institution could approve; one may approve alone.
    pub approver_count: u64,
    /// Whether it was entered in the requester's name by somebody else and the requester has to confirm
    /// it before another administrator approves it.
    #[serde(default)]
    pub needs_confirmation: bool,
    /// How far those parts are that were agreed on and are not done, the first few.
    pub under_way: Vec<DeletionProgress>,
}

/// A part that is not gone from everywhere.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeletionProgress {
    /// What it is about.
    pub what: String,
    /// The replicas it is gone from.
    pub gone_from: Vec<String>,
    /// What its item has to say: what is waited for.
    pub note: String,
}

impl Desk<'_> {
    /// Requests by filter, the newest first.
    pub fn deletions(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<DeletionList, DeskError> {
        let query = Query::parse(&DELETIONS, pairs)?.counting(counting).seen_by(self.sight());
        check_state(pairs)?;
        let page = self.app.registry.list_deletions(&query, self.now())?;
        let shown = page.rows.len() as u64;
        let (count, count_is_exact) = page.count.map_or((shown, false), |it| (it.value, it.exact));
        let next_cursor = page.next_cursor;
        Ok(DeletionList { count, count_is_exact, next_cursor, deletions: page.rows })
    }

    /// One request.
    pub fn deletion(&self, id: i64) -> Result<DeletionDetail, DeskError> {
        let registry = &self.app.registry;
        let one = Query::parse(&DELETIONS, &[("id".to_owned(), id.to_string())])?;
        let one = one.counting(Counting::No).seen_by(self.sight());
        let deletion = registry.list_deletions(&one, self.now())?.rows.pop();
        let deletion = deletion.ok_or(DeskError::NoSuchDeletion(id))?;
        let parts = registry.deletion_parts(deletion.id, DeletionPartId(0), SHOWN)?;
        let approver_count = registry.deletion_approver_count(deletion.institution_id)?;
        let mut under_way = Vec::new();
        if deletion.state == DeletionState::Approved && !deletion.is_cooling_off(self.now()) {
            self.app.mirror.copy()?;
            let undone = parts.iter().filter(|part| part.done_at.is_none()).take(PROGRESS);
            for part in undone {
                under_way.push(self.progress(part)?);
            }
        }
        let needs_confirmation = registry.deletion_needs_confirmation(&deletion)?;
        Ok(DeletionDetail { deletion, parts, approver_count, needs_confirmation, under_way })
    }

    fn progress(&self, part: &DeletionPart) -> Result<DeletionProgress, DeskError> {
        let registry = &self.app.registry;
        let gone = registry.gone_copies(part.id)?;
        let item = part.item_id.map(|id| registry.item(id)).transpose()?.flatten();
        let path = part.path.as_ref().map(|path| format!("/{path}")).unwrap_or_default();
        Ok(DeletionProgress {
            what: format!("{}{path}", part.object_identifier),
            gone_from: gone.into_iter().map(|copy| copy.replica).collect(),
            note: item.map(|item| item.note).unwrap_or_default(),
        })
    }

    /// Asks for a deletion, in the name of a user.
    ///
    /// # Errors
    ///
    /// `Declined` with a sentence when the rules of deletions are against it: who asks, what is
    /// named, a time that was promised, or work on it that has not ended. Nothing was changed.
    pub fn request_deletion(
        &self,
        user: i64,
        wish: &DeletionWish,
    ) -> Result<DeletionDetail, DeskError> {
        self.require_managing(Right::Delete)?;
        let (registry, now) = (&self.app.registry, self.now());
        let asked = registry.user(user)?.ok_or_else(|| declined(format!("no user {user}")))?;
        let mut targets = Vec::with_capacity(wish.objects.len() + wish.files.len());
        let mut seen = std::collections::HashSet::new();
        for which in &wish.objects {
            let object = self.held_object(which)?;
            targets.push(DeletionTarget::Object(object.id));
            self.require_unhindered(&object, &mut seen, now)?;
        }
        for which in &wish.files {
            let (file, object) = self.file_with_object(which)?;
            targets.push(DeletionTarget::File(file));
            self.require_unhindered(&object, &mut seen, now)?;
        }
        let new = NewDeletion {
            uuid: draw(),
            institution_id: asked.institution_id,
            reason: wish.reason.clone(),
            requested_by: user,
            entered_by: self.caller.user().map(|user| user.id),
            targets,
            expires_at: Timestamp(now.0.saturating_add(PATIENCE_MS)),
        };
        let row = registry.request_deletion(&new, now).map_err(by_the_rules)?;
        self.note_deletion(Deed::RequestDeletion, &row, user)?;
        self.deletion(row.id.0)
    }

    /// Confirms a request that somebody else entered in the name of a user, who has just proved once
    /// more who they are.
    ///
    /// # Errors
    ///
    /// `Declined` as for a request.
    pub fn confirm_deletion(
        &self,
        id: i64,
        requester: ConfirmedUser,
    ) -> Result<DeletionDetail, DeskError> {
        self.require_managing(Right::Delete)?;
        let (registry, id, user) = (&self.app.registry, DeletionId(id), requester.user_id());
        let known = registry.user(user)?;
        let line = |row: &DeletionRow| {
            self.deletion_note(Deed::ConfirmDeletion, row, known.as_ref()).line()
        };
        registry.confirm_deletion(id, user, line, self.now()).map_err(by_the_rules)?;
        self.deletion(id.0)
    }

    /// Approves a request, by a user who has just proved once more who they are; what it names is
    /// deleted when the cooling-off period is over.
    ///
    /// # Errors
    ///
    /// `Declined` as for a request.
    pub fn approve_deletion(
        &self,
        id: i64,
        approver: ConfirmedUser,
    ) -> Result<DeletionDetail, DeskError> {
        self.require_managing(Right::Delete)?;
        let (registry, user) = (&self.app.registry, approver.user_id());
        let when = (self.app.config.deletion.cooling_off, self.now());
        let row = registry.approve_deletion(DeletionId(id), user, when).map_err(by_the_rules)?;
        self.note_deletion(Deed::ApproveDeletion, &row, user)?;
        // It is approved whatever becomes of this: the sweep makes the items as well.
        if let Err(fault) = push_due(self.app, AT_ONCE) {
            tracing::warn!(request = id, ?fault, "the items of a deletion are made later");
        }
        self.app.mirror.copy()?;
        self.deletion(id)
    }

    /// Cancels a request, in the name of a user; also one that is approved, until its cooling-off
    /// period is over.
    ///
    /// # Errors
    ///
    /// `Declined` as for a request.
    pub fn cancel_deletion(&self, id: i64, user: i64) -> Result<DeletionDetail, DeskError> {
        let registry = &self.app.registry;
        let row =
            registry.cancel_deletion(DeletionId(id), user, self.now()).map_err(by_the_rules)?;
        self.note_deletion(Deed::CancelDeletion, &row, user)?;
        self.deletion(id)
    }

    /// The certificate of a deletion that came to its end.
    ///
    /// # Errors
    ///
    /// `Declined` while it has not.
    pub fn deletion_certificate(&self, id: i64) -> Result<Certificate, DeskError> {
        let request = self.deletion(id)?.deletion;
        let state = request.state;
        certificate(&self.app.registry, request)?.ok_or_else(|| {
            declined(format!("deletion request {id} is {state}: there is no certificate of it"))
        })
    }

    fn now(&self) -> Timestamp {
        self.app.shop.clock.now()
    }

    /// Refuses what must be kept for some time yet, and what is being worked on.
    fn require_unhindered(
        &self,
        object: &ObjectRow,
        seen: &mut std::collections::HashSet<ObjectId>,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        if !seen.insert(object.id) {
            return Ok(());
        }
        let name = &object.identifier;
        if let Some(until) = retained_until(self.app, object, now) {
            let option = &object.storage_option;
            return Err(declined(format!(
                "{name} is kept by storage option {option} until {until}; nothing was changed"
            )));
        }
        match pending_work(self.app, name)?.first() {
            None => Ok(()),
            Some(item) => Err(declined(format!(
                "item {} ({}, {}) works on {name} and has to end first; nothing was changed",
                item.id, item.action, item.status
            ))),
        }
    }

    fn note_deletion(&self, deed: Deed, row: &DeletionRow, user: i64) -> Result<(), DeskError> {
        let user = self.app.registry.user(user)?;
        self.deletion_note(deed, row, user.as_ref()).write(&self.app.registry, self.now());
        Ok(())
    }

    /// Who did what about a deletion, for the log. A command is told whose word it is by a password.
    fn deletion_note(&self, deed: Deed, row: &DeletionRow, user: Option<&User>) -> Note {
        let note = Note::of(deed).to("deletion", &row.id.0.to_string());
        let note = match (self.caller, user) {
            (Caller::Person(_), _) | (_, None) => note.by(self.caller),
            (Caller::House | Caller::Stranger, Some(user)) => {
                note.by_user(user, AuditHow::Password)
            }
        };
        let files = web::counted(row.deleted_file_count, "file");
        note.within(Some(row.institution_id)).saying(files)
    }

    fn file_with_object(&self, which: &str) -> Result<(FileId, ObjectRow), DeskError> {
        let file = self.held_file(which)?;
        let object = self.held_object(&file.intellectual_object_id.to_string())?;
        Ok((file.id, object))
    }
}

/// A mistyped state would look like good news: nothing found.
fn check_state(pairs: &[(String, String)]) -> Result<(), DeskError> {
    let words = DeletionState::ALL.map(DeletionState::name);
    match pairs.iter().find(|(name, it)| name == "state" && !words.contains(&it.as_str())) {
        None => Ok(()),
        Some((name, value)) => {
            let problem = format!("is {value:?}; it is one of {}", words.join(", "));
            Err(BadQuery { parameter: name.clone(), problem }.into())
        }
    }
}

fn declined(why: String) -> DeskError {
    DeskError::Declined(why)
}

/// A refusal of the registry is about the rules, and everything else about the registry.
fn by_the_rules(error: storage::registry::Error) -> DeskError {
    use storage::registry::Error as E;
    match error {
        E::Refused { .. } | E::Invalid { .. } | E::NotFound { .. } => declined(error.to_string()),
        E::Unreadable { .. }
        | E::Newer { .. }
        | E::Busy(_)
        | E::Full(_)
        | E::ReadOnly(_)
        | E::Conflict(_)
        | E::Corrupt { .. }
        | E::Io { .. }
        | E::Sqlite(_) => error.into(),
    }
}

/// A random UUID.
fn draw() -> Uuid {
    let mut bytes = fastrand::u128(..).to_be_bytes();
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    Uuid(bytes)
}
