//! One piece of work, from the first byte of the episode to the last result.
//!
//! Promises: every clip is told of once, found, not found or failed, as soon as that is known; a bad
//! clip keeps nobody from the others, a bad episode ends the work; when the lease is gone, nothing
//! more is searched. Interruptible: within moments, also in the middle of a search; what was found by
//! then is told, and the rest is given back. Repeats: safe, a result that was told before is taken
//! again without effect.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use soundmatch::{ANALYST_VERSION, AudioError, Clip, Episode, Progress, Speeds, find};
use storage::clock::Clock;
use storage::registry::{
    MediaFacts, PEAKS_MAX, Recording, RecordingKind, SearchOutcome, TroubleAbout,
};

use super::bench::Bench;
use super::office::{Office, Watch, Wish, unless_winding_down};
use super::post::{Delivered, Post};
use super::told::{self, Trouble};
use crate::research::{Report, Work};

/// Clips searched at once: they share the passes over the episode. More would share hardly more, and
/// would all be told of later.
const BATCH: usize = 20;

/// What became of a piece of work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Clips that were searched.
    pub searched: usize,
    /// Of them, found at least once.
    pub found: usize,
    /// Clips that could not be searched; all of them when the episode could not.
    pub failed: usize,
    /// Clips that were given back, because somebody asked to stop.
    pub given_back: usize,
    /// What became of the results.
    pub delivered: Delivered,
    /// Whether the lease was lost on the way.
    pub lost: bool,
}

impl Done {
    /// In words.
    pub fn sentence(&self) -> String {
        let Done { searched, found, failed, given_back, delivered, lost } = self;
        let mut text = format!("searched {searched} clips, found {found}, {failed} failed");
        if *given_back > 0 {
            text += &format!("; stopped on request, and {given_back} are given back");
        }
        if !delivered.refused.is_empty() {
            text += &format!("; refused: {}", delivered.refused.join("; "));
        }
        if delivered.lost > 0 {
            text += &format!("; {} results were not delivered", delivered.lost);
        }
        if *lost {
            text += "; the lease is no longer ours";
        }
        text
    }
}

/// Does a piece of work.
pub fn research(
    office: &dyn Office,
    (bench, clock): (&Bench, &dyn Clock),
    work: &Work,
    watch: Watch<'_>,
) -> Done {
    let post = Post::new(office, clock, (work, watch));
    let (searched, found) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let desk = Desk { office, bench, work, watch, post: &post, searched: &searched, found: &found };
    let mut done = Done::default();
    std::thread::scope(|scope| {
        let delivery = scope.spawn(|| post.deliver());
        {
            // Closed also when a search ends by a panic, or the delivery would wait for ever.
            let _closing = Closing(&post);
            done.failed = desk.search();
        }
        done.delivered = delivery.join().unwrap_or_default();
    });
    done.searched = searched.into_inner();
    done.found = found.into_inner();
    done.lost = post.is_gone();
    if watch() != Wish::GoOn && !done.lost {
        done.given_back = work.clips.len().saturating_sub(done.searched + done.failed);
    }
    done
}

struct Closing<'a>(&'a Post<'a>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

struct Desk<'a> {
    office: &'a dyn Office,
    bench: &'a Bench,
    work: &'a Work,
    watch: Watch<'a>,
    post: &'a Post<'a>,
    searched: &'a AtomicUsize,
    found: &'a AtomicUsize,
}

