//! What a small archive holds.

use web::*;

use super::{badge, restored};

const MOMENT: &str = "2026-11-16T07:20:41.123Z";
const OBJECT: &str = "/objects/county.example.edu/parish-registers-1790";

pub(crate) fn objects(rows: u64) -> ObjectsPage {
    let row = |n: u64| ObjectRow {
        href: format!("/objects/county.example.edu/minutes-{}", 1890 + n),
        title: format!("Minutes of the county council, {}", 1890 + n),
        identifier: format!("county.example.edu/minutes-{}", 1890 + n),
        state: (n % 5 == 4).then(|| badge("Deleted", Tone::Calm)),
        storage_option: "Standard".into(),
        access: "Institution".into(),
        version: 1 + n % 3,
        file_count: 3_118 * n,
        size: 96_412_884_113 * n,
        updated: MOMENT.into(),
    };
    ObjectsPage {
        filter: ObjectFilter { storage_option: "Standard".into(), ..ObjectFilter::default() },
        choices: ObjectChoices {
            sharers: vec![Choice::new("true", "What others share with all")],
            institutions: vec![Choice::new("2", "County (county.example.edu)")],
            storage_options: vec![Choice::new("Standard", "Standard")],
            accesses: vec![Choice::new("institution", "Institution")],
            states: vec![Choice::new("A", "Held"), Choice::new("D", "Deleted")],
            sizes: vec![Choice::new("1000000000", "1 GB")],
        },
        sort: Sort { column: "updated_at".into(), descending: true },
        pager: Pager {
            page: 2,
            per_page: 25,
            shown: rows,
            total: 10_000,
            at_least: true,
            export: "/api/v1/objects?format=csv".into(),
        },
        rows: (0..rows).map(row).collect(),
        files: None,
        receiving: "strongroom-data/receiving".into(),
    }
}

/// What a search for a digest or a file name finds.
fn found_file(path: &str, state: Option<Badge>) -> FoundFile {
    FoundFile {
        href: "/files/5f0e2a3c-0000-8000-8000-000000000001".into(),
        path: path.into(),
        object: Link::new(OBJECT, "county.example.edu/parish-registers-1790"),
        format: "Tagged Image File Format".into(),
        size: 31_457_280,
        state,
    }
}

pub(crate) fn search() -> SearchPage {
    let object = |title: &str, state| FoundObject {
        href: OBJECT.into(),
        title: title.into(),
        identifier: "county.example.edu/parish-registers-1790".into(),
        state,
        institution: "County archive".into(),
        file_count: 4_112,
        size: 98_765_432_100,
    };
    SearchPage {
        text: "Folio, regist".into(),
        words: vec!["folio".into(), "regist".into()],
        objects: vec![
            object("Parish registers <b>1790</b>", None),
            object("Parish registers", Some(badge("Deleted", Tone::Calm))),
        ],
        files: vec![found_file("data/register-1790/folio-112.tif", None)],
        items: vec![FoundItem {
            href: "/items/17".into(),
            name: "parish-registers-1790.tar".into(),
            action: "Ingest".into(),
            status: "Success".into(),
            date: "2026-11-16T07:20:41.123Z".into(),
        }],
        more: true,
    }
}

pub(crate) fn found() -> ObjectsPage {
    let file = found_file;
    let earlier = badge("Earlier, of version 1", Tone::Calm);
    ObjectsPage {
        filter: ObjectFilter { find: "folio-112".into(), ..ObjectFilter::default() },
        files: Some(FoundFiles {
            rows: vec![
                file("data/register-1790/folio-112.tif", None),
                file("data/register-1791/folio-112.tif", Some(earlier)),
            ],
            more: true,
        }),
        ..ObjectsPage { pager: Pager::default(), ..objects(0) }
    }
}

fn safety() -> Safety {
    Safety {
        verdict: badge("Two verified copies", Tone::Good),
        sentence: "Every file was read back from every replica and compared by sha512.".into(),
    }
}

fn copy(replica: &str, place: &str, single: bool) -> CopyLine {
    let moment = single.then(|| MOMENT.to_owned());
    CopyLine {
        replica: replica.into(),
        place: place.into(),
        address: format!("file:///vault/{replica}"),
        state: badge("Verified", Tone::Good),
        copies: if single { String::new() } else { "3,120 files, all versions".into() },
        stored: moment.clone(),
        verified: moment,
        checked: MOMENT.into(),
    }
}

