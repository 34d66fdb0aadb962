//! The contract, tried by a stranger: schemathesis reads the document and sends whatever it allows,
//! and much that it does not.

use std::process::Command;

use storage::registry::Role;

use crate::house::House;
use crate::ingest::{LETTERS, bag};
use crate::peer::SCHEMATHESIS;

/// What an answer must be.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
    response_schema_conformance,negative_data_rejection";

#[test]
fn the_api_keeps_its_contract_whatever_is_sent() {
    let Some(python) = SCHEMATHESIS.python() else { return };
    let house = House::of_the_program("[ingest]\nsweep_s = 1\nprofile = \"bagit\"\n");
    house.receive("letters", &bag(LETTERS), 1);
    house.person("ann@archive.local", Role::InstitutionalAdmin);
    house.person("bea@archive.local", Role::InstitutionalUser);
    let folder = tempfile::tempdir().unwrap();
    let mut fuzz = Command::new(python.with_file_name("schemathesis"));
    // What it would keep for the next run, it keeps here.
    fuzz.current_dir(folder.path()).env("HOME", folder.path());
    fuzz.arg("run").arg(format!("http://{}/api/v1/openapi.json", house.address()));
    fuzz.args(["--header", &format!("Authorization: Bearer {}", house.key())]);
    fuzz.args([
        "--checks",
        CHECKS,
        "--phases",
        "examples,coverage,fuzzing",
        "--max-examples",
        "10",
    ]);
    // The same every time, and no longer than a minute on a busy machine.
    fuzz.args(["--seed", "7", "--max-time", "50", "--generation-database", "none", "--no-shrink"]);
    // With them it would come as a stranger, and see nothing but refusals.
    fuzz.args(["--generation-with-security-parameters", "false"]);
    fuzz.args(["--continue-on-failure", "--no-color", "--warnings", "off"]);
    let output = fuzz.output().expect("schemathesis starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{wrong}");
    // It did not give up at the door.
    assert!(said.contains("test cases") || said.contains("Test cases"), "{said}");
    house.get("/api/v1/items").is(200);
}
