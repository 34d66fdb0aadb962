//! Curators: feeds read over the network, from sites that are well and from those that are not.

mod kept;
mod manners;
mod reading;
pub(crate) mod site;
mod stage;

/// A page of a feed that lists one episode, with links to other pages.
fn page(number: usize, links: &[(&str, String)]) -> String {
    let links: String = links
        .iter()
        .map(|(rel, href)| format!("<atom:link rel=\"{rel}\" href=\"{href}\"/>"))
        .collect();
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\">\
         <channel><title>A Show</title>{links}\n{}</channel></rss>",
        item(number)
    )
}

fn item(number: usize) -> String {
    format!(
        "<item><title>Number {number}</title><pubDate>Sun, 28 Feb 2021 08:00:00 GMT</pubDate>\
         <enclosure url=\"/{number}.mp3\" type=\"audio/mpeg\"/></item>\n"
    )
}
