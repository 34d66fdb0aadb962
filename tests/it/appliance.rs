//! Starting and stopping the whole appliance.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use byteio::causes::chain;
use storage::clock::{Clock, SystemClock};
use storage::home::Home;
use strongroom::appliance::{Appliance, Doorplate, StartError};

use crate::house::{DEADLINE, House, Strings, config, flows, push, until};
use crate::wire::{self, get};

const CHILD: &str = "STRONGROOM_TEST_APPLIANCE";

#[test]
fn what_is_under_way_at_a_stop_goes_back_at_no_cost_and_goes_on_after_the_restart() {
    let mut house = House::new();
    // Far too long to end by themselves: they are stopped once, then cancelled.
    let ids: Vec<_> = (0..6).map(|n| house.push(&format!("slow-{n}-20000"))).collect();
    until("two are worked on", || house.get("/health/pools").json()["cpu"]["saturation"] == 1.0);
    let took = house.stop();
    assert!(took < DEADLINE, "a stop took {took:?}");

    house.start();
    for id in &ids {
        let item = house.live(*id).unwrap();
        assert_eq!((item.strikes.attempts <= 1, item.strikes.crashes), (true, 0), "{item:?}");
    }
    // Which two of them were worked on is not for us to say.
    let was_stopped = |id: &&u64| {
        let item = house.get(format!("/api/v1/items/{id}")).json();
        let last = item["attempts"].as_array().unwrap().last().cloned().unwrap_or_default();
        last["note"].as_str().is_some_and(|note| note.contains("the program was stopped"))
    };
    assert!(ids.iter().filter(was_stopped).count() >= 2);
    for id in &ids {
        house.command(&format!("/api/v1/items/{id}/cancel"), "").is(200);
    }
    ids.iter().for_each(|id| house.until_state(*id, "cancelled"));
    let quick = house.push("slow-3");
    house.until_state(quick, "finished");
}

#[test]
fn a_pause_survives_a_restart() {
    let mut house = House::new();
    house.post("/queues/test01_receive/pause", "").is(303);
    let id = house.push("ok");
    house.stop();
    house.start();
    assert_eq!(house.get("/api/v1/queues").json()[0]["paused"], true);
    assert_eq!(house.state(id), "ready");
    house.post("/queues/resume", "").is(303);
    house.until_state(id, "finished");
}

#[test]
fn a_port_in_use_is_named_and_no_data_directory_is_made() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let mut house = House::closed("", &[]);
    let refused = house.try_start(&address.to_string()).unwrap_err();
    assert!(matches!(refused, StartError::Listen { .. }), "{refused:?}");
    assert!(refused.to_string().contains(&address.to_string()), "{refused}");
    assert!(!house.data().try_exists().unwrap());

    let port = [("HEALTH_PORT", address.port().to_string())];
    let mut house = House::closed("", &port);
    let refused = house.try_start("127.0.0.1:0").unwrap_err();
    assert!(matches!(refused, StartError::Listen { .. }), "{refused:?}");
    assert!(!house.data().try_exists().unwrap());
}

#[test]
fn a_second_start_on_the_same_directory_is_refused_and_the_first_goes_on() {
    let house = House::new();
    let flows = flows(&Arc::default());
    let config = config(&house.data(), "127.0.0.1:0", "", &[], flows);
    let clock = Arc::new(SystemClock::start());
    let refused = match Appliance::start(config, flows, &[], clock) {
        Err(refused) => chain(&refused),
        Ok(_) => panic!("two appliances on one directory"),
    };
    let process = format!("in use by another process (process {})", std::process::id());
    assert!(refused.contains(&process), "{refused}");
    house.bring("ok", "finished");
    assert_eq!(Doorplate::read(&house.data()).unwrap().address, house.address());
}

#[test]
fn a_stage_that_hangs_does_not_hold_up_a_stop_and_its_item_is_not_lost() {
    let mut house = House::configured("[work]\nstop_grace_s = 1\n");
    let id = house.push("hang");
    house.until_held(1);
    let (_, watcher) = wire::open(house.address(), &get("/live"));
    let took = house.stop();
    // A second for the stage, five for open requests, one for threads: it does not wait for the stage.
    assert!(took < DEADLINE, "a stop took {took:?}");
    drop(watcher);
    house.let_go();
    until("the directory is free", || Home::open(&house.data()).is_ok());
    house.start();
    house.until_state(id, "finished");
}

#[test]
fn the_doorplate_is_for_its_owner_only_and_goes_with_the_appliance() {
    let mut house = House::new();
    let plate = house.data().join("appliance.json");
    let mode = plate.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let door = Doorplate::read(&house.data()).unwrap();
    assert_eq!((door.address, door.pid), (house.address(), std::process::id()));
    assert_eq!(door.key.len(), 64);
    house.stop();
    assert!(!plate.try_exists().unwrap());
    house.start();
    assert_ne!(house.key(), door.key, "every run has a key of its own");
}

/// Runs only in a process of its own, until it is killed.
#[test]
fn an_appliance_to_be_killed() {
    let Some(dir) = std::env::var_os(CHILD) else { return };
    let flows = flows(&Arc::new(Strings::default()));
    let config = config(Path::new(&dir), "127.0.0.1:0", "", &[], flows);
    let appliance = Appliance::start(config, flows, &[], Arc::new(SystemClock::start())).unwrap();
    for n in 0..8 {
        push(&appliance.app().shop.queue, &format!("slow-{n}-40"));
        push(&appliance.app().shop.queue, "ok");
    }
    loop {
        std::thread::park();
    }
}

#[test]
fn a_killed_appliance_goes_on_from_where_it_was() {
    let mut house = House::closed("", &[]);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["appliance::an_appliance_to_be_killed", "--exact", "--nocapture"])
        .env(CHILD, house.data())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until("it has worked for a while", || {
        let Some(door) = Doorplate::read(&house.data()) else { return false };
        let queues = wire::send(
            door.address,
            &get("/api/v1/queues").with("authorization", format!("Bearer {}", door.key)),
        )
        .is(200)
        .json();
        queues[0]["pushed"] == 16
            && queues[2]["done"].as_u64() >= Some(2)
            && queues[1]["in_flight"].as_u64() >= Some(1)
    });
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));

    // A plate left behind does not mislead: the directory is free, the new start says its own.
    assert!(Doorplate::read(&house.data()).is_some());
    let clock = SystemClock::start();
    house.start();
    until("everything is finished", || {
        house.get("/api/v1/items?status=Success").json()["count"] == 16
    });
    println!("all went on and finished {:?} after the start", clock.steady());
    let doctor = house.get("/api/v1/doctor").is(200).json();
    assert_eq!(doctor["findings"].as_array().unwrap().len(), 0, "{doctor}");
    let attempts = house.get("/api/v1/items/1").json();
    println!("{}", attempts["attempts"]);
}
