//! Profiles: every rule broken once, the built-in ones row by row, documents of every generation.

use bagit::Limits;
use bagit::code::Code;
use bagit::facts::{BagFacts, ProfileRules, Serialization, Tag};
use bagit::finding::{Finding, Severity};
use bagit::profile::{
    self, Access, Deposit, FetchRule, Profile, ProfileError, SerializationRule, StorageOption,
};
use strongroom::config::{Config, DESCRIBED_OPTIONS, Flags, Surroundings};

const APTRUST_ID: &str = "https://raw.githubusercontent.com/APTrust/preservation-services/master/profiles/aptrust-v2.3.json";
const BTR_ID: &str = "https://github.com/dpscollaborative/btr_bagit_profile/releases/download/1.0/btr-bagit-profile.json";

fn tag(file: &str, name: &str, value: &str) -> Tag {
    Tag { file: file.into(), name: name.into(), value: value.into() }
}

/// A bag that follows the APTrust profile to the letter.
fn aptrust_bag() -> BagFacts {
    BagFacts {
        name: "photos".into(),
        serialization: Serialization::Tar,
        top_folder: Some("photos".into()),
        version: Some("1.0".into()),
        encoding: Some("UTF-8".into()),
        manifests: vec!["md5".into(), "sha256".into()],
        tag_manifests: vec!["md5".into()],
        tag_files: ["bagit.txt", "bag-info.txt", "aptrust-info.txt"].map(String::from).to_vec(),
        tags: vec![
            tag("bag-info.txt", "Source-Organization", "Example College"),
            tag("aptrust-info.txt", "Title", "Photos"),
            tag("aptrust-info.txt", "Access", "Institution"),
            tag("aptrust-info.txt", "Storage-Option", "Standard"),
        ],
        fetch_count: None,
        payload_count: 3,
        payload_bytes: 100,
    }
}

/// A bag that follows the BTR profile to the letter.
fn btr_bag() -> BagFacts {
    BagFacts {
        serialization: Serialization::Folder,
        top_folder: None,
        tag_files: ["bagit.txt", "bag-info.txt"].map(String::from).to_vec(),
        tags: vec![
            tag("bag-info.txt", "Bagging-Date", "2026-08-22"),
            tag("bag-info.txt", "Payload-Oxum", "100.3"),
            tag("bag-info.txt", "Source-Organization", "Example College"),
            tag("bag-info.txt", "BagIt-Profile-Identifier", BTR_ID),
        ],
        ..aptrust_bag()
    }
}

fn aptrust() -> &'static Profile {
    Profile::builtin(profile::APTRUST).unwrap()
}

fn btr() -> &'static Profile {
    Profile::builtin(profile::BTR).unwrap()
}

fn codes(findings: &[Finding]) -> Vec<Code> {
    findings.iter().map(|finding| finding.code).collect()
}

/// Judges a bag after a change to it.
fn judged(
    profile: &Profile,
    mut facts: BagFacts,
    change: impl FnOnce(&mut BagFacts),
) -> Vec<Finding> {
    change(&mut facts);
    profile.judge(&facts)
}

fn check(profile: &Profile, facts: BagFacts, change: impl FnOnce(&mut BagFacts), code: Code) {
    let findings = judged(profile, facts, change);
    assert_eq!(codes(&findings), [code], "{findings:?}");
    assert!(findings[0].sentence.ends_with(['.', 'n', ')']), "{findings:?}");
    assert!(!findings[0].place.is_empty());
}

fn set(facts: &mut BagFacts, name: &str, value: &str) {
    for tag in facts.tags.iter_mut().filter(|tag| tag.name == name) {
        tag.value = value.into();
    }
}

fn drop_tag(facts: &mut BagFacts, name: &str) {
    facts.tags.retain(|tag| tag.name != name);
}

