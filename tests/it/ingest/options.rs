//! Which storage option a bag is kept under.

use std::path::Path;

use strongroom::flows::FLOWS;

use super::{LETTERS, bag, deposit, rig_configured, write_tar};

const OWN: &str = "[ingest]\nprofile = \"bagit\"\ndefault_option = \"Twice\"\n\
    [replica.a]\nurl = \"vault/a\"\n[replica.b]\nurl = \"vault/b\"\n[replica.c]\nurl = \"vault/c\"\n\
    [option.Twice]\nreplicas = [\"a\", \"b\"]\n[option.Thrice]\nreplicas = [\"a\", \"b\", \"c\"]\n";

/// How a bag that asks for this is kept: the option and its copies, or the codes of findings.
fn kept(asked: Option<&str>) -> String {
    let rig = rig_configured(FLOWS, OWN.into());
    let mut files = bag(LETTERS);
    files.retain(|(path, _)| path != "aptrust-info.txt");
    if let Some(asked) = asked {
        let text = format!("Title: Letters\nStorage-Option: {asked}\n");
        files.push(("aptrust-info.txt".into(), text.into_bytes()));
    }
    let make = |path: &Path| write_tar(path, "letters", &files);
    let id = deposit(&rig, "letters.tar", make).unwrap();
    rig.drain_all();
    let registry = &rig.app().registry;
    let Some(object) = registry.object_by_identifier("archive.local/letters").unwrap() else {
        let findings = rig.history(id).into_iter().flat_map(|it| it.findings);
        return findings.map(|it| it.code).collect::<Vec<_>>().join(" ");
    };
    let copies = registry.copy_counts(object.id, 10).unwrap().len();
    format!("{} in {copies} replicas", object.storage_option)
}

#[test]
fn an_archive_may_have_options_of_its_own() {
    assert_eq!(kept(None), "Twice in 2 replicas", "the default is for bags that name none");
    assert_eq!(kept(Some("thrice")), "Thrice in 3 replicas");
    assert_eq!(kept(Some("Standard")), "storage-option-unavailable");
    assert_eq!(kept(Some("Fourfold")), "storage-option-unavailable");
}
