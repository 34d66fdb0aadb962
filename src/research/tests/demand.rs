//! The numbers that tell how many researchers are of use.

use storage::registry::{RecordingKind, SearchOutcome, TroubleAbout};

use super::rig::{CONFIG, HOUR, MINUTE, Rig, report};
use crate::config::ResearchConfig;
use crate::research::{Demand, Load, Pairs, Report};

/// Four clips, two episodes, and one failure is enough to give up.
fn small() -> Rig {
    let rig = Rig::new(ResearchConfig { clips: 2, tries: 1, ..CONFIG });
    rig.add(RecordingKind::Clip, (1..=4).map(|it| format!("c{it}")));
    rig.add(RecordingKind::Episode, (1..=2).map(|it| format!("e{it}")));
    rig
}

fn failed(lease: &str, (episode, clip): (u32, u32), about: TroubleAbout) -> Report {
    let outcome = SearchOutcome::Failed { about, code: "decode".into(), why: "broken".into() };
    Report { result: outcome, ..report(lease, (episode, clip), &[]) }
}

#[test]
fn pairs_are_counted_once_as_left_searched_or_failed() {
    let rig = small();
    let pairs = || rig.bureau().pairs().unwrap();
    assert_eq!(pairs(), Pairs { left: 8, searched: 0, failed: 0 });
    let work = rig.ask("ann").unwrap();
    rig.bureau().record("ann", &report(&work.lease, (1, 1), &[5])).unwrap();
    assert_eq!(pairs(), Pairs { left: 7, searched: 1, failed: 0 });
    rig.bureau().record("ann", &report(&work.lease, (1, 1), &[5])).unwrap();
    assert_eq!(pairs(), Pairs { left: 7, searched: 1, failed: 0 }, "told twice, counted once");
    // A pair that is given up, and then a clip of which one pair was searched and one given up.
    rig.bureau().record_here("ann", &failed(&work.lease, (1, 2), TroubleAbout::Pair)).unwrap();
    assert_eq!(pairs(), Pairs { left: 6, searched: 1, failed: 1 });
    let work = rig.ask("bob").unwrap();
    let clip = work.clips[0].id;
    let whole = failed(&work.lease, (work.episode.id, clip), TroubleAbout::Clip);
    rig.bureau().record_here("bob", &whole).unwrap();
    let now = pairs();
    assert_eq!(now.left + now.searched + now.failed, 8, "{now:?}");
    assert_eq!((now.searched, now.failed), (1, 3), "{now:?}");
    rig.bureau().retry(RecordingKind::Clip, clip).unwrap();
    assert_eq!(pairs(), Pairs { left: 6, searched: 1, failed: 1 });
    rig.bureau().remove(RecordingKind::Episode, 2).unwrap();
    assert_eq!(pairs(), Pairs { left: 2, searched: 1, failed: 1 });
}

#[test]
fn offers_leases_researchers_and_the_oldest_of_them_are_counted() {
    let rig = small();
    let load = || rig.bureau().load().unwrap();
    assert_eq!(
        rig.bureau().demand().unwrap(),
        Demand { pairs: Pairs { left: 8, ..Pairs::default() }, load: Load::default() }
    );
    rig.bureau().keep().unwrap();
    rig.clock.advance(3 * MINUTE);
    let waiting = Load { offers: 1, oldest_offer_s: 180, ..Load::default() };
    assert_eq!(load(), waiting);
    rig.ask("ann").unwrap();
    rig.clock.advance(2 * MINUTE);
    let ann = Load { leases: 1, researchers: 1, oldest_lease_s: 120, ..Load::default() };
    assert_eq!(load(), ann);
    rig.ask("bob").unwrap();
    rig.clock.advance(MINUTE);
    assert_eq!(load(), Load { leases: 2, researchers: 2, oldest_lease_s: 180, ..ann });
    // Who is not heard of is gone, and what they had is out until its lease ends.
    rig.clock.advance(HOUR);
    assert_eq!(load(), Load { leases: 2, researchers: 0, oldest_lease_s: 3780, ..ann });
    rig.clock.advance(2 * HOUR);
    assert_eq!(load(), Load::default());
}
