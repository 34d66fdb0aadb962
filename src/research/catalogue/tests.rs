use proptest::prelude::*;
use storage::clock::Timestamp;
use storage::registry::Location;

use super::*;

fn catalogue(format: Format, text: &str) -> Catalogue {
    read(&mut text.as_bytes(), format).unwrap()
}

fn refused(format: Format, text: &str) -> String {
    read(&mut text.as_bytes(), format).unwrap_err().to_string()
}

fn findings(catalogue: &Catalogue) -> Vec<(usize, &str)> {
    catalogue.findings.iter().map(|it| (it.line, it.sentence.as_str())).collect()
}

#[test]
fn a_list_of_json_with_the_described_names() {
    let text = r#"{"version": 1, "clips": [
        {"title": " Drop ", "media_uri": "https://a.org/d.mp3", "media_type": "audio/mpeg",
         "priority": 4, "initial_date_curated": "2021-02-28T10:00:00Z",
         "curator_information": "scraper", "unknown": [1]},
        {"title": "Of ours", "location": {"kind": "vault", "object": "a.org/b", "path": "data/c.wav"}},
        {"title": "No place"},
        {"title": "Bad", "url": "ftp://a.org/x"},
        7
    ]}"#;
    let read = catalogue(Format::Json, text);
    assert_eq!(read.recordings.len(), 2);
    let first = &read.recordings[0];
    assert_eq!((first.title.as_str(), first.priority), ("Drop", 4));
    assert_eq!(first.first_curated_at, Timestamp::parse("2021-02-28T10:00:00Z"));
    assert!(
        matches!(&read.recordings[1].location, Location::Vault { object, .. } if object == "a.org/b")
    );
    let told = findings(&read);
    assert_eq!(told[0], (3, "the location is missing: name it url, path or location"));
    assert!(told[1].1.starts_with("the location \"ftp://a.org/x\" is neither"));
    assert_eq!((told.len(), read.left_out, told[2].0), (3, 3, 5));
    assert!(refused(Format::Json, "[1").starts_with("the file is not JSON"));
    assert_eq!(
        refused(Format::Json, "{\"a\": [], \"b\": []}"),
        "the file has no list of entries, or several"
    );
}

#[test]
fn lines_of_json_go_on_behind_a_bad_one() {
    let text = "{\"title\": \"a\", \"path\": \"/a.wav\"}\n\nnonsense\n{\"title\": \"b\", \"path\": \"/b.wav\"}\n";
    let read = catalogue(Format::JsonLines, text);
    assert_eq!((read.recordings.len(), read.left_out), (2, 1));
    assert_eq!(read.findings[0].line, 3);
}

#[test]
fn tables_with_quotes_lines_and_other_marks() {
    let text = "\u{feff}Title;Date Aired;URL;Priority;Description\r\n\
        \"One; \"\"two\"\"\";2021-02-28;https://a.org/1.mp3;;\"over\ntwo lines\"\r\n\
        \n\
        Three;yesterday;https://a.org/3.mp3;1;\n\
        Four;;https://a.org/4.mp3;9\n\
        Five;;/five.ogg;-2;x";
    let read = catalogue(Format::Csv, text);
    let titles: Vec<&str> = read.recordings.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["One; \"two\"", "Five"]);
    assert_eq!(read.recordings[0].date_aired, Timestamp::parse("2021-02-28T00:00:00Z"));
    assert_eq!(read.recordings[0].description, "over\ntwo lines");
    let told = findings(&read);
    let sentence = "the date it was aired is \"yesterday\", which is no date such as 2021-02-28";
    assert_eq!(told[0], (5, sentence));
    assert_eq!(told[1], (6, "the line has 4 fields, and the first line names 5"));
    let open = catalogue(Format::Csv, "title,url\n\"never closed,/x\n");
    assert_eq!(findings(&open)[0].1, "a quotation mark is opened and never closed");
    assert!(refused(Format::Csv, "name,url\n").contains("title must be one of them"));
    assert_eq!(refused(Format::Csv, ""), "the file is empty");
}

#[test]
fn a_feed() {
    let text = r#"<?xml version="1.0"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
  <title>A Show</title>
  <item><title>Number
     One</title><itunes:title>not this</itunes:title>
    <pubDate>Sun, 28 Feb 2021 08:00:00 -0500</pubDate><description><![CDATA[<p>words</p>]]></description>
    <enclosure url="https://a.org/1.mp3" length="5" type="audio/mpeg"/></item>
  <item><title>Silent</title></item>
</channel></rss>"#;
    let read = catalogue(Format::Rss, text);
    let one = &read.recordings[0];
    assert_eq!((one.title.as_str(), one.curator.as_str()), ("Number One", "A Show"));
    assert_eq!(one.date_aired, Timestamp::parse("2021-02-28T13:00:00Z"));
    assert_eq!(one.description, "<p>words</p>");
    assert_eq!(findings(&read), [(8, "the item has no enclosure, so there is nothing to hear")]);
    assert!(refused(Format::Rss, "<html/>").contains("no channel"));
    let bomb = "<!DOCTYPE r [<!ENTITY a \"b\">]><rss><channel/></rss>";
    assert!(refused(Format::Rss, bomb).starts_with("the file is no feed"));
}