/// A document with everything that generation 1.4 knows.
const FULL: &str = r#"{
  "BagIt-Profile-Info": {
    "BagIt-Profile-Identifier": "https://example.org/full.json",
    "BagIt-Profile-Version": "1.4.0",
    "Source-Organization": "Example", "External-Description": "All rules", "Version": "1"
  },
  "Bag-Info": {
    "Source-Organization": {"required": true, "values": ["One", "Two"]},
    "Contact-Email": {"recommended": true, "description": "Whom to ask."},
    "Bag-Count": {"repeatable": false},
    "External-Identifier": {"values": ["x"]}
  },
  "Manifests-Required": ["sha512"],
  "Manifests-Allowed": ["sha256", "SHA-512"],
  "Tag-Manifests-Required": ["sha256"],
  "Tag-Manifests-Allowed": ["sha256"],
  "Tag-Files-Required": ["meta/about.xml"],
  "Tag-Files-Allowed": ["meta/*.xml", "dpn/*"],
  "Payload-Files-Required": ["data/LICENSE", "data/src/"],
  "Payload-Files-Allowed": ["data/LICENSE", "data/src/*"],
  "Allow-Fetch.txt": true, "Fetch.txt-Required": true,
  "Data-Empty": false,
  "Serialization": "optional",
  "Accept-Serialization": ["application/zip"],
  "Accept-BagIt-Version": ["1.0"]
}"#;

fn full() -> Profile {
    Profile::parse(FULL).unwrap()
}

fn full_bag() -> BagFacts {
    BagFacts {
        name: "full".into(),
        version: Some("1.0".into()),
        encoding: Some("UTF-8".into()),
        manifests: vec!["sha512".into()],
        tag_manifests: vec!["sha256".into()],
        tag_files: ["bagit.txt", "bag-info.txt", "meta/about.xml", "dpn/a/b.txt"]
            .map(String::from)
            .to_vec(),
        tags: vec![
            tag("bag-info.txt", "bagit-profile-identifier", "https://example.org/full.json"),
            tag("bag-info.txt", "SOURCE-ORGANIZATION", "One"),
            tag("bag-info.txt", "Contact-Email", "a@example.org"),
        ],
        fetch_count: Some(1),
        payload_count: 2,
        payload_bytes: 10,
        ..BagFacts::default()
    }
}

#[test]
fn bags_to_the_letter_have_no_findings() {
    assert_eq!(aptrust().judge(&aptrust_bag()), []);
    assert_eq!(btr().judge(&btr_bag()), []);
    assert_eq!(full().judge(&full_bag()), []);
    assert!(aptrust().notes.is_empty() && btr().notes.is_empty() && full().notes.is_empty());
}

#[test]
fn every_rule_has_a_bag_that_breaks_it() {
    use Serialization::{Tar, TarGz, Zip};
    let folders = Profile::parse(&FULL.replace("\"optional\"", "\"forbidden\"")).unwrap();
    check(&folders, full_bag(), |bag| bag.serialization = Zip, Code::SerializationForbidden);
    check(
        aptrust(),
        aptrust_bag(),
        |bag| bag.serialization = Serialization::Folder,
        Code::SerializationRequired,
    );
    check(&full(), full_bag(), |bag| bag.serialization = Tar, Code::SerializationNotAccepted);
    check(&full(), full_bag(), |bag| bag.serialization = TarGz, Code::SerializationNotAccepted);
    check(
        aptrust(),
        aptrust_bag(),
        |bag| bag.top_folder = Some("pics".into()),
        Code::TopFolderName,
    );
    check(&full(), full_bag(), |bag| bag.version = Some("0.97".into()), Code::VersionNotAccepted);
    check(&full(), full_bag(), |bag| drop(bag.tags.remove(0)), Code::ProfileIdentifierMissing);
    check(
        &full(),
        full_bag(),
        |bag| bag.tags[0].value = "https://other".into(),
        Code::ProfileIdentifierOther,
    );
    check(aptrust(), aptrust_bag(), |bag| bag.fetch_count = Some(0), Code::FetchNotAllowed);
    check(&full(), full_bag(), |bag| bag.fetch_count = None, Code::FetchRequired);
    let empty =
        Profile::parse(&FULL.replace("\"Data-Empty\": false", "\"Data-Empty\": true")).unwrap();
    check(&empty, full_bag(), |_| {}, Code::DataNotEmpty);
    check(&full(), full_bag(), |bag| bag.manifests = vec!["sha256".into()], Code::ManifestRequired);
    check(&full(), full_bag(), |bag| bag.manifests.push("md5".into()), Code::ManifestNotAllowed);
    check(&full(), full_bag(), |bag| bag.tag_manifests.clear(), Code::TagManifestRequired);
    check(
        &full(),
        full_bag(),
        |bag| bag.tag_manifests.push("md5".into()),
        Code::TagManifestNotAllowed,
    );
    check(&full(), full_bag(), |bag| drop(bag.tag_files.remove(2)), Code::TagFileRequired);
    check(&full(), full_bag(), |bag| bag.tag_files.push("x.xml".into()), Code::TagFileNotAllowed);
    check(&full(), full_bag(), |bag| drop(bag.tags.remove(1)), Code::TagRequired);
    check(&full(), full_bag(), |bag| bag.tags[1].value = " ".into(), Code::TagEmpty);
    check(&full(), full_bag(), |bag| bag.tags[1].value = "one".into(), Code::TagValueNotAllowed);
    check(&full(), full_bag(), |bag| drop(bag.tags.remove(2)), Code::TagRecommended);
    let twice = |bag: &mut BagFacts| {
        bag.tags.extend(vec![tag("bag-info.txt", "Bag-Count", "1 of 2"); 2]);
    };
    check(&full(), full_bag(), twice, Code::TagRepeated);
    // An optional tag with a list may not be empty either.
    let hollow = |bag: &mut BagFacts| bag.tags.push(tag("bag-info.txt", "External-Identifier", ""));
    check(&full(), full_bag(), hollow, Code::TagValueNotAllowed);
}

