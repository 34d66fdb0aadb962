//! What is to be sent goes out once, or is tried until it is given up; restarts between.

use std::fs;

use digests::{Algorithm, digest_buffers};
use storage::clock::Clock;
use strongroom::alerts::raise;
use strongroom::outbox::Sent;

use super::servers::{Manner, hook_server, mail_server};
use super::{house_alert, rig, sent, told};
use crate::harness::secs;

const ONE: Sent = Sent { sent: 1, failed: 0, given_up: 0 };
const NOT: Sent = Sent { sent: 0, failed: 1, given_up: 0 };
const NONE: Sent = Sent { sent: 0, failed: 0, given_up: 0 };

fn mail(address: std::net::SocketAddr) -> String {
    format!(
        "[http]\npublic_url = \"https://archive.example.org\"\n[mail]\nsmtp = \"{address}\"\n\
         security = \"plain\"\nfrom = \"room@example.org\"\ntimeout_s = 1\n"
    )
}

fn header<'a>(letter: &'a str, name: &str) -> &'a str {
    let lines = letter.split("\r\n").take_while(|line| !line.is_empty());
    let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    values.next().unwrap_or_else(|| panic!("no {name} in {letter}"))
}

#[test]
fn a_letter_goes_out_once_and_that_is_noted() {
    let server = mail_server(&[Manner::Take]);
    let mut rig = rig(&mail(server.address));
    let alert = told(rig.app(), &house_alert("b"));
    assert_eq!(raise(rig.app(), &house_alert("b")).unwrap(), None, "told once");
    assert_eq!(rig.app().outbox.send_due(), ONE);
    assert_eq!(rig.app().outbox.send_due(), NONE);
    rig.restart();
    rig.clock.advance(secs(7 * 86_400));
    assert_eq!(rig.app().outbox.send_due(), NONE, "nor after a restart");
    let [letter] = &server.told()[..] else { panic!("{:?}", server.told()) };
    assert_eq!(header(letter, "To"), "eve@example.org", "of the house's own people");
    assert_eq!(header(letter, "From"), "Strongroom <room@example.org>");
    assert_eq!(header(letter, "Subject"), "Replica b is away");
    assert!(header(letter, "Message-ID").ends_with("@example.org>"));
    assert!(letter.contains("It does not answer.\r\n.\r\nNothing is lost."), "{letter}");
    assert!(letter.contains("Look here: https://archive.example.org/\r\n"), "{letter}");
    let [row] = &sent(rig.app(), &alert)[..] else { panic!("one row") };
    assert!(row.sent_at.is_some() && row.trouble.is_none() && row.attempts == 0);
}

#[test]
fn a_server_that_does_not_encrypt_is_told_nothing() {
    for security in ["starttls", "tls"] {
        let server = mail_server(&[Manner::Take]);
        let toml = mail(server.address).replace("\"plain\"", &format!("{security:?}"));
        let rig = rig(&toml);
        let alert = told(rig.app(), &house_alert("b"));
        assert_eq!(rig.app().outbox.send_due(), NOT, "{security}");
        assert!(server.told().is_empty(), "{security}");
        let trouble = sent(rig.app(), &alert).remove(0).trouble.unwrap();
        assert!(trouble.contains("took nothing"), "{security}: {trouble}");
    }
}

#[test]
fn what_is_not_taken_is_tried_again_with_the_same_number() {
    let plan = [Manner::Refuse(451), Manner::Hang, Manner::Drop, Manner::TakeAndDrop, Manner::Take];
    let server = mail_server(&plan);
    let mut rig = rig(&mail(server.address));
    let alert = told(rig.app(), &house_alert("b"));
    let troubles = ["451", "took nothing", "took nothing", "took nothing"];
    for (tried, (trouble, wait)) in troubles.into_iter().zip([60, 300, 900, 3600]).enumerate() {
        assert_eq!(rig.app().outbox.send_due(), NOT, "{trouble}");
        let row = sent(rig.app(), &alert).remove(0);
        assert_eq!(usize::try_from(row.attempts).unwrap(), tried + 1);
        assert!(row.trouble.as_ref().unwrap().contains(trouble), "{row:?}");
        assert_eq!(row.due_at.since(rig.clock.now()), secs(wait));
        rig.clock.advance(secs(wait - 1));
        assert_eq!(rig.app().outbox.send_due(), NONE, "not before its time");
        if tried == 1 {
            rig.restart();
        }
        rig.clock.advance(secs(1));
    }
    assert_eq!(rig.app().outbox.send_due(), ONE);
    assert_eq!(rig.app().outbox.send_due(), NONE);
    // The server took it twice, once without saying so: the receiver can tell.
    let [first, second] = &server.told()[..] else { panic!("{:?}", server.told()) };
    assert_eq!(first, second);
    assert!(sent(rig.app(), &alert)[0].trouble.is_none());
}

