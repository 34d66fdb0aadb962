//! The threads that requests have: who may take one, and what says so when there are none left.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use storage::registry::Role;

use crate::house::{House, until};
use crate::wire::get;

#[test]
fn ready_says_no_while_what_pages_read_from_is_taken_and_its_probes_do_not_add_up() {
    let house = House::new();
    house.person("ann@archive.example", Role::Admin);
    until("it is ready", || house.get("/health/ready").status == 200);
    let (held, done) = (AtomicUsize::new(0), Mutex::new(false));
    let waking = Condvar::new();
    let registry = &house.app().registry;
    std::thread::scope(|scope| {
        let hold = || {
            let read = registry.export_rows::<storage::registry::Error>("users", &mut |_| {
                held.fetch_add(1, Ordering::SeqCst);
                let done = done.lock().unwrap();
                drop(waking.wait_while(done, |done| !*done).unwrap());
                Ok(())
            });
            read.unwrap();
        };
        // Every connection that reads the registry is taken.
        let holders: Vec<_> = (0..4).map(|_| scope.spawn(hold)).collect();
        until("all are taken", || held.load(Ordering::SeqCst) == 4);
        let probes: Vec<_> =
            (0..40).map(|_| scope.spawn(|| house.ask_as_stranger(&get("/health/ready")))).collect();
        let replies: Vec<_> = probes.into_iter().map(|it| it.join().unwrap()).collect();
        // More probes than threads have come and gone; what needs a thread still gets one.
        let numbers = house.get("/metrics");
        // First all goes on, so that a failure ends the test.
        *done.lock().unwrap() = true;
        waking.notify_all();
        holders.into_iter().for_each(|it| it.join().unwrap());
        for reply in replies {
            let reply = reply.is(503);
            assert!(reply.text().contains("pages do not answer"), "{}", reply.text());
        }
        assert!(numbers.is(200).text().contains("strongroom_healthy"));
    });
    until("it is ready again", || house.get("/health/ready").status == 200);
}

/// The class: nothing but these files may start a thread for a request or send a body piece by piece,
/// so that whatever streams is counted, bounded and waits for its client without a thread.
#[test]
fn only_the_streams_of_http_take_threads_and_send_bodies_in_pieces() {
    let allowed: &[(&str, &[&str])] = &[
        ("spawn_blocking", &["mod.rs", "stream/mod.rs", "stream/spool.rs", "server/tls.rs"]),
        (
            "Body::from_stream",
            &["stream/mod.rs", "stream/spool.rs", "csrf/first_part.rs", "deposits/parts.rs"],
        ),
        ("blocking_send", &[]),
        ("block_in_place", &[]),
        ("thread::spawn", &[]),
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http");
    let (mut folders, mut offences) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            for (word, places) in allowed {
                if text.contains(word) && !places.contains(&name.as_str()) {
                    offences.push(format!("{name} says {word}"));
                }
            }
        }
    }
    assert_eq!(offences, [""; 0]);
}
