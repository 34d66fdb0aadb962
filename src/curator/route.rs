//! Which pages a feed has besides its first.
//!
//! Where it tells how many, all are known before the second is asked for, and may be visited in any
//! order; otherwise each page leads to the next.

use crate::research::catalogue::PageLinks;

/// Most pages of one feed.
pub(super) const PAGES_MAX: usize = 5000;
/// What stands before the number of a page in addresses that are counted.
const BEFORE_NUMBER: [&str; 4] = ["paged=", "page=", "/page/", "p="];

/// The pages behind the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// All of them, by their addresses in order.
    Known(Vec<String>),
    /// Each leads to the next; this is the first of them, if there is one.
    Followed(Option<String>),
}

/// What the first page tells of the others.
pub(super) fn route(links: &PageLinks) -> Route {
    let Some(next) = &links.next else { return Route::Followed(None) };
    let counted = match (&links.last, links.counts) {
        (Some(last), _) => between(next, last),
        (None, Some((all, per_page))) if per_page > 0 => counted(next, all.div_ceil(per_page)),
        (None, _) => None,
    };
    match counted {
        Some(pages) => Route::Known(pages),
        None => Route::Followed(Some(next.clone())),
    }
}

/// All addresses from one to another, if they differ in one number only.
fn between(next: &str, last: &str) -> Option<Vec<String>> {
    if next == last {
        return Some(vec![next.to_owned()]);
    }
    let (a, b) = (next.as_bytes(), last.as_bytes());
    let mut head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    while head > 0 && a[head - 1].is_ascii_digit() {
        head -= 1;
    }
    let most = a.len().min(b.len()) - head;
    let ends = a.iter().rev().zip(b.iter().rev());
    let mut tail = ends.take(most).take_while(|(a, b)| a == b).count();
    while tail > 0 && a[a.len() - tail].is_ascii_digit() {
        tail -= 1;
    }
    let number = |text: &str| plain(text.get(head..text.len() - tail)?);
    pages((next.get(..head)?, next.get(next.len() - tail..)?), number(next)?, number(last)?)
}

/// The same where only the number of pages is told: the next is then the second.
fn counted(next: &str, count: u32) -> Option<Vec<String>> {
    let (at, _) = BEFORE_NUMBER
        .iter()
        .filter_map(|mark| Some((next.rfind(mark)? + mark.len(), mark)))
        .max()?;
    let digits = next[at..].bytes().take_while(u8::is_ascii_digit).count();
    let (number, tail) = next[at..].split_at(digits);
    if plain(number)? != 2 {
        return None;
    }
    pages((&next[..at], tail), 2, count)
}

/// A number as addresses count pages.
fn plain(text: &str) -> Option<u32> {
    let is_plain =
        text.bytes().all(|it| it.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    is_plain.then(|| text.parse().ok()).flatten()
}

fn pages((head, tail): (&str, &str), first: u32, last: u32) -> Option<Vec<String>> {
    (first <= last).then(|| {
        let all = (first..=last).take(PAGES_MAX);
        all.map(|number| format!("{head}{number}{tail}")).collect()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn links(next: &str, last: &str) -> PageLinks {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        PageLinks { next: some(next), last: some(last), counts: None }
    }

    #[test]
    fn pages_are_counted_where_next_and_last_differ_in_a_number() {
        let known = |next: &str, last: &str| match route(&links(next, last)) {
            Route::Known(pages) => pages,
            Route::Followed(_) => panic!("{next} to {last} is counted"),
        };
        let pages = known("https://a.org/feed?paged=2&x=1", "https://a.org/feed?paged=12&x=1");
        assert_eq!(pages.len(), 11);
        assert_eq!(pages[8], "https://a.org/feed?paged=10&x=1");
        assert_eq!(known("http://a.org/page/2/", "http://a.org/page/29/").len(), 28);
        assert_eq!(
            known("http://a.org/19", "http://a.org/21"),
            ["http://a.org/19", "http://a.org/20", "http://a.org/21"]
        );
        assert_eq!(known("http://a.org/2", "http://a.org/2"), ["http://a.org/2"]);
        assert_eq!(known("http://a.org/2", "http://a.org/4000000000").len(), PAGES_MAX);
    }

    #[test]
    fn all_else_is_followed_page_by_page() {
        for (next, last) in [
            ("http://a.org/a", "http://a.org/b"),
            ("http://a.org/3", "http://a.org/2"),
            ("http://a.org/02", "http://a.org/05"),
            ("http://a.org/2", "http://b.org/5"),
            ("http://a.org/2", ""),
        ] {
            let follow = Route::Followed(Some(next.to_owned()));
            assert_eq!(route(&links(next, last)), follow, "{last}");
        }
        assert_eq!(route(&links("", "http://a.org/9")), Route::Followed(None));
    }

    #[test]
    fn pages_are_counted_by_what_a_feed_says_it_has() {
        let told =
            |next: &str, counts| route(&PageLinks { counts: Some(counts), ..links(next, "") });
        let Route::Known(pages) = told("http://a.org/?feed=rss2&paged=2", (41, 10)) else {
            panic!("41 entries by tens are five pages")
        };
        assert_eq!(pages.last().map(String::as_str), Some("http://a.org/?feed=rss2&paged=5"));
        for (next, counts) in [
            ("http://a.org/?paged=3", (41, 10)),
            ("http://a.org/b", (41, 10)),
            ("http://a.org/?page=2", (41, 0)),
        ] {
            assert!(matches!(told(next, counts), Route::Followed(Some(_))), "{next}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(next in "[a-c0-9é/=&?]{1,12}", last in "[a-c0-9é/=&?]{1,12}", all in any::<u32>(), per in any::<u32>()) {
            drop(route(&links(&next, &last)));
            let counts = Some((all, per));
            drop(route(&PageLinks { counts, ..links(&next, "") }));
        }
    }
}
