use std::time::Duration;

use storage::work::item::Subject;
use strongroom::config::StageOverrides;
use strongroom::work::{Done, Job, Policy, Pool, SlotReading, Step};

use crate::harness::{Acted, Rig, World, finding, only, passing, secs, stage, transient};

#[test]
fn what_a_stage_learns_about_the_subject_is_kept() {
    let stage = stage("a", |job: &Job<'_, World>| {
        assert_eq!(job.item.subject.size_bytes, 1);
        job.learn(Subject { size_bytes: 4096, object: Some(7), ..job.item.subject.clone() })?;
        Ok(Done::Advance)
    });
    let rig = Rig::new(only(vec![stage, passing("b")]));
    let id = rig.push("a");
    rig.step();
    let subject = rig.item(id).subject;
    assert_eq!((subject.size_bytes, subject.object, subject.name.as_str()), (4096, Some(7), "bag"));
    rig.drain();
}

#[test]
fn notes_and_findings_that_do_not_stop_it_are_kept_with_the_attempt() {
    let stage = stage("a", |job: &Job<'_, World>| {
        job.note("half way");
        job.finding(finding("data/a"));
        job.note("12 files, 1 of them odd");
        Ok(Done::Advance)
    });
    let rig = Rig::new(only(vec![stage, passing("b")]));
    let id = rig.push("a");
    rig.step();
    assert_eq!(rig.item(id).note, "12 files, 1 of them odd");
    let attempt = &rig.history(id)[0];
    assert_eq!((attempt.note.as_str(), attempt.findings.len()), ("12 files, 1 of them odd", 1));
    rig.drain();
}

#[test]
fn findings_made_before_a_fault_are_not_lost() {
    let stage = stage("a", |job: &Job<'_, World>| {
        job.finding(finding("data/a"));
        Err(transient("away"))
    });
    let rig = Rig::new(only(vec![stage]));
    let id = rig.push("a");
    rig.drain();
    assert_eq!(rig.history(id)[0].findings.len(), 1);
    rig.drain_all();
}

/// A stage that takes a second for every kilobyte.
fn measured(patience: Duration) -> Acted<World> {
    stage("a", |job: &Job<'_, World>| {
        job.app.say(format!("{}", expected(job.app).as_secs()));
        job.app.clock.advance(secs(job.item.subject.size_bytes / 1000));
        Ok(Done::Advance)
    })
    .policy(move |policy| Policy { patience, ..policy })
}

/// What health is told about the attempt under way.
fn expected(app: &World) -> Duration {
    let shop = app.shop();
    let now = shop.clock.steady();
    let running = shop.board.running(now);
    assert_eq!(running.len(), 1, "{running:?}");
    Duration::from_secs_f64(running[0].expected_s)
}

#[test]
fn the_expected_duration_is_learned_and_rises_with_size() {
    let mut rig = Rig::new(only(vec![measured(secs(1))]));
    for _ in 0..5 {
        rig.push_sized("a", 10_000);
        rig.drain();
    }
    rig.restart();
    for size in [5_000, 10_000, 50_000] {
        rig.push_sized("a", size);
        rig.drain();
    }
    // Patience before anything is known; twice the mean of ten seconds after; more for a large one.
    // The small one in between pulls mean duration and mean size down alike.
    let said = rig.app().said();
    assert_eq!(said[..2], ["1", "20"]);
    let last: Vec<u64> = said[5..].iter().map(|said| said.parse().unwrap()).collect();
    assert_eq!(last[0], 20);
    assert!((18..=20).contains(&last[1]), "{last:?}");
    assert!((95..=105).contains(&last[2]), "{last:?}");
}

#[test]
fn the_expected_duration_is_never_less_than_the_patience() {
    let rig = Rig::new(only(vec![measured(secs(300))]));
    for _ in 0..3 {
        rig.push_sized("a", 10_000);
        rig.drain();
    }
    assert_eq!(rig.app().said(), ["300", "300", "300"]);
}

#[test]
fn a_stage_that_knows_better_is_believed() {
    let stage = measured(secs(1)).expected(|item| Some(secs(item.subject.size_bytes / 100)));
    let rig = Rig::new(only(vec![stage]));
    rig.push_sized("a", 70_000);
    rig.drain();
    assert_eq!(rig.app().said(), ["700"]);
}

