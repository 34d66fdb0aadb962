//! One episode, or one clip, as its page shows it.

use std::collections::{BTreeMap, BTreeSet};

use storage::registry::RecordingKind::{self, Clip, Episode};
use storage::registry::{Recording, Trouble};
use web::{
    ClipOccurrenceRow, ClipPage, EpisodePage, Link, OccurrenceRow, ResearchTrouble, WavePair,
};

use super::words;
use crate::desk::{OccurrenceList, OccurrenceTold};
use crate::http::Visit;
use crate::http::refusal::Refusal;
use crate::rights::Right;

/// Occurrences of a page.
const PER_PAGE: u64 = 50;
/// Troubles of a page.
const TROUBLES: usize = 50;

pub(super) fn episode(
    visit: &Visit,
    id: u32,
    pairs: &[(String, String)],
) -> Result<EpisodePage, Refusal> {
    words::only(pairs, &["page"])?;
    let (page, before) = words::leaf(pairs, PER_PAGE)?;
    let OccurrenceList { recording, occurrences, .. } = visit.desk().occurrences(Episode, id)?;
    let (searched_count, clip_count) = far(visit, Episode, id)?;
    let found: BTreeSet<u32> = occurrences.iter().map(|it| it.clip).collect();
    let troubles = visit.registry.troubles_of((Some(id), None))?;
    let is_troubled = troubles.iter().any(|it| it.clip.is_none());
    let shown = shown(&occurrences, before);
    let count = u32::try_from(occurrences.len()).unwrap_or(u32::MAX);
    let wave = visit.research.outline(id)?;
    let level = |it: i8| f32::from(it) / 127.0;
    Ok(EpisodePage {
        id,
        state: words::state(is_troubled, (searched_count, clip_count)),
        facts: words::facts(&recording),
        player: words::player(visit, Episode, &recording),
        duration_ns: recording.duration_ns,
        wave: wave
            .into_iter()
            .map(|(low, high)| WavePair { low: level(low), high: level(high) })
            .collect(),
        marks: occurrences.iter().map(|it| it.heard_ns).collect(),
        rows: (before + 1..).zip(shown).map(|(number, it)| row(number, it)).collect(),
        pager: words::pager((page, PER_PAGE), shown.len(), count),
        page_href: format!("/research/episodes/{id}?page="),
        searched_count,
        clip_count,
        not_found_count: searched_count.saturating_sub(found.len() as u64),
        troubles: told(visit, (Episode, id), troubles)?,
        exports: exports(Episode, id),
        may_search_again: visit.may(Right::KeepResearch),
        analyst: visit.research.rules().analyst,
        title: recording.title,
        description: recording.description,
    })
}

pub(super) fn clip(
    visit: &Visit,
    id: u32,
    pairs: &[(String, String)],
) -> Result<ClipPage, Refusal> {
    words::only(pairs, &["page"])?;
    let (page, before) = words::leaf(pairs, PER_PAGE)?;
    let OccurrenceList { recording, occurrences, .. } = visit.desk().occurrences(Clip, id)?;
    let (searched_count, episode_count) = far(visit, Clip, id)?;
    let found: BTreeSet<u32> = occurrences.iter().map(|it| it.episode).collect();
    let troubles = visit.registry.troubles_of((None, Some(id)))?;
    let is_troubled = troubles.iter().any(|it| it.episode.is_none());
    let shown = shown(&occurrences, before);
    let ids: BTreeSet<u32> = shown.iter().map(|it| it.episode).collect();
    let ids: Vec<u32> = ids.into_iter().collect();
    let episodes = visit.research.some(Episode, &ids)?;
    let episodes: BTreeMap<u32, Recording> = episodes.into_iter().map(|it| (it.id, it)).collect();
    let count = u32::try_from(occurrences.len()).unwrap_or(u32::MAX);
    Ok(ClipPage {
        id,
        state: words::state(is_troubled, (searched_count, episode_count)),
        facts: words::facts(&recording),
        player: words::player(visit, Clip, &recording),
        rows: shown.iter().map(|it| clip_row(visit, it, episodes.get(&it.episode))).collect(),
        pager: words::pager((page, PER_PAGE), shown.len(), count),
        page_href: format!("/research/clips/{id}?page="),
        searched_count,
        episode_count,
        found_in_count: found.len() as u64,
        troubles: told(visit, (Clip, id), troubles)?,
        exports: exports(Clip, id),
        may_search_again: visit.may(Right::KeepResearch),
        analyst: visit.research.rules().analyst,
        title: recording.title,
        description: recording.description,
    })
}

