//! The pages of research.

use maud::Markup;
use web::*;

use crate::sample::{self, research};

/// Every page, with the name it is pinned by.
pub(crate) fn pages() -> Vec<(&'static str, Markup)> {
    let at = sample::shell;
    let (episodes, clips) = (at("Episodes", Here::Episodes), at("Clips", Here::Clips));
    let none = RecordingsPage { kind: RecordingKind::Clip, ..Default::default() };
    let (of_episodes, of_clips) = (RecordingKind::Episode, RecordingKind::Clip);
    vec![
        ("research", research_page(&at("Research", Here::Research), &research::overview())),
        ("research-empty", research_page(&at("Research", Here::Research), &Default::default())),
        ("episodes", recordings_page(&episodes, &research::recordings(of_episodes, 25))),
        ("clips", recordings_page(&clips, &research::recordings(of_clips, 25))),
        ("clips-empty", recordings_page(&clips, &none)),
        ("clips-refused", recordings_page(&clips, &research::refused())),
        ("episode", episode_page(&episodes, &research::one_episode(50))),
        ("episode-new", episode_page(&episodes, &research::new_episode())),
        ("clip", clip_page(&clips, &research::one_clip(50))),
        ("clip-new", clip_page(&clips, &Default::default())),
        ("leases", leases_page(&at("Leases", Here::Leases), &research::leases(25))),
        ("leases-empty", leases_page(&at("Leases", Here::Leases), &Default::default())),
        (
            "researchers",
            researchers_page(&at("Researchers", Here::Researchers), &research::researchers()),
        ),
        (
            "researchers-empty",
            researchers_page(&at("Researchers", Here::Researchers), &Default::default()),
        ),
    ]
}

/// The pages with markup wherever somebody else's words stand.
pub(crate) fn marked(shell: &Shell) -> [Markup; 6] {
    let mark = || sample::MARKUP.to_owned();
    let mut overview = research::overview();
    overview.researchers[0].name = mark();
    overview.leases[0].episode.label = mark();
    let mut list = research::refused();
    list.rows[0].title = mark();
    list.filter.find = mark();
    if let Some(adding) = &mut list.adding {
        adding.form.description = mark();
        adding.form.location = mark();
        adding.findings[0].sentence = mark();
    }
    let mut episode = EpisodePage { facts: crate::marked_facts(), ..research::one_episode(2) };
    episode.title = mark();
    episode.description = mark();
    episode.rows[0].clip.label = mark();
    episode.rows[0].researcher = mark();
    episode.troubles[0].why = mark();
    let mut clip = ClipPage { facts: crate::marked_facts(), ..research::one_clip(2) };
    clip.title = mark();
    clip.rows[0].episode.label = mark();
    let mut leases = research::leases(1);
    leases.live[0].holder = Some(mark());
    leases.live[0].lease = mark();
    leases.ended[0].holder = mark();
    let mut researchers = research::researchers();
    researchers.present[0].name = mark();
    researchers.server = mark();
    researchers.packs[0].command = mark();
    [
        research_page(shell, &overview),
        recordings_page(shell, &list),
        episode_page(shell, &episode),
        clip_page(shell, &clip),
        leases_page(shell, &leases),
        researchers_page(shell, &researchers),
    ]
}
