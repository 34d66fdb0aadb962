//! Reads the journal of a replica into a registry that is rebuilt.
//!
//! With the key of the appliance that wrote the pages, only what is signed by it is taken, and pages of
//! earlier programs, which nobody signed; that is said. Without it pages can be read and are said not to
//! be authenticated; their chain is checked all the same. Pages are always compared with those in other
//! replicas: whoever can write to one could put back what was signed earlier.

use ocfl::{PageId, Replica, Sha512, VaultError};
use serde_json::Value;
use storage::registry::{self, Journal, JournalPhase, LedgerPage, Registry, Retold};

use super::key::Key;
use super::page::{self, Page, Piece};

/// Bytes of a line that came in pieces.
const LINE_LEN_MAX: usize = 64 << 20;

/// Why the journal could not be read into the registry.
#[derive(Debug, thiserror::Error)]
pub enum RetellError {
    #[error(transparent)]
    Registry(#[from] registry::Error),
    #[error(transparent)]
    Vault(#[from] VaultError),
}

/// What came of reading the journal.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    pub(crate) retold: Retold,
    /// How to go on: with the series that was read, if it is whole and signed by us.
    pub(crate) journal: Option<Journal>,
    /// Why pages were taken that nobody vouches for, and what they could not be compared with.
    pub(crate) notices: Vec<String>,
    /// The highest series that is known.
    pub(crate) highest_series: u32,
}

/// What is known of a page before its lines are read.
struct Looked {
    id: PageId,
    page: Option<LookedPage>,
}

struct LookedPage {
    line_count: u32,
    sha512: Sha512,
    previous: Option<Sha512>,
    whole: bool,
    is_signed: bool,
}

/// Writes the rows of every page to the registry, in order. Pages that are damaged, missing or not
/// ours are left out and told to `damaged`.
pub(crate) fn retell(
    source: &Replica,
    others: &[&Replica],
    (registry, key): (&Registry, Option<&Key>),
    damaged: &mut dyn FnMut(String),
) -> Result<Replayed, RetellError> {
    let mut all = Vec::new();
    for id in source.journal_pages()? {
        all.push(look(source, id, key)?);
    }
    let is_strict = key.is_some();
    let begin = first_series(&all, is_strict);
    let used: Vec<&Looked> = all.iter().filter(|it| it.id.series >= begin).collect();
    let mut faults = 0_u64;
    let mut fault = |sentence| {
        faults += 1;
        damaged(sentence);
    };
    let taken = checked(&used, is_strict, &mut fault);
    let mut replayed =
        Replayed { highest_series: all.last().map_or(0, |it| it.id.series), ..Replayed::default() };
    if !is_strict && used.iter().any(|it| it.id.series > 0) {
        replayed.notices.push(UNSIGNED.to_owned());
    }
    if taken.iter().any(|id| id.series == 0) {
        replayed.notices.push(EARLIER.to_owned());
    }
    let newest = all.iter().rev().find(|it| is_believed(it, is_strict)).map(|it| it.id);
    for other in others {
        if let Err(error) = compare((source, newest, &taken), other, key, &mut fault) {
            let name = other.name();
            replayed.notices.push(format!(
                "The journal could not be compared with that of replica {name}, which may have more: \
                 {error}"
            ));
        }
    }
    if faults == 0 {
        replayed.journal = key.zip(used.last()).and_then(|(key, last)| journal_at(last, key));
    }
    let mut pages = taken.into_iter();
    let mut lines: std::vec::IntoIter<Line> = Vec::new().into_iter();
    let mut begun: Option<(u32, String)> = None;
    replayed.retold = registry.retell::<RetellError>(&mut || {
        loop {
            match lines.next() {
                Some(Line::Row(table, row)) => return Ok(Some((table, row))),
                Some(Line::Piece(piece)) => {
                    if let Some(text) = joined(&mut begun, piece) {
                        match row_of(&text) {
                            Some(row) => return Ok(Some(row)),
                            None => damaged("a long line of the journal is damaged".into()),
                        }
                    }
                    continue;
                }
                None => {}
            }
            let Some(id) = pages.next() else { return Ok(None) };
            match source.journal_page(id)?.as_deref().and_then(lines_of) {
                Some(read) => lines = read.into_iter(),
                None => damaged(format!("{id} is damaged")),
            }
        }
    })?;
    Ok(replayed)
}

/// The journal that goes on behind its last page, if that is whole.
fn journal_at(last: &Looked, key: &Key) -> Option<Journal> {
    let LookedPage { line_count, sha512, .. } = *last.page.as_ref().filter(|page| page.whole)?;
    Some(Journal {
        series: last.id.series,
        page: LedgerPage { number: last.id.number, line_count, sha512 },
        key_id: key.id(),
        phase: JournalPhase::Whole,
        has_older: true,
    })
}

fn look(source: &Replica, id: PageId, key: Option<&Key>) -> Result<Looked, VaultError> {
    let bytes = source.journal_page(id)?;
    let page = bytes.as_deref().and_then(page::read).map(|page| LookedPage {
        line_count: page.line_count,
        sha512: page.sha512,
        previous: page.seal.as_ref().and_then(|seal| seal.previous_digest()),
        whole: page.seal.as_ref().is_some_and(|seal| seal.whole),
        is_signed: key.is_some_and(|key| page.is_signed(key, id)),
    });
    Ok(Looked { id, page })
}

/// The newest series that has everything; older ones are not needed then.
fn first_series(all: &[Looked], is_strict: bool) -> u32 {
    let is_whole = |it: &&Looked| {
        it.page.as_ref().is_some_and(|page| page.whole && (page.is_signed || !is_strict))
    };
    all.iter().rev().find(is_whole).map_or(0, |it| it.id.series)
}

/// The pages to take, and a sentence for each that is not, or does not follow the one before.
fn checked(used: &[&Looked], is_strict: bool, damaged: &mut dyn FnMut(String)) -> Vec<PageId> {
    let mut taken = Vec::new();
    let mut before: Option<(PageId, Option<Sha512>)> = None;
    for Looked { id, page } in used.iter().copied() {
        let last = before.filter(|(before, _)| before.series == id.series);
        let expected = last.map_or(1, |(before, _)| before.number.saturating_add(1));
        if id.number > expected {
            let (series, last) = (id.series, id.number - 1);
            let first = PageId { series, number: expected };
            damaged(match last == expected {
                true => format!("{first} is missing"),
                false => format!("{first} and those up to page {last} are missing"),
            });
        }
        let follows = |page: &LookedPage| match last {
            Some((_, sha512)) => sha512.is_none() || page.previous == sha512,
            None => page.previous.is_none(),
        };
        match page {
            None => damaged(format!("{id} is damaged")),
            Some(page) if is_strict && id.series > 0 && !page.is_signed => {
                damaged(format!(
                    "{id} is not signed with the key of this appliance: somebody else wrote or changed \
                     it, and it is left out (if another machine wrote it, move journal.key out of the \
                     data directory and rebuild again)"
                ));
            }
            Some(page) => {
                if id.series > 0 && id.number == expected && !follows(page) {
                    damaged(format!("{id} does not follow from the page before"));
                }
                taken.push(*id);
            }
        }
        before = Some((*id, page.as_ref().map(|page| page.sha512)));
    }
    taken
}

/// Whether the page can tell how far the journal goes.
fn is_believed(looked: &Looked, is_strict: bool) -> bool {
    let is_signed = looked.page.as_ref().is_some_and(|page| page.is_signed);
    !is_strict || looked.id.series == 0 || is_signed
}

/// Tells of what another replica has that differs, or is more. With the key, only what was signed by it
/// is a reason to doubt what was. A page of which the other replica has the beginning only has grown
/// while that replica was away.
fn compare(
    (source, newest, taken): (&Replica, Option<PageId>, &[PageId]),
    other: &Replica,
    key: Option<&Key>,
    damaged: &mut dyn FnMut(String),
) -> Result<(), VaultError> {
    let name = other.name();
    for id in other.journal_pages()?.into_iter().rev().take_while(|id| Some(*id) > newest) {
        if is_believed(&look(other, id, key)?, key.is_some()) {
            let ends = newest.map_or_else(|| "has no pages".into(), |it| format!("ends with {it}"));
            damaged(format!("its journal {ends}, that of {name} ends with {id}"));
            break;
        }
    }
    for id in taken.iter().copied() {
        let Some(mine) = source.journal_page(id)? else { continue };
        let Some(mine) = page::read(&mine) else { continue };
        let Some(theirs) = other.journal_page(id)? else { continue };
        let theirs = page::read(&theirs);
        let is_signed = |key| theirs.as_ref().is_some_and(|page| page.is_signed(key, id));
        if id.series > 0 && key.is_some_and(|key| !is_signed(key)) {
            continue;
        }
        let extent =
            |page: &Page<'_>| (page.line_count, page.seal.as_ref().is_some_and(|it| it.whole));
        match theirs {
            Some(theirs)
                if mine.body.starts_with(theirs.body) && extent(&theirs) <= extent(&mine) => {}
            Some(theirs) if theirs.body.starts_with(mine.body) => {
                damaged(format!("{id} is a later one in replica {name}"));
            }
            Some(_) | None => damaged(format!("{id} is another one in replica {name}")),
        }
    }
    Ok(())
}

const UNSIGNED: &str = "The journal could be read and is not authenticated: the file journal.key of the \
    appliance that wrote it is not in the data directory. Whoever can write to the replica could have \
    changed it.";

const EARLIER: &str = "Pages of the journal that an earlier version of Strongroom wrote were read and are \
    not authenticated: they are not signed. Whoever can write to the replica could have changed or added \
    them. Review users, roles and deletions before you rely on them.";

enum Line {
    Row(String, Value),
    Piece(Piece),
}

/// Every line; none if the page is not as it was written.
fn lines_of(bytes: &[u8]) -> Option<Vec<Line>> {
    let line = |line: &str| match row_of(line) {
        Some((table, row)) => Some(Line::Row(table, row)),
        None => serde_json::from_str(line).ok().map(Line::Piece),
    };
    page::read(bytes)?.body.lines().map(line).collect()
}

fn row_of(line: &str) -> Option<(String, Value)> {
    let mut line: Value = serde_json::from_str(line).ok()?;
    Some((line["table"].as_str()?.to_owned(), line["row"].take()))
}

/// Adds a piece to those before it; the whole line after the last. Pieces of a line that a kill
/// interrupted are followed by its first one again.
fn joined(begun: &mut Option<(u32, String)>, piece: Piece) -> Option<String> {
    let (next, mut text) = match begun.take() {
        Some(begun) if piece.piece > 0 => begun,
        _ => (0, String::new()),
    };
    if next != piece.piece || text.len() + piece.text.len() > LINE_LEN_MAX {
        return None;
    }
    text.push_str(&piece.text);
    if piece.piece.saturating_add(1) == piece.of {
        return Some(text);
    }
    *begun = Some((piece.piece + 1, text));
    None
}
