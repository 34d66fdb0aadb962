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
        ("feeds", feeds_page(&at("Feeds", Here::Feeds), &research::feeds())),
        ("feeds-empty", feeds_page(&at("Feeds", Here::Feeds), &Default::default())),
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
pub(crate) fn marked(shell: &Shell) -> [Markup; 7] {
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
    let mut feeds = research::feeds();
    feeds.rows[0].url = mark();
    feeds.rows[0].outcome = mark();
    feeds.form.url = mark();
    feeds.problem = Some(mark());
    let mut researchers = research::researchers();
    researchers.present[0].name = mark();
    researchers.server = mark();
    researchers.packs[0].command = mark();
    [
        research_page(shell, &overview),
        recordings_page(shell, &list),
        episode_page(shell, &episode),
        clip_page(shell, &clip),
        feeds_page(shell, &feeds),
        leases_page(shell, &leases),
        researchers_page(shell, &researchers),
    ]
}

#[test]
fn an_occurrence_plays_from_its_moment_with_and_without_script() {
    let shell = sample::shell("E", Here::Episodes);
    let html = episode_page(&shell, &research::one_episode(2)).into_string();
    let link = "href=\"/research/episodes/704/media#t=3448.456\" data-seek=\"3448.456\"";
    assert!(html.contains(link), "{html}");
    // What begins before the recording plays from its beginning.
    assert!(html.contains("media#t=0.000\"") && html.contains("\u{2212}0:00:01.543"));
    assert!(html.contains("<audio id=\"player\" controls preload=\"none\""));
    let unheard = EpisodePage { player: None, ..research::one_episode(2) };
    let html = episode_page(&shell, &unheard).into_string();
    assert!(!html.contains("<audio") && !html.contains("#t="));
}

#[test]
fn a_recording_with_a_thousand_marks_fits_on_a_page() {
    let mut page = research::one_episode(50);
    page.marks = (0..100_000).map(|at| at * 70_000_000).collect();
    page.wave = vec![WavePair { low: -1.0, high: f32::NAN }; 100_000];
    let html = episode_page(&sample::shell("E", Here::Episodes), &page).into_string();
    assert!(html.len() < crate::WIDE_BUDGET_BYTES, "{} bytes", html.len());
    assert!(!html.contains("NaN"));
}

#[test]
fn revoking_is_asked_about_first_and_only_where_it_may_be() {
    let shell = sample::shell("L", Here::Leases);
    let revoke = "/research/leases/7d44b4a6-31d5-4c0c-9f6a-000000000001/revoke";
    let html = leases_page(&shell, &research::leases(1)).into_string();
    assert!(html.contains(&format!("href=\"{revoke}\"")), "{html}");
    assert!(!html.contains(&format!("action=\"{revoke}\"")));
    let looking = LeasesPage { may_revoke: false, ..research::leases(1) };
    assert!(!leases_page(&shell, &looking).into_string().contains("/revoke"));
}

#[test]
fn a_list_keeps_what_was_asked_for() {
    let page = research::recordings(RecordingKind::Clip, 2);
    let html = recordings_page(&sample::shell("C", Here::Clips), &page).into_string();
    let next = "/research/clips?priority__gteq=0&amp;sort=priority__desc&amp;page=3";
    assert!(html.contains(&format!("href=\"{next}\"")), "{html}");
}

#[test]
fn all_is_never_told_while_something_is_left() {
    let page =
        ResearchPage { searched_pairs: 24_590_159, all_pairs: 24_590_160, ..research::overview() };
    let html = research_fragment(&page).into_string();
    assert!(html.contains("(99.99 %)"), "{html}");
}
