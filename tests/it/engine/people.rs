use storage::clock::Clock;
use storage::work::item::{ItemId, WorkItem};
use strongroom::fault::Fault;
use strongroom::work::{Aftermath, Done, Job, Policy, Refused, Requeued, Step};

use crate::harness::{
    Acted, Rig, World, fatal, flow, flow_with_cleanup, leak, passing, secs, stage, transient,
};

/// A stage that fails for good until somebody said `mended`.
fn broken(topic: &'static str, code: &'static str) -> Acted<World> {
    stage(topic, move |job: &Job<'_, World>| {
        job.app.say(topic);
        if job.app.count("mended") > 0 { Ok(Done::Advance) } else { Err(fatal(code)) }
    })
}

/// Two flows: `a b c cleanup` and `x y`.
fn two_flows(second: Acted<World>) -> Rig {
    let first = vec![passing("a"), second, passing("c"), passing("cleanup")];
    let other = vec![passing("x"), broken("y", "damaged")];
    Rig::new(leak(vec![flow_with_cleanup("first", first), flow("other", other)]))
}

fn refusal(result: Result<WorkItem, Refused>) -> String {
    result.expect_err("it is refused").to_string()
}

#[test]
fn a_waiting_item_is_cancelled_at_once() {
    let rig = two_flows(passing("b"));
    let id = rig.push("x");
    rig.controls().cancel(id, "ann").unwrap();
    assert_eq!(rig.at(id), ("cancelled", "x".into()));
    assert_eq!(rig.item(id).note, "cancelled by ann");
    assert_eq!(rig.drain(), 0);
    assert_eq!(
        refusal(rig.controls().cancel(id, "ann")),
        format!("there is no item {id} in progress")
    );
}

#[test]
fn a_waiting_item_of_a_flow_with_clean_up_is_cleaned_up_first() {
    let rig = two_flows(passing("b"));
    let id = rig.push("a");
    rig.controls().cancel(id, "ann").unwrap();
    assert_eq!(rig.at(id), ("ready", "cleanup".into()));
    let sentence = refusal(rig.controls().cancel(id, "ann"));
    assert_eq!(sentence, format!("item {id} is being cleaned up and ends by itself"));
    rig.drain();
    assert_eq!(rig.at(id), ("cancelled", "cleanup".into()));
    assert_eq!(rig.app().said(), ["cleanup"]);
}

#[test]
fn a_parked_item_can_be_cancelled() {
    let rig = two_flows(broken("b", "damaged"));
    let (with, without) = (rig.push("a"), rig.push("x"));
    rig.drain();
    assert_eq!((rig.word(with), rig.word(without)), ("parked", "parked"));
    rig.controls().cancel(with, "ann").unwrap();
    rig.controls().cancel(without, "ann").unwrap();
    assert_eq!(rig.word(without), "cancelled");
    rig.drain();
    assert_eq!(rig.at(with), ("cancelled", "cleanup".into()));
}

#[test]
fn a_delayed_item_can_be_cancelled() {
    let rig = two_flows(stage("b", |_: &Job<'_, World>| Err(transient("away"))));
    let id = rig.push("a");
    rig.drain();
    assert_eq!(rig.word(id), "delayed");
    rig.controls().cancel(id, "ann").unwrap();
    rig.drain();
    assert_eq!(rig.word(id), "cancelled");
}

/// A stage that is cancelled while it runs and asks a checkpoint every half second.
fn cancelled_while_running(topic: &'static str) -> Acted<World> {
    stage(topic, move |job: &Job<'_, World>| {
        job.app.shop().controls().cancel(job.item.id, "ann").unwrap();
        for _ in 0..100 {
            job.app.clock.advance(std::time::Duration::from_millis(500));
            job.checkpoint()?;
            job.app.say("went on");
        }
        Ok(Done::Advance)
    })
}

#[test]
fn a_running_item_hears_of_its_cancellation_within_two_seconds() {
    let rig = Rig::new(leak(vec![flow("test", vec![cancelled_while_running("a"), passing("b")])]));
    let id = rig.push("a");
    assert_eq!(rig.step(), Step::Worked { topic: "a", item: id });
    assert_eq!(rig.at(id), ("cancelled", "a".into()));
    assert!(rig.app().count("went on") <= 3, "{:?}", rig.app().said());
    assert_eq!(rig.item(id).note, "cancelled by ann");
    assert_eq!(rig.outcomes(id), ["cancelled"]);
}

#[test]
fn a_running_item_of_a_flow_with_clean_up_is_cleaned_up() {
    let rig = two_flows(cancelled_while_running("b"));
    let id = rig.push("a");
    rig.drain();
    assert_eq!(rig.at(id), ("cancelled", "cleanup".into()));
    assert_eq!(rig.app().said(), ["a", "went on", "went on", "went on", "cleanup"]);
    assert_eq!(rig.history(id)[1].note, "cancelled by ann");
}

#[test]
fn a_stage_too_quick_to_hear_of_it_does_not_advance_either() {
    type Ending = fn() -> Result<Done, Fault>;
    let endings: [Ending; 3] =
        [|| Ok(Done::Advance), || Err(transient("away")), || Err(fatal("damaged"))];
    for ending in endings {
        let quick = stage("b", move |job: &Job<'_, World>| {
            job.app.shop().controls().cancel(job.item.id, "ann").unwrap();
            ending()
        });
        let rig = two_flows(quick);
        let id = rig.push("a");
        rig.drain_all();
        assert_eq!(rig.at(id), ("cancelled", "cleanup".into()));
        assert_eq!(rig.app().said(), ["a", "cleanup"]);
    }
}

