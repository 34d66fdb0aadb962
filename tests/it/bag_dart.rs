//! Profiles as DART keeps them: one list of tags, and much that only its forms need.

use bagit::code::Code;
use bagit::facts::{BagFacts, ProfileRules, Serialization, Tag};
use bagit::finding::Severity;
use bagit::profile::{EmptyRule, FetchRule, Profile, SerializationRule};

/// A made-up profile with everything that the format has: rules, and what a form keeps beside them.
const PROFILE: &str = r#"{
  "id": "00000000-0000-4000-8000-000000000000",
  "userCanDelete": true, "required": ["name"], "errors": {}, "isBuiltIn": false, "baseProfileId": null,
  "name": "County letters",
  "description": "For bags of letters",
  "acceptBagItVersion": ["0.97", "1.0"],
  "acceptSerialization": ["application/tar", "zip"],
  "allowFetchTxt": false,
  "serialization": "optional",
  "bagItProfileInfo": {
    "bagItProfileIdentifier": "https://example.org/letters.json", "bagItProfileVersion": "",
    "contactEmail": "ann@example.org", "contactName": null,
    "externalDescription": "Letters", "sourceOrganization": "County Archive", "version": "0.2"
  },
  "manifestsRequired": ["sha256"], "manifestsAllowed": ["sha256", "sha512"],
  "tagManifestsRequired": null, "tagManifestsAllowed": [],
  "tagFilesAllowed": ["*", ""], "tagFilesRequired": ["letters-info.txt"],
  "tarDirMustMatchName": true,
  "tags": [
    {"id": "1", "tagFile": "bagit.txt", "tagName": "BagIt-Version", "required": true,
     "values": ["0.97", "1.0"], "defaultValue": "1.0", "userValue": "", "emptyOk": false},
    {"id": "2", "tagFile": "bag-info.txt", "tagName": "Source-Organization", "required": true,
     "values": [], "defaultValue": "County Archive", "userValue": "", "help": "Who sends it.",
     "emptyOk": false},
    {"id": "3", "tagFile": "bag-info.txt", "tagName": "Bag-Count", "required": true,
     "values": null, "defaultValue": null, "emptyOk": true},
    {"id": "4", "tagFile": "letters-info.txt", "tagName": "Access", "required": true,
     "values": ["open", "closed"], "defaultValue": "open", "emptyOk": false},
    {"id": "5", "tagFile": "letters-info.txt", "tagName": "Language", "required": false,
     "values": "en", "emptyOK": true}
  ]
}"#;

fn tag(file: &str, name: &str, value: &str) -> Tag {
    Tag { file: file.into(), name: name.into(), value: value.into() }
}

fn bag() -> BagFacts {
    BagFacts {
        name: "letters".into(),
        serialization: Serialization::Tar,
        top_folder: Some("letters".into()),
        version: Some("1.0".into()),
        encoding: Some("UTF-8".into()),
        manifests: vec!["sha256".into()],
        tag_manifests: vec!["sha256".into()],
        tag_files: ["bagit.txt", "bag-info.txt", "letters-info.txt"].map(String::from).to_vec(),
        tags: vec![
            tag("bag-info.txt", "BagIt-Profile-Identifier", "https://example.org/letters.json"),
            tag("bag-info.txt", "Source-Organization", "County Archive"),
            tag("bag-info.txt", "Bag-Count", ""),
            tag("letters-info.txt", "Access", "open"),
            tag("letters-info.txt", "Language", ""),
        ],
        ..BagFacts::default()
    }
}

fn profile() -> Profile {
    Profile::parse(PROFILE).unwrap()
}

#[test]
fn a_profile_of_dart_is_read_with_all_its_rules() {
    let profile = profile();
    assert_eq!(profile.identity.identifier, "https://example.org/letters.json");
    assert_eq!(
        (profile.identity.version.as_str(), profile.identity.title.as_str()),
        ("0.2", "County letters")
    );
    assert_eq!(profile.accept_versions, ["0.97", "1.0"]);
    assert_eq!(profile.accept_serialization, ["application/tar", "application/zip"]);
    assert_eq!(profile.serialization, SerializationRule::Optional);
    assert_eq!(profile.fetch, FetchRule::Forbidden);
    assert_eq!(profile.manifests.required, ["sha256"]);
    assert!(profile.tag_manifests.required.is_empty() && profile.tag_files.allowed == ["*"]);
    assert!(profile.top_folder_is_name && !profile.plain_names && profile.notes.is_empty());
    let language = profile.tag("letters-info.txt", "language").unwrap();
    assert_eq!(
        (language.values.as_slice(), language.empty),
        (&["en".to_owned()][..], EmptyRule::Allowed)
    );
    assert_eq!(profile.judge(&bag()), []);
}

