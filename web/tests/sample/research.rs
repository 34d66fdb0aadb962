//! Research: a radio archive that looks for its jingles.

use web::*;

use super::badge;

const MINUTE: i64 = 60_000_000_000;
const NOW: &str = "2026-11-16T07:20:41.123Z";

fn episode(at: u64) -> Link {
    Link::new(format!("/research/episodes/{}", 700 + at), format!("The Morning Show, no. {at}"))
}

fn lease(at: u64) -> LeaseRow {
    LeaseRow {
        lease: format!("7d44b4a6-31d5-4c0c-9f6a-0000000{:05}", at),
        episode: episode(at),
        holder: (at != 2).then(|| format!("lab-machine-{at}")),
        clip_count: 100,
        left_count: 100 - at * 13 % 100,
        made: "2026-11-16T06:50:00.000Z".into(),
        renewals: at * 3,
        expires: format!("2026-11-16T0{}:12:00.000Z", 8 + at % 2),
        offered_until: (at == 2).then(|| "2026-11-16T08:20:00.000Z".into()),
    }
}

fn researcher(at: u64) -> ResearcherRow {
    ResearcherRow {
        name: if at == 0 { "house".into() } else { format!("lab-machine-{at}") },
        is_built_in: at == 0,
        analyst: 3,
        heard: format!("2026-11-16T07:20:{:02}.000Z", 40 - at * 9),
        at: (at < 2).then(|| episode(at)),
    }
}

pub(crate) fn overview() -> ResearchPage {
    ResearchPage {
        episode_count: 4_018,
        clip_count: 6_120,
        searched_pairs: 9_204_118,
        all_pairs: 24_590_160,
        open_episodes: 2_511,
        occurrence_count: Some(81_204),
        trouble_count: 12,
        researchers: (0..3).map(researcher).collect(),
        leases: (1..4).map(lease).collect(),
        leases_unshown_count: 2,
        analyst: 3,
        may_keep: true,
        now: NOW.into(),
    }
}

pub(crate) fn recordings(kind: RecordingKind, rows: u32) -> RecordingsPage {
    let row = |at: u32| RecordingRow {
        id: 700 + at,
        title: match kind {
            RecordingKind::Episode => format!("The Morning Show, no. {at}"),
            RecordingKind::Clip => format!("Jingle {at}: good morning"),
        },
        aired: (!at.is_multiple_of(3)).then(|| "2014-03-02T06:00:00.000Z".into()),
        curated: "2026-11-01T06:00:00.000Z".into(),
        priority: if at == 0 { 10 } else { 0 },
        duration_ns: (!at.is_multiple_of(4)).then_some(118 * MINUTE + 3_456_000_000),
        state: match at % 4 {
            0 => badge("Waits", Tone::Calm),
            1 => badge("Searched", Tone::Good),
            2 => badge("Leased", Tone::Busy),
            _ => badge("Trouble", Tone::Warn),
        },
        searched_count: 1_200 + u64::from(at),
        all_count: 6_120,
        found_count: u64::from(at % 4) * 3,
    };
    RecordingsPage {
        kind,
        filter: RecordingFilter { priority: "0".into(), ..Default::default() },
        choices: RecordingChoices {
            states: vec![Choice::new("open", "Something is left"), Choice::new("done", "Searched")],
            priorities: vec![Choice::new("10", "10"), Choice::new("0", "0")],
        },
        sort: Sort { column: "priority".into(), descending: true },
        pager: Pager {
            page: 2,
            per_page: 25,
            shown: u64::from(rows),
            total: 4_018,
            export: "/api/v1/research/episodes.csv".into(),
            ..Pager::default()
        },
        rows: (0..rows).map(row).collect(),
        adding: Some(AddRecordings { most_bytes: 16_000_000, ..Default::default() }),
    }
}