#[test]
fn what_is_refused_for_days_is_given_up_and_says_so() {
    let server = mail_server(&[Manner::Refuse(550)]);
    let rig = rig(&mail(server.address));
    let alert = told(rig.app(), &house_alert("b"));
    let begun = rig.clock.now();
    let mut tries = 0;
    loop {
        let came = rig.app().outbox.send_due();
        tries += 1;
        assert!(tries < 50, "it does not end");
        if came.given_up == 1 {
            break;
        }
        assert_eq!(came, NOT);
        let due = sent(rig.app(), &alert)[0].due_at;
        rig.clock.advance(due.since(rig.clock.now()));
    }
    let days = rig.clock.now().since(begun).as_secs() / 86_400;
    assert!((3..=5).contains(&days), "{days} days, {tries} tries");
    let row = sent(rig.app(), &alert).remove(0);
    assert!(row.given_up_at.is_some() && row.trouble.unwrap().contains("550"));
    rig.clock.advance(secs(30 * 86_400));
    assert_eq!(rig.app().outbox.send_due(), NONE);
}

#[test]
fn one_that_is_refused_does_not_hold_up_the_next_but_a_closed_door_does() {
    let server = mail_server(&[Manner::Refuse(550), Manner::Take]);
    let open = rig(&mail(server.address));
    told(open.app(), &house_alert("a"));
    told(open.app(), &house_alert("b"));
    assert_eq!(open.app().outbox.send_due(), Sent { sent: 1, failed: 1, given_up: 0 });

    let server = mail_server(&[Manner::Drop, Manner::Take]);
    let closed = rig(&mail(server.address));
    let [first, second] = ["a", "b"].map(|name| told(closed.app(), &house_alert(name)));
    assert_eq!(closed.app().outbox.send_due(), NOT);
    assert_eq!(sent(closed.app(), &second)[0].attempts, 0, "it was not tried in vain");
    assert_eq!(closed.app().outbox.send_due(), NONE, "the door is left alone for a while");
    closed.clock.advance(secs(60));
    assert_eq!(closed.app().outbox.send_due(), Sent { sent: 2, failed: 0, given_up: 0 });
    assert!(sent(closed.app(), &first)[0].sent_at.is_some());
}

#[test]
fn a_server_that_hangs_keeps_neither_calls_nor_sweeps_waiting() {
    let (post, hook) = (mail_server(&[Manner::Hang]), hook_server(&[204]));
    let toml = format!(
        "{}[webhook]\nurl = \"http://{}/x\"\nallow_http = true\n",
        mail(post.address).replace("timeout_s = 1", "timeout_s = 300"),
        hook.address
    );
    let rig = rig(&toml);
    let alert = told(rig.app(), &house_alert("b"));
    rig.app().outbox.send_aside().unwrap();
    rig.app().outbox.send_aside().unwrap();
    crate::house::until("the call was made", || {
        sent(rig.app(), &alert).iter().any(|row| row.sent_at.is_some())
    });
    // The server goes on saying nothing: neither the sweep nor the call has waited for it.
    crate::house::until("it is asked", || post.kept() == 1);
    assert!(sent(rig.app(), &alert).iter().all(|row| row.attempts == 0 || row.sent_at.is_some()));
    post.hang_up();
    crate::house::until("the letter was given up for now", || {
        sent(rig.app(), &alert).iter().any(|row| row.attempts == 1)
    });
    assert_eq!(hook.told().len(), 1);
}