pub(crate) fn event_line(kind: &str, about: &str, words: &str) -> EventLine {
    EventLine {
        href: "/events/9d1c1a9a-2451-8de6-8e67-3be535d821c6".into(),
        kind: kind.into(),
        when: MOMENT.into(),
        words: words.into(),
        outcome: badge("Success", Tone::Good),
        about: about.into(),
        object: None,
    }
}

fn version(version: u64, is_shown: bool) -> VersionRow {
    VersionRow {
        version,
        href: format!("{OBJECT}?version={version}#files"),
        is_shown,
        deposit: "parish-registers-1790.tar".into(),
        size: 96_412_884_113,
        received: Some(MOMENT.into()),
        sealed: Some(MOMENT.into()),
        profile: "urn:example:profile".into(),
        program: "Strongroom 0.1.0, signatures DROID 122".into(),
        item: Link::new("/items/4205", "Item 4205"),
        restore: restored::wish("object", Some(version)),
    }
}

pub(crate) fn object() -> ObjectPage {
    let line = |name: &str, folder: bool, at_least| FolderLine {
        href: format!("{OBJECT}?folder=data%2F{name}#files"),
        name: name.into(),
        is_folder: folder,
        file_count: if at_least { 10_000 } else { 1 },
        size: 31_457_280,
        at_least,
        kept_from: (!folder && name == "index.xml").then_some(1),
    };
    let format = |name: &str, puid: &str, file_count| FormatBar {
        name: name.into(),
        puid: puid.into(),
        file_count,
        size: 31_457_280 * file_count,
    };
    let tag = |name: &str, value: &str| TagRow { name: name.into(), value: value.into() };
    ObjectPage {
        title: "Parish registers, 1790".into(),
        identifier: "county.example.edu/parish-registers-1790".into(),
        restore: restored::wish("object", None),
        description: "Baptisms, marriages and burials.".into(),
        state: None,
        check: Some(CheckWish {
            action: "/fixity/objects/88/check".into(),
            last: Some(MOMENT.into()),
        }),
        safety: safety(),
        copies: vec![copy("a", "north building", false), copy("b", "south building", false)],
        facts: vec![
            Fact::text("Storage option", "Standard"),
            Fact::new("Files", FactValue::Count(3_118)),
            Fact::new("Size", FactValue::Bytes(96_412_884_113)),
        ],
        versions: vec![version(2, true), version(1, false)],
        versions_unshown_count: 0,
        folder: FolderView {
            crumbs: vec![Link::new(format!("{OBJECT}#files"), "All files"), Link::new("", "data")],
            version: 2,
            is_newest: true,
            lines: vec![
                line("register-1790", true, true),
                line("notes", true, false),
                line("index.xml", false, false),
            ],
            first: None,
            next: Some(format!("{OBJECT}?folder=data&from=data%2Fk#files")),
        },
        formats: vec![
            format("Tagged Image File Format", "fmt/353", 3_000),
            format("Unknown", "", 118),
        ],
        formats_unshown_count: 2,
        file_count: 3_118,
        tags: vec![TagGroup {
            file: "bag-info.txt".into(),
            tags: vec![tag("Source-Organization", "County"), tag("Bag-Count", "")],
        }],
        tags_unshown_count: 0,
        events: vec![
            event_line("Ingestion", "the object", "Copied files to preservation storage"),
            event_line("Fixity check", "the payload of version 2", "Compared: sha256:…"),
        ],
        events_pager: Pager { page: 1, per_page: 10, shown: 2, total: 12, ..Pager::default() },
        events_href: format!("{OBJECT}?events="),
        all_events_href: "/events?intellectual_object_id=88".into(),
        deletion: deletion_offer(),
    }
}

/// An object of which nothing is left but what is known about it.
pub(crate) fn deleted() -> ObjectPage {
    let page = object();
    let verdict = badge("No copies", Tone::Calm);
    ObjectPage {
        state: Some(badge("Deleted", Tone::Calm)),
        check: None,
        restore: None,
        safety: Safety { verdict, sentence: "It was deleted from every replica.".into() },
        copies: vec![],
        folder: FolderView { lines: vec![], next: None, is_newest: false, ..page.folder },
        formats: vec![],
        tags: vec![],
        events: vec![],
        ..page
    }
}

