//! The wish to stop: the first in good order, the second at once, and either way nothing is lost.

use std::io::Write;

use rustix::process::Signal;
use strongroom::appliance::Doorplate;

use crate::command::{Server, folder, furnish, program, run};
use crate::house::until;
use crate::wire::{self, get};

/// The list brings the registry's copy up to date, which a sudden end may have left behind.
fn all_is_there(data: &std::path::Path) {
    let ours = run(data, &["items", "list", "--name", "bag", "--json"]).is(0).json();
    assert_eq!(ours["count"], 3);
    assert_eq!(run(data, &["doctor"]).is(0).out, "All is well.\n");
}

#[test]
fn a_signal_stops_in_good_order() {
    for signal in [Signal::TERM, Signal::INT] {
        let (_folder, data) = folder();
        furnish(&data);
        let mut server = Server::start(&data);
        until("it serves", || wire::send(server.address, &get("/health/live")).status == 200);
        let _watching = wire::open(server.address, &get("/live"));
        server.signal(signal);
        let (code, said) = server.ended();
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("Stopping") && said.ends_with("Stopped.\n"), "{said}");
        assert!(!data.join("appliance.json").try_exists().unwrap());
        all_is_there(&data);
    }
}

#[test]
fn a_hangup_is_logged_and_stops_nothing() {
    let (folder, data) = folder();
    furnish(&data);
    let path = folder.path().join("log");
    let log = std::fs::File::create(&path).unwrap();
    let command = program(&data, &["serve", "--listen", "127.0.0.1:0"]);
    let mut server = Server::logging(command, log.into());
    for times in 1..=2 {
        server.signal(Signal::HUP);
        until("the signal is logged", || {
            let logged = std::fs::read_to_string(&path).unwrap();
            logged.matches("SIGHUP was received").count() == times || !server.is_running()
        });
        assert!(server.is_running(), "it was stopped by SIGHUP");
    }
    wire::send(server.address, &get("/health/live")).is(200);
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, Some(0));
    all_is_there(&data);
}

/// A request whose body never comes: it keeps a stop waiting for its five seconds.
fn endless_request(server: &Server, data: &std::path::Path) -> std::net::TcpStream {
    let mut slow = wire::connect(server.address);
    let key = Doorplate::read(data).unwrap().key;
    let begun = format!(
        "POST /api/v1/items/1/requeue HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
         content-length: 10\r\n\r\n{{"
    );
    slow.write_all(begun.as_bytes()).unwrap();
    // Once this later request is answered, that one is inside.
    wire::send(server.address, &get("/health/live")).is(200);
    slow
}

#[test]
fn a_connection_during_a_stop_is_refused_at_once() {
    let (_folder, data) = folder();
    furnish(&data);
    let mut server = Server::start(&data);
    let slow = endless_request(&server, &data);
    server.signal(Signal::TERM);
    server.says("Stopping");
    until("it is refused", || std::net::TcpStream::connect(server.address).is_err());
    drop(slow);
    assert_eq!(server.ended().0, Some(0));
    all_is_there(&data);
}

#[test]
fn a_second_signal_stops_at_once() {
    let (_folder, data) = folder();
    furnish(&data);
    let mut server = Server::start(&data);
    let _slow = endless_request(&server, &data);
    server.signal(Signal::TERM);
    server.says("Stopping");
    server.signal(Signal::TERM);
    let (code, said) = server.ended();
    assert_eq!(code, Some(130), "{said}");
    assert!(!said.contains("Stopped."), "{said}");
    all_is_there(&data);
}

#[test]
fn a_stop_with_nobody_reading_is_a_stop() {
    let (_folder, data) = folder();
    furnish(&data);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = program(&data, &["serve", "--listen", "127.0.0.1:0"]);
    command.stdout(writer).stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    let door = || Doorplate::read(&data);
    until("it serves", || {
        door().is_some_and(|door| wire::send(door.address, &get("/health/live")).status == 200)
    });
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    all_is_there(&data);
}
