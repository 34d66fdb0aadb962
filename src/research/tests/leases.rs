//! What becomes of leases: taken, extended, ended, late, lost, and who counts.

use storage::registry::{
    MediaFacts, Occurrence, Recorded, RecordingKind, SearchOutcome, TroubleAbout,
};

use super::rig::{ANALYST, CONFIG, HOUR, MINUTE, Rig, report};
use crate::config::ResearchConfig;
use crate::research::{LeaseNow, Report, Work};

fn small() -> Rig {
    let rig = Rig::new(ResearchConfig { clips: 2, ..CONFIG });
    rig.add(RecordingKind::Clip, (1..=4).map(|it| format!("c{it}")));
    rig.add(RecordingKind::Episode, (1..=2).map(|it| format!("e{it}")));
    rig
}

fn endings(rig: &Rig) -> Vec<(String, String)> {
    let rows = rig.bureau().history(None, 100).unwrap();
    rows.into_iter().map(|row| (row.researcher, row.ending)).collect()
}

#[test]
fn results_extend_and_the_last_one_ends() {
    let rig = small();
    let work = rig.ask("ann").unwrap();
    assert_eq!(work.expires, rig.now().after(2 * HOUR));
    rig.clock.advance(119 * MINUTE);
    let told = report(&work.lease, (1, 1), &[3, -2, 3]);
    let receipt = rig.bureau().record("ann", &told).unwrap();
    let until = rig.now().after(2 * HOUR);
    assert_eq!((receipt.recorded, receipt.lease), (Recorded::New, LeaseNow::Extended { until }));
    // Asking again gives the same work, with what is left of it.
    let again = rig.ask("ann").unwrap();
    assert_eq!((again.lease.as_str(), again.clips.len()), (work.lease.as_str(), 1));
    rig.clock.advance(119 * MINUTE);
    let receipt = rig.bureau().record("ann", &report(&work.lease, (1, 2), &[])).unwrap();
    assert_eq!(receipt.lease, LeaseNow::Ended, "nothing is left");
    assert_eq!(endings(&rig), [("ann".into(), "finished".into())]);
    let found = rig.bureau().of_episode(1).unwrap().unwrap().found;
    let offsets: Vec<i64> = found[0].occurrences.iter().map(|it| it.offset_ns).collect();
    assert_eq!(offsets, [-2, 3], "all of them, in order, each once");
    rig.assert_sound();
}

#[test]
fn late_strange_and_repeated_results_are_recorded_and_touch_nothing_else() {
    let rig = small();
    let old = rig.ask("ann").unwrap();
    rig.clock.advance(2 * HOUR);
    let new = rig.ask("bob").unwrap();
    assert_eq!(old.clips, new.clips, "what ran out is offered again");
    let before = rig.bureau().holdings().unwrap();
    let not_theirs = |name: &str, told: &Report, recorded| {
        let receipt = rig.bureau().record(name, told).unwrap();
        assert_eq!((receipt.recorded, receipt.lease), (recorded, LeaseNow::NotTheirs), "{name}");
    };
    let late = Report { is_final: true, ..report(&old.lease, (1, 1), &[8]) };
    not_theirs("ann", &late, Recorded::New);
    not_theirs("ann", &late, Recorded::Again);
    not_theirs("eve", &Report { is_final: true, ..report(&new.lease, (1, 2), &[]) }, Recorded::New);
    not_theirs("eve", &report("never-heard-of", (2, 4), &[]), Recorded::New);
    // Under a lease of its own, about a pair that is not in it.
    not_theirs("bob", &report(&new.lease, (2, 3), &[]), Recorded::New);
    assert_eq!(rig.bureau().heartbeat("ann", Some(&old.lease)).unwrap().expires, None);
    assert!(!rig.bureau().finish("ann", &new.lease).unwrap());
    assert_eq!(rig.bureau().holdings().unwrap(), before, "bob holds what he held");
    // He finds out that all of it was done, and goes on.
    let receipt = rig.bureau().record("bob", &report(&new.lease, (1, 1), &[])).unwrap();
    assert_eq!(receipt.recorded, Recorded::Again);
    rig.bureau().record("bob", &report(&new.lease, (1, 2), &[])).unwrap();
    let next = rig.ask("bob").unwrap();
    assert_eq!(next.clips.iter().map(|clip| clip.id).collect::<Vec<_>>(), [3, 4]);
    rig.assert_sound();
}