#[test]
fn all_findings_are_told_at_once() {
    let findings = aptrust().judge(&BagFacts {
        fetch_count: Some(2),
        version: Some("0.93".into()),
        ..BagFacts::default()
    });
    let expected = [
        Code::SerializationRequired,
        Code::VersionNotAccepted,
        Code::FetchNotAllowed,
        Code::ManifestRequired,
        Code::TagRequired, // Tag-File-Character-Encoding
        Code::TagRequired, // Title
        Code::TagRequired, // Access
    ];
    assert_eq!(codes(&findings), expected, "{findings:#?}");
}

#[test]
fn payload_files_are_watched_one_by_one() {
    let profile = full();
    let watch = |paths: &[&str]| {
        let mut watch = profile.payload_watch().unwrap();
        paths.iter().for_each(|path| watch.see(path));
        watch.findings()
    };
    assert_eq!(watch(&["data/LICENSE", "data/src/a/b.rs"]), []);
    let findings = watch(&["data/src/a", "data/readme"]);
    assert_eq!(codes(&findings), [Code::PayloadFileRequired, Code::PayloadFileNotAllowed]);
    assert_eq!(
        (findings[0].place.as_str(), findings[1].place.as_str()),
        ("data/LICENSE", "data/readme")
    );
    assert_eq!(codes(&watch(&["data/LICENSE"])), [Code::PayloadFileRequired]);
    assert!(aptrust().payload_watch().is_none());
    // A million strays do not become a million sentences.
    let mut many = profile.payload_watch().unwrap();
    (0..1_000_000).for_each(|n| many.see(&format!("data/{n}")));
    let findings = many.findings();
    assert_eq!(findings.len(), 2 + 1_000 + 1);
    assert!(findings.last().unwrap().sentence.contains("999000 more"));
}

