//! The program is killed while a letter is on its way, again and again: it arrives, and whoever gets
//! it twice can tell.

use std::collections::BTreeSet;
use std::fs;

use rustix::process::Signal;

use super::servers::{Manner, mail_server};
use crate::command::{Server, folder, open};
use crate::house::until;

#[test]
fn a_killed_program_sends_what_it_had_not_sent() {
    let (_folder, data) = folder();
    let post = mail_server(&[Manner::Hang, Manner::TakeAndHang, Manner::Take]);
    fs::create_dir_all(&data).unwrap();
    // A letter about the disk of this machine would be one more.
    let mail = format!("[mail]\nsmtp = \"{}\"\nsecurity = \"plain\"\n", post.address);
    let toml = format!("{mail}[alerts]\nroom_percent = 0\n");
    byteio::durable::write(&data.join("strongroom.toml"), toml.as_bytes(), false).unwrap();
    {
        let app = open(&data);
        super::furnish(&app);
        let mail = |recipient: &str| storage::registry::Parcel {
            channel: storage::registry::Channel::Email,
            recipient: recipient.into(),
        };
        let now = app.shop.clock.now();
        let people = ["a@example.org", "b@example.org", "c@example.org"].map(mail);
        app.registry.raise_alert(&super::house_alert("b"), &people, now).unwrap().unwrap();
        app.settle();
    }
    let killed = |what: &str, when: &dyn Fn() -> bool| {
        let mut server = Server::start(&data);
        until(what, when);
        server.signal(Signal::KILL);
        server.ended();
    };
    killed("it waits for a first word", &|| post.kept() == 1);
    killed("it waits to hear that the message was taken", &|| post.told().len() == 1);
    let mut server = Server::start(&data);
    let conn = rusqlite::Connection::open(data.join("registry.sqlite")).unwrap();
    until("everything was sent and noted", || {
        let sql = "SELECT count(*) FROM outbox WHERE sent_at IS NULL";
        conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() == 0
    });
    server.signal(Signal::TERM);
    server.ended();
    let letters = post.told();
    let ids: BTreeSet<_> = letters
        .iter()
        .map(|letter| letter.lines().find(|line| line.starts_with("Message-ID")).unwrap())
        .collect();
    assert_eq!(letters.len(), 4, "one came twice: the program could not know");
    assert_eq!(letters[0], letters[1]);
    assert_eq!(ids.len(), 3, "each under its own number, also where it came twice: {letters:?}");
}