#[test]
fn enclosures_of_a_feed_in_a_file_are_seen_from_where_it_lies_and_are_no_paths_of_ours() {
    let items: String = ["/m/1.mp3", "2.mp3", "//b.org/3.mp3", "file:///srv/4.mp3", "ftp://c/5"]
        .map(|url| format!("<item><title>{url}</title><enclosure url=\"{url}\"/></item>"))
        .concat();
    let places = |links: &str| {
        let text = format!(
            "<rss xmlns:a=\"http://www.w3.org/2005/Atom\"><channel>{links}{items}</channel></rss>"
        );
        let read = catalogue(Format::Rss, &text);
        let told: Vec<String> = findings(&read).iter().map(|it| it.1.to_owned()).collect();
        let places = read.recordings.iter().map(|it| match &it.location {
            Location::Url { url } => url.clone(),
            Location::File { path } => format!("file {path}"),
            Location::Vault { .. } => "vault".into(),
        });
        (places.collect::<Vec<_>>(), told)
    };
    let whole = |seat: &str| {
        let mut places: Vec<String> =
            ["m/1.mp3", "show/2.mp3"].map(|it| format!("{seat}/{it}")).into();
        places.extend(["https://b.org/3.mp3".into(), "file /srv/4.mp3".into()]);
        places
    };
    let (told, bad) = places("<link>https://a.org/show/</link>");
    assert_eq!((told, bad.len()), (whole("https://a.org"), 1), "{bad:?}");
    let (told, _) = places(
        "<link>https://a.org/</link><a:link rel=\"self\" href=\"https://feeds.a.org/show/rss\"/>",
    );
    assert_eq!(told, whole("https://feeds.a.org"));
    for nowhere in ["", "<link>/show/</link>"] {
        let (told, bad) = places(nowhere);
        assert_eq!(told, ["file /srv/4.mp3"]);
        assert!(bad[0].starts_with("the enclosure \"/m/1.mp3\" is no whole address"), "{bad:?}");
    }
}

#[test]
fn a_page_that_was_fetched_names_addresses_only_and_says_where_others_are() {
    let item = |url: &str| format!("<item><title>{url}</title><enclosure url=\"{url}\"/></item>");
    let items: String =
        ["vault:a.org/bag#data/a.wav", "/etc/passwd", "file:///x.wav", "b.mp3"].map(item).concat();
    let text = format!(
        "<rss xmlns:a=\"http://www.w3.org/2005/Atom\" \
         xmlns:s=\"http://a9.com/-/spec/opensearch/1.1/\"><channel>\
         <a:link rel=\"self\" href=\"/f\"/><a:link rel=\"next\" href=\"/f?p=2\"/>\
         <a:link rel=\"last\" href=\"/f?p=9\"/><s:totalResults>90</s:totalResults>\
         <s:itemsPerPage>10</s:itemsPerPage>{items}</channel></rss>"
    );
    let whole = |address: &str| match address.split_once(':') {
        Some(_) => None,
        None => Some(format!("https://a.org/{}", address.trim_start_matches('/'))),
    };
    let page = read_page(&mut text.as_bytes(), 1 << 20, &whole).unwrap();
    let places: Vec<&Location> = page.catalogue.recordings.iter().map(|it| &it.location).collect();
    let url = |url: &str| Location::Url { url: url.into() };
    assert_eq!(places, [&url("https://a.org/etc/passwd"), &url("https://a.org/b.mp3")]);
    assert_eq!(page.catalogue.left_out, 2);
    let links = PageLinks {
        next: Some("https://a.org/f?p=2".into()),
        last: Some("https://a.org/f?p=9".into()),
        counts: Some((90, 10)),
    };
    assert_eq!(page.links, links);
    let large = read_page(&mut text.as_bytes(), 10, &whole).unwrap_err().to_string();
    assert!(large.contains("more than"), "{large}");
}

#[test]
fn files_are_known_by_their_names_and_other_bytes_refused() {
    for (name, format) in
        [("a.JSON", Format::Json), ("b.jsonl", Format::JsonLines), ("c.tsv", Format::Csv)]
    {
        assert_eq!(Format::of(Path::new(name)), Some(format));
    }
    assert_eq!(Format::of(Path::new("d.mp3")), None);
    let bytes = read(&mut &b"title,url\n\xff"[..], Format::Csv).unwrap_err().to_string();
    assert_eq!(bytes, "the file is not UTF-8 text: the byte at 10 is not");
}

