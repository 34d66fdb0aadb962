//! KML: placemarks with polygons, in degrees.

use ::geo::{Coord, LineString, Polygon};
use byteio::xml_bounds::is_bounded;
use roxmltree::{Document, Node, ParsingOptions};

use super::archive::too_many;
use super::{Feature, Geometry, Raw, SiteColumns};
use crate::finding::{Code, Finding, Findings};
use crate::limits::Limits;
use crate::shape::Shape;
use crate::transform::Crs;

/// Elements, texts and comments of a document; each takes some eighty bytes.
const NODES_MAX: u32 = 1_000_000;

/// Elements inside of elements. Folders are a few deep; more would make every look upwards long.
const DEPTH_MAX: usize = 100;

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Raw, Findings> {
    let text = std::str::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text"))?;
    if !is_bounded(text) {
        return Err(unreadable("an element has very many attributes").into());
    }
    let options = ParsingOptions { nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| unreadable(&error.to_string()))?;
    if is_deep(&document) {
        return Err(unreadable(&format!("it is nested deeper than {DEPTH_MAX} elements")).into());
    }
    let marks = document.descendants().filter(|node| is(node, "Placemark"));
    let mut features = Vec::new();
    for mark in marks {
        limits.still_wanted()?;
        if features.len() >= limits.features {
            return Err(too_many("features", features.len() + 1, limits.features).into());
        }
        let number = u32::try_from(features.len() + 1).unwrap_or(u32::MAX);
        let geometry = geometry(&mark, limits).map_err(|it| it.of_feature(number))?;
        features.push(Feature { geometry, columns: columns(&mark) });
    }
    Ok(Raw { crs: Crs::Wgs84, features })
}

/// Goes through what is below a node, each once; `enter` is told how deep it is and says whether to
/// look below it.
fn walk<'a, 'i>(top: Node<'a, 'i>, enter: &mut dyn FnMut(Node<'a, 'i>, usize) -> bool) {
    let (mut node, mut depth, mut below) = (top, 0, true);
    loop {
        if let Some(child) = node.first_child().filter(|_| below) {
            (node, depth) = (child, depth + 1);
        } else {
            while depth > 0 && node.next_sibling().is_none() {
                match node.parent() {
                    Some(above) => (node, depth) = (above, depth - 1),
                    None => return,
                }
            }
            match node.next_sibling().filter(|_| depth > 0) {
                Some(next) => node = next,
                None => return,
            }
        }
        below = enter(node, depth);
    }
}

fn is_deep(document: &Document<'_>) -> bool {
    let mut deep = false;
    walk(document.root(), &mut |_, depth| {
        deep |= depth > DEPTH_MAX;
        !deep
    });
    deep
}

fn unreadable(why: &str) -> Finding {
    let sentence = format!("the KML cannot be read: {why}; export it again");
    Finding::new(Code::UnreadableGeometryFile, sentence)
}

fn is(node: &Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

fn geometry(mark: &Node<'_, '_>, limits: &Limits) -> Result<Geometry, Finding> {
    const KINDS: [&str; 6] = ["Polygon", "Point", "LineString", "LinearRing", "Model", "Track"];
    let mut parts: Vec<Node<'_, '_>> = Vec::new();
    walk(*mark, &mut |node, _| {
        // A polygon's own rings are no geometries of their own, nor is what another mark has.
        let is_part = KINDS.iter().any(|kind| is(&node, kind));
        parts.extend(is_part.then_some(node));
        !is_part && !is(&node, "Placemark")
    });
    if let Some(other) = parts.iter().find(|node| !is(node, "Polygon")) {
        return Ok(Geometry::Other(other.tag_name().name().to_owned()));
    }
    let mut left = limits.vertices;
    let polygons = parts.iter().map(|node| polygon(node, &mut left, limits));
    let polygons = polygons.collect::<Result<Vec<_>, _>>()?;
    Ok(match polygons.len() {
        0 => Geometry::Null,
        1 => Geometry::Polygon(Shape::new(polygons)),
        _ => Geometry::MultiPolygon(Shape::new(polygons)),
    })
}

fn polygon(
    node: &Node<'_, '_>,
    left: &mut usize,
    limits: &Limits,
) -> Result<Polygon<f64>, Finding> {
    let mut rings = |name: &str| -> Result<Vec<LineString<f64>>, Finding> {
        let bounds = node.children().filter(|child| is(child, name));
        let texts = bounds.flat_map(|bound| {
            bound.descendants().filter(|it| is(it, "coordinates")).collect::<Vec<_>>()
        });
        texts.map(|it| ring(it.text().unwrap_or_default(), left, limits)).collect()
    };
    let exterior = rings("outerBoundaryIs")?.into_iter().next();
    let holes = rings("innerBoundaryIs")?;
    let exterior = exterior.ok_or_else(|| unreadable("a polygon has no outer boundary"))?;
    Ok(Polygon::new(exterior, holes))
}

fn ring(text: &str, left: &mut usize, limits: &Limits) -> Result<LineString<f64>, Finding> {
    let mut points = Vec::new();
    for place in text.split_whitespace() {
        let mut numbers = place.split(',').map(str::parse::<f64>);
        let (Some(Ok(x)), Some(Ok(y))) = (numbers.next(), numbers.next()) else {
            let shown: String = place.chars().take(40).collect();
            return Err(unreadable(&format!("\"{shown}\" is no place")));
        };
        *left = left
            .checked_sub(1)
            .ok_or_else(|| too_many("vertices", limits.vertices + 1, limits.vertices))?;
        points.push(Coord { x, y });
    }
    Ok(LineString::new(points))
}

fn columns(mark: &Node<'_, '_>) -> SiteColumns {
    let mut columns = SiteColumns::default();
    let text = |node: &Node<'_, '_>| node.text().unwrap_or_default().trim().to_owned();
    if let Some(name) = mark.children().find(|child| is(child, "name")) {
        columns.take("name", Some(text(&name)));
    }
    walk(*mark, &mut |node, _| {
        let name = node.attribute("name").unwrap_or_default();
        if is(&node, "SimpleData") {
            columns.take(name, Some(text(&node)));
        } else if is(&node, "Data") {
            let value = node.children().find(|child| is(child, "value"));
            columns.take(name, value.map(|value| text(&value)));
        }
        !is(&node, "Placemark")
    });
    columns
}
