//! One reading: which pages in which order, what is left out, how long is waited.

use std::cell::RefCell;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use storage::clock::SystemClock;
use storage::registry::{Added, Location, NewRecording};
use strongroom::config::CuratingConfig;
use strongroom::curator::{FeedReader, Reading, Unread};
use strongroom::outside::Mark;

use super::site::{Says, Site};
use super::{item, page};

pub(super) fn config() -> CuratingConfig {
    CuratingConfig {
        own_networks: vec!["127.0.0.0/8".parse().unwrap()],
        pace_ms: 0,
        pace_spread_ms: 0,
        feed_limit_bytes: 1 << 20,
        feed_timeout: Duration::from_secs(1),
        feed_robots: true,
    }
}

/// Reads a feed with a seed, resting as told; what was taken, in its order.
pub(super) fn read(
    config: &CuratingConfig,
    (url, known, seed): (&str, &Mark, u64),
    rest: &dyn Fn(Duration) -> ControlFlow<()>,
) -> (Result<Reading, Unread>, Vec<NewRecording>) {
    let clock = SystemClock::start();
    let mut taken = Vec::new();
    let mut take = |them: Vec<NewRecording>| -> Result<Added, Infallible> {
        let new = u32::try_from(them.len()).unwrap();
        taken.extend(them);
        Ok(Added { new, ..Added::default() })
    };
    let read = FeedReader::new(config, &clock, seed, rest).read(url, known, &mut take);
    let Ok(read) = read;
    (read, taken)
}

pub(super) fn go_on(_: Duration) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

pub(super) fn at_once(url: &str, seed: u64) -> (Reading, Vec<NewRecording>) {
    let (read, taken) = read(&config(), (url, &Mark::default(), seed), &go_on);
    (read.unwrap(), taken)
}

/// The number of a page in its address; one where there is none.
fn number(path: &str) -> usize {
    path.split("paged=").nth(1).map_or(1, |number| number.parse().unwrap())
}

/// A feed of so many pages, that says so on its first.
fn counted(count: usize, other: impl Fn(usize) -> Option<Says> + Send + Sync + 'static) -> Site {
    Site::open(move |_, path| {
        let number = number(path);
        let link = |number: usize| format!("/feed?paged={number}");
        let links = [("next", link(number + 1)), ("last", link(count))];
        other(number).unwrap_or_else(|| Says::Page(page(number, &links)))
    })
}

#[test]
fn pages_are_counted_first_and_then_visited_in_an_order_of_chance() {
    let site = counted(12, |_| None);
    let order = |seed| {
        site.forget();
        let (reading, taken) = at_once(&site.url("/feed"), seed);
        assert_eq!((reading.pages, taken.len(), reading.findings.len()), (12, 12, 0));
        assert!(reading.is_whole());
        site.asked().iter().map(|path| number(path)).collect::<Vec<_>>()
    };
    let first = order(7);
    assert_eq!(first[0], 1);
    let mut sorted = first.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (1..=12).collect::<Vec<_>>(), "each page once");
    assert_ne!(first, sorted, "not in their order");
    assert_eq!(order(7), first, "a seed is an order");
    assert_ne!(order(8), first);
    // What is named from where the feed lies is made whole.
    let (_, taken) = at_once(&site.url("/feed"), 7);
    assert_eq!(taken[0].location, Location::Url { url: site.url("/1.mp3") });
    assert_eq!((taken[0].title.as_str(), taken[0].curator.as_str()), ("Number 1", "A Show"));
}

/// How pages of a site are bad, each in its own way.
fn bad(number: usize) -> Option<Says> {
    Some(match number {
        2 => {
            let silent = "<item><title>Silent</title></item>\n";
            let foreign = "<item><title>F</title><enclosure url=\"file:///etc/passwd\"/></item>";
            Says::Page(page(2, &[]).replace(&item(2), &format!("{silent}{}{foreign}", item(2))))
        }
        3 => Says::Status(500),
        4 => Says::Page("<rss><channel><item></rss>".into()),
        5 => Says::Cut(page(5, &[])),
        6 => Says::Huge,
        7 => Says::Moved("/feed?paged=7".into()),
        8 => Says::Trickle,
        9 => Says::Moved("http://169.254.169.254/latest/meta-data".into()),
        10 => Says::Moved("file:///etc/passwd".into()),
        11 => Says::Page("<html><body>come back later</body></html>".into()),
        _ => return None,
    })
}

