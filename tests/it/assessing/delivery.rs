//! Results on their way out: the call, its retries, its end, and the letter.

use storage::registry::{ALERTS, Query};
use strongroom::assess::DeliveriesDue;
use strongroom::work::Sweep;

use super::*;
use crate::alerts::servers::hook_server;
use crate::harness::secs;

pub(super) fn calling(address: std::net::SocketAddr) -> String {
    format!(
        "[assess]\ncallback_url = \"http://{address}/api/\"\ncallback_allow_http = true\n\
         levy_tables = \"levy.json\"\n[mail]\nspool = \"mail\"\n"
    )
}

/// The same without tables of charges.
pub(super) fn unpriced(address: std::net::SocketAddr) -> String {
    calling(address).replace("levy_tables = \"levy.json\"\n", "")
}

/// A rig with a result that is to be told.
fn told(plan: &[u16]) -> (Rig<App>, crate::alerts::servers::Server<u16>, i64) {
    let server = hook_server(plan);
    let rig = rig(FLOWS, &calling(server.address));
    let wish = Wish {
        calls_back: true,
        trace: Some("trace-1".into()),
        email: Some("ada@example.org".into()),
        ..Wish::of("NRF-000007", site("NRF-000007", 300.0), "C")
    };
    let (id, _) = asked(rig.app(), &wish);
    (rig, server, id)
}

/// Assesses without the thread that would send at once.
fn assessed(rig: &Rig<App>, id: i64) {
    rig.drain_all();
    // The attempt that the stage began itself is over when the channel is free.
    until("it was tried", || {
        let tried = rig.app().registry.delivery_attempts(id, 99).unwrap().len();
        tried >= 2
    });
}

#[test]
fn a_call_is_repeated_until_it_is_taken_and_is_the_same_every_time() {
    let (rig, server, id) = told(&[500, 503, 200]);
    assessed(&rig, id);
    until("all are taken", || {
        rig.clock.advance(secs(5));
        rig.app().outbox.deliver_due();
        let rows = rig.app().registry.deliveries_of(id).unwrap();
        rows.len() == 2 && rows.iter().all(|row| row.sent_at.is_some())
    });
    let calls = server.told();
    assert_eq!(calls.len(), 3, "{calls:?}");
    let key = |call: &String| {
        let mut lines = call.lines().filter(|line| line.starts_with("idempotency-key"));
        lines.next().unwrap().to_owned()
    };
    assert!(calls.iter().all(|call| key(call) == key(&calls[0])));
    assert!(calls[0].starts_with("PATCH /api/quotes/NRF-000007 HTTP/1.1"), "{}", calls[0]);
    assert!(calls[0].contains("x-cdp-request-id: trace-1"));
    let body: serde_json::Value = serde_json::from_str(calls[0].lines().last().unwrap()).unwrap();
    let plan = &body["edps"][0];
    assert_eq!((&plan["edpName"], &plan["edpId"]), (&json!("Broads plan"), &json!(3)));
    assert_eq!(plan["impact"]["nitrogenTotal"]["unit"], "mg/I TP");
    let attempts = rig.app().registry.delivery_attempts(id, 99).unwrap();
    let troubles: Vec<bool> = attempts.iter().map(|it| it.trouble.is_some()).collect();
    assert_eq!(troubles, [true, true, false, false], "two failed, one taken, and the letter");
    let mail = rig.app().config.data.join("mail");
    let letter = std::fs::read_dir(mail).unwrap().next().unwrap().unwrap().path();
    let letter = std::fs::read_to_string(letter).unwrap();
    assert!(letter.contains("To: ada@example.org") && letter.contains("NRF-000007"), "{letter}");
}

#[test]
fn what_the_receiver_never_takes_is_given_up_told_and_sent_again_when_asked() {
    let (rig, server, id) = told(&[404, 200]);
    assessed(&rig, id);
    let callback = || rig.app().registry.deliveries_of(id).unwrap()[0].clone();
    assert!(callback().given_up_at.is_some(), "{:?}", callback());
    for _ in 0..2 {
        DeliveriesDue.sweep(rig.app(), 9).unwrap();
    }
    let alerts = rig.app().registry.list_alerts(&Query::all(&ALERTS)).unwrap().rows;
    let ours: Vec<_> = alerts.iter().filter(|it| it.kind == "result-undelivered").collect();
    assert_eq!(ours.len(), 1, "told once: {alerts:?}");
    assert!(ours[0].content.contains("answered 404"), "{}", ours[0].content);
    let desk = rig.app().desk();
    desk.send_result_again(&id.to_string()).unwrap();
    until("it is taken", || callback().sent_at.is_some());
    assert_eq!(server.told().len(), 2);
    assert!(desk.send_result_again(&id.to_string()).is_err(), "there is nothing to send");
}

