//! How long it takes to give out one piece of work with 10,000 episodes and 10,000 clips: the choice
//! of episode and clips, the lease, and its way to the medium. Prints times against their goal and
//! asserts nothing. The first argument is a folder on the disk to measure.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench for eyes")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use storage::clock::{Clock, SystemClock};
use storage::registry::{
    ClipSet, Error, Location, NewRecording, RecordingKind, Registry, SearchOutcome,
};
use storage::work::Store;
use storage::work::queue::Queue;
use strongroom::config::ResearchConfig;
use strongroom::research::{Bureau, Report, Researcher, Rules};

const EPISODES: u32 = 10_000;
const CLIPS: u32 = 10_000;
const GOAL: Duration = Duration::from_millis(5);
const RESEARCHERS: usize = 100;

fn main() {
    let given = std::env::args().nth(1).filter(|it| !it.starts_with('-'));
    let place = given.map_or_else(|| PathBuf::from("."), PathBuf::from);
    println!("## Research: one piece of work of {EPISODES} episodes x {CLIPS} clips");
    let nothing = |_: u32| ClipSet::default();
    measure(&place, "nothing was searched yet", nothing);
    // Every second clip: the bitmap that compresses worst.
    let half: ClipSet = (1..=CLIPS).step_by(2).collect();
    measure(&place, "every second pair was searched", |_| half.clone());
    let all: ClipSet = (1..=CLIPS).collect();
    measure(&place, "all but the last hundred episodes are complete", |episode| {
        if episode > EPISODES - 100 { half.clone() } else { all.clone() }
    });
}

fn recordings(word: &str, count: u32) -> Vec<NewRecording> {
    let made = |number| NewRecording {
        title: format!("{word} {number}"),
        description: String::new(),
        date_aired: None,
        location: Location::Url { url: format!("https://example.org/{word}/{number}.mp3") },
        media_type: "audio/mpeg".into(),
        curator: "bench".into(),
        priority: i32::try_from(number % 3).unwrap(),
        first_curated_at: None,
        last_curated_at: None,
    };
    (1..=count).map(made).collect()
}

fn measure(place: &std::path::Path, what: &str, searched: impl Fn(u32) -> ClipSet) {
    let folder = tempfile::Builder::new().prefix("bench-research-").tempdir_in(place).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let path = folder.path().join("registry.sqlite");
    let registry = Arc::new(Registry::open(&path, clock.now()).unwrap());
    for (kind, word, count) in
        [(RecordingKind::Episode, "episode", EPISODES), (RecordingKind::Clip, "clip", CLIPS)]
    {
        registry.add_recordings(kind, &recordings(word, count), clock.now()).unwrap();
    }
    let mut rows = (1..=EPISODES).filter_map(|episode| {
        let clips = searched(episode);
        (!clips.is_empty()).then(|| row(episode, &clips))
    });
    registry.retell(&mut || Ok::<_, Error>(rows.next())).unwrap();
    let store = Store::open_sound(&folder.path().join("work")).unwrap();
    let queue = Queue::open(Arc::new(store), Arc::clone(&clock)).unwrap();
    let config = ResearchConfig {
        lease: Duration::from_secs(7200),
        offer: Duration::from_secs(5400),
        clips: 100,
        spare: 1,
        present: Duration::from_secs(300),
        tries: 5,
        aired_first: false,
    };
    let rules = Rules { config, analyst: 1 };
    let bureau = Bureau::open(registry, &queue, Arc::clone(&clock), rules).unwrap();
    println!("\n{what}");
    let began = clock.steady();
    bureau.heartbeat("first", None).unwrap();
    bureau.next_work(&Researcher { name: "first".into(), analyst: 1 }).unwrap();
    println!("  the first, after a start  {:8.2} ms", ms(clock.steady() - began));
    let mut times = Vec::new();
    let mut results = Vec::new();
    for number in 0..RESEARCHERS {
        let researcher = Researcher { name: format!("researcher {number}"), analyst: 1 };
        let began = clock.steady();
        let work = bureau.next_work(&researcher).unwrap().expect("work");
        times.push(clock.steady() - began);
        let report = Report {
            lease: work.lease,
            episode: work.episode.id,
            clip: work.clips[0].id,
            analyst: 1,
            result: SearchOutcome::Searched { occurrences: Vec::new() },
            is_final: false,
            episode_facts: None,
            clip_facts: None,
            house: None,
        };
        let began = clock.steady();
        bureau.record(&researcher.name, &report).unwrap();
        results.push(clock.steady() - began);
    }
    print("one piece of work", times);
    print("one result", results);
}

fn row(episode: u32, clips: &ClipSet) -> (String, Value) {
    let hex: String = clips.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    ("research_searched".into(), json!({"episode_id": episode, "analyst": 1, "clips": hex}))
}

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let (middle, last) = (times[times.len() / 2], times[times.len() - 1]);
    println!(
        "  {what:<25} {:8.2} ms in the middle, {:8.2} ms at most (goal: below {} ms)",
        ms(middle),
        ms(last),
        GOAL.as_millis()
    );
}
