//! What a site asks of those who read it: `robots.txt`, and when to come back.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use strongroom::config::CuratingConfig;
use strongroom::outside::Mark;

use super::page;
use super::reading::{at_once, config, go_on, read};
use super::site::{Says, Site};

/// A feed of three pages that its first page counts.
fn pages(path: &str) -> Says {
    let link = |number: usize| format!("/feed?paged={number}");
    let number = path.split("paged=").nth(1).map_or(1, |number| number.parse().unwrap());
    Says::Page(page(number, &[("next", link(number + 1)), ("last", link(3))]))
}

fn with_rules(robots: Says) -> Site {
    Site::with_robots(robots, |_, path| pages(path))
}

#[test]
fn what_robots_txt_asks_not_to_read_is_not_read() {
    let closed = with_rules(Says::Page("User-agent: *\nDisallow: /feed".into()));
    let (refused, taken) = read(&config(), (&closed.url("/feed"), &Mark::default(), 1), &go_on);
    let why = refused.unwrap_err().why;
    assert!(why.contains("robots.txt") && why.contains("research.feed_robots"), "{why}");
    assert!(taken.is_empty());
    assert_eq!(closed.asked(), [""; 0], "only its rules were asked for");
    // Whoever was let by the owner reads it all the same.
    let let_in = CuratingConfig { feed_robots: false, ..config() };
    let (reading, taken) = read(&let_in, (&closed.url("/feed"), &Mark::default(), 1), &go_on);
    assert_eq!((reading.unwrap().pages, taken.len()), (3, 3));
    // A page that is closed is left out, the others are taken, and the rules are asked for once.
    let part = with_rules(Says::Page("user-agent: strongroom\ndisallow: /*paged=2".into()));
    let (reading, taken) = at_once(&part.url("/feed"), 1);
    assert_eq!((reading.pages, reading.bad_pages, taken.len()), (2, 1, 2));
    assert!(reading.findings[0].sentence.contains("robots.txt"), "{:?}", reading.findings);
    assert_eq!(part.asked_for_robots(), 1);
}

#[test]
fn a_site_whose_rules_cannot_be_read_is_left_alone_and_one_without_rules_is_read() {
    for robots in [Says::Status(500), Says::Later(503, "7200"), Says::Cut("x".repeat(99))] {
        let site = with_rules(robots);
        let (refused, _) = read(&config(), (&site.url("/feed"), &Mark::default(), 1), &go_on);
        let why = refused.unwrap_err().why;
        assert!(why.contains("it is not known what may be"), "{why}");
        assert_eq!(site.asked(), [""; 0]);
    }
    for robots in [Says::Status(404), Says::Status(403), Says::Moved("/robots.txt".into())] {
        let site = with_rules(robots);
        assert_eq!(at_once(&site.url("/feed"), 1).0.pages, 3);
    }
}

#[test]
fn the_pause_that_robots_txt_asks_for_is_kept_between_pages() {
    let site = with_rules(Says::Page("User-agent: *\nCrawl-delay: 40".into()));
    let waits = RefCell::new(Vec::new());
    let rest = |span: Duration| {
        waits.borrow_mut().push(span);
        ControlFlow::Continue(())
    };
    let (reading, _) = read(&config(), (&site.url("/feed"), &Mark::default(), 1), &rest);
    assert_eq!(reading.unwrap().pages, 3);
    let close = |span: &Duration| (30.0..=40.0).contains(&span.as_secs_f64());
    assert!(waits.borrow().len() == 2 && waits.borrow().iter().all(close), "{waits:?}");
}

#[test]
fn a_short_wait_that_a_site_asks_for_is_waited_and_the_page_asked_for_again() {
    let calls = AtomicUsize::new(0);
    let site = Site::open(move |_, path| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => Says::Later(429, "7"),
        1 => Says::Later(503, "0"),
        _ => pages(path),
    });
    let waits = RefCell::new(Vec::new());
    let rest = |span: Duration| {
        waits.borrow_mut().push(span.as_secs());
        ControlFlow::Continue(())
    };
    let (reading, taken) = read(&config(), (&site.url("/feed"), &Mark::default(), 1), &rest);
    let reading = reading.unwrap();
    assert!(reading.is_well() && taken.len() == 3, "{reading:?}");
    assert_eq!(waits.borrow()[..2], [7, 1], "never at once");
    // Who is asked to stop while waiting stops.
    let busy = Site::open(|_, _| Says::Later(429, "7"));
    let stop = |_| ControlFlow::Break(());
    let (refused, _) = read(&config(), (&busy.url("/feed"), &Mark::default(), 1), &stop);
    assert!(refused.is_err());
    assert_eq!(busy.asked().len(), 1);
}

#[test]
fn a_long_wait_ends_the_reading_and_is_handed_on() {
    let site = Site::open(|_, path| match path {
        "/feed" => pages(path),
        _ => Says::Later(429, "7200"),
    });
    let (reading, taken) = at_once(&site.url("/feed"), 1);
    assert_eq!((reading.pages, reading.bad_pages, taken.len()), (1, 1, 1));
    assert!(reading.is_stopped && !reading.is_well());
    assert_eq!(reading.again, Some(Duration::from_secs(7200)));
    assert_eq!(site.asked().len(), 2, "no other page was asked for: {:?}", site.asked());
    let said = reading.sentence("episode");
    assert!(said.ends_with("the rest is read in 2 hours, as the site asks"), "{said}");

    let closed = Site::open(|_, _| Says::Later(503, "180"));
    let (refused, _) = read(&config(), (&closed.url("/feed"), &Mark::default(), 1), &go_on);
    let refused = refused.unwrap_err();
    assert_eq!(refused.again, Some(Duration::from_secs(180)));
    assert_eq!(refused.why, "the other side answered 503 and asks to wait 3 minutes");
    // A site that is for ever busy for a short while does not hold us for ever.
    let busy = Site::open(|_, _| Says::Later(429, "1"));
    let (refused, _) = read(&config(), (&busy.url("/feed"), &Mark::default(), 1), &go_on);
    assert_eq!((refused.unwrap_err().again, busy.asked().len()), (Some(Duration::from_secs(1)), 4));
}