#[test]
fn a_person_revokes_and_the_holder_disturbs_nobody() {
    let rig = small();
    let work = rig.ask("ann").unwrap();
    let revoked = rig.bureau().revoke(&work.lease).unwrap().unwrap();
    assert_eq!(revoked.holder.as_deref(), Some("ann"));
    assert_eq!(rig.bureau().revoke(&work.lease).unwrap(), None);
    let receipt = rig.bureau().record("ann", &report(&work.lease, (1, 1), &[])).unwrap();
    assert_eq!((receipt.recorded, receipt.lease), (Recorded::New, LeaseNow::NotTheirs));
    assert_eq!(rig.ask("bob").unwrap().clips[0].id, 2, "what was recorded is not asked for again");
    assert_eq!(endings(&rig), [("ann".into(), "revoked".into())]);
}

#[test]
fn the_same_leases_stand_after_a_restart() {
    let mut rig = small();
    let work = rig.ask("ann").unwrap();
    rig.bureau().record("ann", &report(&work.lease, (1, 1), &[])).unwrap();
    rig.restart();
    let again = rig.ask("ann").unwrap();
    assert_eq!((&again.lease, again.clips.len()), (&work.lease, 1));
    let receipt = rig.bureau().record("ann", &report(&work.lease, (1, 2), &[])).unwrap();
    assert_eq!(receipt.lease, LeaseNow::Ended);
    assert_ne!(rig.ask("ann").unwrap().lease, work.lease);
}

#[test]
fn offers_are_one_more_than_researchers_who_are_there_and_lapse_before_their_lease() {
    let rig = Rig::new(ResearchConfig { clips: 1, ..CONFIG });
    rig.add(RecordingKind::Clip, (1..=9).map(|it| format!("c{it}")));
    rig.add(RecordingKind::Episode, std::iter::once("e".into()));
    let out = || rig.bureau().holdings().unwrap().len();
    let keep = || rig.bureau().keep().unwrap();
    assert_eq!((keep().offered, out()), (1, 1), "nobody is there: one waits");
    assert_eq!((keep().offered, out()), (0, 1));
    for name in ["ann", "bob", "cid"] {
        rig.bureau().heartbeat(name, None).unwrap();
    }
    assert_eq!((keep().offered, out()), (3, 4), "three researchers, four items");
    rig.ask("ann").unwrap();
    assert_eq!((keep().offered, out()), (0, 4), "what she has counts");
    // All but bob fall silent: what ann has is still hers, and holds nobody up.
    rig.clock.advance(4 * MINUTE);
    rig.bureau().heartbeat("bob", None).unwrap();
    rig.clock.advance(2 * MINUTE);
    assert_eq!(rig.bureau().census().len(), 1);
    rig.ask("bob").unwrap();
    assert_eq!(out(), 4);
    assert_eq!(keep().offered, 0, "two on offer and bob's are more than enough for bob");
    rig.clock.advance(89 * MINUTE);
    let kept = keep();
    assert_eq!(kept.lapsed, 2, "offers end after 90 minutes, leases after two hours");
    assert_eq!(kept.offered, 1);
    rig.assert_sound();
}

