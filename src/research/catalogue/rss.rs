//! An item of RSS: with an enclosure it is an entry.

use roxmltree::Node;

use super::feed::{Told, child};

/// What an item says.
pub(super) fn told<'a>(item: Node<'a, '_>) -> Result<Told<'a>, String> {
    let enclosure = item.children().find(|node| node.has_tag_name("enclosure"));
    let enclosure = enclosure.ok_or("the item has no enclosure, so there is nothing to hear")?;
    Ok(Told {
        title: child(item, None, "title").unwrap_or_default(),
        description: child(item, None, "description").unwrap_or_default(),
        date: child(item, None, "pubDate"),
        address: enclosure.attribute("url").ok_or("the enclosure of the item has no address")?,
        media_type: enclosure.attribute("type").unwrap_or_default(),
    })
}
