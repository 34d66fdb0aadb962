//! Starts the client and says what it found.

use std::io::Write;
use std::process::{Command, Stdio};

use strongroom::desk::NewTokenWish;
use strongroom::rights::TokenScope;

use super::furnished::{ANN, ROOT, furnished};

#[test]
fn a_client_written_from_the_description_lists_by_every_filter_and_pages_through_all() {
    let house = furnished();
    let headers = |email: &str| {
        let wish = NewTokenWish { name: "a client".into(), scope: TokenScope::Write, days: 1 };
        let key = house.app().desk().make_token(Some(email), &wish).unwrap().text;
        serde_json::json!({ "X-Pharos-API-User": email, "X-Pharos-API-Key": key })
    };
    let who = serde_json::json!({ "member": headers(ANN), "admin": headers(ROOT) });
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/v3/client.py");
    let mut python = Command::new("python3");
    python.arg("-B").arg(script).arg(format!("http://{}", house.address()));
    python.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = python.spawn().expect("python3 is there, as for the other peers");
    child.stdin.take().unwrap().write_all(who.to_string().as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{said}");
    print!("{}", String::from_utf8_lossy(&out.stdout));
}