#[test]
fn what_fails_waits_longer_each_time_and_then_for_a_person() {
    let rig = Rig::new(ResearchConfig { tries: 2, ..CONFIG });
    rig.add(RecordingKind::Clip, ["good", "bad"].map(String::from).into_iter());
    rig.add(RecordingKind::Episode, ["e1", "e2"].map(String::from).into_iter());
    let failed = |lease: &str, episode| Report {
        result: SearchOutcome::Failed {
            about: TroubleAbout::Clip,
            code: "decode".into(),
            why: "the file is no audio".into(),
        },
        ..report(lease, (episode, 2), &[])
    };
    let work = rig.ask("ann").unwrap();
    rig.bureau().record_here("ann", &failed(&work.lease, 1)).unwrap();
    rig.bureau().record("ann", &report(&work.lease, (1, 1), &[])).unwrap();
    let work = rig.ask("ann").unwrap();
    assert_eq!(work.clips.len(), 1, "the bad one is not looked for in the next episode either");
    rig.bureau().record("ann", &report(&work.lease, (2, 1), &[])).unwrap();
    assert_eq!(rig.ask("ann"), None);
    rig.clock.advance(11 * MINUTE);
    let work = rig.ask("ann").unwrap();
    assert_eq!(work.clips[0].title, "bad");
    rig.bureau().record_here("ann", &failed(&work.lease, work.episode.id)).unwrap();
    rig.clock.advance(240 * HOUR);
    assert_eq!(rig.ask("ann"), None, "twice is enough");
    let told = rig.bureau().of_clip(2).unwrap().unwrap().troubles;
    assert_eq!((told[0].tries, told[0].retry_at, told[0].code.as_str()), (2, None, "decode"));
    assert!(rig.bureau().retry(RecordingKind::Clip, 2).unwrap());
    let work = rig.ask("ann").unwrap();
    rig.bureau().record("ann", &report(&work.lease, (work.episode.id, 2), &[])).unwrap();
    assert_eq!(rig.bureau().of_clip(2).unwrap().unwrap().troubles, []);
}

#[test]
fn what_one_elsewhere_cannot_read_holds_up_nothing_but_its_pair_until_a_third_lease_says_so() {
    let rig = Rig::new(CONFIG);
    rig.add(RecordingKind::Clip, ["good", "bad"].map(String::from).into_iter());
    rig.add(RecordingKind::Episode, (1..=5).map(|it| format!("e{it}")));
    let failed = |work: &Work, about, clip| {
        let result = SearchOutcome::Failed { about, code: "damaged".into(), why: "cut".into() };
        Report { result, ..report(&work.lease, (work.episode.id, clip), &[]) }
    };
    let mut codes: Vec<Vec<(bool, String)>> = Vec::new();
    for lease in 1..=3 {
        let work = rig.ask("ann").unwrap();
        assert_eq!(work.clips.len(), 2, "lease {lease}: others may have better copies");
        rig.bureau().record("ann", &failed(&work, TroubleAbout::Clip, 2)).unwrap();
        rig.bureau().record("ann", &report(&work.lease, (work.episode.id, 1), &[])).unwrap();
        let troubles = rig.bureau().of_clip(2).unwrap().unwrap().troubles;
        codes.push(troubles.into_iter().map(|it| (it.episode.is_some(), it.code)).collect());
    }
    let pair = (true, "clip-damaged".to_owned());
    let all: [Vec<_>; 3] =
        [vec![pair.clone()], vec![pair.clone(), pair], vec![(false, "damaged".to_owned())]];
    assert_eq!(codes, all);
    let work = rig.ask("ann").unwrap();
    assert_eq!(work.clips.len(), 1, "it is believed now");
    rig.assert_sound();
}

#[test]
fn an_episode_that_one_elsewhere_cannot_read_is_offered_again_at_once() {
    let rig = Rig::new(CONFIG);
    rig.add(RecordingKind::Clip, (1..=4).map(|it| format!("c{it}")));
    rig.add(RecordingKind::Episode, ["e"].map(String::from).into_iter());
    for (name, left) in [("ann", 4), ("bob", 3), ("cid", 2)] {
        let work = rig.ask(name).unwrap();
        assert_eq!(work.clips.len(), left, "all but the pairs that were told of");
        let result = SearchOutcome::Failed {
            about: TroubleAbout::Episode,
            code: "not-audio".into(),
            why: "this is not a recording".into(),
        };
        let told = report(&work.lease, (1, work.clips[0].id), &[]);
        rig.bureau().record(name, &Report { result, is_final: true, ..told }).unwrap();
    }
    assert_eq!(rig.ask("dan"), None, "three are believed");
    let troubles = rig.bureau().of_episode(1).unwrap().unwrap().troubles;
    assert_eq!((troubles.len(), troubles[0].clip, troubles[0].tries), (1, None, 1));
    rig.clock.advance(11 * MINUTE);
    assert_eq!(rig.ask("dan").unwrap().clips.len(), 4, "and it is tried again later");
}