#[test]
fn a_call_is_signed_and_repeated_under_one_key() {
    let hook = hook_server(&[503, 0, 400, 200]);
    let toml = format!(
        "[webhook]\nurl = \"http://{}/alerts?for=us\"\nallow_http = true\nsecret = \"./secret\"\n\
         timeout_s = 1\n",
        hook.address
    );
    let mut rig = rig(&toml);
    let alert = told(rig.app(), &house_alert("b"));
    assert_eq!(rig.app().outbox.send_due(), NOT, "there is no secret yet");
    assert!(sent(rig.app(), &alert)[0].trouble.as_ref().unwrap().contains("cannot read"));
    assert!(hook.told().is_empty(), "and nothing is sent unsigned");
    byteio::durable::write(&rig.app().config.data.join("secret"), b"s3cret\n", true).unwrap();
    for (wait, trouble) in [(60, "503"), (300, "not reached"), (900, "400")] {
        rig.clock.advance(secs(wait));
        assert_eq!(rig.app().outbox.send_due(), NOT, "{trouble}");
        let row = sent(rig.app(), &alert).remove(0);
        let said = row.trouble.unwrap();
        assert!(said.contains(trouble) && !said.contains("for=us"), "{said}");
        rig.restart();
    }
    rig.clock.advance(secs(3600));
    assert_eq!(rig.app().outbox.send_due(), ONE);
    let calls = hook.told();
    assert_eq!(calls.len(), 4);
    assert!(calls[0].starts_with("POST /alerts?for=us HTTP/1.1\r\n"), "{}", calls[0]);
    let part = |call: &str, name: &str| {
        let mut lines = call.lines().filter(|line| line.to_ascii_lowercase().starts_with(name));
        lines.next().unwrap_or_else(|| panic!("no {name} in {call}")).to_owned()
    };
    let keys: Vec<_> = calls.iter().map(|call| part(call, "idempotency-key")).collect();
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    let body = calls[3].split("\r\n\r\n").nth(1).unwrap();
    let signed = part(&calls[3], "x-strongroom-signature");
    assert!(signed.ends_with(&format!("sha256={}", code(b"s3cret", body.as_bytes()))), "{signed}");
    let value: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(value["kind"], "replica-away");
    assert_eq!(value["alert"], alert.id);
    assert!(keys[0].ends_with(value["id"].as_str().unwrap()));
}

/// HMAC-SHA256 once more, by other hands than the program's.
fn code(secret: &[u8], message: &[u8]) -> String {
    let digest = |parts: &[&[u8]]| {
        let whole = parts.concat();
        let digests = digest_buffers([Algorithm::Sha256].into_iter().collect(), &[&whole]);
        digests[0].hex(Algorithm::Sha256).unwrap()
    };
    let bytes = |hex: String| -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    };
    let key = |pad: u8| -> Vec<u8> {
        (0..64).map(|at| secret.get(at).copied().unwrap_or(0) ^ pad).collect()
    };
    let inner = bytes(digest(&[&key(0x36), message]));
    digest(&[&key(0x5c), &inner])
}

#[test]
fn without_a_network_letters_are_put_into_a_folder() {
    let mut rig = rig("[mail]\nspool = \"mail\"\n");
    let alert = told(rig.app(), &house_alert("b"));
    let folder = rig.app().config.data.join("mail");
    // Something stands in the way of the folder: nothing is lost.
    byteio::durable::write(&folder, b"a file", false).unwrap();
    assert_eq!(rig.app().outbox.send_due(), NOT);
    fs::remove_file(&folder).unwrap();
    rig.restart();
    rig.clock.advance(secs(60));
    assert_eq!(rig.app().outbox.send_due(), ONE);
    assert_eq!(rig.app().outbox.send_due(), NONE);
    let names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let [name] = &names[..] else { panic!("{names:?}") };
    assert!(name.to_str().unwrap().ends_with(".eml"), "{name:?}");
    let letter = fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(header(&letter, "To"), "eve@example.org");
    assert!(sent(rig.app(), &alert)[0].sent_at.is_some());
}

#[test]
fn without_a_way_out_nothing_is_put_into_the_outbox() {
    let rig = rig("");
    let alert = told(rig.app(), &house_alert("b"));
    assert!(sent(rig.app(), &alert).is_empty());
    assert_eq!(rig.app().outbox.send_due(), NONE);
    let strange = storage::registry::NewAlert { kind: "party".into(), ..house_alert("c") };
    assert!(raise(rig.app(), &strange).is_err(), "a kind that is not on the list");
}