/// An import that was refused.
pub(crate) fn refused() -> RecordingsPage {
    let finding = |line, sentence: &str| ImportFinding { line, sentence: sentence.into() };
    let mut page = recordings(RecordingKind::Clip, 2);
    page.adding = Some(AddRecordings {
        form: RecordingForm { title: "Jingle 9".into(), ..Default::default() },
        problem: Some("Nothing of clips.csv was taken: 2 of its lines cannot be used.".into()),
        findings: vec![
            finding(12, "There is no title. Give it one."),
            finding(48, "The date 32/01/2020 is none. Write it as 2020-01-31."),
        ],
        findings_unshown_count: 4,
        ..page.adding.unwrap_or_default()
    });
    page
}

fn facts() -> Vec<Fact> {
    vec![
        Fact::new("Aired", FactValue::Time("2014-03-02T06:00:00.000Z".into())),
        Fact::text("Length", "1:58:03.456"),
        Fact::new(
            "Bytes are in",
            FactValue::Link(Link::new("/objects/radio.example.edu/morning-show", "morning-show")),
        ),
        Fact::text("Media type", "audio/mpeg"),
        Fact::new("Priority", FactValue::Count(10)),
        Fact::new("First heard of", FactValue::Time("2026-11-01T06:00:00.000Z".into())),
        Fact::new(
            "SHA-256",
            FactValue::Digest(
                "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into(),
            ),
        ),
    ]
}

fn player() -> Option<Player> {
    Some(Player { href: "/research/episodes/704/media".into(), media_type: "audio/mpeg".into() })
}

fn troubles() -> Vec<ResearchTrouble> {
    vec![ResearchTrouble {
        about: Link::new("/research/clips/55", "Jingle 55: the bells"),
        code: "not_audio".into(),
        why: "The file is no audio that can be read: its first bytes are those of a PDF.".into(),
        tries: 5,
        at: "2026-11-15T22:00:00.000Z".into(),
        retry: None,
        retry_action: Some("/research/clips/55/retry".into()),
    }]
}

/// An episode with so many occurrences on its page.
pub(crate) fn one_episode(rows: u64) -> EpisodePage {
    let wave = (0..600_u16).map(|at| {
        let at = f32::from(at);
        let loud = 0.25 + 0.6 * (at / 37.0).sin().abs() * (at / 5.0).cos().abs();
        WavePair { low: -loud * 0.9, high: loud }
    });
    let offset =
        |at: u64| at as i64 * 115 * MINUTE / rows.max(1) as i64 + 3_456_789_012 - 5 * MINUTE / 60;
    EpisodePage {
        id: 704,
        title: "The Morning Show, no. 4".into(),
        description: "News, weather, and the jingle that everybody remembers.".into(),
        state: badge("Searched in part", Tone::Busy),
        facts: facts(),
        player: player(),
        duration_ns: Some(118 * MINUTE + 3_456_000_000),
        wave: wave.collect(),
        marks: (0..rows).map(offset).collect(),
        rows: (0..rows)
            .map(|at| OccurrenceRow {
                number: at + 1,
                clip: Link::new(
                    format!("/research/clips/{at}"),
                    format!("Jingle {at}: good morning"),
                ),
                offset_ns: offset(at),
                heard_ns: offset(at).max(0),
                extent_ns: 3_900_000_000 - at as i64 * 40_000_000,
                confidence_ppm: 999_900 - u32::try_from(at).unwrap_or(0) * 7_000,
                researcher: "lab-machine-1".into(),
                analyst: 3,
            })
            .collect(),
        pager: Pager { page: 1, per_page: 50, shown: rows, total: rows, ..Pager::default() },
        page_href: "/research/episodes/704?page=".into(),
        searched_count: 1_204,
        clip_count: 6_120,
        not_found_count: 1_190,
        troubles: troubles(),
        exports: ["csv", "json", "vtt", "cue"]
            .map(|kind| {
                let label = match kind {
                    "vtt" => "WebVTT".to_owned(),
                    "cue" => "Cue sheet".to_owned(),
                    _ => kind.to_uppercase(),
                };
                Link::new(format!("/research/episodes/704.{kind}"), label)
            })
            .to_vec(),
        may_search_again: true,
        analyst: 3,
    }
}

pub(crate) fn new_episode() -> EpisodePage {
    EpisodePage {
        id: 705,
        title: "The Morning Show, no. 5".into(),
        state: badge("Waits", Tone::Calm),
        facts: facts(),
        clip_count: 6_120,
        ..Default::default()
    }
}