#[test]
fn garbage_is_refused_with_a_sentence() {
    let rig = small();
    let work = rig.ask("ann").unwrap();
    let before = rig.bureau().holdings().unwrap();
    let plain = report(&work.lease, (1, 1), &[]);
    let facts = |duration_ns, sha256: &str| Some(measured(duration_ns, sha256));
    let at = |offset_ns, extent_ns, confidence_ppm| SearchOutcome::Searched {
        occurrences: vec![Occurrence { offset_ns, extent_ns, confidence_ppm, heard_ns: None }],
    };
    let digest = "0".repeat(64);
    let one = Occurrence { offset_ns: 1, extent_ns: 1, confidence_ppm: 1, heard_ns: None };
    let (unheard, many) = (vec![Occurrence { heard_ns: Some(-1), ..one }], vec![one; 10_001]);
    let failed = |code: &str, why: &str| SearchOutcome::Failed {
        about: TroubleAbout::Pair,
        code: code.into(),
        why: why.into(),
    };
    for (told, sentence) in [
        (Report { episode: 77, ..plain.clone() }, "episode 77 is not in the registry"),
        (Report { clip: 0, ..plain.clone() }, "clip 0 is not in the registry"),
        (
            Report { analyst: u32::MAX, ..plain.clone() },
            "the analyst's version must be 1 to 1,000,000",
        ),
        (
            Report { episode_facts: facts(-1, &digest), ..plain.clone() },
            "a duration must be 0 ns to 36 hours",
        ),
        (
            Report { clip_facts: facts(1, "ABC"), ..plain.clone() },
            "a digest must be 64 digits of 0-9 and a-f",
        ),
        (
            Report { result: at(50, 1, 1), episode_facts: facts(50, &digest), ..plain.clone() },
            "an occurrence must be in the episode, and 50 ns is not",
        ),
        (
            Report { result: at(i64::MIN, 1, 1), ..plain.clone() },
            "an occurrence must be in the episode, and -9223372036854775808 ns is not",
        ),
        (
            Report { result: at(0, 9, 1), clip_facts: facts(8, &digest), ..plain.clone() },
            "an occurrence must not extend beyond its clip",
        ),
        (
            Report { result: at(0, 1, 1_000_001), ..plain.clone() },
            "an occurrence must have a confidence of 0 to 1,000,000",
        ),
        (
            Report { result: SearchOutcome::Searched { occurrences: unheard }, ..plain.clone() },
            "an occurrence must be heard within the episode",
        ),
        (
            Report { result: SearchOutcome::Searched { occurrences: many }, ..plain.clone() },
            "an occurrence may be one of 10000 at most",
        ),
        (
            Report { result: failed("Not Plain", "x"), ..plain.clone() },
            "the code must be 1 to 64 of a-z, 0-9 and -",
        ),
        (
            Report { result: failed("fetch", "two\nlines"), ..plain.clone() },
            "the reason must be one line of up to 1,000 bytes",
        ),
    ] {
        let refused = rig.bureau().record("ann", &told).unwrap_err();
        assert!(refused.is_callers(), "{refused}");
        assert_eq!(refused.to_string(), sentence);
    }
    assert_eq!(rig.bureau().holdings().unwrap(), before);
    assert_eq!(rig.bureau().registry.searched(1).unwrap(), []);
}

#[test]
fn names_that_are_none_are_refused() {
    let rig = small();
    let work = rig.ask("ann").unwrap();
    let plain = report(&work.lease, (1, 1), &[]);
    assert_eq!(plain.analyst, ANALYST);
    for name in ["", " ann", "a\nb", &"a".repeat(129)] {
        assert!(rig.bureau().record(name, &plain).unwrap_err().is_callers(), "{name:?}");
    }
    assert_eq!(rig.bureau().registry.searched(1).unwrap(), []);
}

fn measured(duration_ns: i64, sha256: &str) -> MediaFacts {
    MediaFacts { duration_ns, sha256: sha256.into(), peaks: Vec::new(), notes: Vec::new() }
}
