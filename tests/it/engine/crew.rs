use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use storage::testing::{ManualClock, copy_folder};
use strongroom::work::{Done, Flow, Foreman, Job, OnStop, Policy, Status};

use crate::harness::{
    Acted, Rig, World, flow, lock, only, open_shop, passing, secs, stage, transient, wait_for,
};
use crate::house::DEADLINE;

fn crowd(stage: Acted<World>) -> Acted<World> {
    stage.policy(|policy| Policy { workers: 3, buffer: 7, ..policy })
}

fn leak(flows: Vec<Flow<World>>) -> &'static [Flow<World>] {
    crate::harness::leak(flows)
}

#[test]
fn a_crew_finishes_two_hundred_items_of_three_stages_each_once() {
    let first = ["a", "b", "c"].map(passing).map(crowd);
    let second = ["x", "y"].map(passing).map(crowd);
    let flows = leak(vec![flow("first", first.into()), flow("second", second.into())]);
    let mut rig = Rig::new(flows);
    let ids: Vec<_> = (0..200).map(|_| rig.push("a")).collect();
    let others: Vec<_> = (0..20).map(|_| rig.push("x")).collect();
    let crew = rig.take_foreman().run().unwrap();
    let queue = rig.queue();
    wait_for(queue, "all items", || rig.items().iter().all(|item| item.state.is_terminal()));
    assert!(rig.shop().board.readings().iter().all(|it| it.status == Status::Running as i32));
    assert_eq!(crew.stop(secs(10)), 0);
    assert!(rig.shop().board.readings().iter().all(|it| it.status == Status::Stopped as i32));
    for topic in ["a", "b", "c"] {
        assert_eq!(rig.app().count(topic), ids.len(), "{topic}");
        let counts = queue.topic(topic).unwrap().counts;
        assert_eq!((counts.done, counts.retried), (200, 0), "{topic}");
    }
    for id in ids.iter().chain(&others) {
        assert_eq!(rig.word(*id), "finished");
    }
}

/// A stage that says `begun` and then waits for a word from the test at every checkpoint, or
/// without any.
fn waiting(begun: Sender<()>, word: Receiver<()>, checkpoints: bool) -> Acted<World> {
    let word = Mutex::new(word);
    stage("a", move |job: &Job<'_, World>| {
        begun.send(()).unwrap();
        loop {
            if checkpoints {
                job.checkpoint()?;
            }
            if lock(&word).recv_timeout(Duration::from_millis(5)).is_ok() {
                return Ok(Done::Advance);
            }
        }
    })
}

#[test]
fn a_stop_waits_for_the_next_checkpoint_and_returns_everything_at_no_cost() {
    let (begun, seen) = mpsc::channel();
    let (_word, heard) = mpsc::channel();
    let flows = leak(vec![flow("test", vec![crowd(waiting(begun, heard, true))])]);
    let mut rig = Rig::new(flows);
    let ids: Vec<_> = (0..20).map(|_| rig.push("a")).collect();
    let crew = rig.take_foreman().run().unwrap();
    for _ in 0..3 {
        seen.recv_timeout(DEADLINE).unwrap();
    }
    // The manual clock stands still, so the grace never ends: only reaching checkpoints does.
    assert_eq!(crew.stop(secs(20)), 0);
    for id in ids {
        let strikes = rig.strikes(id);
        assert_eq!((rig.word(id), strikes.attempts, strikes.crashes), ("ready", 0, 0));
    }
}

#[test]
fn idle_workers_stop() {
    let flows = leak(vec![flow("test", ["a", "b", "c"].map(passing).map(crowd).into())]);
    for _ in 0..20 {
        let mut rig = Rig::new(flows);
        let crew = rig.take_foreman().run().unwrap();
        assert_eq!(crew.stop(secs(20)), 0);
    }
}

