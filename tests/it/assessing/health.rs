//! Health while sites are assessed: in time on busy cores, and honest about one that hangs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use storage::clock::{Clock, SystemClock};

use super::*;

#[test]
fn a_site_that_hangs_is_overtime_and_the_others_go_on() {
    let house = house(
        "[stage.assess01_run]\npatience_s = 1\nworkers = 2\n[health]\nheartbeat_timeout_s = 86400\n",
    );
    let hangs = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&hangs);
    let first = AtomicBool::new(true);
    house.app().shop.at_every_checkpoint(move || {
        // The first to come here stays, as geometry that never ends would.
        let ours = std::thread::current().name().is_some_and(|it| it.starts_with("assess01"));
        if ours && first.swap(false, Ordering::SeqCst) {
            while held.load(Ordering::SeqCst) {
                std::thread::park_timeout(Duration::from_millis(20));
            }
        }
    });
    let hung = house.command("/api/v1/assessments", &message("NRF-000001", 300.0)).is(202).json();
    until("it is overtime", || house.get("/health").status == 503);
    let told = house.get("/health").is(503).json();
    assert_eq!(told["reason"], "worker is overtime");
    assert_eq!(told["details"]["assess01_run"]["is_overtime"], true);
    // Its estimate counts: five seconds and more for the smallest site.
    let timeout = told["details"]["assess01_run"]["effective_timeout_seconds"].as_f64().unwrap();
    assert!(timeout > 7.0, "{told}");
    let other = house.command("/api/v1/assessments", &message("NRF-000002", 200.0)).is(202).json();
    until_assessed(&house, other["id"].as_str().unwrap());
    hangs.store(false, Ordering::SeqCst);
    until_assessed(&house, hung["id"].as_str().unwrap());
    until("it is well again", || house.get("/health").status == 200);
}

/// How long every core is kept busy by one job: more than a minute in a soak.
fn long() -> Duration {
    let soak = std::env::var_os("STRONGROOM_SOAK_ROUNDS").is_some();
    Duration::from_secs(if soak { 66 } else { 3 })
}

#[test]
fn health_answers_in_time_while_every_core_assesses() {
    let house = house("");
    let stop = Arc::new(AtomicBool::new(false));
    let busy = Arc::clone(&stop);
    // Long geometry on all threads of the pool, as a site of a million parcels has it.
    house.app().shop.at_every_checkpoint(move || {
        let ours = std::thread::current().name().is_some_and(|it| it.starts_with("geo-"));
        if ours {
            let clock = SystemClock::start();
            rayon::broadcast(|_| {
                while !busy.load(Ordering::SeqCst) && clock.steady() < long() {
                    std::hint::spin_loop();
                }
            });
        }
    });
    for number in 0..4 {
        let reference = format!("NRF-00000{number}");
        house.command("/api/v1/assessments", &message(&reference, 300.0)).is(202);
    }
    until("the cores are busy", || {
        house.get("/health/pools").json()["geo"]["saturation"].as_f64() > Some(0.0)
    });
    let (mut slowest, mut answers) = (Duration::ZERO, 0);
    let began = SystemClock::start();
    // In a soak for as long as the job takes, less what it took to see that it began.
    let enough = long().saturating_sub(Duration::from_secs(4));
    while answers < 20 || began.steady() < enough {
        let clock = SystemClock::start();
        house.get("/health").is(200);
        slowest = slowest.max(clock.steady());
        answers += 1;
        std::thread::park_timeout(Duration::from_millis(10));
    }
    let took = began.steady();
    stop.store(true, Ordering::SeqCst);
    println!("the slowest of {answers} answers in {took:?} took {slowest:?}");
    let is_soak = std::env::var_os("STRONGROOM_SOAK_ROUNDS").is_some();
    assert!(!is_soak || slowest < Duration::from_secs(2), "{slowest:?}");
    until("all are assessed", || {
        house.get("/api/v1/assessments?state=assessed").json()["count"] == 4
    });
}