#[test]
fn bags_are_judged_by_the_rules_of_a_profile_of_dart() {
    let check = |change: &dyn Fn(&mut BagFacts), code: Code, severity: Severity| {
        let mut bag = bag();
        change(&mut bag);
        let found = profile().judge(&bag);
        let found: Vec<_> = found.iter().map(|finding| (finding.code, finding.severity)).collect();
        assert_eq!(found, [(code, severity)]);
    };
    let error = Severity::Error;
    check(&|bag| bag.serialization = Serialization::TarGz, Code::SerializationNotAccepted, error);
    check(&|bag| bag.version = Some("0.96".into()), Code::VersionNotAccepted, error);
    check(&|bag| bag.fetch_count = Some(1), Code::FetchNotAllowed, error);
    check(&|bag| bag.manifests.push("md5".into()), Code::ManifestNotAllowed, error);
    check(&|bag| drop(bag.tag_files.pop()), Code::TagFileRequired, error);
    // What DART fills in by itself is not in the bag for that.
    check(&|bag| drop(bag.tags.remove(1)), Code::TagRequired, error);
    check(&|bag| bag.tags[1].value.clear(), Code::TagEmpty, error);
    check(&|bag| bag.tags[3].value = "secret".into(), Code::TagValueNotAllowed, error);
    let warning = Severity::Warning;
    check(&|bag| drop(bag.tags.remove(0)), Code::ProfileIdentifierMissing, warning);
    check(&|bag| bag.tags[0].value = "x".into(), Code::ProfileIdentifierOther, warning);
    check(&|bag| bag.top_folder = Some("other".into()), Code::TopFolderName, warning);
}

#[test]
fn one_profile_among_exported_settings_is_read_and_of_several_none() {
    let settings =
        |profiles: &str| format!(r#"{{"appSettings": [], "bagItProfiles": [{profiles}]}}"#);
    assert_eq!(Profile::parse(&settings(PROFILE)).unwrap(), profile());
    for (profiles, words) in
        [(String::new(), "holds 0 profiles"), (format!("{PROFILE},{PROFILE}"), "holds 2 profiles")]
    {
        let why = Profile::parse(&settings(&profiles)).unwrap_err().to_string();
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn the_profile_of_aptrust_in_the_format_of_dart_asks_the_same_of_names() {
    let own = "https://raw.githubusercontent.com/APTrust/preservation-services/master/profiles/aptrust-v2.3.json";
    let text = PROFILE.replace("https://example.org/letters.json", own);
    assert!(Profile::parse(&text).unwrap().raises(&bag(), Code::NameControl));
    assert!(!profile().raises(&bag(), Code::NameControl));
}

#[test]
fn a_profile_of_dart_that_cannot_be_used_is_refused_with_key_and_line() {
    let refused = |from: &str, to: &str, words: &str| {
        assert!(PROFILE.contains(from), "{from}");
        let why = Profile::parse(&PROFILE.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(why.contains(words), "{why}");
    };
    refused("\"optional\"", "\"perhaps\"", "serialization: must be \"forbidden\"");
    refused("\"tagName\": \"Access\", ", "", "tags 4: tagFile or tagName is missing");
    refused(
        "\"allowFetchTxt\": false",
        "\"allowFetchTxt\": \"no\"",
        "line 8, allowFetchTxt: must be true",
    );
    refused("[\"sha256\", \"sha512\"]", "[\"md5\"]", "sha256: in Manifests-Required");
    refused("\"tags\": [", "\"tags\": 7, \"more\": [", "tags: must be a list in brackets");
    let nameless = PROFILE
        .replace("\"https://example.org/letters.json\"", "\"\"")
        .replace("\"County letters\"", "\"\"");
    assert!(Profile::parse(&nameless).is_err());
    // A name alone will do, and then no bag has to give an address.
    let unaddressed = PROFILE.replace("\"https://example.org/letters.json\"", "\"\"");
    let unaddressed = Profile::parse(&unaddressed).unwrap();
    assert_eq!(unaddressed.identity.name(), "County letters");
    assert_eq!(unaddressed.judge(&bag()), []);
}
