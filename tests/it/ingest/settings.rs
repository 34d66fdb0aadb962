//! The nine topics and their settings: shown on the page of queues, and honoured.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use storage::clock::{Clock, SystemClock};
use strongroom::flows::FLOWS;

use super::{LETTERS, bag, deposit_letters, rig_configured, write_tar};
use crate::house::{DEADLINE, House, until};

const NINE: [(&str, &str); 9] = [
    ("ingest01_prefetch", "Receive"),
    ("ingest02_bag_validation", "Validate"),
    ("ingest03_reingest_check", "Reingest Check"),
    ("ingest04_staging", "Copy To Staging"),
    ("ingest05_format_identification", "Format Identification"),
    ("ingest06_storage", "Store"),
    ("ingest07_storage_validation", "Storage Validation"),
    ("ingest08_record", "Record"),
    ("ingest09_cleanup", "Cleanup"),
];

#[test]
fn all_nine_topics_are_on_the_page_of_queues_with_their_settings() {
    // Each stage has numbers of its own, so that none can be shown for another's.
    let toml: String = NINE
        .iter()
        .enumerate()
        .map(|(n, (topic, _))| {
            let (workers, buffer, attempts) = (n + 1, n + 11, n + 21);
            format!("[stage.{topic}]\nworkers = {workers}\nbuffer = {buffer}\nmax_attempts = {attempts}\n")
        })
        .collect();
    let house = House::of_the_program(&toml);
    let page = house.get("/queues").is(200).text();
    let told = house.get("/api/v1/queues").is(200).json();
    for (n, (topic, label)) in NINE.iter().enumerate() {
        let row = page.split("<tr>").find(|row| row.contains(&format!("<code>{topic}</code>")));
        let row = row.unwrap_or_else(|| panic!("no {topic} in {page}"));
        assert!(row.contains(&format!(">{label}</a>")), "{row}");
        for (name, value) in [("Workers", n + 1), ("Buffer", n + 11), ("Attempts", n + 21)] {
            let cell = format!("data-label=\"{name}\">{value}</td>");
            assert!(row.contains(&cell), "no {cell} in {row}");
        }
        let told = told.as_array().unwrap().iter().find(|row| row["topic"] == *topic).unwrap();
        assert_eq!((&told["workers"], &told["buffer"]), (&(n + 1).into(), &(n + 11).into()));
        assert_eq!(told["max_attempts"], n + 21);
        assert_eq!(told["flow"], "ingest");
    }
}

/// The most deposits that the first stage had under way at once, of six that came together.
fn most_at_once(toml: &str, expected: usize) -> usize {
    let house = House::of_the_program(&format!("{toml}[ingest]\nsweep_s = 1\nstill_s = 1\n"));
    let area = house.data().join("receiving/archive.local");
    until("the area is there", || area.is_dir());
    let most = Arc::new(AtomicUsize::new(0));
    let (seen, shop) = (Arc::clone(&most), Arc::downgrade(&house.app().shop));
    house.app().shop.at_every_checkpoint(move || {
        let clock = SystemClock::start();
        // Everyone waits until as many are here as may be; more would show themselves then.
        while let Some(shop) = shop.upgrade() {
            let running = shop.board.running(shop.clock.steady());
            let here = running.iter().filter(|it| it.topic == "ingest01_prefetch").count();
            seen.fetch_max(here, Ordering::SeqCst);
            if seen.load(Ordering::SeqCst) >= expected || clock.steady() > DEADLINE / 16 {
                return;
            }
            std::thread::park_timeout(Duration::from_millis(5));
        }
    });
    for n in 0..6 {
        let name = format!("bag{n}");
        write_tar(&area.join(format!("{name}.tar")), &name, &bag(LETTERS));
    }
    until("all are preserved", || {
        house.get("/api/v1/items?action=Ingest&status=Success").json()["count"] == 6
    });
    most.load(Ordering::SeqCst)
}

#[test]
fn workers_and_buffer_of_an_ingest_stage_are_honoured() {
    let stage = "[stage.ingest01_prefetch]\n";
    assert_eq!(most_at_once(&format!("{stage}workers = 1\nbuffer = 5\n"), 1), 1);
    assert_eq!(most_at_once(&format!("{stage}workers = 4\nbuffer = 2\n"), 2), 2);
    assert_eq!(most_at_once(&format!("{stage}workers = 4\nbuffer = 9\n"), 4), 4);
}

#[test]
fn attempts_of_an_ingest_stage_are_honoured() {
    for attempts in [1, 4] {
        let stage = format!("[stage.ingest01_prefetch]\nmax_attempts = {attempts}\n");
        let rig = rig_configured(FLOWS, format!("{stage}[ingest]\nprofile = \"not-there.json\"\n"));
        let id = deposit_letters(&rig);
        rig.drain_all();
        assert_eq!(rig.word(id), "parked");
        assert_eq!(rig.reason(id).code, "profile-unusable");
        assert_eq!(rig.history(id).len(), attempts, "{:?}", rig.outcomes(id));
    }
}
