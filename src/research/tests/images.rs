//! What a kill at any moment leaves behind: the folder as it is at every durable point of the work
//! state, opened again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use storage::clock::Clock;
use storage::registry::RecordingKind;
use storage::testing::{after_each_barrier, copy_folder, disagreements};

use super::rig::{CONFIG, HOUR, MINUTE, Rig, open, report, researcher};
use crate::config::ResearchConfig;
use crate::research::Bureau;

const SMALL: ResearchConfig = ResearchConfig { clips: 3, ..CONFIG };

type Pairs = BTreeSet<(u32, u32)>;

/// Pairs that were acknowledged.
fn searched(bureau: &Bureau) -> Pairs {
    let mut pairs = Pairs::new();
    bureau
        .registry
        .each_searched(&mut |episode, searched| {
            let clips = searched.iter().flat_map(|it| it.clips.iter());
            pairs.extend(clips.map(|clip| (episode, clip)));
        })
        .unwrap();
    pairs
}

/// Offers, claims, results, ends, a revocation, and leases that run out.
fn acts(rig: &Rig, acknowledged: &Mutex<Pairs>) {
    for round in 0..12 {
        let name = ["ann", "bob", "cid"][round % 3];
        let Some(work) = rig.ask(name) else {
            rig.clock.advance(HOUR);
            continue;
        };
        for clip in work.clips.iter().take(1 + round % 3) {
            let pair = (work.episode.id, clip.id);
            rig.bureau().record(name, &report(&work.lease, pair, &[7])).unwrap();
            acknowledged.lock().unwrap().insert(pair);
        }
        match round {
            3 => drop(rig.bureau().revoke(&work.lease).unwrap()),
            5 => rig.clock.advance(2 * HOUR),
            7 => assert!(rig.bureau().finish(name, &work.lease).is_ok()),
            _ => rig.clock.advance(MINUTE),
        }
        rig.bureau().keep().unwrap();
    }
}

#[test]
fn an_image_at_every_barrier_holds_what_was_acknowledged_and_goes_on() {
    let rig = Rig::new(SMALL);
    rig.add(RecordingKind::Clip, (1..=8).map(|it| format!("c{it}")));
    rig.add(RecordingKind::Episode, (1..=3).map(|it| format!("e{it}")));
    let images = tempfile::tempdir().unwrap();
    let acknowledged: Arc<Mutex<Pairs>> = Arc::default();
    let taken: Arc<Mutex<Vec<(PathBuf, Pairs)>>> = Arc::default();
    let (from, to) = (rig.folder.path().to_owned(), images.path().to_owned());
    let (known, log) = (Arc::clone(&acknowledged), Arc::clone(&taken));
    after_each_barrier(rig.store(), move || {
        let mut log = log.lock().unwrap();
        let image = to.join(log.len().to_string());
        copy_folder(&from, &image).unwrap();
        log.push((image, known.lock().unwrap().clone()));
    });
    acts(&rig, &acknowledged);
    let taken = taken.lock().unwrap();
    assert!(taken.len() > 30, "{} images", taken.len());
    for (number, (image, known)) in taken.iter().enumerate() {
        let (queue, bureau) = open(image, &rig.clock, SMALL);
        assert_eq!(disagreements(&queue, rig.now()).unwrap(), [""; 0], "image {number}");
        assert!(known.is_subset(&searched(&bureau)), "image {number} has lost a result");
        let mut out: BTreeMap<(u32, u32), String> = BTreeMap::new();
        for it in bureau.assignments.list(100).unwrap() {
            for clip in it.clips {
                let other = out.insert((it.episode, clip), it.id.clone());
                assert_eq!(other, None, "image {number}");
            }
        }
        if number % 9 == 0 {
            finishes(&rig, &bureau, number);
        }
    }
}

/// One good researcher comes, and everything is done.
fn finishes(rig: &Rig, bureau: &Bureau, number: usize) {
    for _ in 0..20 {
        while let Some(work) = bureau.next_work(&researcher("dan")).unwrap() {
            for clip in &work.clips {
                let told = report(&work.lease, (work.episode.id, clip.id), &[]);
                bureau.record("dan", &told).unwrap();
            }
        }
        if searched(bureau).len() == 24 {
            return;
        }
        rig.clock.advance(HOUR);
    }
    panic!("image {number} is not finished at {}", rig.clock.now());
}