pub(crate) fn one_clip(rows: u64) -> ClipPage {
    let row = |at: u64| ClipOccurrenceRow {
        episode: episode(at),
        aired: (at != 1).then(|| "2014-03-02T06:00:00.000Z".into()),
        player: (at != 2).then_some(player()).flatten(),
        offset_ns: at as i64 * 7 * MINUTE + 61_234_000_000,
        heard_ns: at as i64 * 7 * MINUTE + 61_234_000_000,
        extent_ns: 3_900_000_000,
        confidence_ppm: 987_654,
    };
    ClipPage {
        id: 9,
        title: "Jingle 9: good morning".into(),
        description: "The one with the bells.".into(),
        state: badge("Searched in part", Tone::Busy),
        facts: facts(),
        player: Some(Player {
            href: "/research/clips/9/media".into(),
            media_type: "audio/flac".into(),
        }),
        rows: (0..rows).map(row).collect(),
        pager: Pager { page: 1, per_page: 50, shown: rows, total: rows, ..Pager::default() },
        page_href: "/research/clips/9?page=".into(),
        searched_count: 2_100,
        episode_count: 4_018,
        found_in_count: rows,
        troubles: vec![],
        exports: vec![Link::new("/research/clips/9.csv", "CSV")],
        may_search_again: true,
        analyst: 3,
    }
}

pub(crate) fn leases(rows: u64) -> LeasesPage {
    let ended = |at: u64| EndedLeaseRow {
        lease: format!("0c9f6a7d-31d5-4c0c-9f6a-0000000{:05}", at),
        episode: episode(at),
        holder: format!("lab-machine-{}", at % 3),
        clip_count: 100,
        done_count: if at.is_multiple_of(3) { 41 } else { 100 },
        taken: "2026-11-16T03:50:00.000Z".into(),
        renewals: 100,
        ended: "2026-11-16T05:50:00.000Z".into(),
        ending: if at.is_multiple_of(3) {
            badge("Expired", Tone::Warn)
        } else {
            badge("Finished", Tone::Good)
        },
    };
    LeasesPage {
        live: (1..5).map(lease).collect(),
        live_unshown_count: 2,
        ended: (0..rows).map(ended).collect(),
        pager: Pager { page: 1, per_page: 25, shown: rows, total: 1_204, ..Pager::default() },
        may_revoke: true,
        now: NOW.into(),
    }
}

pub(crate) fn feeds() -> FeedsPage {
    let feed = |id: u64| FeedLine {
        id,
        kind: if id == 2 { "Clips" } else { "Episodes" }.into(),
        url: format!("podcast-{id}.example.org/feed?paged=1"),
        every_h: if id == 2 { 1 } else { 24 },
        state: match id {
            1 => badge("Read", Tone::Good),
            2 => badge("Incomplete", Tone::Warn),
            _ => badge("Not read yet", Tone::Calm),
        },
        outcome: match id {
            1 => "12 pages: 3 new episodes, 1 changed, 1,196 as before".into(),
            2 => "the feed could not be read: the other side answered 503".into(),
            _ => String::new(),
        },
        read: (id < 3).then(|| "2026-11-16T05:50:00.000Z".into()),
        next: "2026-11-17T05:50:00.000Z".into(),
    };
    FeedsPage {
        rows: (1..4).map(feed).collect(),
        may_keep: true,
        now: NOW.into(),
        ..FeedsPage::default()
    }
}

pub(crate) fn researchers() -> ResearchersPage {
    let command =
        |about: &str, command: &str| CommandLine { about: about.into(), command: command.into() };
    ResearchersPage {
        present: (0..4).map(researcher).collect(),
        present_seconds: 300.0,
        analyst: 3,
        packs: vec![
            command(
                "Take a lease, with its recordings, into a folder.",
                "strongroom research pack FOLDER",
            ),
            command("Bring back what was found.", "strongroom research unpack FOLDER"),
        ],
        now: NOW.into(),
        ..Default::default()
    }
}
