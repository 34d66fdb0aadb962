//! Bags that break rules of names, tag files and fetch lists.

use bagit::code::Code;
use digests::Algorithm;

use crate::bags::build::{Draft, hex, sealed};
use crate::bags::codes::{Fixture, changed, fixture, listed, made};
use crate::bags::pack::{Container, pack};

pub(crate) fn fixtures() -> Vec<Fixture> {
    [names(), paths(), tags(), fetch()].into_iter().flatten().collect()
}

fn names() -> Vec<Fixture> {
    let named = |code, name: String| made(code, move |draft| draft.put(name, "x"));
    let mut forms = Draft::new("1.0");
    forms.put("data/é", "one");
    forms.put("data/e\u{301}", "two");
    vec![
        changed(Code::NameNotUtf8, |draft| draft.put(b"data/\xff", "x")),
        named(Code::NameControl, "data/bell\u{7}".to_owned()),
        named(Code::NameTooLong, format!("data/{}", "x".repeat(256))),
        named(Code::PathTooDeep, format!("data/{}x", "x/".repeat(130))),
        named(Code::NameBackslash, "data/a\\b".to_owned()),
        named(Code::NamesDifferByCase, "data/A.txt".to_owned()),
        fixture(Code::NamesDifferByForm, pack(&forms.seal(), Container::Folder)),
    ]
}

fn paths() -> Vec<Fixture> {
    let line = |code, path: &'static str| {
        listed(code, move |text| {
            let digest = text.split("  ").next().unwrap().to_owned();
            format!("{text}{digest}  {path}\n")
        })
    };
    vec![
        line(Code::PathTraversal, "data/../../x"),
        line(Code::PathAbsolute, "/etc/passwd"),
        line(Code::PathHome, "~/x"),
        line(Code::PathDrive, "C:/x"),
        line(Code::PathUnc, "\\\\server\\share"),
        line(Code::PathForm, "data//x"),
        listed(Code::PathBackslash, |text| text.replace("data/sub/", "data\\sub\\")),
    ]
}

fn tags() -> Vec<Fixture> {
    let info = |code, bytes: Vec<u8>| made(code, move |draft| draft.put("bag-info.txt", bytes));
    let text = |code, text: &str| info(code, text.as_bytes().to_vec());
    let oxum = Draft::new("1.0").oxum();
    vec![
        info(Code::TagFileNotDecodable, b"Title: caf\xe9\n".to_vec()),
        text(Code::TagFileBom, "\u{feff}Title: x\n"),
        text(Code::TagLine, "Title: x\nstray\n"),
        text(Code::TagSeparator, "Title : x\n"),
        text(Code::LineTooLong, &format!("Title: {}\n", "x".repeat(70_000))),
        text(Code::OxumForm, "Payload-Oxum: many\n"),
        text(Code::OxumTwice, &format!("Payload-Oxum: {oxum}\nPayload-Oxum: {oxum}\n")),
        text(Code::OxumWrong, "Payload-Oxum: 1.1\n"),
        text(Code::TagOnceOnly, "Bagging-Date: 2026-01-31\nBagging-Date: 2026-01-31\n"),
        text(Code::BaggingDateForm, "Bagging-Date: yesterday\n"),
        text(Code::BagCountForm, "Bag-Count: several\n"),
    ]
}

fn fetch() -> Vec<Fixture> {
    let fetching = |code, text: &'static str| made(code, move |d| d.put("fetch.txt", text));
    let mut pending = Draft::new("1.0");
    pending.put("fetch.txt", "https://example.org/a 6 data/a.txt\n");
    let mut pending = pending.seal();
    pending.remove("data/a.txt");
    let mut unlisted = sealed("1.0");
    unlisted.put("fetch.txt", "https://example.org/n - data/new\n");
    let line = format!("{}  data/new\n", hex(Algorithm::Md5, b"new"));
    unlisted.append("manifest-md5.txt", &line);
    vec![
        fetching(Code::FetchLine, "somewhere\n"),
        fetching(Code::FetchOutside, "https://example.org/a - bag-info.txt\n"),
        fixture(Code::FetchUnlisted, pack(&unlisted.seal_tags(), Container::Tgz))
            .with(&[Code::FetchPending]),
        fixture(Code::FetchPending, pack(&pending, Container::Folder)),
        fetching(Code::FetchLength, "https://example.org/a 7 data/a.txt\n"),
    ]
}