#[test]
fn a_job_that_cannot_be_priced_waits_for_a_person_and_nobody_is_told() {
    let server = hook_server(&[200]);
    let rig = rig(FLOWS, &calling(server.address));
    let wish = Wish { calls_back: true, ..Wish::of("a", site("a", 300.0), "C") };
    let (id, item) = asked(rig.app(), &wish);
    let tables = |year: u32| {
        json!({
            "plans": [{"id": 3, "name": "Broads plan", "starts": format!("{year}-01-01")}],
            "charges": [{"row": 70, "plan": 3, "from": "2020-01-01", "to": "2100-01-01",
                "base_per_unit": "2675"}],
            "indices": [],
        })
        .to_string()
    };
    let path = rig.app().config.data.join("levy.json");
    byteio::durable::write(&path, tables(1999).as_bytes(), false).unwrap();
    rig.drain_all();
    assert_eq!((rig.word(item), rig.reason(item).code.as_str()), ("parked", "no-price"));
    assert_eq!(server.told().len(), 0);
    let year = rig.clock_year();
    byteio::durable::write(&path, tables(year).as_bytes(), false).unwrap();
    rig.controls().requeue_all("no-price", None, "the test").unwrap();
    rig.drain_all();
    until("it is told", || server.told().len() == 1);
    assert!(server.told()[0].contains("160500"), "{}", server.told()[0]);
    until("its price is stamped", || {
        rig.app().registry.levy_of(id).unwrap().is_some_and(|levy| levy.sent_at.is_some())
    });
}

#[test]
fn what_cannot_be_told_to_a_program_is_told_to_people() {
    let server = hook_server(&[200]);
    let rig = rig(FLOWS, &unpriced(server.address));
    let wish = Wish {
        calls_back: true,
        plans: vec!["Broads plan".into(), "Another plan".into()],
        email: Some("ada@example.org".into()),
        ..Wish::of("NRF-000008", site("NRF-000008", 300.0), "C")
    };
    let (id, _) = asked(rig.app(), &wish);
    rig.drain_all();
    let desk = rig.app().desk();
    let told = desk.assessment(&id.to_string()).unwrap();
    let call = &told.deliveries[0];
    let why = call.trouble.as_deref().unwrap();
    assert!(why.contains("2 plan areas") && call.given_up_at.is_some(), "{call:?}");
    DeliveriesDue.sweep(rig.app(), 9).unwrap();
    let alerts = rig.app().registry.list_alerts(&Query::all(&ALERTS)).unwrap().rows;
    let ours = alerts.iter().find(|it| it.kind == "result-undelivered").unwrap();
    assert!(ours.content.contains("2 plan areas"), "{}", ours.content);
    let letter = told.deliveries.iter().find(|it| it.target == "ada@example.org").unwrap();
    assert!(letter.body.contains("is not called"), "{}", letter.body);
    assert!(
        desk.send_result_again(&id.to_string()).is_err(),
        "there is nothing that could be sent"
    );
    assert_eq!(server.told().len(), 0);
}

#[test]
fn where_no_address_is_set_the_record_says_that_nothing_was_sent() {
    let rig = rig(FLOWS, "");
    let wish = Wish { calls_back: true, ..Wish::of("NRF-000009", site("NRF-000009", 300.0), "C") };
    let (id, _) = asked(rig.app(), &wish);
    rig.drain_all();
    let desk = rig.app().desk();
    let told = desk.assessment(&id.to_string()).unwrap();
    let [call] = told.deliveries.as_slice() else { panic!("{:?}", told.deliveries) };
    let why = call.trouble.as_deref().unwrap();
    assert!(why.contains("no address is set") && call.is_unaddressed(), "{call:?}");
    assert_eq!((call.attempts, call.sent_at, call.target.as_str()), (0, None, "quotes/NRF-000009"));
    DeliveriesDue.sweep(rig.app(), 9).unwrap();
    let alerts = rig.app().registry.list_alerts(&Query::all(&ALERTS)).unwrap().rows;
    assert!(alerts.iter().all(|it| it.kind != "result-undelivered"), "nobody is bothered with it");
    assert!(desk.send_result_again(&id.to_string()).is_err(), "there is nowhere to send it");
}

impl Rig<App> {
    fn clock_year(&self) -> u32 {
        self.app().shop.clock.now().to_string()[..4].parse().unwrap()
    }
}
