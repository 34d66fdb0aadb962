//! Objects, files and events of bags that were really taken in.

use crate::house::House;
use crate::ingest::bag;

const LETTERS: &[(&str, &[u8])] = &[
    ("a.txt", b"alpha\n"),
    ("deep/er/b.xml", b"<?xml version=\"1.0\"?>\n<b/>\n"),
    ("deep/Folio 1.TXT", b"one\n"),
    ("empty", b""),
];

/// What a depositor may write, and a page must not repeat as it is.
const ODD: &str = "<script>x & \u{202E}gnp.txt";

fn titled(title: &str, payload: &[(&str, &[u8])]) -> Vec<(String, Vec<u8>)> {
    let mut files = bag(payload);
    let info = format!("Title: {title}\nAccess: Institution\nStorage-Option: Standard\n");
    for (name, bytes) in &mut files {
        if name == "aptrust-info.txt" {
            *bytes = info.clone().into_bytes();
        }
    }
    files
}

/// A house with an object of two versions, and one with odd names.
fn holding() -> House {
    let house = House::ingesting();
    house.receive("letters", &bag(LETTERS), 1);
    let mut second = LETTERS.to_vec();
    second[0].1 = b"beta\n";
    second.push(("new.txt", b"new\n"));
    house.receive("letters", &bag(&second), 2);
    let odd = format!("folder {ODD}/{ODD}");
    house.receive("odd", &titled(ODD, &[(odd.as_str(), b"odd\n")]), 1);
    house
}

fn page(house: &House, path: &str) -> String {
    let reply = house.get(path).is(200);
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
    let text = reply.text();
    assert!(text.len() < 30 << 10, "{path} has {} bytes", text.len());
    for bad in ["<script>", " style=", " onclick=", "href=\"http"] {
        assert!(!text.contains(bad), "{path} has {bad}");
    }
    // The footer says when the page was made.
    text.split("<footer").next().unwrap().to_owned()
}

#[track_caller]
fn says(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
}

fn uuid_of(house: &House, path: &str) -> String {
    let asked = format!("/api/v1/files?object_identifier=archive.local/letters&path={path}");
    let files = house.get(asked).is(200).json();
    files["files"][0]["uuid"].as_str().unwrap().to_owned()
}

#[test]
fn holdings_are_shown_on_their_pages_and_found_by_every_name() {
    let house = holding();
    an_object_is_shown(&house);
    folders_are_walked_in_every_version(&house);
    a_file_is_shown(&house);
    events_are_told(&house);
    things_are_found(&house);
    lists_are_filtered_and_sorted(&house);
    odd_names_are_harmless(&house);
    what_is_not_there_is_refused(&house);
}

fn an_object_is_shown(house: &House) {
    let text = page(house, "/objects/archive.local/letters");
    says(
        &text,
        &[
            "Two verified copies",
            "<bdi>Letters</bdi>",
            "archive.local/letters",
            "Standard",
            "Version 2",
            "Version 1",
            "signatures DROID",
            "href=\"/items/1\"",
            "href=\"/items/2\"",
            "Source-Organization",
            "An archive",
            "this machine",
            "Extensible Markup Language",
            "<rect width=",
            "Folder, 5 files",
            "8 files, all versions",
            "What happened",
        ],
    );
    let second = page(house, "/objects/archive.local/letters?events=2");
    assert!(second.contains("Rows 11–20 of") && !second.contains("Rows 1–10"));
    assert_eq!(text, page(house, "/objects/archive.local%2Fletters"), "escaped or not");
    let overview = page(house, "/");
    says(&overview, &["2 objects</a>, 10 files"]);
}

fn folders_are_walked_in_every_version(house: &House) {
    let object = "/objects/archive.local/letters";
    let newest = page(house, &format!("{object}?folder=data"));
    says(
        &newest,
        &["<bdi>new.txt</bdi>", "<bdi>a.txt</bdi>", "Folder, 2 files", "<bdi>deep</bdi>"],
    );
    let first = page(house, &format!("{object}?folder=data&version=1"));
    assert!(!first.contains("<bdi>new.txt</bdi>") && first.contains("<bdi>a.txt</bdi>"));
    says(&first, &["version=1&amp;folder=data%2Fdeep#files", "<span class=\"tally\">version 1"]);
    let deep = page(house, &format!("{object}?folder=/data/deep/"));
    says(&deep, &["<bdi>Folio 1.TXT</bdi>", "<bdi>er</bdi>"]);
    says(&page(house, &format!("{object}?folder=no/such")), &["There is nothing in this folder."]);
    let rest = page(house, &format!("{object}?folder=data&from=data/e"));
    assert!(rest.contains("<bdi>empty</bdi>") && !rest.contains("<bdi>a.txt</bdi>"));
    says(&rest, &["From the start"]);
}