/// A feed of these items, with the namespaces that items use.
fn feed_of(items: &str) -> Catalogue {
    let text = format!(
        "<rss xmlns:media=\"http://search.yahoo.com/mrss/\" \
         xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" \
         xmlns:psc=\"http://podlove.org/simple-chapters\" \
         xmlns:podcast=\"https://podcastindex.org/namespace/1.0\"><channel>{items}</channel></rss>"
    );
    catalogue(Format::Rss, &text)
}

fn notes(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.notes.iter().map(|it| it.sentence.as_str()).collect()
}

#[test]
fn an_entry_with_a_sloppy_date_is_taken_with_a_guess_or_without_one_and_a_note() {
    let item = |number: usize, date: &str| {
        format!(
            "<item><title>{number}</title><pubDate>{date}</pubDate>\
             <enclosure url=\"https://a.org/{number}.mp3\"/></item>\n"
        )
    };
    let read = feed_of(
        &[
            item(1, "Sun, 28 Feb 2021 08:00:00 GMT"),
            item(2, "Mon, 28 Feb 2021 8:00"),
            item(3, "last Sunday"),
        ]
        .concat(),
    );
    let dates: Vec<Option<String>> =
        read.recordings.iter().map(|it| it.date_aired.map(|it| it.to_string())).collect();
    let eight = Some("2021-02-28T08:00:00.000Z".to_owned());
    assert_eq!(dates, [eight.clone(), eight, None]);
    assert_eq!((read.left_out, read.noted), (0, 2), "{read:?}");
    assert_eq!(read.notes[0].line, 2);
    assert_eq!(
        notes(&read),
        [
            "the date \"Mon, 28 Feb 2021 8:00\" is not written as in a feed, and is taken for \
             2021-02-28T08:00:00.000Z",
            "no date after 1970 can be read in \"last Sunday\", and the entry is taken without one",
        ]
    );
}

#[test]
fn entries_that_nothing_tells_apart_are_left_out_rather_than_taken_for_one_another() {
    let item = |url: &str, date: &str| {
        format!("<item><title>News</title>{date}<enclosure url=\"https://a.org/{url}\"/></item>")
    };
    let bad = "<pubDate>soon</pubDate>";
    let read = feed_of(&[item("1", bad), item("2", bad), item("3", "")].concat());
    assert_eq!((read.recordings.len(), read.left_out, read.noted), (1, 2, 0), "{read:?}");
    assert!(read.findings[0].sentence.contains("nothing tells them apart"), "{read:?}");
    let alone = feed_of(&item("1", bad));
    assert_eq!((alone.recordings.len(), alone.left_out, alone.noted), (1, 0, 1), "{alone:?}");
}

#[test]
fn long_titles_are_cut_and_missing_ones_replaced_with_a_note() {
    let item = |title: &str| {
        format!("<item>{title}<enclosure url=\"https://a.org/x/show%207.mp3?k=1\"/></item>")
    };
    let title = |text: &str| {
        let read = feed_of(&item(text));
        assert_eq!((read.recordings.len(), read.left_out), (1, 0), "{read:?}");
        (read.recordings[0].title.clone(), notes(&read).join("; "))
    };
    let (long, note) = title(&format!("<title>{}</title>", "é".repeat(300)));
    assert_eq!(long, format!("{}\u{2026}", "é".repeat(249)));
    assert_eq!(note, "the title has 300 letters, and the first 249 are kept");
    let whole = "x".repeat(250);
    assert_eq!(title(&format!("<title>{whole}</title>")), (whole, String::new()));
    let (inner, note) = title("<title/><itunes:title>Seven</itunes:title>");
    assert_eq!((inner.as_str(), note.as_str()), ("Seven", ""));
    let (file, note) = title("");
    assert_eq!(file, "show%207.mp3");
    assert!(note.contains("has no title") && note.contains("\"show%207.mp3\""), "{note}");
}

