//! Which of the media that an entry names is the recording.

use roxmltree::Node;

/// Media RSS, which feeds use for media of other kinds, and some for all.
const MEDIA_RSS: &str = "http://search.yahoo.com/mrss/";
/// How types begin that nothing can be heard in.
const SILENT: [&str; 5] = ["image/", "text/", "font/", "application/pdf", "application/json"];

/// A medium that an entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Medium<'a> {
    pub(super) address: &'a str,
    pub(super) media_type: &'a str,
}

/// The first that may be heard, or the first of all: the type may be wrong.
pub(super) fn choose<'a>(named: &[Medium<'a>]) -> Option<Medium<'a>> {
    named.iter().find(|it| !is_silent(it.media_type)).or(named.first()).copied()
}

fn is_silent(media_type: &str) -> bool {
    let media_type = media_type.trim().to_lowercase();
    SILENT.iter().any(|start| media_type.starts_with(start))
}

/// The recording among the media of Media RSS, alone or in a group: sound before video, and what is
/// marked as the default before other forms of the same.
pub(super) fn of_media_rss<'a>(item: Node<'a, '_>) -> Option<Medium<'a>> {
    let groups = item.children().filter(|node| node.has_tag_name((MEDIA_RSS, "group")));
    let contents = std::iter::once(item)
        .chain(groups)
        .flat_map(|place| place.children())
        .filter(|node| node.has_tag_name((MEDIA_RSS, "content")));
    contents
        .filter_map(|node| Some((rank(node)?, medium(node)?)))
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, medium)| medium)
}

fn medium<'a>(content: Node<'a, '_>) -> Option<Medium<'a>> {
    let media_type = content.attribute("type").unwrap_or_default();
    Some(Medium { address: content.attribute("url")?, media_type })
}

/// How likely it is the recording, the likeliest lowest; none where nothing can be heard.
fn rank(content: Node<'_, '_>) -> Option<(u8, bool)> {
    let media_type = content.attribute("type").unwrap_or_default().trim().to_lowercase();
    let kind = match content.attribute("medium").map(str::trim) {
        Some("audio") => 0,
        Some("video") => 1,
        Some("image" | "document" | "executable") => return None,
        Some(_) | None if media_type.starts_with("audio/") => 0,
        Some(_) | None if media_type.starts_with("video/") => 1,
        Some(_) | None if is_silent(&media_type) => return None,
        Some(_) | None => 2,
    };
    Some((kind, content.attribute("isDefault") != Some("true")))
}
