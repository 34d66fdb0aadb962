//! Writing into the log.

use rusqlite::{Transaction, params};

use super::deed::{AuditHow, AuditOutcome, Deed};
use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

/// Longest texts of a line, in characters. What is longer is cut: a line must not be refused.
const SHORT: usize = 300;
const LONG: usize = 2000;

/// A line to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNote {
    /// The user who did it; none for the command line and for those we do not know.
    pub user_id: Option<i64>,
    /// Their e-mail, or a word for who it was.
    pub who: String,
    /// How it is known.
    pub how: AuditHow,
    /// The token that was used.
    pub token_id: Option<i64>,
    /// The address it came from.
    pub address: String,
    /// What was done.
    pub deed: Deed,
    /// What kind of thing it was done to, and its name.
    pub about: (String, String),
    /// The user whose account it was done to, by number: an e-mail changes.
    pub about_user_id: Option<i64>,
    /// Whose affair it is.
    pub institution_id: Option<i64>,
    /// What came of it.
    pub outcome: AuditOutcome,
    /// What else there is to say.
    pub detail: String,
}

impl NewNote {
    /// Says it in the program's own log as well.
    pub fn trace(&self) {
        let NewNote { who, address, deed, about, outcome, detail, .. } = self;
        let (deed, outcome, name) = (deed.word(), outcome.word(), about.1.as_str());
        tracing::info!(target: "audit", who, deed, about = name, outcome, address, detail, "{deed}");
    }
}

/// For an act of which the log says nothing.
pub fn without_note<T>(_: &T) -> Option<NewNote> {
    None
}

impl Registry {
    /// Changes something and writes the lines about it, both or neither: the rule of two people reads
    /// them, so that no act may be without its line.
    pub(in crate::registry) fn write_noted<T>(
        &self,
        now: Timestamp,
        change: impl FnOnce(&Transaction<'_>) -> Result<(T, Vec<NewNote>), Error>,
    ) -> Result<T, Error> {
        let (done, notes) = self.write(|tx| {
            let (done, notes) = change(tx)?;
            notes.iter().try_for_each(|note| insert(tx, note, now))?;
            Ok::<_, Error>((done, notes))
        })?;
        notes.iter().for_each(NewNote::trace);
        Ok(done)
    }

    /// Writes a line into the log. What was not done is written once a minute and counted.
    pub fn note(&self, note: &NewNote, now: Timestamp) -> Result<(), Error> {
        let due = self.quiet.due(note, now);
        if due.is_empty() {
            return Ok(());
        }
        self.write(|tx| due.iter().try_for_each(|note| insert(tx, note, now)))
    }
}

fn insert(tx: &Transaction<'_>, note: &NewNote, now: Timestamp) -> Result<(), Error> {
    let sql = "INSERT INTO audit (at, user_id, who, how, token_id, address, deed, about_kind,
            about, about_user_id, institution_id, outcome, detail)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    tx.prepare_cached(sql)?.execute(params![
        now,
        note.user_id,
        tame(&note.who, SHORT),
        note.how,
        note.token_id,
        tame(&note.address, SHORT),
        note.deed,
        tame(&note.about.0, SHORT),
        tame(&note.about.1, SHORT),
        note.about_user_id,
        note.institution_id,
        note.outcome,
        tame(&note.detail, LONG)
    ])?;
    Ok(())
}

/// One line of at most so many characters.
fn tame(text: &str, longest: usize) -> String {
    text.chars().take(longest).map(|it| if it.is_control() { ' ' } else { it }).collect()
}
