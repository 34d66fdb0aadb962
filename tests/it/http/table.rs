//! Every route: what it answers to whom, in which form.

use std::collections::BTreeSet;

use crate::house::{House, until};
use crate::wire::{get, post};

/// A house with one item of every fate, all of them at rest.
fn furnished() -> House {
    let house = House::new();
    house.bring("ok-bag.tar", "finished");
    house.bring("reject-bag.tar", "parked");
    house.bring("fatal-bag.tar", "parked");
    house.bring("retry-bag.tar", "parked");
    house.bring("panic-bag.tar", "parked");
    // The list shows what the registry has a copy of.
    until("all are listed", || house.get("/api/v1/items").json()["count"] == 5);
    house
}

const PAGES: &[(&str, u16, &str)] = &[
    ("/", 200, "Needs a person"),
    ("/queues", 200, "test02_check"),
    ("/queues/test01_receive/empty", 200, "Empty Receive?"),
    ("/items", 200, "reject-bag.tar"),
    ("/alerts", 200, "There are no alerts."),
    ("/alerts?ended_at__is_null=true", 200, "No alert matches."),
    ("/alerts/1", 404, "There is no alert 1"),
    ("/objects", 200, "Nothing is held yet."),
    ("/objects?find=nothing", 200, "No file matches."),
    ("/objects?page=7", 200, "There are no rows this far down."),
    ("/objects?access=everybody", 400, "it is one of consortia, institution, restricted"),
    ("/objects?colour=red", 400, "is not a filter here"),
    ("/objects?size__gteq=big", 400, "must be a whole number"),
    ("/objects?updated_at__gteq=yesterday", 400, "must be an RFC 3339 time"),
    ("/objects?page=0", 400, "must be a whole number from 1"),
    (
        "/objects/archive.local/nothing",
        404,
        "There is no object &quot;archive.local/nothing&quot;.",
    ),
    ("/files/99", 404, "There is no file &quot;99&quot;."),
    ("/fixity", 200, "No replica is known yet."),
    ("/fixity/check", 405, "cannot be used in this way"),
    ("/events", 200, "Nothing has happened yet."),
    ("/events?event_type=party", 400, "it is one of access assignment"),
    ("/events/not-a-uuid", 404, "There is no event &quot;not-a-uuid&quot;."),
    ("/items/2", 200, "digest-differs"),
    ("/deposits", 200, "Send a bag"),
    ("/restorations", 200, "Nothing lies ready."),
    ("/restorations/99/download", 404, "Nothing that item 99 restored"),
    ("/items/1/report.txt", 404, "Nothing was found wrong with the deposit of item 1"),
    ("/items/2/cancel", 200, "Cancel item 2?"),
    ("/items/1/cancel", 409, "Item 1 has ended (Success)."),
    ("/items/99", 404, "There is no item 99."),
    ("/items/x", 404, "There is no item &quot;x&quot;"),
    ("/items?page=0", 400, "must be a whole number from 1"),
    ("/queues/nowhere/empty", 404, "there is no topic"),
    ("/maintenance", 200, "Close the house"),
    ("/help", 200, "one disk is one place"),
    ("/help/accessibility", 200, "keyboard alone"),
    ("/storage", 200, "one disk is one place"),
    ("/schedules", 200, "Run now"),
    ("/nowhere", 404, "There is nothing at /nowhere."),
    ("/assets/nothing.css", 404, "There is nothing at"),
    ("/queues/pause", 405, "cannot be used in this way"),
];

const FRAGMENTS: &[(&str, u16, &str)] = &[
    ("/fragments/overview", 200, "Needs a person"),
    ("/fragments/queues", 200, "test02_check"),
    ("/fragments/items", 200, "reject-bag.tar"),
    ("/fragments/items?status=Success", 200, "ok-bag.tar"),
    ("/fragments/items/2", 200, "digest-differs"),
    ("/fragments/fixity", 200, "No copy is known to be damaged"),
    ("/fragments/deposits", 200, "Nothing lies here."),
    ("/fragments/restorations", 200, "Nothing lies ready."),
];

