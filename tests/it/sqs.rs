//! Job messages from a real server of SQS, moto's: taken when they are durable, rejected, kept from
//! others meanwhile, and what stops the thread that asks for them.

mod moto;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ocfl::Credentials;
use serde_json::{Value, json};
use storage::registry::{ALERTS, Query};
use strongroom::sqs::{Message, Queue, QueueError, QueueSettings, while_held};

use self::moto::Moto;
use crate::assessing::{house, message, supply};
use crate::house::{House, until};

const QUEUE: &str = "jobs";

/// A configuration that takes messages from the server, with keys in a file.
fn toml(endpoint: &str) -> String {
    format!(
        "[sqs]\nqueue = \"{QUEUE}\"\nendpoint = \"{endpoint}\"\nallow_http = true\nwait_s = 1\n\
         credentials = \"sqs.ini\"\n"
    )
}

/// A closed house without keys: nothing is asked of the server before there are some. It tries again soon.
fn keyless(toml: &str) -> House {
    House::closed_program(toml, |config| config.sqs.pause = Duration::from_millis(50))
}

/// A closed house whose data directory has these keys. It ran before: a folder that has files, and was
/// never a data directory, is refused.
fn closed(toml: &str, keys: (&str, &str)) -> House {
    let mut house = keyless(toml);
    house.start();
    house.stop();
    write_keys(&house, keys);
    house
}

fn write_keys(house: &House, (id, secret): (&str, &str)) {
    let keys = format!("aws_access_key_id = {id}\naws_secret_access_key = {secret}\n");
    let path = house.data().join("sqs.ini");
    byteio::durable::write(&path, keys.as_bytes(), true).unwrap();
}

/// A running house that takes messages.
fn taking(moto: &Moto) -> House {
    let mut house = keyless(&toml(&moto.endpoint));
    house.start();
    supply(house.app(), house.dir.path());
    write_keys(&house, ("test", "test"));
    house
}

fn assessments(house: &House) -> Vec<Value> {
    let list = house.get("/api/v1/assessments").is(200).json();
    list["assessments"].as_array().unwrap().clone()
}

fn alerts(house: &House, kind: &str) -> Vec<String> {
    let rows = house.app().registry.list_alerts(&Query::all(&ALERTS)).unwrap().rows;
    rows.into_iter().filter(|it| it.kind == kind).map(|it| it.content).collect()
}

fn of_the_poller(house: &House) -> Value {
    house.get("/health").json()["details"]["sqs"].clone()
}

#[test]
fn a_message_is_removed_from_sqs_when_it_is_kept_and_is_assessed() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    moto.send(QUEUE, &message("NRF-000001", 300.0));
    let envelope = json!({"Type": "Notification", "Message": message("NRF-000002", 200.0)});
    moto.send(QUEUE, &envelope.to_string());
    let house = taking(&moto);
    until("both are taken", || moto.left(QUEUE) == 0);
    assert_eq!(assessments(&house).len(), 2, "what was removed there is here");
    until("both are assessed", || assessments(&house).iter().all(|it| it["state"] == "assessed"));
    let rows = assessments(&house);
    let names: Vec<_> = rows.iter().map(|it| it["reference"].as_str().unwrap()).collect();
    assert!(names.contains(&"NRF-000001") && names.contains(&"NRF-000002"), "{names:?}");
    assert_eq!(of_the_poller(&house)["healthy"], true);
}

#[test]
fn a_message_that_comes_again_finds_the_assessment_it_asked_for() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    for _ in 0..2 {
        moto.send(QUEUE, &message("NRF-000001", 300.0));
    }
    let house = taking(&moto);
    until("both are taken", || moto.left(QUEUE) == 0);
    assert_eq!(assessments(&house).len(), 1);
}

