//! The real program, a crowd of clients, and among them some who mean no good: the bench, for a few
//! seconds.

use std::time::Duration;

use storage::clock::{Clock, SystemClock};

use crate::command::{Server, folder, open, program, run};
use crate::crowd::{Crowd, resident_mb};
use crate::house::DEADLINE;
use crate::wire::{self, get, post};

const PASSWORD: &str = "correct+horse+battery";

/// Sets a password by a link, as a browser does; the cookie of the session that begins.
fn sign_in(server: &Server, link: &str) -> String {
    let page = wire::send(server.address, &get(link)).is(200);
    let first = |cookies: &str| cookies.split(';').next().unwrap().to_owned();
    let form = first(&page.all("set-cookie").concat());
    let text = page.text();
    let mark = text.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let token = link.split_once('=').unwrap().1;
    let body = format!("csrf={mark}&token={token}&password={PASSWORD}&again={PASSWORD}");
    let reply = wire::send(server.address, &post("/password", body).with("cookie", form)).is(303);
    let cookies = reply.all("set-cookie");
    first(cookies.iter().find(|it| it.starts_with("strongroom_session=")).unwrap())
}

#[test]
fn a_crowd_is_served_and_the_hostile_among_it_are_cut_off() {
    let (room, data) = folder();
    // A command looks after a data directory that is there.
    drop(open(&data));
    let added =
        ["user", "add", "root@archive.local", "--name", "Root", "--role", "admin", "--json"];
    let said = run(&data, &added).is(0).json();
    let link = said["link"].as_str().unwrap();
    let link = &link[link.find("/password").unwrap()..];
    let file = room.path().join("hasty.toml");
    byteio::durable::write(&file, b"[http]\nheader_timeout_s = 1\n", true).unwrap();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--config", file.to_str().unwrap()];
    let server = Server::started(program(&data, &serve));
    let paths = ["/", "/objects", "/api/v1/objects", "/items", "/api/v1/items", "/events"];
    let crowd = Crowd {
        address: server.address,
        cookie: sign_in(&server, link),
        paths: paths.map(str::to_owned).to_vec(),
        clients: 20,
        hostile: 3,
        lasting: Duration::from_secs(5),
        pause: Duration::from_millis(5),
    };
    // Once through, so that everything is there that is made for the first of them.
    Crowd { lasting: Duration::from_secs(1), ..crowd.clone() }.come();
    let before = resident_mb(server.id());
    let mut went = crowd.come();
    // A slow machine takes longer over the same.
    let clock = SystemClock::start();
    while went.took.len() <= 20 || went.slow_cut < 3 || went.large_cut < 3 {
        let counts = [went.took.len(), went.slow_cut, went.large_cut];
        assert!(clock.steady() < DEADLINE, "served, slow and large ones cut off: {counts:?}");
        let more = crowd.come();
        went.took.extend(more.took);
        went.errors.extend(more.errors);
        went.slow_cut += more.slow_cut;
        went.large_cut += more.large_cut;
        went.most_taken = went.most_taken.max(more.most_taken);
    }
    went.took.sort();
    let after = resident_mb(server.id());
    println!(
        "{} answers, half within {:?}, all within {:?}; {before} MB before, {after} MB after",
        went.took.len(),
        went.share(0.5),
        went.share(1.0)
    );
    assert_eq!(went.errors, [""; 0]);
    assert!(went.most_taken < 64 << 20, "{} bytes were taken", went.most_taken);
    assert!(after < before + 64.0, "{before} MB before, {after} MB after");
}
