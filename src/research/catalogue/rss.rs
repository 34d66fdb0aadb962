//! An item of RSS: with an enclosure, or media of Media RSS, it is an entry.

use roxmltree::Node;

use super::feed::{Told, child, named};
use super::media::{self, Medium};

/// What an item says. A feed may put all of RSS into a namespace.
pub(super) fn told<'a>(item: Node<'a, '_>) -> Result<Told<'a>, String> {
    let enclosures = item.children().filter(|node| node.has_tag_name("enclosure"));
    let enclosures: Vec<Medium<'_>> = enclosures
        .map(|node| Medium {
            address: node.attribute("url").unwrap_or_default(),
            media_type: node.attribute("type").unwrap_or_default(),
        })
        .collect();
    let medium = media::choose(&enclosures).or_else(|| media::of_media_rss(item));
    let medium = medium.ok_or("the item has no enclosure, so there is nothing to hear")?;
    if medium.address.is_empty() {
        return Err("the enclosure of the item has no address".into());
    }
    let of = |name| child(item, item.tag_name().namespace(), name);
    Ok(Told {
        title: of("title").map(str::to_owned).or_else(|| named(item)),
        description: of("description").unwrap_or_default(),
        date: of("pubDate"),
        medium,
        item: "item",
    })
}