#[test]
fn attempts_that_failed_teach_nothing_about_the_pace() {
    let stage = stage("a", |job: &Job<'_, World>| {
        job.app.clock.advance(secs(5));
        Err(transient("away"))
    });
    let rig = Rig::new(only(vec![stage]));
    rig.push("a");
    rig.drain_all();
    assert_eq!(rig.queue().store().pace("a").unwrap().runs, 0);
}

#[test]
fn the_board_shows_the_attempt_under_way_and_forgets_it_after() {
    let stage = stage("a", |job: &Job<'_, World>| {
        job.total(10);
        job.advance(3);
        job.app.clock.advance(secs(4));
        let shop = job.app.shop();
        let running = shop.board.running(shop.clock.steady()).pop().unwrap();
        assert_eq!((running.item, running.done, running.total), (job.item.id.0, 3, 10));
        assert_eq!((running.topic, running.took_s), ("a", 4.0));
        assert!(shop.pools.saturation(Pool::Disk) > 0.0);
        Ok(Done::Advance)
    });
    let rig = Rig::new(only(vec![stage]));
    rig.push("a");
    rig.drain();
    assert!(rig.shop().board.running(secs(99)).is_empty());
    assert!(rig.shop().pools.saturation(Pool::Disk).abs() < f64::EPSILON);
    let slot = SlotReading { heartbeat: Some(secs(4)), task: None };
    assert_eq!(rig.shop().board.readings()[0].slots, [slot]);
    assert!(rig.shop().board.readings()[0].ready);
}

#[test]
fn a_checkpoint_shows_a_sign_of_life() {
    let stage = stage("a", |job: &Job<'_, World>| {
        job.app.clock.advance(secs(7));
        job.checkpoint()?;
        assert_eq!(job.app.shop().board.readings()[0].slots[0].heartbeat, Some(secs(7)));
        Ok(Done::Advance)
    });
    let rig = Rig::new(only(vec![stage]));
    let id = rig.push("a");
    rig.drain();
    assert_eq!(rig.word(id), "finished");
}

#[test]
fn the_operator_s_settings_replace_those_of_the_stage() {
    let toml = "[stage.a]\nworkers = 5\nbuffer = 2\nmax_attempts = 2\nretry_s = 7\n\
                lease_s = 30\npatience_s = 11\n";
    let failing = stage("a", |_: &Job<'_, World>| Err(transient("away")))
        .policy(|policy| Policy { pool: Pool::Net, ..policy });
    let rig = Rig::configured(only(vec![failing, passing("b")]), toml);
    let of = |topic| rig.shop().chart.find(topic).unwrap().1.policy;
    let asked = StageOverrides {
        workers: Some(5),
        buffer: Some(2),
        max_attempts: Some(2),
        retry: Some(secs(7)),
        lease: Some(secs(30)),
        patience: Some(secs(11)),
    };
    let own = Policy { pool: Pool::Net, workers: 1, buffer: 1, ..Policy::DISK };
    assert_eq!(of("a"), own.with(asked));
    assert_eq!((of("b").workers, of("b").max_attempts), (1, 3), "others keep their own");
    assert_eq!(rig.shop().board.readings()[0].slots.len(), 2, "no more than the buffer");

    let id = rig.push("a");
    rig.drain();
    rig.clock.advance(Duration::from_millis(5_500));
    assert_eq!(rig.step(), Step::Idle);
    rig.clock.advance(Duration::from_millis(3_000));
    assert_eq!(rig.drain(), 1);
    assert_eq!((rig.word(id), rig.strikes(id).attempts), ("parked", 2));
}

#[test]
fn the_parallel_part_of_a_stage_can_be_interrupted_and_may_panic() {
    let stage = stage("a", |job: &Job<'_, World>| {
        if job.app.count("a") == 0 {
            job.app.say("a");
            job.enter(Pool::Cpu, || panic!("in a thread of the pool"));
        }
        job.enter(Pool::Cpu, || job.checkpoint())?;
        Ok(Done::Advance)
    });
    let rig = Rig::new(only(vec![stage]));
    let id = rig.push("a");
    rig.drain();
    assert_eq!(rig.item(id).note, "a mistake in the program: in a thread of the pool");
    rig.drain_all();
    assert_eq!(rig.word(id), "finished");
}
