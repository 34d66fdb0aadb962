//! One result of one researcher, taken in whole.

use rusqlite::{OptionalExtension, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recording::RecordingKind;
use super::{changed, outline, searched, trouble};
use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

/// Most occurrences of one clip in one episode.
pub const OCCURRENCES_MAX: usize = 10_000;
/// A day and a half: longer than anything that is searched.
const DURATION_MAX_NS: i64 = 36 * 3600 * 1_000_000_000;
/// Versions of analysts begin at one.
const ANALYST_MAX: u32 = 1_000_000;
const CODE_MAX: usize = 64;
const WHY_MAX: usize = 1000;
/// Most pairs of a lowest and a highest sample.
pub const PEAKS_MAX: usize = 400;

/// Most notes about a recording, and the longest.
pub const NOTES_MAX: usize = 20;
const NOTE_MAX: usize = 300;

/// Where a clip occurs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Occurrence {
    /// Where it begins in the episode; below zero when its beginning was cut off.
    pub offset_ns: i64,
    /// How much of it was recognised.
    pub extent_ns: i64,
    /// How sure the analyst is, out of a million.
    pub confidence_ppm: u32,
    /// Where in the episode the recognised part begins: the place to play from. The offset when
    /// absent, as in results of analysts that did not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard_ns: Option<i64>,
}

impl Occurrence {
    /// Where in the episode something of the clip is heard first.
    pub fn heard_from_ns(&self) -> i64 {
        self.heard_ns.unwrap_or(self.offset_ns).max(0)
    }
}

/// What an analyst has measured of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MediaFacts {
    /// How long it is.
    pub duration_ns: i64,
    /// Of its bytes, in 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// How it sounds: of up to 400 stretches of the same length the lowest and the highest sample in
    /// turn, from -127 to 127; of an episode, once for each piece of work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peaks: Vec<i8>,
    /// What was wrong with it and did not stop the analyst, a sentence each; up to 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What could not be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TroubleAbout {
    /// The episode, whatever is looked for.
    Episode,
    /// The clip, wherever it is looked for.
    Clip,
    /// These two together.
    Pair,
}

/// What became of looking for a clip in an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum SearchOutcome {
    /// It was looked for.
    Searched {
        /// Where it was found; nowhere when empty.
        occurrences: Vec<Occurrence>,
    },
    /// It could not be.
    Failed {
        /// What stood in the way.
        about: TroubleAbout,
        /// Stable, kebab-case: `fetch`, `decode`, `too-short`, `too-long`.
        code: String,
        /// In a sentence.
        why: String,
    },
}

/// A result to be recorded.
#[derive(Clone, Debug)]
pub struct NewResult<'a> {
    /// Searched.
    pub episode: u32,
    /// Looked for.
    pub clip: u32,
    /// The version of the analyst.
    pub analyst: u32,
    /// Who says so.
    pub researcher: &'a str,
    /// Under which lease, as far as they say.
    pub lease: &'a str,
    /// What became of it.
    pub outcome: &'a SearchOutcome,
    /// What was measured of the episode.
    pub episode_facts: Option<&'a MediaFacts>,
    /// What was measured of the clip.
    pub clip_facts: Option<&'a MediaFacts>,
    /// How often something may fail before a person has to ask for another try.
    pub tries_max: u32,
    /// Whether a lease stands behind it, whose end will tell the ledger.
    pub is_leased: bool,
    /// Whether it was heard in this house, in the recordings themselves and not in what was handed
    /// out: then a digest that is new says that the recording has changed.
    pub is_of_house: bool,
}

/// Whether a result was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recorded {
    /// It was.
    New,
    /// It was recorded before; nothing was changed.
    Again,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Whether it was new.
    pub recorded: Recorded,
    /// Whether others count no more, because one of the two is another recording than they heard.
    pub has_voided: bool,
    /// Set aside, with nothing kept, because this one of the two is another recording.
    pub other: Option<RecordingKind>,
}