#[test]
fn aptrust_is_the_table_row_by_row() {
    let profile = aptrust();
    assert_eq!(profile.identity.version, "2.3");
    assert_eq!(profile.accept_versions, ["0.97", "1.0"]);
    assert_eq!(profile.serialization, SerializationRule::Required);
    assert_eq!(profile.accept_serialization, ["application/tar"]);
    assert_eq!(profile.fetch, FetchRule::Forbidden);
    assert_eq!(profile.manifests.required, ["md5"]);
    assert_eq!(profile.manifests.allowed, ["md5", "sha1", "sha256", "sha512"]);
    assert!(profile.tag_manifests.required.is_empty());
    assert_eq!(profile.tag_manifests.allowed, ["md5", "sha1", "sha256", "sha512"]);
    assert!(profile.tag_files.required.is_empty() && profile.tag_files.allows_path("any/thing"));
    assert!(profile.top_folder_is_name);
    let bag = aptrust_bag;
    // bagit.txt
    assert_eq!(judged(profile, bag(), |bag| bag.version = Some("0.97".into())), []);
    check(profile, bag(), |bag| bag.version = Some("0.96".into()), Code::VersionNotAccepted);
    assert_eq!(judged(profile, bag(), |bag| bag.encoding = Some("utf-8".into())), []);
    check(profile, bag(), |bag| bag.encoding = Some("UTF-16".into()), Code::TagValueNotAllowed);
    check(profile, bag(), |bag| bag.encoding = None, Code::TagRequired);
    // bag-info.txt may be absent, and its tags may say anything.
    let bare = |bag: &mut BagFacts| {
        drop_tag(bag, "Source-Organization");
        bag.tag_files.retain(|path| path != "bag-info.txt");
    };
    assert_eq!(judged(profile, bag(), bare), []);
    for name in [
        "Source-Organization",
        "Bag-Count",
        "Bagging-Date",
        "Bagging-Software",
        "Bag-Group-Identifier",
        "Internal-Sender-Description",
        "Internal-Sender-Identifier",
        "Payload-Oxum",
    ] {
        let rule = profile.tag("bag-info.txt", name).unwrap();
        assert!(!rule.required && rule.values.is_empty(), "{name}");
        assert_eq!(judged(profile, bag(), |bag| bag.tags.push(tag("bag-info.txt", name, ""))), []);
    }
    // aptrust-info.txt
    check(profile, bag(), |bag| drop_tag(bag, "Title"), Code::TagRequired);
    check(profile, bag(), |bag| set(bag, "Title", ""), Code::TagEmpty);
    check(profile, bag(), |bag| drop_tag(bag, "Access"), Code::TagRequired);
    check(profile, bag(), |bag| set(bag, "Access", "Public"), Code::TagValueNotAllowed);
    for access in ["Consortia", "institution", "RESTRICTED"] {
        assert_eq!(judged(profile, bag(), |bag| set(bag, "Access", access)), [], "{access}");
    }
    // The old tag is not accepted as Access.
    let rights = |bag: &mut BagFacts| bag.tags[2].name = "Rights".into();
    check(profile, bag(), rights, Code::TagRequired);
    assert!(!profile.tag("aptrust-info.txt", "Description").unwrap().required);
    assert_eq!(judged(profile, bag(), |bag| drop_tag(bag, "Storage-Option")), []);
    check(profile, bag(), |bag| set(bag, "Storage-Option", ""), Code::TagEmpty);
    check(profile, bag(), |bag| set(bag, "Storage-Option", "Glacier"), Code::TagValueNotAllowed);
    let options = StorageOption::ALL.map(StorageOption::name);
    assert_eq!(profile.tag("aptrust-info.txt", "Storage-Option").unwrap().values, options);
    for option in options {
        assert_eq!(judged(profile, bag(), |bag| set(bag, "Storage-Option", option)), []);
    }
    // Unknown tags are always allowed; other manifests are not.
    assert_eq!(judged(profile, bag(), |bag| bag.tags.push(tag("bag-info.txt", "X", "y"))), []);
    for algorithm in ["sha224", "sha384", "blake3"] {
        check(profile, bag(), |bag| bag.manifests.push(algorithm.into()), Code::ManifestNotAllowed);
    }
    check(profile, bag(), |bag| bag.manifests = vec!["sha256".into()], Code::ManifestRequired);
    assert_eq!(judged(profile, bag(), |bag| bag.tag_manifests.clear()), []);
    for kind in [Serialization::Zip, Serialization::TarGz] {
        check(profile, bag(), |bag| bag.serialization = kind, Code::SerializationNotAccepted);
    }
}

