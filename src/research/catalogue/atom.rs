//! An entry of Atom (RFC 4287): with a link to an enclosure, content elsewhere that may be heard, or media
//! of Media RSS, it is an entry of ours.

use roxmltree::Node;

use super::feed::{ATOM, Told, child, named, text_of};
use super::media::{self, Medium};

/// What an entry says.
pub(super) fn told<'a>(entry: Node<'a, '_>) -> Result<Told<'a>, String> {
    let links = entry.children().filter(|node| node.has_tag_name((ATOM, "link")));
    let enclosures = links.filter(|node| node.attribute("rel") == Some("enclosure"));
    let enclosures: Vec<Medium<'_>> = enclosures
        .map(|node| Medium {
            address: node.attribute("href").unwrap_or_default(),
            media_type: node.attribute("type").unwrap_or_default(),
        })
        .collect();
    let medium = media::choose(&enclosures).or_else(|| content(entry));
    let medium = medium.or_else(|| media::of_media_rss(entry));
    let medium = medium.ok_or("the entry has no enclosure, so there is nothing to hear")?;
    if medium.address.is_empty() {
        return Err("the enclosure of the entry has no address".into());
    }
    let of = |name| child(entry, Some(ATOM), name);
    let marked_up = || {
        let title = entry.children().find(|node| node.has_tag_name((ATOM, "title")))?;
        text_of(title)
    };
    Ok(Told {
        title: of("title").map(str::to_owned).or_else(marked_up).or_else(|| named(entry)),
        description: of("summary").or_else(|| of("content")).unwrap_or_default(),
        date: of("published").or_else(|| of("updated")),
        medium,
        item: "entry",
    })
}

/// The entry itself may be the recording.
fn content<'a>(entry: Node<'a, '_>) -> Option<Medium<'a>> {
    let content = entry.children().find(|node| node.has_tag_name((ATOM, "content")))?;
    let media_type = content.attribute("type").unwrap_or_default();
    let is_heard = ["audio/", "video/"].iter().any(|it| media_type.starts_with(it));
    let address = content.attribute("src").filter(|_| is_heard)?;
    Some(Medium { address, media_type })
}
