//! The vaults as others see them: two independent validators of OCFL find nothing wrong, after a
//! first deposit, after another, and (in `kill`) after the program has died.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use strongroom::flows::FLOWS;

use super::site::{BUCKETS, FOLDERS, deposits, home, rig_at, story};
use crate::peer::{OCFL, rocfl};
use crate::s3::Door;

/// ocfl-py knows layouts 0002 and 0003, and lets its users add others: 0004 is a few lines. The
/// layout of each object is checked by them, and each object by itself, with its warnings.
const JUDGE: &str = r#"
import sys, hashlib, ocfl
from ocfl.layout import Layout
from ocfl.layout_registry import add_layout
from ocfl.validator import Validator
class Hashed(Layout):
    def __init__(self):
        super().__init__()
        self.NAME = "0004-hashed-n-tuple-storage-layout"
    def read_layout_params(self, root_fs=None):
        pass
    def identifier_to_path(self, identifier):
        h = hashlib.sha256(identifier.encode()).hexdigest()
        return "/".join([h[:3], h[3:6], h[6:9], h])
add_layout("0004-hashed-n-tuple-storage-layout", Hashed)
good = True
for place in sys.argv[1:]:
    root = ocfl.StorageRoot(root=place)
    good = root.validate(validate_objects=False) and good
    print(place, root.log, root.errors, root.traversal_errors)
    for path, identifier in root.list_objects():
        if root.layout.identifier_to_path(identifier) != path:
            print("misplaced", path)
            good = False
        validator = Validator(log_warnings=True)
        good = validator.validate_object(place + "/" + path) and good
        print("object", identifier, str(validator))
sys.exit(0 if good else 1)
"#;

/// Lets both validators judge these storage roots with every object in them.
pub(super) fn validate(roots: &[&Path]) {
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