impl NewResult<'_> {
    fn check(&self) -> Result<(), Error> {
        let invalid = |field, rule: &str| Err(Error::Invalid { field, rule: rule.into() });
        if !(1..=ANALYST_MAX).contains(&self.analyst) {
            return invalid("the analyst's version", "must be 1 to 1,000,000");
        }
        for facts in self.episode_facts.iter().chain(&self.clip_facts) {
            if !(0..=DURATION_MAX_NS).contains(&facts.duration_ns) {
                return invalid("a duration", "must be 0 ns to 36 hours");
            }
            let is_hex = |it: u8| it.is_ascii_digit() || (b'a'..=b'f').contains(&it);
            if facts.sha256.len() != 64 || !facts.sha256.bytes().all(is_hex) {
                return invalid("a digest", "must be 64 digits of 0-9 and a-f");
            }
            let is_pair = |pair: &[i8]| matches!(pair, [low, high] if low <= high);
            if facts.peaks.len() > 2 * PEAKS_MAX || !facts.peaks.chunks(2).all(is_pair) {
                let rule = "must be up to 400 pairs, of which the second is not the lower";
                return invalid("an outline", rule);
            }
            let is_line = |it: &String| it.len() <= NOTE_MAX && !it.chars().any(char::is_control);
            if facts.notes.len() > NOTES_MAX || !facts.notes.iter().all(is_line) {
                return invalid("the notes", "must be up to 20 lines of up to 300 bytes");
            }
        }
        match self.outcome {
            SearchOutcome::Searched { occurrences } => self.check_occurrences(occurrences),
            SearchOutcome::Failed { code, why, .. } => {
                let plain = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
                if code.is_empty() || code.len() > CODE_MAX || !code.bytes().all(plain) {
                    return invalid("the code", "must be 1 to 64 of a-z, 0-9 and -");
                }
                if why.len() > WHY_MAX || why.chars().any(char::is_control) {
                    return invalid("the reason", "must be one line of up to 1,000 bytes");
                }
                Ok(())
            }
        }
    }

    fn check_occurrences(&self, occurrences: &[Occurrence]) -> Result<(), Error> {
        let invalid = |rule: String| Err(Error::Invalid { field: "an occurrence", rule });
        if occurrences.len() > OCCURRENCES_MAX {
            let rule = format!("may be one of {OCCURRENCES_MAX} at most");
            return invalid(rule);
        }
        let length =
            |facts: Option<&MediaFacts>| facts.map_or(DURATION_MAX_NS, |it| it.duration_ns);
        let (episode, clip) = (length(self.episode_facts), length(self.clip_facts));
        for it in occurrences {
            if it.offset_ns <= -clip.max(1) || it.offset_ns >= episode.max(1) {
                return invalid(format!("must be in the episode, and {} ns is not", it.offset_ns));
            }
            if !(0..=clip).contains(&it.extent_ns) {
                return invalid("must not extend beyond its clip".into());
            }
            if it.heard_ns.is_some_and(|heard| !(0..=episode).contains(&heard)) {
                return invalid("must be heard within the episode".into());
            }
            if it.confidence_ppm > 1_000_000 {
                return invalid("must have a confidence of 0 to 1,000,000".into());
            }
        }
        Ok(())
    }
}

impl Registry {
    /// Records a result once for its episode, clip and version of the analyst.
    ///
    /// # Errors
    ///
    /// `NotFound` for an episode or clip that is not there, `Invalid` for a value that makes no
    /// sense. Nothing was kept then.
    pub fn record_result(&self, result: &NewResult<'_>, now: Timestamp) -> Result<Noted, Error> {
        result.check()?;
        self.write(|tx| {
            for (kind, id) in
                [(RecordingKind::Episode, result.episode), (RecordingKind::Clip, result.clip)]
            {
                let table = kind.table();
                let sql = format!("SELECT 1 FROM {table} WHERE id = ?1 AND removed_at IS NULL");
                if tx.prepare_cached(&sql)?.query_row([id], |_| Ok(())).optional()?.is_none() {
                    return Err(Error::NotFound { what: format!("{} {id}", kind.word()) });
                }
            }
            let pair = (result.episode, result.clip);
            let again = Noted { recorded: Recorded::Again, has_voided: false, other: None };
            let noted = match result.outcome {
                SearchOutcome::Searched { occurrences } => {
                    if let Some(kind) = other(tx, result)? {
                        set_aside(tx, (result, kind), now)?;
                        return Ok(Noted { other: Some(kind), ..again });
                    }
                    let has_voided = void_others(tx, result, now)?;
                    if !searched::note(tx, pair, result.analyst)? {
                        return Ok(again);
                    }
                    // First, so that the ledger tells of the two recordings before their finding.
                    if result.is_leased {
                        put_facts(tx, result)?;
                    }
                    put_finding(tx, result, occurrences, now)?;
                    trouble::end(tx, pair, now)?;
                    Noted { recorded: Recorded::New, has_voided, other: None }
                }
                // What was met under no lease says little about what the next one will meet.
                SearchOutcome::Failed { .. } if !result.is_leased => return Ok(again),
                SearchOutcome::Failed { .. } => {
                    Noted { recorded: trouble::note(tx, result, now)?, ..again }
                }
            };
            if !result.is_leased {
                changed::untold(tx, result.episode)?;
            }
            Ok(noted)
        })
    }
}

