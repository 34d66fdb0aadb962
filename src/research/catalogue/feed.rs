//! A feed, or one page of it: RSS or Atom, and where it says that the others are (RFC 5005).

use std::io::Read;

use roxmltree::{Document, Node, ParsingOptions};

use super::entry::{Entry, Whereabouts};
use super::{Catalogue, Unreadable, atom, rss, text};
use crate::outside;
use crate::xml_bounds::is_bounded;
use storage::registry::Location;

/// Elements and texts of one feed.
const NODES: u32 = 8_000_000;
pub(super) const ATOM: &str = "http://www.w3.org/2005/Atom";
const SEARCH: &str = "http://a9.com/-/spec/opensearch/1.1/";
/// Letters of a description that are kept: feeds put whole pages there.
const DESCRIPTION_MAX: usize = 2000;
const CURATOR_MAX: usize = 100;
const MEDIA_TYPE_MAX: usize = 100;

/// Makes an address whole, as seen from where the feed lies; none where that makes no sense.
pub(super) type Whole<'a> = Option<&'a dyn Fn(&str) -> Option<String>>;

/// One page of a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedPage {
    /// What it lists.
    pub catalogue: Catalogue,
    /// Where it says that the others are.
    pub links: PageLinks,
}

/// Where the other pages of a feed are; addresses are whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLinks {
    /// The next one.
    pub next: Option<String>,
    /// The last one.
    pub last: Option<String>,
    /// How many entries all pages have together, and one of them has.
    pub counts: Option<(u32, u32)>,
}

/// Reads a page of a feed that was fetched. Recordings are where addresses lead: nothing that comes
/// from elsewhere names files of this machine, or objects that are held here.
///
/// # Errors
///
/// `Refused` with a sentence when it is no feed, or too large.
pub fn read_page(
    input: &mut dyn Read,
    most_bytes: u64,
    whole: &dyn Fn(&str) -> Option<String>,
) -> Result<FeedPage, Unreadable> {
    read(text(input, most_bytes)?.trim_start_matches('\u{feff}'), Some(whole))
}

/// The lines that positions are in, each counted on from the one before: to count from the beginning
/// for every item would take the square of the file's size.
struct Lines<'t> {
    text: &'t [u8],
    position: usize,
    line: usize,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        Lines { text: text.as_bytes(), position: 0, line: 1 }
    }

    /// The line of a position that is not before the last one.
    fn at(&mut self, position: usize) -> usize {
        let between = self.text.get(self.position..position).unwrap_or_default();
        self.line += between.iter().filter(|byte| **byte == b'\n').count();
        self.position = self.position.max(position);
        self.line
    }
}

/// Reads a feed. It needs no DTD, and there is much harm in one.
pub(super) fn read(text: &str, whole: Whole<'_>) -> Result<FeedPage, Unreadable> {
    if !is_bounded(text) {
        let why = "the file is no feed: an element has very many attributes";
        return Err(Unreadable::Refused(why.into()));
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES, ..Default::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| Unreadable::Refused(format!("the file is no feed: {error}")))?;
    let root = document.root_element();
    let (frame, is_atom) = match root.children().find(|node| node.has_tag_name("channel")) {
        Some(channel) => (channel, false),
        None if root.has_tag_name((ATOM, "feed")) => (root, true),
        None => {
            let why = "the file is no feed of RSS or Atom: it has no channel";
            return Err(Unreadable::Refused(why.into()));
        }
    };
    let mut page = FeedPage { links: links(frame, whole), ..FeedPage::default() };
    let of = if is_atom { Some(ATOM) } else { None };
    let name = child(frame, of, "title").unwrap_or_default();
    let seat = if whole.is_none() { seat(frame, is_atom) } else { None };
    let mut lines = Lines::of(text);
    for item in frame.children().filter(|node| is_item(*node, is_atom)) {
        let line = lines.at(item.range().start);
        let told = if is_atom { atom::told(item) } else { rss::told(item) };
        let entry = told.and_then(|told| told.entry(name, (whole, seat)));
        page.catalogue.take(line, entry)?;
    }
    Ok(page)
}

