//! One reading of a feed, page by page.
//!
//! Promises: the number of pages is asked for first and the others visited in random order, so that
//! readings which are cut short still see all of it over time; a page or item that is bad is told
//! with its place and left out, and the others are taken; what a page lists is taken before the next
//! is asked for; what a site asks of programs is heeded. Bounded: pages, entries, findings, waits, and
//! what one page may be. Interruptible: between two pages, and while waiting for the next.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use byteio::causes::chain;
use schemars::JsonSchema;
use serde::Serialize;
use storage::clock::Clock;
use storage::registry::{Added, NewRecording};

use super::manners::{Manners, Unread, words};
use super::pace::Pace;
use super::route::{PAGES_MAX, Route, route};
use crate::config::CuratingConfig;
use crate::outside::{self, Answer, Mark, Outside};
use crate::research::catalogue::{self, ENTRIES_MAX, FeedPage, PageLinks};

/// Findings that are told one by one, and as many notes.
const FINDINGS_MAX: usize = 1000;
/// The longest wait that a site may ask for within a reading, and how often; for more, the reading ends
/// and is begun again when the site wants.
const WAIT_MAX: Duration = Duration::from_secs(60);
const WAITS_MAX: usize = 3;
/// The shortest such wait.
const WAIT_MIN: Duration = Duration::from_secs(1);

/// Waits this long; whether to go on then.
pub type Rest<'a> = &'a dyn Fn(Duration) -> ControlFlow<()>;

/// Takes what a page lists.
pub type Take<'a, E> = &'a mut dyn FnMut(Vec<NewRecording>) -> Result<Added, E>;

/// Something about a feed, and where: why something was left out, or what was put right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FeedFinding {
    /// Which page, counted from one.
    pub page: usize,
    /// The line on it; absent when it is about the whole page.
    pub line: Option<usize>,
    /// In words.
    pub sentence: String,
}

/// What came of a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Whether nothing has changed since the last one; nothing was read then.
    pub is_unchanged: bool,
    /// Pages that were read.
    pub pages: usize,
    /// Pages that could not be.
    pub bad_pages: usize,
    /// What became of the entries.
    pub added: Added,
    /// Entries that were left out.
    pub left_out: usize,
    /// What was wrong, the first thousand.
    pub findings: Vec<FeedFinding>,
    /// What was put right in entries that were taken, the first thousand.
    pub notes: Vec<FeedFinding>,
    /// How many times something was put right.
    pub noted: usize,
    /// Whether somebody asked to stop before its end, here or on the other side.
    pub is_stopped: bool,
    /// How long the other side asks to wait before the next reading.
    pub again: Option<Duration>,
    /// What the first page is marked with: that of a whole reading is worth keeping.
    pub mark: Mark,
}

impl Reading {
    /// Whether every page was read.
    pub fn is_whole(&self) -> bool {
        !self.is_stopped && self.bad_pages == 0
    }

    /// Whether every page was read and every entry on them taken.
    pub fn is_well(&self) -> bool {
        self.is_whole() && self.left_out == 0
    }

    /// In words, of a kind of recording.
    pub fn sentence(&self, word: &str) -> String {
        if self.is_unchanged {
            return "nothing has changed since it was last read".into();
        }
        let Added { new, changed, same } = self.added;
        let new = web::counted(new.into(), &format!("new {word}"));
        let pages = web::counted(self.pages as u64, "page");
        let mut text = format!("{pages}: {new}, {changed} changed, {same} as before");
        if self.bad_pages > 0 {
            text += &format!("; {} could not be read", web::counted(self.bad_pages as u64, "page"));
        }
        match self.left_out {
            0 => {}
            1 => text += "; 1 entry was left out",
            many => text += &format!("; {many} entries were left out"),
        }
        if self.noted > 0 {
            text += &format!("; put right: {}", self.noted);
        }
        match self.again {
            Some(wait) => {
                text += &format!("; the rest is read in {}, as the site asks", words(wait))
            }
            None if self.is_stopped => {
                text += "; it was stopped, and the rest is for another time";
            }
            None => {}
        }
        text
    }

    /// Takes what a page lists.
    fn take<E>(&mut self, (number, page): (usize, FeedPage), take: Take<'_, E>) -> Result<(), E> {
        let listed = page.catalogue;
        self.pages += 1;
        self.left_out += listed.left_out;
        self.noted += listed.noted;
        for finding in listed.findings {
            self.tell(number, Some(finding.line), finding.sentence);
        }
        let room = FINDINGS_MAX - self.notes.len();
        let notes = listed.notes.into_iter().map(|note| FeedFinding {
            page: number,
            line: Some(note.line),
            sentence: note.sentence,
        });
        self.notes.extend(notes.take(room));
        if !listed.recordings.is_empty() {
            let Added { new, changed, same } = take(listed.recordings)?;
            self.added.new += new;
            self.added.changed += changed;
            self.added.same += same;
        }
        Ok(())
    }

    fn tell(&mut self, page: usize, line: Option<usize>, sentence: String) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(FeedFinding { page, line, sentence });
        }
    }
}

/// Who reads feeds.
pub struct FeedReader<'a> {
    outside: Outside,
    limit_bytes: u64,
    pace: Pace,
    random: fastrand::Rng,
    manners: Manners,
    waits: usize,
    is_stopped: bool,
    clock: &'a dyn Clock,
    rest: Rest<'a>,
}