fn a_file_is_shown(house: &House) {
    let uuid = uuid_of(house, "data/a.txt");
    let text = page(house, &format!("/files/{uuid}"));
    says(
        &text,
        &[
            "Two verified copies",
            "archive.local/letters/data/a.txt",
            &uuid,
            "x-fmt/111",
            "reading it as text",
            // Of "beta\n".
            "f0cf2a92516045024a0c99147b28f05b",
            "SHA-512",
            "Version 2",
            "Version 1",
            "Current",
            "Kept",
            "v2/content/data/a.txt",
            "Fixity check",
            &format!("?file={uuid}"),
        ],
    );
    assert_eq!(text, page(house, "/files/archive.local/letters/data/a.txt"), "by its identifier");
    let empty = page(house, &format!("/files/{}", uuid_of(house, "data/empty")));
    says(&empty, &["Unknown", "nothing: it is unknown", "class=\"notice warn\""]);
}

fn events_are_told(house: &House) {
    let asked = "/api/v1/events?event_type=message%20digest%20calculation\
                 &intellectual_object_identifier=archive.local/letters";
    let events = house.get(asked).is(200).json();
    let identifier = events["events"][0]["identifier"].as_str().unwrap().to_owned();
    let text = page(house, &format!("/events/{identifier}"));
    says(
        &text,
        &[
            "Message digest calculation",
            &identifier,
            "calculated fixity value",
            "Words in braces",
            "Strongroom 0.",
            "all files of version 2",
            "href=\"/items/2\"",
            "Success",
        ],
    );
    let uuid = uuid_of(house, "data/a.txt");
    let told = page(house, &format!("/events/{identifier}?file={uuid}"));
    assert!(told.contains("data/a.txt") && !told.contains("Words in braces"), "{told}");
    assert!(!told.contains("{sha512}") && !told.contains("{md5}"), "{told}");
    let bad = house.get(format!("/events/{identifier}?file=x")).is(400).text();
    says(&bad, &["must be the UUID of a file"]);
    let list = page(house, "/events?event_type=validation");
    says(&list, &["Rows 1–3 of 3", "archive.local/odd", "<option value=\"validation\" selected>"]);
    let day =
        "date_time__gteq=2020-01-01&date_time__lteq=2199-12-31&outcome=&event_type=validation";
    says(&page(house, &format!("/events?{day}")), &["Rows 1–3 of 3"]);
    says(&page(house, "/events?outcome=Failure"), &["No event matches."]);
    let of_file = house.get(format!("/api/v1/files/{uuid}")).json()["file"]["id"].to_string();
    says(&page(house, &format!("/events?generic_file_id={of_file}")), &["Fixity check"]);
}

fn things_are_found(house: &House) {
    let object = "<bdi>archive.local/letters</bdi></div>";
    for (find, finds_object, file) in [
        ("letters", true, None),
        ("LETT", true, None),
        ("archive.local/lett", true, None),
        ("folio", false, Some("data/deep/Folio 1.TXT")),
        ("deep/folio 1.txt", false, Some("data/deep/Folio 1.TXT")),
        ("archive.local/letters/data/empty", false, Some("data/empty")),
        // Of "alpha\n", which a.txt was once.
        ("9F9F90DBE3E5EE1218C86B8839DB1995", false, Some("data/a.txt")),
        ("9f9f90db", false, Some("data/a.txt")),
        ("etters", false, None),
        ("%", false, None),
    ] {
        let text =
            page(house, &format!("/objects?find={}", find.replace('%', "%25").replace(' ', "+")));
        assert_eq!(text.contains(object), finds_object, "{find}: {text}");
        match file {
            Some(path) => says(&text, &[&format!("<bdi>{path}</bdi>"), "Files found"]),
            None => says(&text, &["No file matches."]),
        }
    }
    let earlier = page(house, "/objects?find=9f9f90db");
    says(&earlier, &["Earlier, of version 1"]);
    let uuid = uuid_of(house, "data/new.txt");
    says(&page(house, &format!("/objects?find={uuid}")), &["<bdi>data/new.txt</bdi>"]);
}

fn lists_are_filtered_and_sorted(house: &House) {
    let shown = |query: &str| {
        let text = page(house, &format!("/objects?{query}"));
        ["letters", "odd"]
            .map(|bag| text.contains(&format!("<bdi>archive.local/{bag}</bdi></div>")))
    };
    assert_eq!(shown(""), [true, true]);
    assert_eq!(shown("find=letters&access=institution&storage_option=Standard"), [true, false]);
    assert_eq!(shown("access=restricted"), [false, false]);
    assert_eq!(shown("state=D"), [false, false]);
    assert_eq!(shown("size__gteq=1000000"), [false, false]);
    assert_eq!(shown("updated_at__gteq=2020-01-01&created_at__lteq=2199-12-31"), [true, true]);
    assert_eq!(shown("updated_at__lteq=2020-01-01"), [false, false]);
    assert_eq!(shown("institution_id=1&find=&access="), [true, true]);
    assert_eq!(shown("sort=file_count__desc&per_page=1"), [true, false]);
    assert_eq!(shown("sort=file_count__asc&per_page=1"), [false, true]);
    let none = page(house, "/objects?access=restricted");
    says(&none, &["No object matches.", "show all objects"]);
}

