//! Reading signature files as XML: attributes and numbers, with the place in every refusal.

use roxmltree::{Document, Node, ParsingOptions};

use super::set::Broken;

/// Bytes of one signature file; DROID's has under four million.
pub const FILE_BYTES: usize = 64 << 20;
/// Elements and texts of one signature file; DROID's has some hundred thousand.
const NODES: u32 = 8_000_000;

/// Parses a file. There is nothing a signature file needs a DTD for, and much harm in one.
pub(crate) fn document(text: &str) -> Result<Document<'_>, Broken> {
    if text.len() > FILE_BYTES {
        return Err(Broken::Large);
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES, ..Default::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        if matches!(error, roxmltree::Error::DtdDetected) {
            return Broken::Dtd;
        }
        Broken::Xml(error)
    })
}

pub(crate) fn elements<'a, 'i>(
    parent: Node<'a, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    parent.children().filter(move |node| node.tag_name().name() == name)
}

pub(crate) fn element<'a, 'i>(
    parent: Node<'a, 'i>,
    name: &'static str,
) -> Result<Node<'a, 'i>, Broken> {
    elements(parent, name).next().ok_or_else(|| wrong(parent, format!("it has no {name}")))
}

pub(crate) fn attribute<'a>(node: Node<'a, '_>, name: &'static str) -> Result<&'a str, Broken> {
    node.attribute(name).ok_or_else(|| wrong(node, format!("it has no {name}")))
}

pub(crate) fn number(node: Node<'_, '_>, name: &'static str) -> Result<u32, Broken> {
    let text = attribute(node, name)?;
    text.trim().parse().map_err(|_| wrong(node, format!("{name} is no number: {text}")))
}

/// The number, or none if there is no such attribute.
pub(crate) fn optional(node: Node<'_, '_>, name: &'static str) -> Result<Option<u32>, Broken> {
    node.attribute(name).map(|_| number(node, name)).transpose()
}

pub(crate) fn text<'a>(node: Node<'a, '_>) -> &'a str {
    node.text().unwrap_or_default().trim()
}

/// A refusal that names the element and its line.
pub(crate) fn wrong(node: Node<'_, '_>, what: impl Into<String>) -> Broken {
    let line = node.document().text_pos_at(node.range().start).row;
    Broken::Element { name: node.tag_name().name().to_owned(), line, what: what.into() }
}