#[test]
fn a_worker_that_does_not_stop_is_counted_and_its_item_is_back_at_the_next_start() {
    let (begun, seen) = mpsc::channel();
    let (word, heard) = mpsc::channel();
    let blocked = waiting(begun, heard, false);
    let flows = leak(vec![flow("test", vec![blocked]), flow("second", vec![passing("x")])]);
    let mut rig = Rig::new(flows);
    let id = rig.push("a");
    let crew = rig.take_foreman().run().unwrap();
    seen.recv_timeout(DEADLINE).unwrap();
    let (clock, (stopped, is_stopped)) = (rig.clock.clone(), mpsc::channel());
    let stopping = std::thread::spawn(move || {
        let left = crew.stop(secs(20));
        stopped.send(()).unwrap();
        left
    });
    while is_stopped.recv_timeout(Duration::from_millis(20)).is_err() {
        clock.advance(secs(1));
    }
    assert_eq!(stopping.join().unwrap(), 1);
    assert_eq!(rig.word(id), "leased");

    // The process ends here: what is on disk is what the next start finds.
    let next = tempfile::tempdir().unwrap();
    copy_folder(&rig.dir().join("work"), &next.path().join("work")).unwrap();
    let shop = open_shop(next.path(), ManualClock::start(), flows, "");
    let item = shop.queue.item(id).unwrap().unwrap();
    assert_eq!((item.state.word(), item.strikes.crashes), ("ready", 1));

    word.send(()).unwrap();
    wait_for(rig.queue(), "the late worker", || rig.word(id) == "finished");
}