/// Which of the two is another recording than the one that is known, as far as whoever says so
/// cannot know better. Without a lease, nothing is taken that does not say what was heard.
fn other(tx: &Transaction<'_>, result: &NewResult<'_>) -> Result<Option<RecordingKind>, Error> {
    for (kind, id, facts) in [
        (RecordingKind::Episode, result.episode, result.episode_facts),
        (RecordingKind::Clip, result.clip, result.clip_facts),
    ] {
        let known = changed::known_digest(tx, (kind, id))?;
        let is_other = match (known, facts) {
            (None, _) => false,
            (Some(known), Some(facts)) => {
                known != facts.sha256 && !(result.is_leased && result.is_of_house)
            }
            (Some(_), None) => !result.is_leased,
        };
        if is_other {
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

/// Notes under a lease that a recording could not be searched, so that the same is not tried at once.
fn set_aside(
    tx: &Transaction<'_>,
    (result, kind): (&NewResult<'_>, RecordingKind),
    now: Timestamp,
) -> Result<(), Error> {
    if !result.is_leased {
        return Ok(());
    }
    let about = match kind {
        RecordingKind::Episode => TroubleAbout::Episode,
        RecordingKind::Clip => TroubleAbout::Clip,
    };
    let why = format!(
        "{} has heard another recording than the one that was searched before; if it was replaced, \
         have it searched again",
        result.researcher
    );
    let outcome = SearchOutcome::Failed { about, code: "other-recording".into(), why };
    trouble::note(tx, &NewResult { outcome: &outcome, ..result.clone() }, now)?;
    Ok(())
}

/// Lets go what was searched in other bytes; whether there was any.
fn void_others(
    tx: &Transaction<'_>,
    result: &NewResult<'_>,
    now: Timestamp,
) -> Result<bool, Error> {
    let mut has_voided = false;
    for (kind, id, facts) in [
        (RecordingKind::Episode, result.episode, result.episode_facts),
        (RecordingKind::Clip, result.clip, result.clip_facts),
    ] {
        let known = changed::known_digest(tx, (kind, id))?;
        if known.zip(facts).is_some_and(|(known, facts)| known != facts.sha256) {
            changed::void(tx, kind, &[id].into_iter().collect(), now)?;
            has_voided = true;
        }
    }
    Ok(has_voided)
}

/// Keeps where it was found. What the same analyst has found before, in other bytes, is replaced; a
/// finding that is one no more stays as a row without occurrences, so that the ledger is told.
fn put_finding(
    tx: &Transaction<'_>,
    result: &NewResult<'_>,
    occurrences: &[Occurrence],
    now: Timestamp,
) -> Result<(), Error> {
    let known: Option<i64> = tx
        .prepare_cached(
            "SELECT id FROM research_findings
             WHERE episode_id = ?1 AND clip_id = ?2 AND analyst = ?3",
        )?
        .query_row([result.episode, result.clip, result.analyst], |row| row.get(0))
        .optional()?;
    if known.is_none() && occurrences.is_empty() {
        return Ok(());
    }
    let researcher = super::lease::researcher_id(tx, result.researcher, now)?;
    // The row as a whole: a trigger lets go the occurrences of the one before.
    tx.prepare_cached(
        "INSERT OR REPLACE INTO research_findings (id, episode_id, clip_id, analyst, researcher_id,
            recorded_at, episode_sha256, clip_sha256) VALUES (?8, ?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        result.episode,
        result.clip,
        result.analyst,
        researcher,
        now,
        result.episode_facts.map(|it| &it.sha256),
        result.clip_facts.map(|it| &it.sha256),
        known
    ])?;
    let finding = known.unwrap_or_else(|| tx.last_insert_rowid());
    let mut sorted = occurrences.to_vec();
    sorted.sort_unstable();
    sorted.dedup_by_key(|it| it.offset_ns);
    let mut statement = tx.prepare_cached(
        "INSERT INTO research_occurrences (finding_id, ordinal, offset_ns, extent_ns,
            confidence_ppm, heard_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (ordinal, it) in sorted.iter().enumerate() {
        let ordinal = u32::try_from(ordinal).unwrap_or(u32::MAX);
        statement.execute(params![
            finding,
            ordinal,
            it.offset_ns,
            it.extent_ns,
            it.confidence_ppm,
            it.heard_ns
        ])?;
    }
    Ok(())
}

/// Notes what was measured, where it differs from what is known: a row that did not change need
/// not be told again.
fn put_facts(tx: &Transaction<'_>, result: &NewResult<'_>) -> Result<(), Error> {
    for (kind, id, facts) in [
        (RecordingKind::Episode, result.episode, result.episode_facts),
        (RecordingKind::Clip, result.clip, result.clip_facts),
    ] {
        let Some(facts) = facts else { continue };
        let sql = format!(
            "UPDATE {} SET duration_ns = ?2, sha256 = ?3, notes = ?4
             WHERE id = ?1 AND (duration_ns IS NOT ?2 OR sha256 IS NOT ?3 OR notes IS NOT ?4)",
            kind.table()
        );
        let notes = facts.notes.join("\n");
        tx.prepare_cached(&sql)?.execute(params![id, facts.duration_ns, facts.sha256, notes])?;
        if kind == RecordingKind::Episode && !facts.peaks.is_empty() {
            outline::put(tx, id, &facts.peaks)?;
        }
    }
    Ok(())
}
