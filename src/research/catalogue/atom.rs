//! An entry of Atom (RFC 4287): with a link to an enclosure it is an entry of ours.

use roxmltree::Node;

use super::feed::{ATOM, Told, child};

/// What an entry says.
pub(super) fn told<'a>(entry: Node<'a, '_>) -> Result<Told<'a>, String> {
    let mut links = entry.children().filter(|node| node.has_tag_name((ATOM, "link")));
    let enclosure = links.find(|node| node.attribute("rel") == Some("enclosure"));
    let enclosure = enclosure.ok_or("the entry has no enclosure, so there is nothing to hear")?;
    let of = |name| child(entry, Some(ATOM), name);
    Ok(Told {
        title: of("title").unwrap_or_default(),
        description: of("summary").or_else(|| of("content")).unwrap_or_default(),
        date: of("published").or_else(|| of("updated")),
        address: enclosure.attribute("href").ok_or("the enclosure of the entry has no address")?,
        media_type: enclosure.attribute("type").unwrap_or_default(),
    })
}
