//! Which profile is recorded of a bag that names one, and which a report says it was judged by.

use std::path::Path;

use bagit::profile::{APTRUST, BTR, Profile};
use strongroom::flows::FLOWS;

use super::{LETTERS, bag, deposit, rig, write_tar};

fn address(name: &str) -> String {
    Profile::builtin(name).unwrap().identity.identifier.clone()
}

/// A bag that is valid under both profiles and names this one.
fn naming(identifier: Option<&str>) -> super::Files {
    let mut files = bag(LETTERS);
    let size: usize = LETTERS.iter().map(|(_, bytes)| bytes.len()).sum();
    let named =
        identifier.map(|it| format!("BagIt-Profile-Identifier: {it}\n")).unwrap_or_default();
    let info = format!(
        "Source-Organization: An archive\nBagging-Date: 2026-01-01\nPayload-Oxum: {size}.{}\n{named}",
        LETTERS.len()
    );
    files.iter_mut().filter(|it| it.0 == "bag-info.txt").for_each(|it| it.1 = info.clone().into());
    files
}

#[test]
fn an_object_has_the_profile_that_its_bag_names() {
    let former = "https://raw.githubusercontent.com/dpscollaborative/btr_bagit_profile/master/\
                  btr-bagit-profile.json";
    let other = "https://profiles.example.org/ours.json";
    let older = "https://raw.githubusercontent.com/APTrust/preservation-services/master/profiles/\
                 aptrust-v2.2.json";
    for (named, expected) in [
        (None, address(APTRUST)),
        (Some("  "), address(APTRUST)),
        (Some(other), other.to_owned()),
        (Some(older), older.to_owned()),
        (Some(former), address(BTR)),
    ] {
        let rig = rig(FLOWS);
        let make = |path: &Path| write_tar(path, "letters", &naming(named));
        let id = deposit(&rig, "letters.tar", make).unwrap();
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{named:?}: {:#?}", rig.history(id));
        let object = rig.app().registry.object_by_identifier("archive.local/letters").unwrap();
        assert_eq!(object.unwrap().bagit_profile_identifier, expected, "{named:?}");
        let item = rig.item(id).subject.bagit_profile_identifier;
        assert_eq!(item.as_deref(), Some(expected.as_str()), "{named:?}");
    }
}

#[test]
fn the_report_of_a_bag_names_the_profile_that_it_was_judged_by() {
    let rig = rig(FLOWS);
    let mut files = naming(Some("https://profiles.example.org/ours.json"));
    files.retain(|(path, _)| path != "data/empty");
    let id = deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &files)).unwrap();
    rig.drain_all();
    assert_eq!(rig.reason(id).code, "rejected");
    rig.app().copy().unwrap();
    let report = rig.app().desk().report(id.0).unwrap().replace('\n', " ");
    assert!(report.contains(&address(APTRUST)), "{report}");
}