#[test]
fn btr_is_the_table_row_by_row() {
    let profile = btr();
    assert_eq!(profile.identity.version, "1.0");
    assert_eq!(profile.accept_versions, ["0.97", "1.0"]);
    assert_eq!(profile.serialization, SerializationRule::Optional);
    assert_eq!(profile.fetch, FetchRule::Forbidden);
    assert!(profile.manifests.required.is_empty() && profile.tag_manifests.required.is_empty());
    assert_eq!(profile.manifests.allowed, ["md5", "sha1", "sha256", "sha512"]);
    assert_eq!(profile.tag_manifests.allowed, ["md5", "sha1", "sha256", "sha512"]);
    assert!(profile.tag_files.allows_path("any/thing") && !profile.top_folder_is_name);
    use Serialization::{Folder, Tar, TarGz, Zip};
    for kind in [Folder, Tar, TarGz, Zip] {
        let packed = |bag: &mut BagFacts| {
            bag.serialization = kind;
            bag.top_folder = Some("else".into());
        };
        assert_eq!(judged(profile, btr_bag(), packed), []);
    }
    for name in ["Bagging-Date", "Payload-Oxum", "Source-Organization", "BagIt-Profile-Identifier"]
    {
        check(profile, btr_bag(), |bag| drop_tag(bag, name), Code::TagRequired);
        check(profile, btr_bag(), |bag| set(bag, name, ""), Code::TagEmpty);
    }
    for name in [
        "Bag-Count",
        "Bag-Group-Identifier",
        "Bag-Size",
        "Bagging-Software",
        "Contact-Email",
        "Contact-Name",
        "Contact-Phone",
        "External-Description",
        "External-Identifier",
        "Internal-Sender-Description",
        "Internal-Sender-Identifier",
        "Organization-Address",
        "Payload-Identifier",
        "Bag-Producing-Organization",
    ] {
        assert!(!profile.tag("bag-info.txt", name).unwrap().required, "{name}");
    }
    assert_eq!(judged(profile, btr_bag(), |bag| bag.encoding = Some("UTF-16".into())), []);
    check(profile, btr_bag(), |bag| bag.encoding = None, Code::TagRequired);
    check(profile, btr_bag(), |bag| bag.fetch_count = Some(1), Code::FetchNotAllowed);
    check(profile, btr_bag(), |bag| bag.version = Some("0.96".into()), Code::VersionNotAccepted);
}

fn info(version: &str) -> String {
    format!(
        r#""BagIt-Profile-Info": {{"BagIt-Profile-Identifier": "https://example.org/p", {version}
        "Source-Organization": "E", "External-Description": "E", "Version": "1"}},
        "Accept-BagIt-Version": ["1.0"], "Accept-Serialization": ["application/tar"]"#
    )
}

