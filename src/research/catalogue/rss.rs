//! The feed of a podcast: an item with an enclosure is an entry.

use roxmltree::{Document, Node, ParsingOptions};

use super::entry::{Entry, Whereabouts};
use super::{Catalogue, Unreadable};

/// Elements and texts of one feed.
const NODES: u32 = 8_000_000;
/// Letters of a description that are kept: feeds put whole pages there.
const DESCRIPTION_MAX: usize = 2000;
const CURATOR_MAX: usize = 100;

/// Reads the items of a feed. A feed needs no DTD, and there is much harm in one.
pub(super) fn read(text: &str) -> Result<Catalogue, Unreadable> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES, ..Default::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| Unreadable::Refused(format!("the file is no feed: {error}")))?;
    let channel = document.root_element().children().find(|node| node.has_tag_name("channel"));
    let Some(channel) = channel else {
        return Err(Unreadable::Refused("the file is no RSS feed: it has no channel".into()));
    };
    let name = child(channel, "title").unwrap_or_default();
    let mut catalogue = Catalogue::default();
    for item in channel.children().filter(|node| node.has_tag_name("item")) {
        let line = document.text_pos_at(item.range().start).row;
        let line = usize::try_from(line).unwrap_or(usize::MAX);
        catalogue.take(line, entry(item, name))?;
    }
    Ok(catalogue)
}

fn entry(item: Node<'_, '_>, channel: &str) -> Result<Entry, String> {
    let enclosure = item.children().find(|node| node.has_tag_name("enclosure"));
    let enclosure = enclosure.ok_or("the item has no enclosure, so there is nothing to hear")?;
    let url = enclosure.attribute("url").ok_or("the enclosure of the item has no address")?;
    let title = child(item, "title").unwrap_or_default();
    let one_line: Vec<&str> = title.split_whitespace().collect();
    Ok(Entry {
        title: one_line.join(" "),
        description: cut(child(item, "description").unwrap_or_default(), DESCRIPTION_MAX),
        date_aired: child(item, "pubDate").map(str::to_owned),
        location: Some(Whereabouts::Text(url.trim().to_owned())),
        media_type: enclosure.attribute("type").unwrap_or_default().to_owned(),
        curator: cut(channel, CURATOR_MAX),
        ..Entry::default()
    })
}

/// The text of a child.
fn child<'a>(parent: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let found = parent.children().find(|node| {
        node.is_element() && node.tag_name().name() == name && node.tag_name().namespace().is_none()
    });
    found.and_then(|node| node.text()).map(str::trim).filter(|text| !text.is_empty())
}

fn cut(text: &str, most: usize) -> String {
    text.chars().filter(|letter| !letter.is_control() || *letter == '\n').take(most).collect()
}
