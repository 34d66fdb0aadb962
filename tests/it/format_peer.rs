//! Formats of real files, told by us and by Siegfried (`pygfried` from PyPI, with the same
//! signatures). Every difference is listed; those that no rule explains fail.

use std::process::Command;

use crate::command::program;
use crate::peer::FORMATS;

#[test]
fn differences_to_siegfried_are_those_that_rules_explain() {
    let Some(python) = FORMATS.python() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (corpus, report) = (dir.path().join("corpus"), dir.path().join("report.json"));
    let script = |name: &str| {
        let mut command = Command::new(python);
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats")).arg(name);
        command
    };
    let made = script("gather.py").arg(&corpus).output().unwrap();
    println!("{}", String::from_utf8_lossy(&made.stdout));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));

    let data = dir.path().join("data");
    let told = program(&data, &["identify", "--json"]).arg(&corpus).output().unwrap();
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stderr));
    byteio::durable::write(&report, &told.stdout, false).unwrap();

    let compared = script("peer.py").arg("--check").args([&corpus, &report]).output().unwrap();
    let said = String::from_utf8_lossy(&compared.stdout);
    println!("{said}");
    assert!(compared.status.success(), "{said}{}", String::from_utf8_lossy(&compared.stderr));
}