#[test]
fn documents_of_every_generation_load() {
    let load = |version: &str, rest: &str| {
        Profile::parse(&format!("{{{}{rest}}}", info(version))).unwrap()
    };
    let old =
        load("", r#", "Tag-Files-Required": ["DPN/a.txt"], "Tag-Manifests-Required": ["md5"]"#);
    assert_eq!((old.identity.generation, old.notes.len()), (1, 0));
    assert_eq!(old.fetch, FetchRule::Allowed);
    let second = load(r#""BagIt-Profile-Version": "1.2.0","#, r#", "Tag-Files-Allowed": ["a*"]"#);
    assert_eq!((second.identity.generation, second.notes.len()), (2, 0));
    let third = load(r#""BagIt-Profile-Version": "1.3.0","#, r#", "Manifests-Allowed": ["md5"]"#);
    assert_eq!((third.identity.generation, third.notes.len()), (3, 0));
    let fourth = load(r#""BagIt-Profile-Version": "1.4.0","#, r#", "Data-Empty": true"#);
    assert_eq!((fourth.identity.generation, fourth.notes.len(), fourth.data_empty), (4, 0, true));
    // A rule that is newer than the document says is still a rule.
    let mixed = load(r#""BagIt-Profile-Version": "1.2.0","#, r#", "Data-Empty": true"#);
    assert!(mixed.data_empty);
    assert_eq!(codes(&mixed.notes), [Code::ProfileKeyNewer]);
    let future = load(r#""BagIt-Profile-Version": "1.9.0","#, "");
    assert_eq!(
        (future.identity.generation, codes(&future.notes)),
        (4, vec![Code::ProfileKeyNewer])
    );
}

#[test]
fn odd_documents_load_with_notes() {
    let notes = |text: &str| {
        let notes = Profile::parse(text).unwrap().notes;
        assert!(notes.iter().all(|note| note.severity == Severity::Warning));
        notes
    };
    let odd = notes(&format!(
        "\u{feff}{{{},\n\"serialization\": \"required\",\n\"Other\": {{}},\n\"Bag-Info\": {{\"A\": {{\"regex\": \"x\"}}}}}}",
        info("")
    ));
    assert_eq!(codes(&odd), [Code::ProfileKeyUnknown; 3]);
    assert!(odd[0].sentence.contains("Is Serialization meant?"));
    assert_eq!(odd[0].place, "profile line 4 serialization");
    assert_eq!(odd[2].place, "profile line 6 Bag-Info A regex");
    let bare = notes(r#"{"BagIt-Profile-Info": {"BagIt-Profile-Identifier": "x"}}"#);
    assert_eq!(codes(&bare), [Code::ProfileIncomplete; 3]);
    assert!(bare[0].sentence.contains("Source-Organization, External-Description, Version"));
}

#[test]
fn bad_documents_are_refused_with_every_key_and_line() {
    let text = format!(
        r#"{{{},
"Bag-Info": {{"Title": {{"required": "yes",
  "values": "x"}}}},
"Allow-Fetch.txt": "false",
"Serialization": "maybe",
"Manifests-Required": [1.0],
"Tag-Files-Info": [],
"Data-Empty": null,
"Data-Empty": true
}}"#,
        info("")
    );
    let Err(ProfileError::Unusable(problems)) = Profile::parse(&text) else {
        panic!("not refused")
    };
    let found: Vec<(&str, usize)> = problems.iter().map(|p| (p.key.as_str(), p.line)).collect();
    let expected = [
        ("Data-Empty", 11),
        ("Bag-Info Title required", 4),
        ("Bag-Info Title values", 5),
        ("Allow-Fetch.txt", 6),
        ("Serialization", 7),
        ("Manifests-Required", 8),
        ("Tag-Files-Info", 9),
        ("Data-Empty", 10),
    ];
    assert_eq!(found, expected, "{problems:#?}");
    assert!(problems[1].to_string().starts_with("line 4, Bag-Info Title required: must be true"));

    let refused = |text: &str, part: &str| {
        let error = Profile::parse(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused("", "not JSON: line 1");
    refused("{\n \"a\": }", "not JSON: line 2, column 7");
    refused("[]", "must be an object in braces");
    refused("{}", "BagIt-Profile-Info is missing");
    refused(r#"{"BagIt-Profile-Info": {}}"#, "BagIt-Profile-Identifier is missing");
    refused(
        &format!("{{{}}}", info(r#""BagIt-Profile-Version": "2.0","#)),
        "version \"2.0\" is unknown",
    );
    let with = |rest: &str| format!("{{{}, {rest}}}", info(""));
    refused(&with(r#""Allow-Fetch.txt": false, "Fetch.txt-Required": true"#), "contradicts");
    refused(
        &with(r#""Manifests-Required": ["md5"], "Manifests-Allowed": ["sha1"]"#),
        "md5: in Manifests-Required",
    );
    refused(
        &with(r#""Tag-Files-Required": ["a/b"], "Tag-Files-Allowed": ["c/*"]"#),
        "a/b: in Tag-Files-Required",
    );
    refused(
        &with(r#""Payload-Files-Required": ["data/b"], "Payload-Files-Allowed": ["data/c"]"#),
        "data/b",
    );
    refused(
        &with(&format!(r#""Manifests-Allowed": [{}"x"]"#, "\"x\",".repeat(1_000))),
        "more than 1000 items",
    );
    refused(&" ".repeat(300_000), "the profile has 300000 bytes");
    refused(&"[".repeat(200_000), "not JSON");
    refused(&format!("{{\"BagIt-Profile-Info\": {}", "{\"a\":".repeat(30_000)), "not JSON");
}

#[test]
fn aliases_of_archives_are_accepted() {
    let accept = |mime: &str, kind| {
        let text = FULL.replace("application/zip", mime);
        let bag = BagFacts { serialization: kind, ..full_bag() };
        Profile::parse(&text).unwrap().judge(&bag).is_empty()
    };
    assert!(accept("application/x-tar", Serialization::Tar));
    assert!(accept("Application/Tar+GZip", Serialization::TarGz));
    assert!(accept("application/x-zip-compressed", Serialization::Zip));
    assert!(!accept("application/gzip", Serialization::Tar));
    assert!(!accept("application/tar", Serialization::TarGz));
}

#[test]
fn the_profile_a_bag_names_is_the_one_it_is_judged_by() {
    let with = |value: &str| BagFacts {
        tags: vec![tag("Bag-Info.txt", "bagit-profile-identifier", value)],
        ..BagFacts::default()
    };
    let check = |facts: &BagFacts, version: &str, identifier: &str| {
        assert_eq!(profile::select(facts).identity.version, version);
        assert_eq!(profile::identifier(facts), identifier);
    };
    check(&BagFacts::default(), "2.3", APTRUST_ID);
    check(&with(""), "2.3", APTRUST_ID);
    check(&with("https://example.org/mine.json"), "2.3", "https://example.org/mine.json");
    check(&with(BTR_ID), "1.0", BTR_ID);
    check(&with("x/btr-bagit-profile/y"), "1.0", "x/btr-bagit-profile/y");
    check(
        &with("https://raw.githubusercontent.com/APTrust/dart/master/profiles/btr-v0.1.json"),
        "1.0",
        BTR_ID,
    );
    check(
        &with(
            "https://raw.githubusercontent.com/dpscollaborative/btr_bagit_profile/master/btr-bagit-profile.json",
        ),
        "1.0",
        BTR_ID,
    );
    // The first of several counts.
    let mut two = with(BTR_ID);
    two.tags.push(tag("bag-info.txt", "BagIt-Profile-Identifier", "https://other"));
    check(&two, "1.0", BTR_ID);
    assert_eq!(Profile::BUILTIN.map(|name| Profile::builtin(name).is_some()), [true, true]);
    assert!(Profile::builtin("APTrust").is_none());
}

#[test]
fn a_deposit_follows_its_chains() {
    let read = |tags: Vec<Tag>| {
        let facts = BagFacts { name: "photos".into(), tags, ..BagFacts::default() };
        Deposit::read(profile::select(&facts), &facts)
    };
    let (bare, findings) = read(vec![]);
    assert_eq!(findings, []);
    assert_eq!(bare.storage_option, Some(StorageOption::Standard));
    assert_eq!(bare.access, Some(Access::Institution));
    assert_eq!((bare.title.as_str(), bare.description.as_str()), ("photos", ""));
    assert_eq!((bare.alt_identifier, bare.bag_group, bare.source_organization), (None, None, None));
    assert_eq!(bare.profile_identifier, APTRUST_ID);

    let mut tags = vec![tag("bag-info.txt", "External-Identifier", "ext")];
    assert_eq!(read(tags.clone()).0.title, "ext");
    tags.push(tag("bag-info.txt", "Internal-Identifier", "int"));
    assert_eq!(read(tags.clone()).0.title, "int");
    tags.push(tag("aptrust-info.txt", "Title", "  "));
    assert_eq!(read(tags.clone()).0.title, "int");
    tags.push(tag("aptrust-info.txt", "title", "Photos"));
    assert_eq!(read(tags).0.title, "Photos");

    let mut tags = vec![tag("bag-info.txt", "External-Description", "e")];
    assert_eq!(read(tags.clone()).0.description, "e");
    tags.push(tag("bag-info.txt", "Internal-Sender-Description", "i"));
    assert_eq!(read(tags.clone()).0.description, "i");
    tags.push(tag("aptrust-info.txt", "Description", "d"));
    let deposit = read(tags).0;
    assert_eq!(deposit.description, "d");
    assert_eq!(deposit.internal_sender_description.as_deref(), Some("i"));

    let deposit = read(vec![
        tag("bag-info.txt", "Internal-Sender-Identifier", "alt"),
        tag("bag-info.txt", "Bag-Group-Identifier", "group"),
        tag("bag-info.txt", "Source-Organization", "org"),
        tag("aptrust-info.txt", "Access", "CONSORTIA"),
        tag("aptrust-info.txt", "Storage-Option", "glacier-deep-oh"),
    ])
    .0;
    assert_eq!(deposit.alt_identifier.as_deref(), Some("alt"));
    assert_eq!(deposit.internal_sender_identifier.as_deref(), Some("alt"));
    assert_eq!(deposit.bag_group.as_deref(), Some("group"));
    assert_eq!(deposit.source_organization.as_deref(), Some("org"));
    assert_eq!(deposit.access.unwrap().name(), "consortia");
    assert_eq!(deposit.storage_option.unwrap().name(), "Glacier-Deep-OH");
}

#[test]
fn an_unknown_wish_is_told_and_never_replaced_in_silence() {
    let mut bag = btr_bag();
    bag.tags.push(tag("bag-info.txt", "APTrust-Storage-Option", "wasabi-tx"));
    let (deposit, findings) = Deposit::read(profile::select(&bag), &bag);
    assert_eq!((deposit.storage_option, findings), (Some(StorageOption::WasabiTx), vec![]));
    set(&mut bag, "APTrust-Storage-Option", "Moon");
    let (deposit, findings) = Deposit::read(profile::select(&bag), &bag);
    assert_eq!(
        (deposit.storage_option, codes(&findings)),
        (None, vec![Code::StorageOptionUnknown])
    );
    assert_eq!(findings[0].place, "bag-info.txt APTrust-Storage-Option");
    assert_eq!(profile::AsNamed.judge(&bag), findings);
    assert_eq!(profile::AsNamed.judge(&aptrust_bag()), []);
    bag.tags.push(tag("aptrust-info.txt", "Access", "Nobody"));
    let (deposit, findings) = Deposit::read(profile::select(&bag), &bag);
    assert_eq!(deposit.access, None);
    assert_eq!(codes(&findings), [Code::StorageOptionUnknown, Code::AccessUnknown]);
    // Where the profile says it, it is said once.
    let mut bag = aptrust_bag();
    set(&mut bag, "Storage-Option", "Moon");
    let (deposit, findings) = Deposit::read(aptrust(), &bag);
    assert_eq!((deposit.storage_option, findings), (None, vec![]));
    assert_eq!(codes(&aptrust().judge(&bag)), [Code::TagValueNotAllowed]);
}

#[test]
fn a_deposit_is_json_in_canonical_spelling() {
    let deposit = Deposit::read(aptrust(), &aptrust_bag()).0;
    let json = serde_json::to_value(&deposit).unwrap();
    assert_eq!(json["storage_option"], "Standard");
    assert_eq!(json["access"], "institution");
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_profile_or_a_refusal(text in "\\PC{0,200}") {
        drop(Profile::parse(&text));
    }

    #[test]
    fn any_damage_to_a_document_is_survived(at in 0..FULL.len(), with in "\\PC{0,3}") {
        let at = (at..FULL.len()).find(|at| FULL.is_char_boundary(*at)).unwrap();
        let text = format!("{}{with}{}", &FULL[..at], &FULL[(at + 1).min(FULL.len())..]);
        if let Ok(profile) = Profile::parse(&text) {
            drop(profile.judge(&full_bag()));
        }
    }
}

/// The configuration stands below bags and cannot ask them: what both know is held together here.
#[test]
fn the_configuration_of_ingest_knows_what_bags_know() {
    let config = Config::load(&Flags::default(), &Surroundings::BARE, &[]).unwrap();
    let limits = Limits::default();
    assert_eq!(config.ingest.max_files, limits.entry_count);
    assert!(config.ingest.max_path_bytes <= limits.path_bytes);
    assert!(config.ingest.max_bag_bytes <= limits.unpacked_bytes);

    let described = DESCRIBED_OPTIONS.map(|option| option.name);
    assert_eq!(described, StorageOption::ALL.map(StorageOption::name));

    let row = config.explain().iter().find(|row| row.key == "ingest.profile").unwrap();
    let words = ["named", "bagit"].into_iter().chain(Profile::BUILTIN);
    let unknown: Vec<_> =
        words.filter(|word| !row.allowed.contains(&format!("\"{word}\""))).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
