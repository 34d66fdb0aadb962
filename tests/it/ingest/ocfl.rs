//! The vaults as others see them: two independent validators of OCFL find nothing wrong, after a
//! first deposit, after another, and (in `kill`) after the program has died.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use strongroom::flows::FLOWS;

use super::site::{BUCKETS, FOLDERS, deposits, home, rig_at, story};
use crate::peer::{OCFL, rocfl};
use crate::s3::Door;

const JUDGE: &str = include_str!("../../ocfl/judge.py");

/// Lets both validators judge these storage roots with every object in them.
pub(crate) fn validate(roots: &[&Path]) {
    if let Some(python) = OCFL.python() {
        let said = judged(Command::new(python).arg("-c").arg(JUDGE).args(roots));
        assert!(said.contains("object archive.local/"), "no object was judged: {said}");
    }
    if let Some(rocfl) = rocfl() {
        for root in roots {
            let said = judged(Command::new(rocfl).arg("--root").arg(root).arg("validate"));
            let count = |word: &str| said.lines().filter(|line| line.contains(word)).count();
            assert!(count("archive.local/") > 0, "no object was judged: {said}");
        }
    }
}

/// What a validator said. It may find that identifiers of ours, institution/bag, are no URIs (W005),
/// and that our corner of the root is no registered extension (W016); nothing else.
fn judged(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let others = said.replace("[W005]", "").replace("[W016]", "");
    assert!(!others.contains("[W0") && !others.contains("[E"), "{said}");
    said.into_owned()
}

#[test]
fn validators_find_nothing_wrong_with_what_was_ingested() {
    for places in [FOLDERS, BUCKETS] {
        let door = Arc::new(Door::default());
        let mut rig = rig_at(FLOWS, places, &door);
        let (folders, buckets) = (rig.app().config.data.join("vault"), rig.dir().join("s3"));
        let roots = match places {
            FOLDERS => [folders.join("a"), folders.join("b")],
            _ => [buckets.join("bucket-a"), buckets.join("bucket-b")],
        };
        story(&mut rig, &deposits(false), &mut |rig, id| {
            home(rig, id);
            validate(&[&roots[0], &roots[1]]);
        });
    }
}