fn odd_names_are_harmless(house: &House) {
    let escaped = "&lt;script&gt;x &amp; \u{202E}gnp.txt";
    let apart = format!("<bdi>{escaped}</bdi>");
    let object = page(house, "/objects/archive.local/odd?folder=data");
    says(&object, &[&apart, &format!("<bdi>folder {escaped}</bdi>")]);
    let inside = "%3Cscript%3Ex%20%26%20%E2%80%AEgnp.txt";
    says(&object, &[&format!("?folder=data%2Ffolder%20{inside}#files")]);
    let folder =
        page(house, &format!("/objects/archive.local/odd?folder=data%2Ffolder%20{inside}"));
    says(&folder, &[&apart, &format!("<bdi aria-current=\"location\">folder {escaped}</bdi>")]);
    let files = house.get("/api/v1/files?object_identifier=archive.local/odd&sort=path__desc");
    let uuid = files.json()["files"][0]["uuid"].as_str().unwrap().to_owned();
    says(&page(house, &format!("/files/{uuid}")), &["gnp.txt</bdi></h1>", "&lt;script&gt;"]);
    says(&page(house, "/objects?find=gnp"), &[&apart]);
    let found = page(house, &format!("/objects?find={inside}"));
    says(&found, &[&format!("value=\"{escaped}\"")]);
}

fn what_is_not_there_is_refused(house: &House) {
    for (path, status, words) in [
        ("/objects/archive.local/nothing", 404, "There is no object"),
        ("/objects/99", 404, "Look for it in the list of objects."),
        ("/files/archive.local/letters/data/none", 404, "There is no file"),
        ("/events/00000000-0000-0000-0000-000000000000", 404, "There is no event"),
        ("/objects/archive.local/letters?version=3", 400, "which are 1 to 2"),
        ("/objects/archive.local/letters?version=0", 400, "which are 1 to 2"),
        ("/objects/archive.local/letters?version=x", 400, "is not one of its versions"),
        ("/objects/archive.local/letters?colour=red", 400, "is not known here"),
        ("/objects/archive.local/letters?events=0", 400, "must be a whole number from 1"),
    ] {
        let text = house.get(path).is(status).text();
        says(&text, &[words, "Nothing was changed."]);
    }
    let far = page(house, "/objects/archive.local/letters?events=900");
    says(&far, &["No events are shown here."]);
}

#[test]
fn files_are_listed_by_name_digest_and_format() {
    let house = &holding();
    let all =
        house.get("/api/v1/files?identifier=archive.local/letters/data/a.txt").json()["files"][0]
            .clone();
    let file = all["uuid"].as_str().unwrap();
    let shown = |asked: &str| page(house, &format!("/files?{asked}")).contains(file);
    for (name, value) in [
        ("find", "a.txt"),
        ("find", all["md5"].as_str().unwrap()),
        ("find", all["sha512"].as_str().unwrap()),
        ("uuid", file),
        ("puid", all["puid"].as_str().unwrap()),
        ("object_identifier", all["object_identifier"].as_str().unwrap()),
        ("sort", "size__desc"),
        ("created_at__gteq", "2020-01-01"),
    ] {
        assert!(shown(&format!("{name}={value}")), "{name}={value}");
    }
    assert!(!shown("find=nothing-has-this-name") && !shown("updated_at__lteq=2020-01-01"));
    assert!(page(house, "/files?find=nothing-has-this-name").contains("No file matches."));
    house.get("/files?size__gteq=large").is(400);
}

#[test]
fn the_page_of_a_file_that_a_later_bag_did_not_have_says_what_it_is_kept_from() {
    let house = House::ingesting();
    house.receive("letters", &bag(&[("a.txt", b"alpha\n"), ("b.txt", b"beta\n")]), 1);
    house.receive("letters", &bag(&[("a.txt", b"alpha, again\n")]), 2);
    let kept = "kept from version 1: later bags did not have it";
    says(&page(&house, "/files/archive.local/letters/data/b.txt"), &[kept]);
    let both_had_it = page(&house, "/files/archive.local/letters/data/a.txt");
    assert!(!both_had_it.contains("kept from"), "{both_had_it}");
}