#[test]
fn a_cancellation_survives_the_death_of_the_process() {
    let mut rig = two_flows(passing("b"));
    let id = rig.push("x");
    drop(rig.queue().claim("x", 1, secs(60)).unwrap());
    rig.controls().cancel(id, "ann").unwrap();
    rig.restart();
    rig.drain();
    assert_eq!(rig.at(id), ("cancelled", "x".into()));
    assert!(rig.app().said().is_empty());
}

#[test]
fn a_parked_item_goes_back_to_its_stage_or_an_earlier_one_and_no_other() {
    let rig = two_flows(broken("b", "damaged"));
    let id = rig.push("a");
    rig.drain();
    let controls = rig.controls();
    assert_eq!(controls.stages_for(&rig.item(id)), [("a", "a"), ("b", "b")]);
    let refused = |to: &str| refusal(controls.requeue(id, Some(to), "ann"));
    let sentence = |to| format!("item {id} cannot go to {to}: it may go back to a, b");
    assert_eq!(refused("c"), sentence("c"));
    assert_eq!(refused("cleanup"), sentence("cleanup"));
    assert_eq!(refused("x"), sentence("x"));
    assert_eq!(refused("z"), "there is no topic \"z\"; the topics are: a, b, c, cleanup, x, y");
    assert_eq!(rig.word(id), "parked", "a refusal changes nothing");

    controls.requeue(id, None, "ann").unwrap();
    assert_eq!(rig.at(id), ("ready", "b".into()));
    assert_eq!(rig.item(id).note, "requeued for b by ann");
    rig.drain();
    rig.app().say("mended");
    controls.requeue(id, Some("a"), "ann").unwrap();
    rig.drain();
    assert_eq!(rig.at(id), ("finished", "cleanup".into()));
    assert_eq!(rig.app().said(), ["a", "b", "b", "mended", "a", "b", "c", "cleanup"]);
    let gone = refusal(controls.requeue(id, None, "ann"));
    assert_eq!(gone, format!("there is no item {id} in progress"));
}

#[test]
fn an_item_being_worked_on_is_not_requeued() {
    let stage = stage("a", |job: &Job<'_, World>| {
        let shop = job.app.shop();
        job.app.say(refusal(shop.controls().requeue(job.item.id, None, "ann")));
        Ok(Done::Advance)
    });
    let rig = Rig::new(leak(vec![flow("test", vec![stage])]));
    let id = rig.push("a");
    rig.drain();
    let sentence =
        format!("item {id} is being worked on: it can be requeued when this attempt has ended");
    assert_eq!(rig.app().said(), [sentence]);
}

