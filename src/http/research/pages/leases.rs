//! What is out, who is at it, and how far it all is, as pages show it.

use std::collections::{BTreeMap, BTreeSet};

use storage::registry::RecordingKind::Episode;
use web::{
    Badge, CommandLine, EndedLeaseRow, LeaseRow, LeasesPage, Link, ResearchPage, ResearcherRow,
    ResearchersPage, Tone,
};

use super::words;
use crate::http::Visit;
use crate::http::refusal::Refusal;
use crate::research::Holding;
use crate::researcher::is_of_the_house;
use crate::rights::Right;

/// Leases of a page: out now, and over.
const LIVE: usize = 100;
const PER_PAGE: u32 = 25;
/// Leases that the overview shows.
const FEW: usize = 5;
/// Researchers that a page shows.
const PRESENT: usize = 200;

pub(super) fn value(visit: &Visit, pairs: &[(String, String)]) -> Result<LeasesPage, Refusal> {
    words::only(pairs, &["page"])?;
    let (page, offset) = words::leaf(pairs, PER_PAGE.into())?;
    let holdings = visit.research.holdings()?;
    let ended = visit.research.ended(offset, PER_PAGE)?;
    let of_ended = ended.rows.iter().map(|it| it.episode);
    let titles =
        Titles::of(visit, holdings.iter().take(LIVE).map(|it| it.episode).chain(of_ended))?;
    let (live, live_unshown_count) = live(&holdings, LIVE, &titles);
    let ended_rows = ended.rows.iter().map(|it| EndedLeaseRow {
        lease: it.name.clone(),
        episode: titles.link(it.episode),
        holder: it.researcher.clone(),
        clip_count: it.clip_count.into(),
        done_count: it.done_count.into(),
        taken: it.taken_at.to_string(),
        renewals: it.renewals.into(),
        ended: it.ended_at.to_string(),
        ending: ending(&it.ending),
    });
    Ok(LeasesPage {
        live,
        live_unshown_count,
        pager: words::pager((page, PER_PAGE.into()), ended.rows.len(), ended.count),
        ended: ended_rows.collect(),
        may_revoke: visit.may(Right::KeepResearch),
        now: visit.shop.clock.now().to_string(),
    })
}

pub(super) fn overview(visit: &Visit) -> Result<ResearchPage, Refusal> {
    let progress = visit.research.progress()?;
    let troubles = visit.research.troubled()?;
    let holdings = visit.research.holdings()?;
    let (researchers, titles) = present(visit, &holdings)?;
    let (leases, leases_unshown_count) = live(&holdings, FEW, &titles);
    Ok(ResearchPage {
        episode_count: progress.episodes,
        clip_count: progress.clips,
        searched_pairs: progress.searched_pairs,
        all_pairs: progress.episodes.saturating_mul(progress.clips),
        open_episodes: progress.open_episodes as u64,
        occurrence_count: None,
        trouble_count: (troubles.episodes.len() + troubles.clips.len()) as u64,
        researchers,
        leases,
        leases_unshown_count,
        analyst: visit.research.rules().analyst,
        may_keep: visit.may(Right::KeepResearch),
        now: visit.shop.clock.now().to_string(),
    })
}

pub(super) fn researchers(visit: &Visit) -> Result<ResearchersPage, Refusal> {
    let (present, _) = present(visit, &visit.research.holdings()?)?;
    let packs = [
        (
            "On the appliance, write a lease with its recordings into a folder.",
            "strongroom research pack --to pack-1 --researcher cellar",
        ),
        ("On the other machine, search it.", "strongroom research work --pack pack-1"),
        ("Back on the appliance, record what was found.", "strongroom research unpack pack-1"),
    ];
    let rules = visit.research.rules();
    Ok(ResearchersPage {
        present,
        present_seconds: rules.config.present.as_secs_f64(),
        server: visit.config.http.public_url.clone().unwrap_or_default(),
        analyst: rules.analyst,
        packs: packs
            .map(|(about, command)| CommandLine { about: about.into(), command: command.into() })
            .to_vec(),
        now: visit.shop.clock.now().to_string(),
    })
}

/// Who is present, the one heard of last first, with the titles of what is out.
fn present(visit: &Visit, holdings: &[Holding]) -> Result<(Vec<ResearcherRow>, Titles), Refusal> {
    let mut present = visit.research.census();
    present.sort_by(|a, b| (b.heard_at, &a.name).cmp(&(a.heard_at, &b.name)));
    present.truncate(PRESENT);
    let held: BTreeMap<&str, u32> = holdings
        .iter()
        .filter_map(|it| it.holder.as_deref().map(|holder| (holder, it.episode)))
        .collect();
    let wanted = present.iter().filter_map(|it| held.get(it.name.as_str()).copied());
    let few = holdings.iter().take(FEW).map(|it| it.episode);
    let titles = Titles::of(visit, wanted.chain(few))?;
    let row = |it: &crate::research::Present| ResearcherRow {
        is_built_in: is_of_the_house(&it.name),
        analyst: it.analyst.unwrap_or(0),
        heard: it.heard_at.to_string(),
        at: held.get(it.name.as_str()).map(|episode| titles.link(*episode)),
        name: it.name.clone(),
    };
    let rows = present.iter().map(row).collect();
    Ok((rows, titles))
}

/// What is out, as rows, and how many are not among them.
fn live(holdings: &[Holding], most: usize, titles: &Titles) -> (Vec<LeaseRow>, u64) {
    let row = |it: &Holding| LeaseRow {
        lease: it.lease.clone(),
        episode: titles.link(it.episode),
        holder: it.holder.clone(),
        clip_count: it.clip_count as u64,
        left_count: it.left as u64,
        made: it.made.to_string(),
        renewals: it.renewals.into(),
        expires: it.expires.to_string(),
        offered_until: it.holder.is_none().then(|| it.expires.to_string()),
    };
    let rows = holdings.iter().take(most).map(row).collect();
    (rows, holdings.len().saturating_sub(most) as u64)
}

fn ending(word: &str) -> Badge {
    match word {
        "finished" => Badge::new("Finished", Tone::Good),
        "revoked" => Badge::new("Revoked", Tone::Warn),
        _ => Badge::new("Expired", Tone::Warn),
    }
}

/// The titles of some episodes.
struct Titles(BTreeMap<u32, String>);

impl Titles {
    fn of(visit: &Visit, ids: impl Iterator<Item = u32>) -> Result<Titles, Refusal> {
        let ids: BTreeSet<u32> = ids.collect();
        let ids: Vec<u32> = ids.into_iter().collect();
        let found = visit.research.some(Episode, &ids)?;
        Ok(Titles(found.into_iter().map(|it| (it.id, it.title)).collect()))
    }

    fn link(&self, id: u32) -> Link {
        let title = self.0.get(&id).cloned().unwrap_or_else(|| format!("Episode {id}"));
        words::link(Episode, id, &title)
    }
}