impl<'a> FeedReader<'a> {
    /// A reader by these settings. The same seed visits the same pages in the same order.
    pub fn new(
        config: &CuratingConfig,
        clock: &'a dyn Clock,
        seed: u64,
        rest: Rest<'a>,
    ) -> FeedReader<'a> {
        let (own_networks, patience) = (config.own_networks.clone(), config.feed_timeout);
        FeedReader {
            outside: Outside { own_networks, patience },
            limit_bytes: config.feed_limit_bytes,
            pace: Pace::new(config.pace_ms, config.pace_spread_ms, seed),
            random: fastrand::Rng::with_seed(seed.wrapping_add(1)),
            manners: Manners::new(config.feed_robots),
            waits: 0,
            is_stopped: false,
            clock,
            rest,
        }
    }

    /// Reads a feed that may be known; why not, when its first page could not be read.
    ///
    /// # Errors
    ///
    /// What `take` says; pages before were taken.
    pub fn read<E>(
        &mut self,
        address: &str,
        known: &Mark,
        take: Take<'_, E>,
    ) -> Result<Result<Reading, Unread>, E> {
        let (first, mark) = match self.page(address, known) {
            Err(unread) => return Ok(Err(unread)),
            Ok(None) => {
                return Ok(Ok(Reading {
                    is_unchanged: true,
                    mark: known.clone(),
                    ..Reading::default()
                }));
            }
            Ok(Some(given)) => given,
        };
        let mut reading = Reading { mark, ..Reading::default() };
        let links = first.links.clone();
        reading.take((1, first), take)?;
        match route(&links) {
            Route::Known(pages) => self.visit(&mut reading, pages, take)?,
            Route::Followed(next) => self.follow(&mut reading, (address, next), take)?,
        }
        Ok(Ok(reading))
    }

    /// Pages that are known beforehand, in random order.
    fn visit<E>(
        &mut self,
        reading: &mut Reading,
        pages: Vec<String>,
        take: Take<'_, E>,
    ) -> Result<(), E> {
        let mut pages: Vec<(usize, String)> = (2..).zip(pages).collect();
        self.random.shuffle(&mut pages);
        for (number, address) in pages {
            if self.next_page(reading, (number, &address), take)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Pages of which each leads to the next, until one leads nowhere or in a circle.
    fn follow<E>(
        &mut self,
        reading: &mut Reading,
        (first, mut next): (&str, Option<String>),
        take: Take<'_, E>,
    ) -> Result<(), E> {
        let mut seen = BTreeSet::from([first.to_owned()]);
        for number in 2..=PAGES_MAX {
            let Some(address) = next.filter(|address| seen.insert(address.clone())) else {
                return Ok(());
            };
            match self.next_page(reading, (number, &address), take)? {
                ControlFlow::Continue(links) => next = links.and_then(|links| links.next),
                ControlFlow::Break(()) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Waits, fetches a page and takes what it lists; where it leads. Breaks when nothing more is to
    /// be read.
    fn next_page<E>(
        &mut self,
        reading: &mut Reading,
        (number, address): (usize, &str),
        take: Take<'_, E>,
    ) -> Result<ControlFlow<(), Option<PageLinks>>, E> {
        let Added { new, changed, same } = reading.added;
        if (new + changed + same) as usize + reading.left_out >= ENTRIES_MAX {
            reading.bad_pages += 1;
            let why = format!("{ENTRIES_MAX} entries were read, and more are not at once");
            reading.tell(number, None, why);
            return Ok(ControlFlow::Break(()));
        }
        let wait = self.pace.wait(self.clock.steady());
        if (self.rest)(wait).is_break() {
            reading.is_stopped = true;
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(match self.page(address, &Mark::default()) {
            Ok(Some((page, _))) => {
                let links = page.links.clone();
                reading.take((number, page), take)?;
                Some(links)
            }
            // Nobody asked whether it had changed.
            Ok(None) => None,
            Err(unread) => {
                reading.bad_pages += 1;
                reading.tell(number, None, unread.why);
                reading.again = unread.again;
                reading.is_stopped = self.is_stopped || unread.again.is_some();
                if reading.is_stopped {
                    return Ok(ControlFlow::Break(()));
                }
                None
            }
        }))
    }

    /// Fetches a page, unless it is what is known; once more where its site asks for a short wait.
    fn page(&mut self, address: &str, known: &Mark) -> Result<Option<(FeedPage, Mark)>, Unread> {
        loop {
            let unread = match self.call(address, known) {
                Err(unread) => unread,
                page => return page,
            };
            match unread.again {
                Some(wait) if wait <= WAIT_MAX && self.waits < WAITS_MAX => {
                    self.waits += 1;
                    if (self.rest)(wait.max(WAIT_MIN)).is_break() {
                        self.is_stopped = true;
                        return Err(unread);
                    }
                }
                Some(_) | None => return Err(unread),
            }
        }
    }

    /// Fetches a page if its site lets us.
    fn call(&mut self, address: &str, known: &Mark) -> Result<Option<(FeedPage, Mark)>, Unread> {
        let delay = self.manners.ask(&self.outside, address, self.clock.now())?;
        self.pace.at_least(delay);
        let answer = self.outside.get(address, known);
        let page = match answer {
            Ok(Answer::Unchanged) => Ok(None),
            Ok(Answer::Given(mut given)) => {
                let (from, mark) = (given.address.clone(), given.mark.clone());
                let whole = |address: &str| outside::join(&from, address);
                let page = catalogue::read_page(&mut *given, self.limit_bytes, &whole);
                let page = page.map(|page| Some((page, mark)));
                page.map_err(|error| Unread::plain(chain(&error)))
            }
            Err(error) => Err(Unread::of(&error, self.clock.now())),
        };
        self.pace.returned(self.clock.steady());
        page
    }
}
