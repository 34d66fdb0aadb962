//! Files that a later bag did not have stay in their object, and are shown with the version they are kept
//! from. That this comes back when the registry is made again, the tables of a rebuild show.

use std::path::Path;

use storage::registry::{Folder, Version};
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::{bag, deposit, rig, write_tar};
use crate::harness::Rig;

const OBJECT: &str = "archive.local/letters";

fn version(rig: &Rig<App>, payload: &[(&str, &[u8])]) {
    let id = deposit(rig, "letters.tar", |path: &Path| write_tar(path, "letters", &bag(payload)))
        .unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
}

/// Every file of the payload in every version, with the version that it is kept from.
fn shown(rig: &Rig<App>) -> Vec<String> {
    let registry = &rig.app().registry;
    let object = registry.object_by_identifier(OBJECT).unwrap().unwrap();
    let mut told = Vec::new();
    for version in 1..=object.version.0 {
        let folder = Folder {
            object: object.id,
            version: Version(version),
            path: "data".into(),
            from: String::new(),
        };
        for entry in registry.folder(&folder, 100).unwrap().entries {
            let kept = entry.kept_from.map(|from| format!(", kept from version {from}"));
            told.push(format!("v{version} {}{}", entry.name, kept.unwrap_or_default()));
        }
    }
    told
}

#[test]
fn a_file_that_a_later_bag_did_not_have_is_shown_as_kept_from_the_last_that_had_it() {
    let rig = rig(FLOWS);
    version(&rig, &[("a", b"1"), ("b", b"1"), ("c", b"1")]);
    version(&rig, &[("a", b"2"), ("c", b"1")]);
    version(&rig, &[("a", b"3"), ("b", b"1")]);
    version(&rig, &[("a", b"4")]);
    version(&rig, &[("a", b"5"), ("c", b"5")]);
    let expected = [
        "v1 a",
        "v1 b",
        "v1 c",
        "v2 a",
        "v2 b, kept from version 1",
        "v2 c",
        "v3 a",
        "v3 b",
        "v3 c, kept from version 2",
        "v4 a",
        "v4 b, kept from version 3",
        "v4 c, kept from version 2",
        "v5 a",
        "v5 b, kept from version 3",
        "v5 c",
    ];
    assert_eq!(shown(&rig), expected);
    let file = |path: &str| rig.app().desk().file(&format!("{OBJECT}/data/{path}")).unwrap();
    assert_eq!(file("b").kept_from, Some(Version(3)));
    assert_eq!((file("a").kept_from, file("c").kept_from), (None, None));
}