/// With how many others it was searched, and how many there are.
fn far(visit: &Visit, kind: RecordingKind, id: u32) -> Result<(u64, u64), Refusal> {
    let searched = visit.research.searched_counts(kind, &[id])?;
    Ok((searched.get(&id).copied().unwrap_or(0), visit.research.other_count(kind)?))
}

fn shown(all: &[OccurrenceTold], before: u64) -> &[OccurrenceTold] {
    let first = usize::try_from(before).unwrap_or(usize::MAX).min(all.len());
    let rest = &all[first..];
    &rest[..rest.len().min(usize::try_from(PER_PAGE).unwrap_or(usize::MAX))]
}

fn row(number: u64, it: &OccurrenceTold) -> OccurrenceRow {
    OccurrenceRow {
        number,
        clip: words::link(Clip, it.clip, &it.clip_title),
        offset_ns: it.offset_ns,
        heard_ns: it.heard_ns,
        extent_ns: it.extent_ns,
        confidence_ppm: it.confidence_ppm,
        researcher: it.researcher.clone(),
        analyst: it.analyst,
    }
}

fn clip_row(visit: &Visit, it: &OccurrenceTold, episode: Option<&Recording>) -> ClipOccurrenceRow {
    ClipOccurrenceRow {
        episode: words::link(Episode, it.episode, &it.episode_title),
        aired: episode.and_then(|it| it.date_aired).map(|at| at.to_string()),
        player: episode.and_then(|it| words::player(visit, Episode, it)),
        offset_ns: it.offset_ns,
        heard_ns: it.heard_ns,
        extent_ns: it.extent_ns,
        confidence_ppm: it.confidence_ppm,
    }
}

/// The results as files; captions and cue sheets go with one recording, so that a clip has none.
fn exports(kind: RecordingKind, id: u32) -> Vec<Link> {
    let kinds: &[(&str, &str)] = match kind {
        Episode => &[("csv", "CSV"), ("json", "JSON"), ("vtt", "WebVTT"), ("cue", "Cue sheet")],
        Clip => &[("csv", "CSV"), ("json", "JSON")],
    };
    let address = words::address(kind);
    let href = |end| format!("/api/v1{address}/{id}/occurrences.{end}");
    kinds.iter().map(|(end, label)| Link::new(href(end), *label)).collect()
}

fn told(
    visit: &Visit,
    (kind, id): (RecordingKind, u32),
    troubles: Vec<Trouble>,
) -> Result<Vec<ResearchTrouble>, Refusal> {
    let other = |it: &Trouble| match kind {
        Episode => it.clip,
        Clip => it.episode,
    };
    let other_kind = match kind {
        Episode => Clip,
        Clip => Episode,
    };
    let shown: Vec<Trouble> = troubles.into_iter().take(TROUBLES).collect();
    let ids: Vec<u32> = shown.iter().filter_map(other).collect();
    let others = visit.research.some(other_kind, &ids)?;
    let titles: BTreeMap<u32, String> = others.into_iter().map(|it| (it.id, it.title)).collect();
    let may = visit.may(Right::KeepResearch);
    let line = |it: Trouble| {
        let about = match other(&it) {
            Some(other) => {
                let title = titles.get(&other).cloned().unwrap_or_default();
                words::link(other_kind, other, &title)
            }
            None => Link::new("", format!("This {}", kind.word())),
        };
        ResearchTrouble {
            about,
            code: it.code,
            why: it.why,
            tries: it.tries.into(),
            at: it.last_at.to_string(),
            retry: it.retry_at.map(|at| at.to_string()),
            retry_action: may.then(|| format!("{}/{id}/retry", words::address(kind))),
        }
    };
    Ok(shown.into_iter().map(line).collect())
}
