//! Research in a folder of its own, with time by hand; killed and opened again on demand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use storage::clock::{Clock, Timestamp};
use storage::registry::{
    Location, NewRecording, Occurrence, RecordingKind, Registry, SearchOutcome,
};
use storage::testing::{ManualClock, disagreements};
use storage::work::Store;
use storage::work::queue::Queue;

use crate::config::ResearchConfig;
use crate::research::{Bureau, Report, Researcher, Rules, Work};

pub(super) const MINUTE: Duration = Duration::from_secs(60);
pub(super) const HOUR: Duration = Duration::from_secs(3600);
pub(super) const ANALYST: u32 = 3;

pub(super) const CONFIG: ResearchConfig = ResearchConfig {
    lease: Duration::from_secs(2 * 3600),
    offer: Duration::from_secs(90 * 60),
    clips: 100,
    spare: 1,
    present: Duration::from_secs(300),
    tries: 3,
    aired_first: false,
};

pub(super) struct Rig {
    pub(super) clock: Arc<ManualClock>,
    pub(super) folder: tempfile::TempDir,
    config: ResearchConfig,
    open: Option<(Arc<Queue>, Bureau)>,
}

impl Rig {
    pub(super) fn new(config: ResearchConfig) -> Rig {
        let mut rig = Rig {
            clock: ManualClock::start(),
            folder: tempfile::tempdir().unwrap(),
            config,
            open: None,
        };
        rig.restart();
        rig
    }

    /// Kills the program, as far as one that is in the same process can be, and starts it again.
    pub(super) fn restart(&mut self) {
        self.open = None;
        self.open = Some(open(self.folder.path(), &self.clock, self.config));
    }

    pub(super) fn bureau(&self) -> &Bureau {
        &self.open.as_ref().unwrap().1
    }

    pub(super) fn queue(&self) -> &Arc<Queue> {
        &self.open.as_ref().unwrap().0
    }

    pub(super) fn store(&self) -> &Arc<Store> {
        self.queue().store()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Adds recordings that differ in nothing but their titles, and gives the first number.
    pub(super) fn add(&self, kind: RecordingKind, titles: impl Iterator<Item = String>) {
        let all: Vec<_> = titles.map(|title| recording(&title)).collect();
        self.bureau().add(kind, &all).unwrap();
    }

    /// Work for somebody, if there is some.
    pub(super) fn ask(&self, name: &str) -> Option<Work> {
        self.bureau().next_work(&researcher(name)).unwrap()
    }

    pub(super) fn assert_sound(&self) {
        let found = disagreements(self.queue(), self.now()).unwrap();
        assert_eq!(found, [""; 0]);
    }
}

pub(super) fn work_dir(dir: &Path) -> PathBuf {
    dir.join("work")
}

/// Opens what stands in a folder. Its file may still be held by the engine's own threads.
pub(super) fn open(
    dir: &Path,
    clock: &Arc<ManualClock>,
    config: ResearchConfig,
) -> (Arc<Queue>, Bureau) {
    let registry = Arc::new(Registry::open(&dir.join("registry.sqlite"), clock.now()).unwrap());
    let store = Store::open_sound(&work_dir(dir)).unwrap();
    let queue = Arc::new(Queue::open(Arc::new(store), Arc::clone(clock) as _).unwrap());
    let rules = Rules { config, analyst: ANALYST };
    let bureau = Bureau::open(registry, &queue, Arc::clone(clock) as _, rules).unwrap();
    (queue, bureau)
}

pub(super) fn researcher(name: &str) -> Researcher {
    Researcher { name: name.into(), analyst: ANALYST }
}

pub(super) fn recording(title: &str) -> NewRecording {
    NewRecording {
        title: title.into(),
        description: String::new(),
        date_aired: None,
        location: Location::File { path: format!("/audio/{title}.mp3") },
        media_type: "audio/mpeg".into(),
        curator: "test".into(),
        priority: 0,
        first_curated_at: None,
        last_curated_at: None,
    }
}

/// What a researcher says who has looked for one of its clips.
pub(super) fn report(lease: &str, (episode, clip): (u32, u32), offsets: &[i64]) -> Report {
    let at = |offset_ns: &i64| Occurrence {
        offset_ns: *offset_ns,
        extent_ns: 4_000_000_000,
        confidence_ppm: 900_000,
        heard_ns: None,
    };
    Report {
        lease: lease.into(),
        episode,
        clip,
        analyst: ANALYST,
        result: SearchOutcome::Searched { occurrences: offsets.iter().map(at).collect() },
        is_final: false,
        episode_facts: None,
        clip_facts: None,
        house: None,
    }
}
