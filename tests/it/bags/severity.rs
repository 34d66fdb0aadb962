//! How bad it is what is found, by the version of BagIt and by the profile in use.

use bagit::code::Code;
use bagit::facts::ProfileRules;
use bagit::finding::Severity;
use bagit::profile::{Profile, Rules};
use bagit::{Options, Verdict, judge};

use crate::bags::build::{Draft, codes_of, sealed};
use crate::bags::pack::{CONTAINERS, Container, Packed, pack};

const GENERAL: &str = r#"{
  "BagIt-Profile-Info": {"BagIt-Profile-Identifier": "https://example.org/general.json",
    "BagIt-Profile-Version": "1.4.0", "Source-Organization": "E", "External-Description": "E",
    "Version": "1"},
  "Accept-BagIt-Version": ["0.97", "1.0"], "Accept-Serialization": ["application/tar"],
  "Bag-Info": {"Contact-Name": {"required": true},
    "Bag-Group-Identifier": {"required": true, "values": ["A", "B"]}}
}"#;

fn judged(packed: &Packed, rules: &dyn ProfileRules) -> Verdict {
    let options = Options { profile: Some(rules), ..Options::default() };
    judge(&packed.path, &options, &mut ()).unwrap()
}

/// The severities of all findings by one rule.
fn severities(verdict: &Verdict, code: Code) -> Vec<Severity> {
    let of_code = verdict.findings.iter().filter(|finding| finding.code == code);
    of_code.map(|finding| finding.severity).collect()
}

/// What the APTrust and BTR profiles ask for, apart from names.
fn informed() -> Draft {
    let mut draft = Draft::new("1.0");
    draft.put("aptrust-info.txt", "Title: Letters\nAccess: Institution\n");
    let oxum = draft.oxum();
    draft.append("bag-info.txt", &format!("Payload-Oxum: {oxum}\n"));
    draft
}

#[test]
fn odd_names_are_errors_by_aptrust_and_warnings_elsewhere() {
    let general = Profile::parse(GENERAL).unwrap();
    let names = ["bell\u{7}", "no\u{a0}break", "spelled\\u0007", "line\nbreak", "return\r", "100%"];
    for container in CONTAINERS {
        let mut draft = informed();
        names.iter().for_each(|name| draft.put(format!("data/{name}"), "x"));
        draft.append("bag-info.txt", "Contact-Name: Ann\nBag-Group-Identifier: A\n");
        let oxum = draft.oxum();
        draft.edit("bag-info.txt", |text| {
            let lines = text.lines().filter(|line| !line.starts_with("Payload-Oxum"));
            lines.map(|line| format!("{line}\n")).collect::<String>()
                + &format!("Payload-Oxum: {oxum}\n")
        });
        let packed = pack(&draft.seal(), container);
        let lenient: [&dyn ProfileRules; 3] =
            [&Rules::BagIt, &Rules::builtin("btr").unwrap(), &general];
        for rules in lenient {
            let verdict = judged(&packed, rules);
            let found = severities(&verdict, Code::NameControl);
            assert_eq!(found, [Severity::Warning; 5], "{container:?}: {verdict:#?}");
            assert_eq!(
                verdict.counts.warnings,
                verdict.findings.iter().filter(|it| it.severity == Severity::Warning).count()
                    as u64
            );
        }
        assert!(judged(&packed, &Rules::BagIt).valid, "{container:?}");
        for strict in [Rules::builtin("aptrust").unwrap(), Rules::AsNamed] {
            let verdict = judged(&packed, &strict);
            let found = severities(&verdict, Code::NameControl);
            assert_eq!(found, [Severity::Error; 5], "{container:?}: {verdict:#?}");
            assert!(!verdict.valid);
            // What BagIt asks for is all there.
            assert!(verdict.complete, "{container:?}");
        }
    }
}

#[test]
fn cr_lf_and_percent_are_read_as_they_are_encoded() {
    for version in ["0.97", "1.0"] {
        let mut draft = Draft::new(version);
        for name in ["a\nb", "a\rb", "a\r\nb", "50%", "a%0Ab"] {
            // Before 1.0 a percent sign stood for itself, and what looks encoded is.
            if version == "1.0" || name != "a%0Ab" {
                draft.put(format!("data/{name}"), name);
            }
        }
        let lower = draft
            .clone()
            .seal()
            .with_manifest(|text| text.replace("%0A", "%0a").replace("%0D", "%0d"));
        for draft in [draft.seal(), lower] {
            let verdict = judged(&pack(&draft, Container::Tar), &Rules::BagIt);
            assert_eq!(codes_of(&verdict), [Code::NameControl], "{version}: {verdict:#?}");
            assert!(verdict.valid && verdict.complete);
        }
    }
}

