//! The contract, tried by a stranger: schemathesis reads the document and sends whatever it allows,
//! and much that it does not.
//!
//! `STRONGROOM_EXAMPLES=100` sends more of everything.

use std::path::Path;
use std::process::Command;

use storage::registry::Role;

use crate::house::{House, until};
use crate::ingest::{LETTERS, bag};
use crate::peer::SCHEMATHESIS;
use crate::wire::get;

/// What an answer must be.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
    response_headers_conformance,response_schema_conformance,negative_data_rejection,\
    unsupported_method,allow_header_conformance";

/// What may be said of what breaks the contract: its own list, and that an address is too long.
const RULES: &str = "[checks.negative_data_rejection]\n\
    expected-statuses = [400, 401, 403, 404, 405, 406, 409, 414, 415, 422, 428, 429, 431]\n";

/// Examples of each operation, besides those that the document itself suggests.
const EXAMPLES: &str = "10";

const ANN: &str = "ann@archive.local";
const ROOT: &str = "root@archive.local";

/// Every part of the API by the first word of its addresses, in portions that take about as long.
const HOLDINGS: &[&str] =
    &["deposits", "events", "export", "files", "fixity", "objects", "restorations", "search"];
const OPERATION: &[&str] = &[
    "doctor",
    "items",
    "maintenance",
    "openapi.json",
    "queues",
    "reports",
    "schedules",
    "settings",
    "storage",
];
const PEOPLE: &[&str] =
    &["alerts", "audit", "audit.csv", "deletions", "institutions", "sessions", "tokens", "users"];
const ASSESSMENT: &[&str] = &["assessments", "check-boundary", "reference-data", "treatment-works"];
const RESEARCH: &[&str] = &["research"];

#[test]
fn every_operation_of_the_api_is_in_one_portion() {
    let house = House::new();
    let document = house.ask_as_stranger(&get("/api/v1/openapi.json")).is(200).json();
    let portions = [HOLDINGS, OPERATION, PEOPLE, ASSESSMENT, RESEARCH].concat();
    for path in document["paths"].as_object().unwrap().keys() {
        let first = path.strip_prefix("/api/v1/").and_then(|rest| rest.split('/').next());
        let portions = portions.iter().filter(|part| Some(**part) == first).count();
        assert_eq!(portions, 1, "{path} must be in exactly one portion");
    }
}

/// Tries a portion of the API with the key of the data directory.
fn keeps_its_contract(portion: &[&str]) -> Option<House> {
    let python = SCHEMATHESIS.python()?;
    let house = peopled();
    let key = format!("Authorization: Bearer {}", house.key());
    let addresses = format!("^/api/v1/({})(/|$)", portion.join("|").replace('.', "[.]"));
    tried((python, &house), &[&key], &addresses);
    Some(house)
}

#[test]
fn the_api_of_holdings_keeps_its_contract_whatever_is_sent() {
    keeps_its_contract(HOLDINGS);
}

#[test]
fn the_api_of_operation_keeps_its_contract_whatever_is_sent() {
    keeps_its_contract(OPERATION);
}

#[test]
fn the_api_of_people_keeps_its_contract_whatever_is_sent() {
    let Some(house) = keeps_its_contract(PEOPLE) else { return };
    // What the document suggests was done.
    house.get("/api/v1/institutions/library.example").is(200);
    house.get("/api/v1/users/cleo@archive.example").is(200);
}

#[test]
fn the_api_of_assessments_keeps_its_contract_whatever_is_sent() {
    keeps_its_contract(ASSESSMENT);
}

#[test]
fn the_api_of_research_keeps_its_contract_whatever_is_sent() {
    keeps_its_contract(RESEARCH);
}

/// What the key of the data directory does not open: what is somebody's own, or takes their word.
#[test]
fn the_api_keeps_its_contract_with_people() {
    let Some(python) = SCHEMATHESIS.python() else { return };
    let house = peopled();
    for (who, where_to) in
        [(ANN, "/(deletions|alerts|tokens|sessions$|audit|search)"), (ROOT, "/ndsa/declarations")]
    {
        let session = tried_as((python, &house), who, where_to);
        // They were let in to the end.
        house.ask(&get("/api/v1/sessions").with("cookie", session)).is(200);
    }
    // Here it is their own session that may be ended.
    tried_as((python, &house), ANN, "/sessions/.*/end");
    // What the document suggests was done.
    let deletions = house.get("/api/v1/deletions").is(200).json();
    assert!(deletions["count"].as_u64() > Some(0), "{deletions}");
    let declared = house.get("/api/v1/reports/ndsa/declarations").is(200).json();
    assert!(!declared.as_array().unwrap().is_empty(), "{declared}");
}

/// A house that holds something, with people in it.
fn peopled() -> House {
    let house = House::of_the_program("[ingest]\nsweep_s = 1\nprofile = \"bagit\"\n");
    house.receive("letters", &bag(LETTERS), 1);
    let done = "/api/v1/items?action=Ingest&status=Success";
    until("nothing is done to it", || house.get(done).json()["count"] == 1);
    house.person(ANN, Role::InstitutionalAdmin);
    house.person("bea@archive.local", Role::InstitutionalUser);
    house.person(ROOT, Role::Admin);
    house
}

/// Tries the operations whose address matches, as somebody in a browser. The session is theirs.
fn tried_as((python, house): (&Path, &House), who: &str, where_to: &str) -> String {
    let session = house.sign_in(who);
    let cookie = format!("Cookie: {session}");
    let mark = format!("X-CSRF-Token: {}", house.mark(&session).unwrap());
    tried((python, house), &[&cookie, &mark, "Sec-Fetch-Site: same-origin"], where_to);
    session
}

/// Tries the operations whose address matches, with these headers.
fn tried((python, house): (&Path, &House), headers: &[&str], where_to: &str) {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("schemathesis.toml");
    byteio::durable::write(&rules, RULES.as_bytes(), false).unwrap();
    let mut fuzz = Command::new(python.with_file_name("schemathesis"));
    // What it would keep for the next run, it keeps here.
    fuzz.current_dir(folder.path()).env("HOME", folder.path());
    fuzz.arg("run").arg(format!("http://{}/api/v1/openapi.json", house.address()));
    for header in headers {
        fuzz.args(["--header", header]);
    }
    let examples = std::env::var("STRONGROOM_EXAMPLES").unwrap_or_else(|_| EXAMPLES.into());
    fuzz.args(["--include-path-regex", where_to, "--max-examples", &examples]);
    fuzz.args(["--checks", CHECKS, "--phases", "examples,coverage,fuzzing"]);
    // The same every time.
    fuzz.args(["--seed", "7", "--generation-database", "none", "--no-shrink"]);
    // With them it would come as a stranger, and see nothing but refusals.
    fuzz.args(["--generation-with-security-parameters", "false"]);
    fuzz.args(["--continue-on-failure", "--no-color", "--warnings", "off"]);
    let output = fuzz.output().expect("schemathesis starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{wrong}");
    // It did not give up at the door.
    assert!(said.contains("Fuzzing (in"), "{said}");
    println!("{said}");
    house.get("/api/v1/items").is(200);
}