#[test]
fn a_flow_in_trouble_does_not_hold_up_the_other() {
    let (begun, seen) = mpsc::channel();
    let (word, heard) = mpsc::channel();
    let panicking = stage("p", |_: &Job<'_, World>| panic!("always"));
    let failing = stage("f", |_: &Job<'_, World>| Err(transient("away")));
    let flows = leak(vec![
        flow("stuck", vec![waiting(begun, heard, false)]),
        flow("bad", vec![crowd(panicking), crowd(failing)]),
        flow("good", ["x", "y"].map(passing).map(crowd).into()),
    ]);
    let mut rig = Rig::new(flows);
    rig.push("a");
    for _ in 0..20 {
        rig.push("p");
        rig.push("f");
    }
    let good: Vec<_> = (0..30).map(|_| rig.push("x")).collect();
    let crew = rig.take_foreman().run().unwrap();
    seen.recv_timeout(DEADLINE).unwrap();
    let queue = rig.queue();
    wait_for(queue, "the good flow", || good.iter().all(|id| rig.word(*id) == "finished"));
    wait_for(queue, "the bad flow", || {
        ["p", "f"].iter().all(|topic| queue.topic(topic).unwrap().counts.retried == 20)
    });
    word.send(()).unwrap();
    wait_for(queue, "the stuck one", || queue.topic("a").unwrap().counts.done == 1);
    assert_eq!(crew.stop(secs(20)), 0);
}

#[test]
fn delayed_items_are_begun_when_they_fall_due() {
    let retried = stage("a", |job: &Job<'_, World>| {
        job.app.say("a");
        if job.app.count("a") < 3 { Err(transient("away")) } else { Ok(Done::Advance) }
    });
    let mut rig =
        Rig::configured(leak(vec![flow("test", vec![retried])]), "[stage.a]\nretry_s = 1");
    let id = rig.push("a");
    let crew = rig.take_foreman().run().unwrap();
    for turns in 1..=2 {
        wait_for(rig.queue(), "a delayed item", || {
            rig.app().count("a") == turns && rig.word(id) == "delayed"
        });
        // Only the clock moves; nobody rings.
        rig.clock.advance(secs(5));
    }
    wait_for(rig.queue(), "the item", || rig.word(id) == "finished");
    assert_eq!(crew.stop(secs(20)), 0);
}

#[test]
fn a_foreman_without_work_has_looked_for_it() {
    let rig = Rig::new(leak(vec![flow("test", vec![passing("a")])]));
    let foreman: &Foreman<World> = rig.foreman();
    assert!(!rig.shop().board.readings()[0].ready);
    foreman.step();
    assert!(rig.shop().board.readings()[0].ready);
}

#[test]
fn no_more_items_are_held_than_the_buffer_allows() {
    let (begun, seen) = mpsc::channel();
    let (_word, heard) = mpsc::channel();
    let slow = waiting(begun, heard, true).policy(|it| Policy { workers: 4, buffer: 2, ..it });
    let mut rig = Rig::new(leak(vec![flow("test", vec![slow])]));
    for _ in 0..5 {
        rig.push("a");
    }
    let crew = rig.take_foreman().run().unwrap();
    seen.recv_timeout(DEADLINE).unwrap();
    seen.recv_timeout(DEADLINE).unwrap();
    assert_eq!(rig.queue().topic("a").unwrap().counts.leased, 2);
    assert_eq!(rig.shop().board.readings()[0].slots.len(), 2);
    assert_eq!(crew.stop(secs(20)), 0);
}

/// A stage that may finish while the program is stopped; it comes to a checkpoint again and again.
fn finishing(begun: Sender<()>, word: Receiver<()>) -> Acted<World> {
    waiting(begun, word, true).policy(|policy| Policy { on_stop: OnStop::Finish, ..policy })
}

#[test]
fn what_may_finish_within_the_grace_of_a_stop_finishes_and_says_so() {
    let (begun, seen) = mpsc::channel();
    let (word, heard) = mpsc::channel();
    let mut rig = Rig::new(only(vec![finishing(begun, heard)]));
    let id = rig.push("a");
    let crew = rig.take_foreman().run().unwrap();
    seen.recv_timeout(DEADLINE).unwrap();
    let shop = Arc::clone(rig.shop());
    let stopping = std::thread::spawn(move || crew.stop(secs(20)));
    while !shop.stop.asked() {
        std::thread::park_timeout(Duration::from_millis(1));
    }
    word.send(()).unwrap();
    assert_eq!(stopping.join().unwrap(), 0);
    assert_eq!((rig.word(id), rig.strikes(id).crashes), ("finished", 0));
    let note = rig.history(id).last().unwrap().note.clone();
    assert_eq!(note, "it finished while the program was being stopped");
}

#[test]
fn what_does_not_finish_within_the_grace_is_put_back_at_no_cost_and_says_so() {
    let (begun, seen) = mpsc::channel();
    let (_word, heard) = mpsc::channel();
    let mut rig = Rig::new(only(vec![finishing(begun, heard)]));
    let id = rig.push("a");
    let crew = rig.take_foreman().run().unwrap();
    seen.recv_timeout(DEADLINE).unwrap();
    let (clock, shop) = (rig.clock.clone(), Arc::clone(rig.shop()));
    let (stopped, is_stopped) = mpsc::channel();
    let stopping = std::thread::spawn(move || {
        let left = crew.stop(secs(20));
        stopped.send(()).unwrap();
        left
    });
    while !shop.stop.asked() {
        std::thread::park_timeout(Duration::from_millis(1));
    }
    assert_eq!(rig.word(id), "leased", "it goes on although it passes checkpoints");
    // To the end of the grace, less what is kept for putting it back.
    clock.advance(secs(18));
    while is_stopped.recv_timeout(Duration::from_millis(20)).is_err() {}
    assert_eq!(stopping.join().unwrap(), 0, "it was stopped before the grace was over");
    let strikes = rig.strikes(id);
    assert_eq!((rig.word(id), strikes.attempts, strikes.crashes), ("ready", 0, 0));
    let note = rig.item(id).note;
    assert!(note.contains("did not finish within the grace of the stop"), "{note}");
    assert!(note.contains("begins again at the next start"), "{note}");
}