fn is_item(node: Node<'_, '_>, is_atom: bool) -> bool {
    if is_atom { node.has_tag_name((ATOM, "entry")) } else { node.has_tag_name("item") }
}

/// What an item says about one recording.
pub(super) struct Told<'a> {
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    pub(super) date: Option<&'a str>,
    pub(super) address: &'a str,
    pub(super) media_type: &'a str,
}

impl Told<'_> {
    fn entry(self, feed: &str, (whole, seat): (Whole<'_>, Option<&str>)) -> Result<Entry, String> {
        let title: Vec<&str> = self.title.split_whitespace().collect();
        let address = self.address.trim();
        let location = match whole {
            None => in_a_file(address, seat)?,
            Some(whole) => {
                let url = whole(address).ok_or("the enclosure of the item has no address")?;
                Whereabouts::Parts(Location::Url { url })
            }
        };
        Ok(Entry {
            title: title.join(" "),
            description: cut(self.description, DESCRIPTION_MAX),
            date_aired: self.date.map(str::to_owned),
            location: Some(location),
            media_type: cut(self.media_type, MEDIA_TYPE_MAX),
            curator: cut(feed, CURATOR_MAX),
            ..Entry::default()
        })
    }
}

/// Where a recording is that a feed in a file names. What begins with a slash is no path of this
/// machine: it is seen from where the feed says that it lies.
fn in_a_file(address: &str, seat: Option<&str>) -> Result<Whereabouts, String> {
    if ["http:", "https:", "file:", "vault:"].iter().any(|it| address.starts_with(it)) {
        return Ok(Whereabouts::Text(address.to_owned()));
    }
    let url = seat.and_then(|seat| outside::join(seat, address)).ok_or_else(|| {
        let shown: String = address.chars().take(80).collect();
        format!(
            "the enclosure {shown:?} is no whole address, and the feed has no link that says where \
             it lies: write whole addresses"
        )
    })?;
    Ok(Whereabouts::Parts(Location::Url { url }))
}

/// Where the feed says that it lies, or the pages it is about.
fn seat<'a>(frame: Node<'a, '_>, is_atom: bool) -> Option<&'a str> {
    let links = || frame.children().filter(|node| node.has_tag_name((ATOM, "link")));
    let to = |rel: &str| {
        let link = links().find(|it| it.attribute("rel").unwrap_or("alternate") == rel)?;
        link.attribute("href")
    };
    let page = || if is_atom { to("alternate") } else { child(frame, None, "link") };
    let is_web = |it: &&str| it.starts_with("http://") || it.starts_with("https://");
    to("self").filter(is_web).or_else(|| page().filter(is_web))
}

/// Where the feed says that its other pages are. An archive is walked as pages are.
fn links(frame: Node<'_, '_>, whole: Whole<'_>) -> PageLinks {
    let Some(whole) = whole else { return PageLinks::default() };
    let to = |rel: &str| {
        let mut links = frame.children().filter(|node| node.has_tag_name((ATOM, "link")));
        let link = links.find(|node| node.attribute("rel") == Some(rel))?;
        whole(link.attribute("href")?)
    };
    let count = |name| child(frame, Some(SEARCH), name)?.parse().ok();
    PageLinks {
        next: to("next").or_else(|| to("prev-archive")),
        last: to("last"),
        counts: count("totalResults").zip(count("itemsPerPage")),
    }
}

/// The text of a child.
pub(super) fn child<'a>(
    parent: Node<'a, '_>,
    namespace: Option<&str>,
    name: &str,
) -> Option<&'a str> {
    let found = parent.children().find(|node| {
        let tag = node.tag_name();
        node.is_element() && tag.name() == name && tag.namespace() == namespace
    });
    found.and_then(|node| node.text()).map(str::trim).filter(|text| !text.is_empty())
}

fn cut(text: &str, most: usize) -> String {
    text.chars().filter(|letter| !letter.is_control() || *letter == '\n').take(most).collect()
}