#[test]
fn the_recording_is_found_among_the_media_of_an_entry() {
    let place = |media: &str| {
        let read = feed_of(&format!("<item><title>t</title>{media}</item>"));
        let place = |it: &NewRecording| match &it.location {
            Location::Url { url } => (url.clone(), it.media_type.clone()),
            Location::File { .. } | Location::Vault { .. } => panic!("{it:?}"),
        };
        read.recordings.first().map(place)
    };
    let at = |url: &str, kind: &str| Some((format!("https://a.org/{url}"), kind.to_owned()));
    let content = |more: &str| format!("<media:content {more}/>");
    let sound = content("url=\"https://a.org/s.mp3\" medium=\"audio\" type=\"audio/mpeg\"");
    let film = content("url=\"https://a.org/f.mp4\" type=\"video/mp4\"");
    let picture = content("url=\"https://a.org/p.jpg\" medium=\"image\"");
    let plain = content("url=\"https://a.org/x\"");
    assert_eq!(place(&sound), at("s.mp3", "audio/mpeg"));
    let all = format!("<media:group>{picture}{plain}{film}{sound}</media:group>");
    assert_eq!(place(&all), at("s.mp3", "audio/mpeg"), "sound before all others");
    assert_eq!(place(&format!("{plain}{film}")), at("f.mp4", "video/mp4"));
    assert_eq!(place(&format!("{picture}{plain}")), at("x", ""));
    assert_eq!(place(&picture), None);
    let low = content("url=\"https://a.org/low.mp3\" type=\"audio/mpeg\"");
    let usual = content("url=\"https://a.org/usual.mp3\" type=\"audio/mpeg\" isDefault=\"true\"");
    assert_eq!(place(&format!("{low}{usual}")), at("usual.mp3", "audio/mpeg"));
    let enclosure =
        |url: &str, kind: &str| format!("<enclosure url=\"https://a.org/{url}\" type=\"{kind}\"/>");
    let two = [enclosure("p.png", "image/png"), enclosure("e.ogg", "audio/ogg")].concat();
    assert_eq!(place(&format!("{sound}{two}")), at("e.ogg", "audio/ogg"), "enclosures come first");
    let spaced = enclosure("a b.mp3", "audio/mpeg");
    assert_eq!(place(&spaced), at("a%20b.mp3", "audio/mpeg"));
}

#[test]
fn chapters_are_kept_with_the_description() {
    let described = |chapters: &str| {
        let read = feed_of(&format!(
            "<item><title>t</title><description>Words.</description>{chapters}\
             <enclosure url=\"https://a.org/1.mp3\"/></item>"
        ));
        read.recordings[0].check().unwrap();
        read.recordings[0].description.clone()
    };
    let simple = "<psc:chapters version=\"1.2\"><psc:chapter start=\"00:00\" title=\"Hello\"/>\
         <psc:chapter start=\"00:01:30.5\" title=\"The \n Drop\"/><psc:chapter title=\"when\"/>\
         </psc:chapters>";
    assert_eq!(described(simple), "Words.\n\nChapters:\n00:00 Hello\n00:01:30.5 The Drop");
    let file =
        "<podcast:chapters url=\"https://a.org/1.json\" type=\"application/json+chapters\"/>";
    assert_eq!(described(file), "Words.\n\nChapters: https://a.org/1.json");
    assert_eq!(described("<podcast:chapters url=\"javascript:alert(1)\"/>"), "Words.");
    let chapter = format!("<psc:chapter start=\"00:00\" title=\"{}\"/>", "é".repeat(90));
    let many = format!("<psc:chapters>{}</psc:chapters>", chapter.repeat(5000));
    assert!(described(&many).chars().count() < 10_000, "bounded, and taken");
}

#[test]
fn a_feed_whose_elements_are_all_in_a_namespace_is_read() {
    let text = "<rss xmlns=\"http://backend.userland.com/rss2\"><channel><title>Show</title><item>\
         <title>One</title><pubDate>28 Feb 2021 08:00:00 GMT</pubDate>\
         <enclosure url=\"https://a.org/1.mp3\"/></item></channel></rss>";
    let read = catalogue(Format::Rss, text);
    let one = &read.recordings[0];
    assert_eq!((one.title.as_str(), one.curator.as_str(), read.noted), ("One", "Show", 0));
    assert_eq!(one.date_aired, Timestamp::parse("2021-02-28T08:00:00Z"));
}

#[test]
fn an_entry_of_atom_may_be_the_recording_itself_and_have_a_title_with_markup() {
    let text = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Show</title><entry>\
         <title type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">One <b>two</b></div></title>\
         <content type=\"audio/mpeg\" src=\"https://a.org/1.mp3\"/></entry></feed>";
    let read = catalogue(Format::Rss, text);
    assert_eq!((read.recordings[0].title.as_str(), read.left_out), ("One two", 0));
}

proptest! {
    #[test]
    fn nothing_panics(text in "[a-z\"',;\t\r\n{}\\[\\]<>/=: 0-9é]{0,200}", title in any::<bool>()) {
        let text = if title { format!("title,url\n{text}") } else { text };
        for format in [Format::Json, Format::JsonLines, Format::Csv, Format::Rss] {
            drop(read(&mut text.as_bytes(), format));
        }
    }
}