pub(crate) fn file() -> FilePage {
    let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let version = |version, state| FileVersionRow {
        version,
        recorded: MOMENT.into(),
        size: 31_457_280,
        format: "Tagged Image File Format".into(),
        sha256: sha256.into(),
        state,
        restore: restored::wish("file", Some(version)),
    };
    FilePage {
        name: "folio-112.tif".into(),
        restore: restored::wish("file", None),
        object: Link::new(OBJECT, "county.example.edu/parish-registers-1790"),
        folder: Some(Link::new(format!("{OBJECT}?folder=data#files"), "data/register-1790")),
        state: None,
        safety: safety(),
        copies: vec![copy("a", "north building", true), copy("b", "", true)],
        replacement: None,
        facts: vec![Fact::new("Size", FactValue::Bytes(31_457_280)), Fact::text("PUID", "fmt/353")],
        warnings: vec!["Its extension is not usual for this format.".into()],
        digests: vec![Fact::new("SHA-256", FactValue::Digest(sha256.into()))],
        versions: vec![
            version(2, badge("Current", Tone::Good)),
            version(1, badge("Kept", Tone::Calm)),
        ],
        events: vec![event_line("Format identification", "", "Identified the format: fmt/353")],
        all_events_href: "/events?generic_file_id=7".into(),
        deletion: deletion_offer(),
    }
}

/// The same file when both copies are damaged.
pub(crate) fn lost_file() -> FilePage {
    let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned();
    FilePage {
        safety: Safety {
            verdict: badge("No verified copies", Tone::Bad),
            sentence: "Some copies were damaged or missing when they were last looked at.".into(),
        },
        replacement: Some(ReplaceForm {
            action: "/fixity/files/7/replacement".into(),
            lost: vec![LostVersion { version: 2, size: 31_457_280, sha256 }],
            in_cold: Some(
                "Replica deep in cold storage has a copy. Choose Restore on the page of the file."
                    .into(),
            ),
        }),
        ..file()
    }
}

pub(crate) fn files(rows: usize) -> FilesPage {
    let line = FileLine {
        href: "/files/0198f7f2-7d3a-8c11-a5a5-000000000007".into(),
        path: "data/folio-112.tif".into(),
        state: None,
        object: Link::new(OBJECT, "county.example.edu/parish-registers-1790"),
        format: "Tagged Image File Format".into(),
        size: 48_201_993,
        updated: MOMENT.into(),
        checked: String::new(),
    };
    FilesPage {
        filter: FileFilter { puid: "fmt/353".into(), ..FileFilter::default() },
        choices: ObjectChoices::default(),
        sort: Sort { column: "size".into(), descending: true },
        pager: Pager {
            page: 1,
            per_page: 25,
            shown: rows as u64,
            total: 1000,
            at_least: true,
            export: "/api/v1/files?format=csv".into(),
        },
        rows: vec![line; rows],
    }
}

pub(crate) fn events(rows: usize) -> EventsPage {
    let object = Some(Link::new(OBJECT, "county.example.edu/parish-registers-1790"));
    let line = event_line("Message digest calculation", "all files of version 2", "Calculated");
    let kind = Choice::new("fixity check", "Fixity check");
    EventsPage {
        filter: EventFilter { event_type: "fixity check".into(), ..EventFilter::default() },
        choices: EventChoices {
            kinds: vec![kind],
            outcomes: vec![Choice::new("Failure", "Failure")],
        },
        sort: Sort { column: "date_time".into(), descending: true },
        pager: Pager {
            page: 1,
            per_page: 25,
            shown: rows as u64,
            total: 400,
            at_least: false,
            export: "/api/v1/events?format=csv".into(),
        },
        rows: vec![EventLine { object, ..line }; rows],
    }
}

pub(crate) fn event() -> EventPage {
    EventPage {
        kind: "Fixity check".into(),
        meaning: "Digests were compared with those that were known before.".into(),
        when: MOMENT.into(),
        outcome: badge("Success", Tone::Good),
        object: Link::new(OBJECT, "county.example.edu/parish-registers-1790"),
        told: vec![
            Fact::text("What was done", "fixity check against registered hash"),
            Fact::new("Result", FactValue::Code("sha256:{sha256}".into())),
            Fact::text("Agent", "Strongroom 0.1.0"),
        ],
        facts: vec![Fact::new("Kind", FactValue::Code("fixity check".into()))],
        braces: Some("Words in braces stand for each file's own.".into()),
    }
}

fn deletion_offer() -> DeletionOffer {
    DeletionOffer {
        sentence: "You can ask for it; another administrator has to agree.".into(),
        link: Some(Link::new("/deletions/new?object=12", "Ask for deletion")),
        asks: true,
    }
}