#[test]
fn bad_pages_and_items_are_told_with_their_place_and_left_out() {
    let site = counted(12, bad);
    let (reading, taken) = at_once(&site.url("/feed"), 3);
    let mut titles: Vec<&str> = taken.iter().map(|it| it.title.as_str()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["Number 1", "Number 12", "Number 2"]);
    assert_eq!((reading.pages, reading.bad_pages, reading.left_out), (3, 9, 2));
    assert!(!reading.is_whole());
    let told = |page: usize| {
        let of = reading.findings.iter().filter(|it| it.page == page);
        of.map(|it| (it.line, it.sentence.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(told(2)[0], (Some(2), "the item has no enclosure, so there is nothing to hear"));
    assert_eq!(told(2)[1].1, "the enclosure of the item has no address");
    for (page, words) in [
        (3, "answered 500"),
        (4, "the file is no feed"),
        (5, "could not be read"),
        (6, "more than 1 megabytes"),
        (7, "sent us elsewhere more than 5 times"),
        (8, "could not be read"),
        (9, "research.own_networks"),
        (10, "http://"),
        (11, "no channel"),
    ] {
        let told = told(page);
        assert!(told.len() == 1 && told[0].0.is_none(), "{page}: {told:?}");
        assert!(told[0].1.contains(words), "{page}: {told:?}");
    }
}

#[test]
fn what_has_not_changed_is_not_read_again() {
    let site = Site::open(|_, _| Says::Tagged(page(1, &[])));
    let (first, _) = at_once(&site.url("/feed"), 1);
    assert_eq!(first.mark.etag.as_deref(), Some(super::site::TAG));
    let url = site.url("/feed");
    let (second, taken) = read(&config(), (&url, &first.mark, 1), &go_on);
    let second = second.unwrap();
    assert!(second.is_unchanged && second.is_whole() && taken.is_empty());
    assert_eq!(second.mark, first.mark, "asked about the same way next time");
}

#[test]
fn addresses_of_the_house_are_not_asked_unless_that_is_allowed() {
    let site = Site::open(|_, _| Says::Page(page(1, &[])));
    let by_name = format!("http://localhost:{}/feed", site.address.port());
    for url in [site.url("/feed"), by_name] {
        let closed = CuratingConfig { own_networks: Vec::new(), ..config() };
        let (read, taken) = read(&closed, (&url, &Mark::default(), 1), &go_on);
        let why = read.unwrap_err().why;
        assert!(why.contains("research.own_networks"), "{why}");
        assert!(taken.is_empty());
    }
    assert_eq!(site.asked(), [""; 0], "nobody was called");
    // A site that is allowed leads no further than others may.
    let leads = Site::open(|own, _| Says::Moved(format!("http://[::1]:{}/feed", own.port())));
    let (read, _) = read(&config(), (&leads.url("/"), &Mark::default(), 1), &go_on);
    let why = read.unwrap_err().why;
    assert!(why.contains("[::1] is an address of this machine"), "{why}");
}

#[test]
fn pages_that_lead_to_one_another_are_followed_until_they_lead_nowhere_new() {
    let site = Site::open(|_, path| {
        let number = number(path);
        let next = if number == 4 { 2 } else { number + 1 };
        Says::Page(page(number, &[("next", format!("/feed?paged={next}"))]))
    });
    let (reading, taken) = at_once(&site.url("/feed"), 1);
    assert_eq!((reading.pages, taken.len()), (4, 4));
    assert_eq!(site.asked().iter().map(|it| number(it)).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn an_atom_feed_is_read_as_well() {
    let atom = |own: SocketAddr| {
        format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Clips</title><entry>\
             <title>Drop</title><link rel=\"alternate\" href=\"/x\"/>\
             <link rel=\"enclosure\" type=\"audio/ogg\" href=\"http://{own}/drop.ogg\"/>\
             <published>2021-02-28T08:00:00Z</published><summary>words</summary></entry></feed>"
        )
    };
    let site = Site::open(move |own, _| Says::Page(atom(own)));
    let (reading, taken) = at_once(&site.url("/clips.atom"), 1);
    assert_eq!((reading.pages, reading.findings.len(), taken.len()), (1, 0, 1));
    assert_eq!(taken[0].location, Location::Url { url: site.url("/drop.ogg") });
    assert_eq!(
        (taken[0].description.as_str(), taken[0].media_type.as_str()),
        ("words", "audio/ogg")
    );
    assert!(taken[0].date_aired.is_some());
}

#[test]
fn a_reading_that_is_stopped_keeps_what_it_has_and_says_so() {
    let site = counted(12, |_| None);
    let (waits, url) = (RefCell::new(Vec::new()), site.url("/feed"));
    let rest = |span| {
        waits.borrow_mut().push(span);
        match waits.borrow().len() {
            1..=3 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    };
    let slow = CuratingConfig { pace_ms: 60_000, ..config() };
    let (read, taken) = read(&slow, (&url, &Mark::default(), 1), &rest);
    let reading = read.unwrap();
    assert!(reading.is_stopped && !reading.is_whole());
    assert_eq!((reading.pages, taken.len(), site.asked().len()), (4, 4, 4));
    assert!(reading.sentence("episode").ends_with("the rest is for another time"));
    // A minute from the return of the call before; what was spent since counts.
    let close = |span: &Duration| (55.0..=60.0).contains(&span.as_secs_f64());
    assert!(waits.borrow().iter().all(close), "{waits:?}");
}