impl Desk<'_> {
    /// Searches the episode for all clips; how many could not be searched.
    fn search(&self) -> usize {
        let episode = match self.episode() {
            Ok(episode) => episode,
            Err(trouble) => return self.give_up(trouble),
        };
        let facts = told::facts(episode.facts());
        let mut failed = 0;
        for batch in self.work.clips.chunks(BATCH) {
            let mut clips = Vec::with_capacity(batch.len());
            for recording in batch {
                if self.go_on().is_break() {
                    return failed;
                }
                match self.clip(recording) {
                    Ok(clip) => clips.push((recording.id, clip)),
                    Err(trouble) => {
                        let Some(outcome) = told::failed(TroubleAbout::Clip, trouble) else {
                            return failed;
                        };
                        failed += 1;
                        self.post.put(self.report(recording.id, outcome, (None, None)));
                    }
                }
            }
            if self.look(&episode, &facts, &clips).is_err() {
                return failed;
            }
        }
        failed
    }

    /// Searches for some clips together, and tells of each as soon as it is known.
    fn look(
        &self,
        episode: &Episode,
        facts: &MediaFacts,
        clips: &[(u32, Arc<Clip>)],
    ) -> Result<(), AudioError> {
        let wanted: Vec<&Clip> = clips.iter().map(|(_, clip)| &**clip).collect();
        let pulse = |_: Progress| self.go_on();
        self.bench.enter(|| {
            find(episode, &wanted, Speeds::FarIfNotFound, &pulse, &|at, found| {
                let (id, clip) = &clips[at];
                let is_first = self.searched.fetch_add(1, Ordering::Relaxed) == 0;
                let is_found = !found.occurrences.is_empty();
                self.found.fetch_add(usize::from(is_found), Ordering::Relaxed);
                let of_clip = told::facts(clip.facts());
                // How it sounds is told once: it is the same for every clip.
                let peaks =
                    if is_first { told::peaks(&episode.peaks(PEAKS_MAX)) } else { Vec::new() };
                let of_episode = MediaFacts { peaks, ..facts.clone() };
                let both = (Some(of_episode), Some(of_clip));
                self.post.put(self.report(*id, told::searched(&found), both));
            })
        })
    }

    fn episode(&self) -> Result<Episode, Trouble> {
        let go_on = || self.go_on();
        let episode = &self.work.episode;
        let opened = self.office.open(RecordingKind::Episode, episode, &go_on);
        let media = opened.map_err(Trouble::Unopened)?.media(episode);
        let pulse = |_: Progress| self.go_on();
        self.bench.enter(|| Episode::prepare(media, &pulse)).map_err(Trouble::Audio)
    }

    /// A clip, prepared now or before.
    fn clip(&self, recording: &Recording) -> Result<Arc<Clip>, Trouble> {
        if let Some(clip) = recording.sha256.as_deref().and_then(|known| self.bench.clip(known)) {
            return Ok(clip);
        }
        let go_on = || self.go_on();
        let opened = self.office.open(RecordingKind::Clip, recording, &go_on);
        let media = opened.map_err(Trouble::Unopened)?.media(recording);
        let pulse = |_: Progress| self.go_on();
        let clip = self.bench.enter(|| Clip::prepare(media, &pulse)).map_err(Trouble::Audio)?;
        let clip = Arc::new(clip);
        self.bench.keep(&clip);
        Ok(clip)
    }

    /// Tells that the episode cannot be searched, which ends the work; how many clips that concerns.
    fn give_up(&self, trouble: Trouble) -> usize {
        let (Some(first), Some(outcome)) =
            (self.work.clips.first(), told::failed(TroubleAbout::Episode, trouble))
        else {
            return 0;
        };
        let report = self.report(first.id, outcome, (None, None));
        self.post.put(Report { is_final: true, ..report });
        self.work.clips.len()
    }

    /// Whether to go on. What is not finished is given back, and begun anew by whoever takes it.
    fn go_on(&self) -> ControlFlow<()> {
        match self.post.is_gone() {
            true => ControlFlow::Break(()),
            false => unless_winding_down(self.watch),
        }
    }

    fn report(
        &self,
        clip: u32,
        result: SearchOutcome,
        (episode_facts, clip_facts): (Option<MediaFacts>, Option<MediaFacts>),
    ) -> Report {
        Report {
            lease: self.work.lease.clone(),
            episode: self.work.episode.id,
            clip,
            analyst: ANALYST_VERSION,
            result,
            is_final: false,
            episode_facts,
            clip_facts,
            house: self.work.house.clone(),
        }
    }
}
