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

#[test]
fn an_option_that_a_later_version_asks_for_in_vain_is_a_warning_on_its_item() {
    let rig = rig_configured(FLOWS, OWN.into());
    let deposit_with = |asked: Option<&str>, payload: &[(&str, &[u8])]| {
        let mut files = bag(payload);
        files.retain(|(path, _)| path != "aptrust-info.txt");
        let option = asked.map(|asked| format!("Storage-Option: {asked}\n")).unwrap_or_default();
        files.push(("aptrust-info.txt".into(), format!("Title: Letters\n{option}").into_bytes()));
        let make = |path: &Path| write_tar(path, "letters", &files);
        let id = deposit(&rig, "letters.tar", make).unwrap();
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        let findings = rig.history(id).into_iter().flat_map(|it| it.findings);
        let told: Vec<_> = findings.filter(|it| it.code == "storage-option-kept").collect();
        let object = rig.app().registry.object_by_identifier("archive.local/letters").unwrap();
        assert_eq!(object.unwrap().storage_option, "Thrice");
        told.into_iter().map(|it| it.sentence).collect::<Vec<_>>()
    };
    assert!(deposit_with(Some("Thrice"), LETTERS).is_empty());
    assert!(deposit_with(Some("thrice"), &[("b", b"b")]).is_empty());
    let told = deposit_with(Some("Twice"), &[("c", b"c")]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("asks for the storage option Twice"), "{told:?}");
    assert!(told[0].contains("kept with the option Thrice"), "{told:?}");
    // A bag that asks for nothing is not overruled.
    assert!(deposit_with(None, &[("d", b"d")]).is_empty());
}
