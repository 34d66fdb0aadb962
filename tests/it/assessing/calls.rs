//! Calls of the program that asked: in the words of its schema, several at once, with what it answers.

use std::io::Write;
use std::process::{Command, Stdio};

use nutrients::ReceiverSchema;
use serde_json::Value;
use strongroom::outbox::Outbox;

use super::delivery::{calling, unpriced};
use super::*;
use crate::alerts::servers::{hook_server, hook_server_that_says};
use crate::peer::SCHEMAS;

const VERSIONS: [&str; 4] = ["1", "2", "3", "4"];

/// Says of every body whether the schema takes it. Amounts are read as decimals: a binary fraction is
/// a multiple of 0.01 by chance only.
const JUDGE: &str = "
import json, sys
from decimal import Decimal
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]), parse_float=Decimal)
Draft202012Validator.check_schema(json.load(open(sys.argv[1])))
judge = Draft202012Validator(schema)
for line in sys.stdin:
    body = json.loads(line, parse_float=Decimal)
    print('; '.join(error.message for error in judge.iter_errors(body)) or 'taken')
";

/// What a version of the receiver's schema says of bodies.
fn judged(python: &Path, version: &str, bodies: &[String]) -> Vec<String> {
    let schema = format!("{}/tests/assess/callback/{version}.json", env!("CARGO_MANIFEST_DIR"));
    let mut judge = Command::new(python)
        .args(["-c", JUDGE, &schema])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    judge.stdin.take().unwrap().write_all(bodies.join("\n").as_bytes()).unwrap();
    let output = judge.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(ToOwned::to_owned).collect()
}

/// The body of the last call.
fn body(call: &str) -> Value {
    serde_json::from_str(call.lines().last().unwrap()).unwrap()
}

fn called_back(reference: &str) -> Wish {
    Wish { calls_back: true, ..Wish::of(reference, site(reference, 300.0), "C") }
}

#[test]
fn every_published_version_of_the_receivers_schema_takes_its_own_shape_and_no_other() {
    let Some(python) = SCHEMAS.python() else { return };
    let rig = rig(FLOWS, &calling(hook_server(&[200]).address));
    let (id, _) = asked(rig.app(), &called_back("NRF-000001"));
    rig.drain_all();
    let kept = rig.app().registry.deliveries_of(id).unwrap()[0].body.clone();
    let shaped = |version| ReceiverSchema::named(version).unwrap().body(&kept).unwrap();
    let bodies: Vec<String> = VERSIONS.into_iter().map(shaped).collect();
    for (at, version) in VERSIONS.into_iter().enumerate() {
        let said = judged(python, version, &bodies);
        let taken: Vec<usize> = (0..bodies.len()).filter(|it| said[*it] == "taken").collect();
        // A body of version 3 is one of version 4 whose catchments are left out, as they may be.
        let expected: &[usize] = if version == "4" { &[2, 3] } else { &[at] };
        assert_eq!(taken, expected, "version {version}: {said:?}");
    }
    let plan = body(&bodies[3])["edps"][0].clone();
    assert_eq!(plan["catchments"][0]["catchmentId"], "7", "{plan}");
    let due = json!({"amountExcludingVat": 160_500.0, "amountInflationAdjusted": 160_500.0,
        "baseAmount": 160_500.0, "modelVersion": 1});
    assert_eq!(plan["levyGbp"], due);
}

#[test]
fn a_call_keeps_to_the_version_that_is_configured_also_when_it_was_changed_since() {
    let server = hook_server(&[400, 200]);
    let toml = |version: &str| {
        let schema = format!("callback_schema = \"{version}\"\n[mail]");
        calling(server.address).replace("[mail]", &schema)
    };
    let rig = rig(FLOWS, &toml("2"));
    let (id, _) = asked(rig.app(), &called_back("NRF-000002"));
    rig.drain_all();
    until("it is given up", || {
        rig.app().registry.deliveries_of(id).unwrap()[0].given_up_at.is_some()
    });
    let levy = |at: usize| body(&server.told()[at])["edps"][0]["levyGbp"].clone();
    assert_eq!(levy(0), json!({"min": 160_500.0, "max": 160_500.0}));
    let app = rig.app();
    let config = crate::house::config(&app.config.data, "127.0.0.1:0", &toml("4"), &[], FLOWS);
    let outbox = Outbox::open(&config, &app.registry, Arc::clone(&rig.clock) as _);
    assert_eq!(app.registry.deliver_again(id, app.shop.clock.now()).unwrap(), 1);
    assert_eq!(outbox.deliver_due().sent, 1);
    assert_eq!(levy(1)["amountExcludingVat"], 160_500.0);
}

