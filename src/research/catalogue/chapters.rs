//! The chapters of an episode, as lines of its description: there they are read and searched with it.

use roxmltree::Node;

use super::feed::one_line;

/// Podlove Simple Chapters: they stand in the feed.
const SIMPLE: &str = "http://podlove.org/simple-chapters";
/// The podcast namespace, under both its names: a file elsewhere has them.
const PODCAST: [&str; 2] = [
    "https://podcastindex.org/namespace/1.0",
    "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
];
/// Most chapters that are kept of one episode.
const CHAPTERS_MAX: usize = 200;
/// Longest title and start of a chapter, in letters.
const TITLE_MAX: usize = 100;
const START_MAX: usize = 20;
/// All of them together, in letters.
const LETTERS_MAX: usize = 7000;
/// Longest address of a file of chapters, in bytes.
const ADDRESS_MAX: usize = 2000;

/// The chapters of an item, a line each, or where they are; nothing when it has none.
pub(super) fn lines(item: Node<'_, '_>) -> Option<String> {
    let simple = item.children().find(|node| node.has_tag_name((SIMPLE, "chapters")));
    simple.and_then(listed).or_else(|| elsewhere(item))
}

fn listed(chapters: Node<'_, '_>) -> Option<String> {
    let all = chapters.children().filter(|node| node.has_tag_name((SIMPLE, "chapter")));
    let lines = all.filter_map(|chapter| {
        let start = cut(chapter.attribute("start")?, START_MAX);
        let title = cut(chapter.attribute("title").unwrap_or_default(), TITLE_MAX);
        (!start.is_empty()).then(|| format!("{start} {title}").trim_end().to_owned())
    });
    let (mut text, mut letters) = (String::from("Chapters:"), 0);
    for line in lines.take(CHAPTERS_MAX) {
        letters += line.chars().count() + 1;
        if letters > LETTERS_MAX {
            break;
        }
        text.push('\n');
        text += &line;
    }
    (letters > 0).then_some(text)
}

fn elsewhere(item: Node<'_, '_>) -> Option<String> {
    let mut named = item.children().filter(|node| {
        let tag = node.tag_name();
        tag.name() == "chapters" && tag.namespace().is_some_and(|it| PODCAST.contains(&it))
    });
    let address = named.find_map(|node| node.attribute("url"))?.trim();
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    let is_line = !address.contains(char::is_whitespace) && address.len() <= ADDRESS_MAX;
    (is_web && is_line).then(|| format!("Chapters: {address}"))
}

fn cut(text: &str, most: usize) -> String {
    one_line(text).chars().take(most).collect()
}