#[test]
fn a_requeue_is_a_clean_slate() {
    let rig = two_flows(stage("b", |_: &Job<'_, World>| Err(transient("away"))));
    let id = rig.push("a");
    rig.drain_all();
    assert_eq!((rig.word(id), rig.strikes(id).attempts), ("parked", 3));
    rig.controls().requeue(id, None, "ann").unwrap();
    assert_eq!(rig.drain_all(), 3, "three new attempts");
    assert_eq!(rig.word(id), "parked");
}

#[test]
fn everything_parked_for_one_reason_is_put_back_together() {
    let rig = two_flows(broken("b", "away"));
    let first: Vec<_> = (0..4).map(|_| rig.push("a")).collect();
    let other: Vec<_> = (0..3).map(|_| rig.push("x")).collect();
    rig.drain();
    let controls = rig.controls();
    let none = Requeued { requeued: 0 };
    assert_eq!(controls.requeue_all("no-such-reason", None, "ann").unwrap(), none);
    assert_eq!(controls.requeue_all("away", Some("y"), "ann").unwrap(), none);
    let unknown = controls.requeue_all("away", Some("z"), "ann").unwrap_err();
    assert!(unknown.to_string().starts_with("there is no topic \"z\""));
    rig.app().say("mended");
    assert_eq!(controls.requeue_all("away", None, "ann").unwrap(), Requeued { requeued: 4 });
    rig.drain();
    assert!(first.iter().all(|id| rig.word(*id) == "finished"));
    assert!(other.iter().all(|id| rig.word(*id) == "parked"));
    let damaged = controls.requeue_all("damaged", Some("y"), "ann").unwrap();
    assert_eq!(damaged, Requeued { requeued: 3 });
    rig.drain();
    assert!(other.iter().all(|id| rig.word(*id) == "finished"));
}

#[test]
fn a_paused_topic_gives_nothing_out_until_it_is_resumed_across_restarts() {
    let mut rig = two_flows(passing("b"));
    let (id, other) = (rig.push("a"), rig.push("x"));
    rig.app().say("mended");
    rig.controls().pause(Some("b"), true).unwrap();
    rig.drain();
    assert_eq!((rig.at(id), rig.word(other)), (("ready", "b".into()), "finished"));
    rig.restart();
    assert_eq!(rig.step(), Step::Idle);
    rig.controls().pause(Some("b"), false).unwrap();
    rig.drain();
    assert_eq!(rig.word(id), "finished");
}

#[test]
fn everything_can_be_paused_and_resumed() {
    let rig = two_flows(passing("b"));
    let ids = [rig.push("a"), rig.push("x")];
    rig.app().say("mended");
    rig.controls().pause(None, true).unwrap();
    assert_eq!(rig.step(), Step::Idle);
    rig.controls().pause(None, false).unwrap();
    rig.drain();
    assert!(ids.iter().all(|id| rig.word(*id) == "finished"));
}

#[test]
fn emptying_cancels_what_waits_and_leaves_the_rest() {
    let rig = two_flows(broken("b", "damaged"));
    let parked = rig.push("a");
    rig.drain();
    let waiting: Vec<_> = (0..5).map(|_| rig.push("a")).collect();
    let other = rig.push("x");
    assert_eq!(rig.controls().empty(Some("a"), "ann").unwrap(), 5);
    assert!(waiting.iter().all(|id| rig.at(*id) == ("ready", "cleanup".into())));
    assert_eq!(rig.item(waiting[0]).note, "the queue was emptied by ann");
    assert_eq!((rig.word(parked), rig.word(other)), ("parked", "ready"));
    // Emptying all leaves those to their clean-up, and does not count them twice.
    assert_eq!(rig.controls().empty(None, "ann").unwrap(), 1);
    rig.drain();
    assert!(waiting.iter().all(|id| rig.word(*id) == "cancelled"));
    assert_eq!((rig.word(parked), rig.word(other)), ("parked", "cancelled"));
}

#[test]
fn a_topic_that_is_not_there_is_refused_with_those_that_are() {
    let rig = two_flows(passing("b"));
    let sentence = "there is no topic \"ingest\"; the topics are: a, b, c, cleanup, x, y";
    let pause = rig.controls().pause(Some("ingest"), true).unwrap_err();
    assert_eq!(pause.to_string(), sentence);
    let empty = rig.controls().empty(Some("ingest"), "ann").unwrap_err();
    assert_eq!(empty.to_string(), sentence);
    let missing = ItemId(99);
    assert_eq!(
        refusal(rig.controls().requeue(missing, None, "ann")),
        "there is no item 99 in progress"
    );
}

#[test]
fn a_clean_up_that_fails_is_parked_and_ends_as_decided_once_it_is_mended() {
    let fail = |policy| Policy { on_fatal: Aftermath::Fail, ..policy };
    let stages = vec![broken("a", "damaged").policy(fail), broken("cleanup", "stuck")];
    let rig = Rig::new(leak(vec![flow_with_cleanup("test", stages)]));
    let (failed, cancelled) = (rig.push("a"), rig.push("a"));
    rig.controls().cancel(cancelled, "ann").unwrap();
    rig.drain();
    for id in [failed, cancelled] {
        assert_eq!(
            (rig.at(id), rig.reason(id).code),
            (("parked", "cleanup".into()), "stuck".into())
        );
    }
    rig.app().say("mended");
    rig.controls().requeue(failed, None, "ann").unwrap();
    rig.controls().requeue_all("stuck", None, "ann").unwrap();
    rig.drain();
    assert_eq!((rig.word(failed), rig.word(cancelled)), ("failed", "cancelled"));
    assert_eq!(rig.reason(failed).code, "damaged");
}

#[test]
fn an_item_that_outlived_its_time_is_not_begun() {
    let rig = two_flows(passing("b"));
    let id = rig.push("x");
    let item = rig.item(id);
    let expires = Some(rig.clock.now().after(secs(10)));
    let short = storage::work::queue::NewItem {
        flow: item.flow,
        topic: item.topic,
        subject: item.subject,
        expires,
        ..Default::default()
    };
    let short = rig.queue().push(short).unwrap().id;
    rig.clock.advance(secs(11));
    rig.drain();
    assert_eq!((rig.word(short), rig.app().count("x")), ("expired", 1));
}
