//! Work that leaves in a folder, and comes back in it.

use std::io::Read;
use std::time::Duration;

use storage::registry::{Location, NewRecording, Recorded, Recording, RecordingKind};

use super::rig::{CONFIG, HOUR, Rig, recording, report};
use crate::research::{LeaseNow, pack};

#[test]
fn a_pack_is_held_for_days_and_its_results_come_back() {
    let rig = Rig::new(CONFIG);
    let folder = tempfile::tempdir().unwrap();
    let audio = folder.path().join("one.flac");
    byteio::durable::write(&audio, b"audio", false).unwrap();
    let here = Location::File { path: audio.to_str().unwrap().into() };
    let far = Location::Url { url: "https://example.org/e.mp3".into() };
    let of = |location, title| NewRecording { location, ..recording(title) };
    rig.bureau().add(RecordingKind::Episode, &[of(far, "e")]).unwrap();
    rig.bureau().add(RecordingKind::Clip, &[of(here.clone(), "a"), of(here, "b")]).unwrap();

    let work = rig.ask("cellar").unwrap();
    let held = rig.bureau().extend(&work.lease, Duration::from_secs(3 * 86_400)).unwrap().unwrap();
    assert_eq!(held.expires, rig.now().after(72 * HOUR));
    assert_eq!(rig.bureau().extend("unknown", HOUR).unwrap(), None);
    let dir = folder.path().join("pack");
    let mut fetch = |_: RecordingKind, it: &Recording| match &it.location {
        Location::File { path } => {
            Ok(Box::new(std::fs::File::open(path).unwrap()) as Box<dyn Read>)
        }
        Location::Url { .. } | Location::Vault { .. } => Err("nobody is there".to_owned()),
    };
    let packed = pack::write(&dir, "cellar", work.clone(), &mut fetch).unwrap();
    assert_eq!((packed.not_packed.len(), packed.not_packed[0].id), (1, work.episode.id));
    assert_eq!(pack::open(&dir).unwrap(), packed);
    for clip in ["media/clip-1.flac", "media/clip-2.flac"] {
        assert_eq!(std::fs::read(dir.join(clip)).unwrap(), b"audio");
    }
    assert!(pack::write(&dir, "cellar", work.clone(), &mut fetch).is_err(), "one folder, one pack");
    assert!(pack::read(&dir).unwrap().reports.is_empty(), "nothing has come back yet");

    rig.clock.advance(48 * HOUR);
    let lines =
        [1, 2].map(|clip| serde_json::to_string(&report(&work.lease, (1, clip), &[5])).unwrap());
    let text = format!("{}\nnonsense\n\n{}", lines[0], lines[1]);
    byteio::durable::write(&dir.join("results.jsonl"), text.as_bytes(), false).unwrap();
    let back = pack::read(&dir).unwrap();
    assert_eq!((back.researcher.as_str(), back.reports.len()), ("cellar", 2));
    assert_eq!((back.findings.len(), back.findings[0].line), (1, 2));
    for (at, told) in back.reports.iter().enumerate() {
        let receipt = rig.bureau().record(&back.researcher, told).unwrap();
        assert_eq!(receipt.recorded, Recorded::New);
        assert_eq!(receipt.lease == LeaseNow::Ended, at == 1);
        assert_eq!(rig.bureau().record("cellar", told).unwrap().recorded, Recorded::Again);
    }
}