#[test]
fn a_message_that_is_rejected_stays_in_sqs_and_people_are_told_once() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    let id = moto.send(QUEUE, r#"{"test":"hello world"}"#);
    let house = taking(&moto);
    until("people are told", || alerts(&house, "message-rejected").len() == 1);
    let told = alerts(&house, "message-rejected").remove(0);
    assert!(told.contains(&id) && told.contains("neither a boundary nor an input"), "{told}");
    assert!(!told.contains("hello world"), "bodies are nobody's business: {told}");
    // The next one is taken as ever.
    moto.send(QUEUE, &message("NRF-000001", 300.0));
    until("it is taken", || moto.left(QUEUE) == 1);
    assert_eq!(assessments(&house).len(), 1);
    assert_eq!(of_the_poller(&house)["healthy"], true);
}

#[test]
fn a_queue_that_does_not_exist_stops_the_thread_with_status_minus_one_and_an_alert() {
    let Some(moto) = Moto::start() else { return };
    let house = taking(&moto);
    until("it has stopped", || house.get("/health").status == 503);
    let health = house.get("/health").is(503).json();
    assert_eq!(health["details"]["sqs"]["worker_status_flag"], -1, "{health}");
    assert_eq!(health["reason"], "worker status is -1 (expected 1)");
    until("people are told", || !alerts(&house, "messages-stopped").is_empty());
    let told = alerts(&house, "messages-stopped");
    assert!(told.len() == 1 && told[0].contains("QueueDoesNotExist"), "{told:?}");
    // The rest does not depend on it.
    house.get("/health/ready").is(200);
    let asked = house.command("/api/v1/assessments", &message("NRF-000001", 300.0)).is(202).json();
    crate::assessing::until_assessed(&house, asked["id"].as_str().unwrap());
    assert_eq!(of_the_poller(&house)["worker_status_flag"], -1, "it stays to be seen");
}

#[test]
fn requests_are_signed_with_keys_that_the_server_checks() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    moto.send(QUEUE, &message("NRF-000001", 300.0));
    let keys = moto.ask("user", &[json!(["sqs:*"])]);
    let (id, secret) = (keys[0].as_str().unwrap(), keys[1].as_str().unwrap());
    moto.ask("lock_up", &[]);
    for (id, secret, code) in
        [(id, "wrong", "SignatureDoesNotMatch"), ("AKIAUNKNOWN", secret, "InvalidClientTokenId")]
    {
        let mut house = closed(&toml(&moto.endpoint), (id, secret));
        house.start();
        until("it has stopped", || !alerts(&house, "messages-stopped").is_empty());
        let told = alerts(&house, "messages-stopped");
        assert!(told[0].contains(code), "{told:?}");
        assert!(!told[0].contains("<Error"), "in words: {told:?}");
    }
    assert_eq!(moto.left(QUEUE), 1);
    let mut house = closed(&toml(&moto.endpoint), (id, secret));
    house.start();
    until("it is taken", || moto.left(QUEUE) == 0);
    assert_eq!(assessments(&house).len(), 1);
}

#[test]
fn a_server_that_is_away_is_asked_again() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    // The file of keys is not there yet: nothing can be signed.
    let mut house = keyless(&toml(&moto.endpoint));
    house.start();
    until("it shows a sign of life", || of_the_poller(&house)["heartbeat_age_seconds"].is_number());
    write_keys(&house, ("test", "test"));
    moto.send(QUEUE, &message("NRF-000001", 300.0));
    until("it is taken", || moto.left(QUEUE) == 0);
    assert_eq!(assessments(&house).len(), 1);
    assert!(alerts(&house, "messages-stopped").is_empty());
}

#[test]
fn what_is_not_final_is_tried_again_until_the_message_is_taken() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    let codes = ["ThrottlingException", "InternalFailure", "ServiceUnavailable"].map(Value::from);
    moto.ask("refuse", &codes);
    moto.send(QUEUE, &message("NRF-000001", 300.0));
    let house = taking(&moto);
    until("it is taken", || moto.left(QUEUE) == 0);
    assert!(moto.ask("polls", &[]).as_u64() > Some(3), "every refusal was met");
    assert_eq!(assessments(&house).len(), 1);
    assert!(alerts(&house, "messages-stopped").is_empty());
    assert_eq!(of_the_poller(&house)["healthy"], true);
}