#[test]
fn a_receiver_that_hangs_on_one_result_holds_up_that_one_only() {
    let server = hook_server(&[0, 200]);
    let toml = calling(server.address).replace("[mail]", "callback_timeout_s = 600\n[mail]");
    let rig = rig(FLOWS, &toml);
    let ids: Vec<i64> = ["NRF-000001", "NRF-000002", "NRF-000003"]
        .into_iter()
        .map(|reference| asked(rig.app(), &called_back(reference)).0)
        .collect();
    rig.drain_all();
    let sent = || {
        let row = |id: &i64| rig.app().registry.deliveries_of(*id).unwrap()[0].clone();
        ids.iter().filter(|id| row(id).sent_at.is_some()).count()
    };
    until("the others are taken", || {
        rig.app().outbox.deliver_aside().unwrap();
        sent() == 2
    });
    assert_eq!((server.kept(), server.told().len()), (1, 3), "one call still hangs, once");
    server.hang_up();
    until("it is taken as well", || {
        rig.clock.advance(crate::harness::secs(5));
        rig.app().outbox.deliver_aside().unwrap();
        sent() == 3
    });
}

#[test]
fn an_older_result_is_not_told_behind_a_newer_one() {
    let server = hook_server(&[0, 200]);
    let toml = calling(server.address).replace("[mail]", "callback_timeout_s = 600\n[mail]");
    let rig = rig(FLOWS, &toml);
    let (older, _) = asked(rig.app(), &called_back("NRF-000001"));
    rig.drain_all();
    until("the older call hangs", || server.kept() == 1);
    let mut more = called_back("NRF-000001");
    more.site.dwellings = 61;
    let (newer, _) = asked(rig.app(), &more);
    let (other, _) = asked(rig.app(), &called_back("NRF-000002"));
    rig.drain_all();
    let row = |id: i64| rig.app().registry.deliveries_of(id).unwrap()[0].clone();
    until("another reference is told", || {
        rig.app().outbox.deliver_aside().unwrap();
        row(other).sent_at.is_some()
    });
    assert!(row(newer).sent_at.is_none(), "it waits until the older call has ended");
    server.hang_up();
    until("the newer is told", || {
        rig.app().outbox.deliver_aside().unwrap();
        row(newer).sent_at.is_some()
    });
    assert!(row(older).is_superseded());
    assert_eq!(server.told().len(), 3, "the older one was called with once");
}

#[test]
fn a_rejection_for_good_shows_the_receivers_words() {
    let words =
        r#"{"statusCode":400,"error":"Bad Request","message":"\"edps[0].levyGbp\" is\n required"}"#;
    let server = hook_server_that_says(&[400], words);
    let rig = rig(FLOWS, &calling(server.address));
    let (id, _) = asked(rig.app(), &called_back("NRF-000001"));
    rig.drain_all();
    let row = || rig.app().registry.deliveries_of(id).unwrap()[0].clone();
    until("it is given up", || row().given_up_at.is_some());
    let trouble = row().trouble.unwrap();
    assert!(trouble.contains("answered 400") && trouble.contains("rejects it"), "{trouble}");
    assert!(trouble.contains(r#""edps[0].levyGbp" is required"#), "{trouble}");
}

#[test]
fn what_a_receiver_says_is_cut_and_tamed() {
    let words: &str = Box::leak(format!("<b>\u{1b}[2J{}", "no ".repeat(9_000)).into_boxed_str());
    let server = hook_server_that_says(&[404], words);
    let rig = rig(FLOWS, &calling(server.address));
    let (id, _) = asked(rig.app(), &called_back("NRF-000001"));
    rig.drain_all();
    let row = || rig.app().registry.deliveries_of(id).unwrap()[0].clone();
    until("it is given up", || row().given_up_at.is_some());
    let trouble = row().trouble.unwrap();
    assert!(trouble.chars().count() <= 500 && !trouble.contains('\u{1b}'), "{trouble}");
    assert!(trouble.ends_with("…\""), "{trouble}");
}

#[test]
fn a_result_that_must_be_told_with_a_price_waits_for_tables_of_charges() {
    let server = hook_server(&[200]);
    let rig = rig(FLOWS, &unpriced(server.address));
    let (_, item) = asked(rig.app(), &called_back("NRF-000001"));
    rig.drain_all();
    let reason = rig.reason(item);
    assert_eq!((rig.word(item), reason.code.as_str()), ("parked", "no-price"));
    assert!(reason.happened.contains("assess.levy_tables names no tables"), "{reason:?}");
    assert!(reason.advice.contains("Set assess.levy_tables"), "{reason:?}");
    assert_eq!(server.told().len(), 0, "the receiver refuses a result without a price");
}