#[test]
fn every_page_answers_as_a_page() {
    let house = furnished();
    for (path, status, words) in PAGES {
        let reply = house.get(*path);
        assert_eq!(reply.status, *status, "{path}: {}", reply.text());
        assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        let text = reply.text();
        let said = text.to_lowercase().contains(&words.to_lowercase());
        assert!(said, "{path} does not say {words:?}: {text}");
        assert!(text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>"), "{path}");
        assert_no_inline(path, &text);
        assert!(text.len() < 30 << 10, "{path} has {} bytes", text.len());
        let head = house.ask(&get(*path).method("HEAD"));
        assert_eq!((head.status, head.body.len()), (*status, 0), "HEAD {path}");
    }
    for (path, status, words) in FRAGMENTS {
        let text = house.get(*path).is(*status).text();
        assert!(text.contains(words) && !text.contains("<html"), "{path}: {text}");
        assert_no_inline(path, &text);
    }
}

fn assert_no_inline(path: &str, text: &str) {
    for bad in ["<style", " style=", " onclick=", " onload=", " onsubmit=", "javascript:"] {
        assert!(!text.contains(bad), "{path} has {bad}");
    }
    let mut scripts = text.split("<script").skip(1);
    assert!(scripts.all(|it| it.contains("src=") && it.contains("></script>")), "{path}");
    assert!(!text.contains("http://") && !text.contains("https://"), "{path} names another host");
}

/// Addresses of the API, how they answer, and the code of what is refused.
const ANSWERS: &[(&str, u16, &str)] = &[
    ("/api/v1/items", 200, ""),
    ("/api/v1/items/2", 200, ""),
    ("/api/v1/queues", 200, ""),
    ("/api/v1/doctor", 200, ""),
    ("/health", 200, ""),
    ("/health/live", 200, ""),
    ("/health/ready", 200, ""),
    ("/health/pools", 200, ""),
    ("/version", 200, ""),
    ("/api/v1/objects", 200, ""),
    ("/api/v1/files", 200, ""),
    ("/api/v1/events", 200, ""),
    ("/api/v1/institutions", 200, ""),
    ("/api/v1/alerts", 200, ""),
    ("/api/v1/alerts/99", 404, "no-such-alert"),
    ("/api/v1/alerts?kind=party", 400, "bad-query"),
    ("/api/v1/alerts/read", 405, "wrong-method"),
    ("/api/v1/maintenance", 200, ""),
    ("/api/v1/settings", 200, ""),
    ("/api/v1/storage", 200, ""),
    ("/api/v1/schedules", 200, ""),
    ("/api/v1/schedules/upkeep_due/run", 405, "wrong-method"),
    ("/api/v1/deposits", 200, ""),
    ("/api/v1/restorations", 200, ""),
    ("/api/v1/restorations/99/content", 404, "not-restored"),
    ("/api/v1/deposits/archive.local/a.tar/check", 200, ""),
    ("/api/v1/deposits/archive.local/a.tar", 405, "wrong-method"),
    ("/api/v1/deposits/archive.local/a.txt/check", 400, "bad-name"),
    ("/api/v1/items/1/report", 404, "nothing-to-report"),
    ("/api/v1/objects/archive.local/letters", 404, "no-such-object"),
    ("/api/v1/objects/archive.local%2Fletters", 404, "no-such-object"),
    ("/api/v1/files/99", 404, "no-such-file"),
    ("/api/v1/events/99", 404, "no-such-event"),
    ("/api/v1/events/not-a-uuid", 404, "no-such-event"),
    ("/api/v1/fixity", 200, ""),
    ("/api/v1/fixity/due", 200, ""),
    ("/api/v1/fixity/due?limit=0", 400, "bad-query"),
    ("/api/v1/fixity/due?limit=1001", 400, "bad-query"),
    ("/api/v1/fixity/due?colour=red", 400, "bad-query"),
    ("/api/v1/fixity/check", 405, "wrong-method"),
    ("/api/v1/objects?access=everybody", 400, "bad-query"),
    ("/api/v1/files?colour=red", 400, "bad-query"),
    ("/api/v1/events?event_type=party", 400, "bad-query"),
    ("/api/v1/items/99", 404, "no-such-item"),
    ("/api/v1/items/x", 400, "not-a-number"),
    ("/api/v1/items/-1", 400, "not-a-number"),
    ("/api/v1/items?colour=red", 400, "bad-query"),
    ("/api/v1/export/secrets", 404, "no-such-part"),
    ("/api/v1/nowhere", 404, "not-found"),
    ("/api/v1", 404, "not-found"),
    ("/api/v1/queues/pause", 405, "wrong-method"),
    ("/api/v1/items/2/requeue", 405, "wrong-method"),
];

#[test]
fn every_route_of_the_api_answers_as_json() {
    let house = furnished();
    for &(path, status, code) in ANSWERS {
        let reply = house.get(path);
        assert_eq!(reply.status, status, "{path}: {}", reply.text());
        if code.is_empty() {
            assert_eq!(reply.header("content-type"), Some("application/json"), "{path}");
            reply.json();
        } else {
            assert_eq!(reply.code(), code, "{path}");
            let problem = reply.json();
            assert_eq!(problem["status"], status, "{path}");
            assert!(problem["detail"].as_str().unwrap().ends_with(['.', '?']), "{problem}");
        }
    }
    let wrong = house.ask(&post("/api/v1/queues", "")).is(405);
    assert_eq!(wrong.code(), "wrong-method");
    assert!(house.ask(&post("/", "")).is(405).text().contains("<html"));
    assert!(house.get("/metrics").is(200).text().contains("strongroom_items_parked"));
}

fn names(house: &House, query: &str) -> Vec<String> {
    let list = house.get(format!("/api/v1/items?{query}")).is(200).json();
    let name = |row: &serde_json::Value| row["name"].as_str().unwrap().to_owned();
    list["items"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn filters_sort_and_paging_mean_the_same_on_the_page_and_in_the_api() {
    let house = furnished();
    for (query, expected) in [
        ("status=Success", &["ok-bag.tar"][..]),
        ("name__contains=REJECT", &["reject-bag.tar"]),
        ("name__starts_with=pan", &["panic-bag.tar"]),
        ("reason=replica-away", &["retry-bag.tar"]),
        ("id__in=1&id__in=3&sort=id__asc", &["ok-bag.tar", "fatal-bag.tar"]),
        ("id__gteq=4&sort=name__asc", &["panic-bag.tar", "retry-bag.tar"]),
        ("sort=id__asc&per_page=2&page=2", &["fatal-bag.tar", "retry-bag.tar"]),
        ("topic=test02_check&reason=vault-closed", &["fatal-bag.tar"]),
        ("needs_admin_review=true&sort=id__desc&per_page=1", &["panic-bag.tar"]),
        ("reason__not_null=false", &["ok-bag.tar"]),
        ("status=Failed", &[]),
        ("page=9", &[]),
    ] {
        assert_eq!(names(&house, query), expected, "{query}");
        let page = house.get(format!("/items?{query}")).is(200).text();
        for name in names(&house, "") {
            let shown = page.contains(&format!("<bdi>{name}</bdi>"));
            assert_eq!(shown, expected.contains(&name.as_str()), "{query} and {name}");
        }
    }
    // An empty form field asks for nothing; a day means all of it.
    let form = "name__contains=&status=&flow=test&topic=&reason=&date_processed__gteq=2020-01-01\
                &date_processed__lteq=2199-12-31";
    let all = house.get(format!("/items?{form}")).is(200).text();
    assert!(names(&house, "").iter().all(|name| all.contains(name.as_str())), "{all}");
    // Where the overview says that something waits, its link leads to these items.
    let overview = house.get("/").text();
    assert!(overview.contains("href=\"/items?flow=test\""), "{overview}");
}

#[test]
fn a_cursor_walks_the_whole_list_once() {
    let house = furnished();
    let (mut seen, mut query) = (Vec::new(), "per_page=2".to_owned());
    loop {
        let list = house.get(format!("/api/v1/items?{query}")).is(200).json();
        assert_eq!((&list["count"], &list["count_is_exact"]), (&5.into(), &true.into()));
        seen.extend(list["items"].as_array().unwrap().iter().map(|row| row["id"].as_u64()));
        let Some(cursor) = list["next_cursor"].as_str() else { break };
        query = format!("per_page=2&cursor={cursor}");
    }
    assert_eq!((seen.len(), seen.iter().collect::<BTreeSet<_>>().len()), (5, 5));
}

#[test]
fn a_bad_filter_is_named_with_what_is_allowed() {
    let house = House::new();
    for (query, words) in [
        ("colour=red", "is not a filter here"),
        ("name__sounds_like=x", "has no such comparison"),
        ("size=big", "size"),
        ("date_processed__gteq=yesterday", "date_processed__gteq"),
        ("sort=name", "must end in __asc or __desc"),
        ("sort=secret__asc", "must name one of"),
        ("page=0", "must be a whole number from 1"),
        ("page=1&page=2", "is given more than once"),
        ("per_page=many", "must be a whole number"),
        ("cursor=abc", "cursor"),
        ("status[]=x", "is not a filter here"),
    ] {
        let problem = house.get(format!("/api/v1/items?{query}")).is(400);
        assert_eq!(problem.code(), "bad-query", "{query}");
        assert!(problem.text().contains(words), "{query}: {}", problem.text());
        for page in ["/items", "/fragments/items"] {
            let text = house.get(format!("{page}?{query}")).is(400).text();
            assert!(text.contains(words) && text.contains("Nothing was changed."), "{query}");
        }
    }
}

#[test]
fn an_item_shows_its_attempts_its_findings_three_sentences_and_where_it_may_go() {
    let house = furnished();
    let page = house.get("/items/2").is(200).text();
    for words in [
        "What happened",
        "The deposit was rejected. ",
        "What was kept",
        "nothing of it was stored",
        "What to do next",
        "Send the report to the depositor",
        "digest-differs",
        "data/a.tif is not what the manifest says &lt;b&gt;",
        "tag-missing",
        "action=\"/items/2/requeue\"",
        "<option value=\"test02_check\">Check</option>",
        "<option value=\"test01_receive\">Receive</option>",
        "href=\"/items/2/cancel\"",
        "ann@example.org",
    ] {
        assert!(page.contains(words), "no {words:?} in {page}");
    }
    assert!(!page.contains("value=\"test03_store\""), "it never was at the third stage");
    assert_eq!(steps(&page), ["Receive: Done", "Check: Needs a person", "Store: To come"]);
    let finished = house.get("/items/1").text();
    assert_eq!(steps(&finished), ["Receive: Done", "Check: Done", "Store: Done"]);
    house.command("/api/v1/items/3/cancel", "").is(200);
    let cancelled = house.get("/items/3").text();
    assert_eq!(steps(&cancelled), ["Receive: Done", "Check: Ended here", "Store: Left out"]);

    let item = house.get("/api/v1/items/5").is(200).json();
    assert_eq!(item["item"]["reason"], "panic");
    let outcomes: Vec<_> = item["attempts"].as_array().unwrap().iter().collect();
    assert_eq!(outcomes.len(), 3, "once received, twice tried: {outcomes:?}");
    let page = house.get("/items/5").text();
    assert!(page.contains("the bag is &lt;inside out&gt;") && !page.contains("<inside"), "{page}");

    let ended = house.get("/api/v1/items/1").json();
    assert_eq!(
        (&ended["cancellable"], &ended["requeue_to"]),
        (&false.into(), &serde_json::json!([]))
    );
    assert!(!house.get("/items/1").text().contains("/items/1/requeue"));
}

/// The steps of an item's page, each with its state in words.
fn steps(page: &str) -> Vec<String> {
    let list = page.split("<ol class=\"steps\">").nth(1).unwrap();
    let list = list.split("</ol>").next().unwrap();
    let words = |step: &str, class: &str| {
        let rest = step.split(&format!("class=\"{class}")).nth(1).unwrap();
        rest.split(['>', '<']).nth(1).unwrap().to_owned()
    };
    let steps = list.split("<li").skip(1);
    steps.map(|step| format!("{}: {}", words(step, "step-name"), words(step, "badge"))).collect()
}

#[test]
fn assets_are_kept_by_browsers_until_they_change() {
    let house = House::new();
    let page = house.get("/").text();
    let assets: BTreeSet<_> =
        page.split('"').filter(|part| part.starts_with("/assets/")).map(str::to_owned).collect();
    assert_eq!(assets.len(), 3, "{assets:?}");
    for path in assets {
        let asset = house.get(path.as_str()).is(200);
        let tag = asset.header("etag").unwrap().to_owned();
        assert!(asset.header("cache-control").unwrap().contains("immutable"), "{path}");
        let again = house.ask(&get(path.as_str()).with("if-none-match", tag)).is(304);
        assert!(again.body.is_empty() && !asset.body.is_empty(), "{path}");
        let other = house.ask(&get(path.as_str()).with("if-none-match", "\"other\"")).is(200);
        assert_eq!(other.body, asset.body, "{path}");
    }
}
