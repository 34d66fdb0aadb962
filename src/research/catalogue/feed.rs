//! A feed, or one page of it: RSS or Atom, and where it says that the others are (RFC 5005).

use std::collections::BTreeMap;
use std::io::Read;

use roxmltree::{Document, Node, ParsingOptions};

use super::entry::{Entry, Whereabouts, shortened};
use super::media::Medium;
use super::{Catalogue, Unreadable, atom, chapters, date, rss, text};
use crate::outside;
use byteio::xml_bounds::is_bounded;
use storage::registry::Location;

/// Elements and texts of one feed.
const NODES: u32 = 8_000_000;
pub(super) const ATOM: &str = "http://www.w3.org/2005/Atom";
const SEARCH: &str = "http://a9.com/-/spec/opensearch/1.1/";
/// Where feeds put a title beside or instead of their own.
const TITLES: [&str; 2] =
    ["http://www.itunes.com/dtds/podcast-1.0.dtd", "http://search.yahoo.com/mrss/"];
/// Letters of a description that are kept: feeds put whole pages there.
const DESCRIPTION_MAX: usize = 2000;
const CURATOR_MAX: usize = 100;
const MEDIA_TYPE_MAX: usize = 100;
/// Letters of a title: what the registry takes.
const TITLE_MAX: usize = 250;

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
    // A feed may put all of RSS into a namespace.
    let name = child(frame, frame.tag_name().namespace(), "title").unwrap_or_default();
    let seat = if whole.is_none() { seat(frame, is_atom) } else { None };
    let mut lines = Lines::of(text);
    let mut entries = Vec::new();
    for item in frame.children().filter(|node| is_item(*node, is_atom)) {
        let line = lines.at(item.range().start);
        let told = if is_atom { atom::told(item) } else { rss::told(item) };
        let entry = told.and_then(|told| told.entry(name, (whole, seat), chapters::lines(item)));
        entries.push((line, entry));
    }
    for (line, entry) in without_twins(entries) {
        page.catalogue.take(line, entry)?;
    }
    Ok(page)
}

/// An entry, or why there is none, and its line.
type Lined = (usize, Result<Readied, String>);

/// An entry, and whether its date could not be read.
struct Readied {
    entry: Entry,
    has_lost_date: bool,
}

/// Leaves out entries that have lost their dates and share their title with another one without a date:
/// an episode is known by both, so that each would take the place of the one before.
fn without_twins(entries: Vec<Lined>) -> impl Iterator<Item = (usize, Result<Entry, String>)> {
    let mut titles: BTreeMap<String, usize> = BTreeMap::new();
    let taken = entries.iter().filter_map(|(_, it)| it.as_ref().ok());
    for it in taken.filter(|it| it.entry.date_aired.is_none()) {
        *titles.entry(it.entry.title.clone()).or_default() += 1;
    }
    entries.into_iter().map(move |(line, readied)| {
        let entry = readied.and_then(|it| {
            let is_twin =
                it.has_lost_date && titles.get(&it.entry.title).is_some_and(|count| *count > 1);
            match is_twin {
                true => {
                    Err("the date cannot be read, and other entries without one have the same \
                     title: nothing tells them apart"
                        .into())
                }
                false => Ok(it.entry),
            }
        });
        (line, entry)
    })
}

fn is_item(node: Node<'_, '_>, is_atom: bool) -> bool {
    if is_atom { node.has_tag_name((ATOM, "entry")) } else { node.has_tag_name("item") }
}

/// What an item says about one recording.
pub(super) struct Told<'a> {
    pub(super) title: Option<String>,
    pub(super) description: &'a str,
    pub(super) date: Option<&'a str>,
    pub(super) medium: Medium<'a>,
    /// What the format calls it.
    pub(super) item: &'static str,
}

impl Told<'_> {
    fn entry(
        self,
        feed: &str,
        (whole, seat): (Whole<'_>, Option<&str>),
        chapters: Option<String>,
    ) -> Result<Readied, String> {
        let mut notes = Vec::new();
        let address = self.medium.address.trim();
        let title = title(self.title.as_deref(), (address, self.item), &mut notes);
        let (date_aired, has_lost_date) = date_aired(self.date, &mut notes);
        let location = match whole {
            None => in_a_file(address, seat)?,
            Some(whole) => {
                let url = whole(address).ok_or("the enclosure of the item has no address")?;
                Whereabouts::Parts(Location::Url { url })
            }
        };
        let mut description = cut(self.description, DESCRIPTION_MAX);
        if let Some(chapters) = chapters {
            description += if description.is_empty() { "" } else { "\n\n" };
            description += &chapters;
        }
        let entry = Entry {
            title,
            description,
            date_aired,
            location: Some(location),
            media_type: cut(self.medium.media_type, MEDIA_TYPE_MAX),
            curator: cut(feed, CURATOR_MAX),
            notes,
            ..Entry::default()
        };
        Ok(Readied { entry, has_lost_date })
    }
}

/// The title in one line, cut when it is too long, or the name of the file when there is none.
fn title(given: Option<&str>, (address, item): (&str, &str), notes: &mut Vec<String>) -> String {
    let line = one_line(given.unwrap_or_default());
    if line.is_empty() {
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let name = one_line(path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default());
        let name: String = name.chars().take(TITLE_MAX).collect();
        notes
            .push(format!("the {item} has no title, and the name of its file, {name:?}, is taken"));
        return name;
    }
    let letters = line.chars().count();
    if letters <= TITLE_MAX {
        return line;
    }
    let kept = TITLE_MAX - 1;
    notes.push(format!("the title has {letters} letters, and the first {kept} are kept"));
    line.chars().take(kept).chain(['\u{2026}']).collect()
}

/// The words of a text, in one line.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text
        .split(|it: char| it.is_whitespace() || it.is_control())
        .filter(|it| !it.is_empty())
        .collect();
    words.join(" ")
}

/// The date as catalogues have it, by a guess where it is not written as it should be; and whether there
/// is one that means nothing.
fn date_aired(given: Option<&str>, notes: &mut Vec<String>) -> (Option<String>, bool) {
    let Some(text) = given else { return (None, false) };
    if date::exact(text).is_some() {
        return (Some(text.to_owned()), false);
    }
    let shown = shortened(text);
    let Some(moment) = date::guess(text) else {
        notes.push(format!(
            "no date after 1970 can be read in {shown:?}, and the entry is taken without one"
        ));
        return (None, true);
    };
    notes
        .push(format!("the date {shown:?} is not written as in a feed, and is taken for {moment}"));
    (Some(moment.to_string()), false)
}

/// A title that stands in a namespace beside the format's own.
pub(super) fn named(item: Node<'_, '_>) -> Option<String> {
    TITLES.iter().find_map(|space| child(item, Some(*space), "title").map(str::to_owned))
}

/// All text within a node, through the elements that mark it up.
pub(super) fn text_of(node: Node<'_, '_>) -> Option<String> {
    let pieces: Vec<&str> =
        node.descendants().filter_map(|it| it.text().filter(|_| it.is_text())).collect();
    let text = pieces.concat();
    (!text.trim().is_empty()).then_some(text)
}

/// Where a recording is that a feed in a file names. What begins with a slash is no path of this
/// machine: it is seen from where the feed says that it lies.
fn in_a_file(address: &str, seat: Option<&str>) -> Result<Whereabouts, String> {
    if ["http:", "https:", "file:", "vault:"].iter().any(|it| address.starts_with(it)) {
        let is_web = address.starts_with("http");
        let text = if is_web { address.replace(' ', "%20") } else { address.to_owned() };
        return Ok(Whereabouts::Text(text));
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