#[test]
fn while_work_is_held_back_messages_stay_in_sqs() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    moto.send(QUEUE, &message("NRF-000001", 300.0));
    // Nothing is asked before the file of keys is there, and work is held back by then.
    let mut house = keyless(&toml(&moto.endpoint));
    house.start();
    house.app().shop.hold(true);
    write_keys(&house, ("test", "test"));
    let beat = || house.app().messages.reading().unwrap().slots[0].heartbeat;
    for _ in 0..3 {
        let last = beat();
        until("it shows another sign of life", || beat() != last);
    }
    assert_eq!(moto.ask("handed_out", &[json!(QUEUE)]), 0, "it was not even asked for");
    house.app().shop.hold(false);
    until("it is taken", || moto.left(QUEUE) == 0);
    assert_eq!(assessments(&house).len(), 1);
}

#[test]
fn a_stop_does_not_wait_for_the_end_of_a_poll() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    let long = toml(&moto.endpoint).replace("wait_s = 1", "wait_s = 20");
    let mut house = closed(&long, ("test", "test"));
    house.start();
    until("it polls", || moto.ask("polls", &[]).as_u64() > Some(0));
    house.stop();
    assert_eq!(moto.ask("answered", &[]), 0, "its poll goes on when the program has stopped");
    // The data directory is free: nothing of the poll holds it.
    house.start();
    house.get("/health/live").is(200);
}

/// The queue, as the program opens it, with a visibility time that a test can watch.
fn queue(moto: &Moto, folder: &std::path::Path) -> Queue {
    let keys = folder.join("sqs.ini");
    byteio::durable::write(&keys, b"aws_access_key_id=a\naws_secret_access_key=b\n", true).unwrap();
    Queue::open(QueueSettings {
        name: QUEUE.into(),
        endpoint: Some(moto.endpoint.clone()),
        region: "eu-west-2".into(),
        wait: Duration::from_secs(1),
        visibility: Duration::from_secs(300),
        credentials: Credentials::File(keys),
    })
    .unwrap()
}

#[test]
fn a_message_is_kept_from_others_for_as_long_as_it_is_worked_on() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    moto.send(QUEUE, "a message");
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(&moto, folder.path());
    let message = queue.receive().unwrap().unwrap();
    let visible_at = |moto: &mut Moto| moto.ask("visible_at", &[json!(QUEUE)]).as_f64().unwrap();
    let first = visible_at(&mut moto);
    let renewals = AtomicBool::new(false);
    let done = while_held(
        &queue,
        &message,
        Duration::from_millis(50),
        || {},
        || {
            until("it was kept longer, and longer again", || visible_at(&mut moto) > first);
            let second = visible_at(&mut moto);
            until("and again", || visible_at(&mut moto) > second);
            renewals.store(true, Ordering::SeqCst);
            7
        },
    );
    assert_eq!((done.unwrap(), renewals.load(Ordering::SeqCst)), (7, true));
    assert_eq!(moto.ask("handed_out", &[json!(QUEUE)]), 1);
    queue.remove(&message).unwrap();
    assert_eq!(moto.left(QUEUE), 0);
    // Its receipt counts no more: that stops nothing.
    let stale = Message { receipt: "another".into(), ..message };
    assert!(matches!(queue.remove(&stale), Err(QueueError::StaleReceipt(_))));
}

#[test]
fn work_that_panics_is_an_error_and_its_message_stays() {
    let Some(mut moto) = Moto::start() else { return };
    moto.ask("create", &[json!(QUEUE)]);
    moto.send(QUEUE, "a message");
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(&moto, folder.path());
    let message = queue.receive().unwrap().unwrap();
    let done = while_held(
        &queue,
        &message,
        Duration::from_secs(30),
        || {},
        || std::panic::resume_unwind(Box::new("a mistake")),
    );
    let done: std::thread::Result<()> = done;
    assert!(done.is_err());
    assert_eq!(moto.left(QUEUE), 1);
    queue.keep_for(&message, Duration::ZERO).unwrap();
    assert_eq!(queue.receive().unwrap().unwrap().id, message.id, "it was given back");
}

#[test]
fn without_a_queue_nobody_is_asked_and_health_says_nothing_of_it() {
    let house = house("");
    assert_eq!(of_the_poller(&house), Value::Null);
    house.get("/health").is(200);
}