#[test]
fn white_space_in_bagit_txt_is_a_warning_before_1_0() {
    for (version, severity) in [("0.97", Severity::Warning), ("1.0", Severity::Error)] {
        for text in [
            format!("BagIt-Version : {version}\nTag-File-Character-Encoding: UTF-8\n"),
            format!("BagIt-Version: {version}\nTag-File-Character-Encoding:  UTF-8 \n"),
            format!("BagIt-Version: {version}\nTag-File-Character-Encoding: UTF-8\n\n"),
        ] {
            let mut draft = Draft::new(version);
            draft.put("bagit.txt", &text);
            let verdict = judged(&pack(&draft.seal(), Container::Folder), &Rules::BagIt);
            let found = severities(&verdict, Code::BagitTxtForm);
            assert!(
                !found.is_empty() && found.iter().all(|it| *it == severity),
                "{text:?}: {found:?}"
            );
            assert_eq!(verdict.valid, severity == Severity::Warning, "{text:?}");
        }
        let mut draft = Draft::new(version);
        draft.put(
            "bagit.txt",
            format!("bagit-version: {version}\nTag-File-Character-Encoding: UTF-8\n"),
        );
        let verdict = judged(&pack(&draft.seal(), Container::Folder), &Rules::BagIt);
        assert_eq!(severities(&verdict, Code::BagitTxtForm), [Severity::Error], "{version}");
    }
}

#[test]
fn a_tag_manifest_without_its_manifest_is_a_warning_before_1_0() {
    for (version, severity) in
        [("0.96", Severity::Warning), ("0.97", Severity::Warning), ("1.0", Severity::Error)]
    {
        let mut draft = sealed(version);
        draft.edit("tagmanifest-sha256.txt", |text| {
            let lines = text.lines().filter(|line| !line.ends_with(" manifest-md5.txt"));
            lines.map(|line| format!("{line}\n")).collect()
        });
        let verdict = judged(&pack(&draft, Container::Zip), &Rules::BagIt);
        assert_eq!(codes_of(&verdict), [Code::TagManifestIncomplete], "{version}");
        assert_eq!(severities(&verdict, Code::TagManifestIncomplete), [severity], "{version}");
        assert_eq!(verdict.valid, severity == Severity::Warning, "{version}");
    }
}

#[test]
fn a_required_tag_without_a_value_is_a_warning_but_by_aptrust_and_btr() {
    let general = Profile::parse(GENERAL).unwrap();
    let mut draft = informed();
    draft.edit("aptrust-info.txt", |text| text.replace("Letters", ""));
    draft.edit("bag-info.txt", |text| text.replace("Example", ""));
    draft.append("bag-info.txt", "Contact-Name:\nBag-Group-Identifier: A\n");
    let packed = pack(&draft.seal(), Container::Tar);
    let verdict = judged(&packed, &general);
    assert_eq!(severities(&verdict, Code::TagEmpty), [Severity::Warning], "{verdict:#?}");
    assert!(verdict.valid);
    for name in ["aptrust", "btr"] {
        let verdict = judged(&packed, &Rules::builtin(name).unwrap());
        assert_eq!(severities(&verdict, Code::TagEmpty), [Severity::Error], "{name}: {verdict:#?}");
        assert!(!verdict.valid);
    }
    // A list of values that has no empty one is a list all the same.
    let mut draft = informed();
    draft.append("bag-info.txt", "Contact-Name: Ann\nBag-Group-Identifier:\n");
    let verdict = judged(&pack(&draft.seal(), Container::Tar), &general);
    assert_eq!(severities(&verdict, Code::TagEmpty), [Severity::Error], "{verdict:#?}");
}

#[test]
fn a_missing_and_another_profile_identifier_are_alike_by_a_profile_of_a_file() {
    let general = Profile::parse(GENERAL).unwrap();
    for (named, code) in [
        ("", Code::ProfileIdentifierMissing),
        (
            "BagIt-Profile-Identifier: https://example.org/other.json\n",
            Code::ProfileIdentifierOther,
        ),
    ] {
        let mut draft = informed();
        draft.append("bag-info.txt", "Contact-Name: Ann\nBag-Group-Identifier: A\n");
        draft.append("bag-info.txt", named);
        let verdict = judged(&pack(&draft.seal(), Container::Tar), &general);
        assert_eq!(severities(&verdict, code), [Severity::Warning], "{verdict:#?}");
        assert!(verdict.valid, "{verdict:#?}");
    }
}
