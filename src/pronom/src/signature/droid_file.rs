//! DROID's signature file: formats and their byte sequences.
//!
//! A byte sequence there is a list of sub-sequences; each has one expression to search for and
//! fragments to its left and right, with alternatives as fragments that share a position. The
//! shift tables that the file carries for one way of searching are passed over.

use std::collections::HashMap;

use roxmltree::Node;

use super::pattern::{Anchor, Gap, Sequence, Step};
use super::set::{Broken, Format, Signature};
use super::syntax;
use super::xml::{attribute, document, element, elements, number, optional, text, wrong};

/// PRONOM counts its files one by one; a number beyond this would shut out every later one.
const VERSION_MAX: u32 = 9_999;

/// What a signature file holds.
pub(crate) struct Read {
    pub(crate) version: u32,
    pub(crate) created: String,
    pub(crate) formats: Vec<Format>,
    pub(crate) signatures: Vec<Signature>,
    pub(crate) left_out: Vec<String>,
}

pub(crate) fn read(xml: &str) -> Result<Read, Broken> {
    let document = document(xml)?;
    let root = document.root_element();
    if root.tag_name().name() != "FFSignatureFile" {
        let found = root.tag_name().name().to_owned();
        return Err(Broken::Other { wanted: "signature file of DROID", found });
    }
    let collection = element(root, "FileFormatCollection")?;
    let formats: Vec<_> = elements(collection, "FileFormat").collect();
    let mut places = HashMap::new();
    for (at, node) in formats.iter().enumerate() {
        let at = u16::try_from(at).map_err(|_| wrong(*node, "there are too many formats"))?;
        if places.insert(attribute(*node, "ID")?, at).is_some() {
            return Err(wrong(*node, "its ID was used before"));
        }
    }
    // Which signature belongs to which formats.
    let mut owners: HashMap<&str, Vec<u16>> = HashMap::new();
    for (at, node) in (0..).zip(&formats) {
        for id in elements(*node, "InternalSignatureID") {
            owners.entry(text(id)).or_default().push(at);
        }
    }
    let mut left_out = Vec::new();
    let mut signatures = Vec::new();
    for node in elements(element(root, "InternalSignatureCollection")?, "InternalSignature") {
        let id = number(node, "ID")?;
        if elements(node, "ByteSequence").any(is_indirect) {
            left_out.push(format!("signature {id}: its place is kept in the file itself"));
            continue;
        }
        let sequences = sequences(node)?;
        for format in owners.get(attribute(node, "ID")?.trim()).into_iter().flatten() {
            signatures.push(Signature { id, format: *format, sequences: sequences.clone() });
        }
    }
    if signatures.is_empty() {
        return Err(Broken::Empty);
    }
    let formats = formats.iter().map(|node| format(*node, &places)).collect::<Result<_, _>>()?;
    let version = number(root, "Version")?;
    if version > VERSION_MAX {
        return Err(wrong(root, format!("its Version cannot be {version}")));
    }
    let created = attribute(root, "DateCreated")?.to_owned();
    if created.parse::<jiff::civil::DateTime>().is_err() {
        return Err(wrong(root, format!("its DateCreated is no date: {created}")));
    }
    Ok(Read { version, created, formats, signatures, left_out })
}

fn format(node: Node<'_, '_>, places: &HashMap<&str, u16>) -> Result<Format, Broken> {
    let over = elements(node, "HasPriorityOverFileFormatID").map(|other| {
        let place = places.get(text(other)).copied();
        place.ok_or_else(|| wrong(other, "there is no format with this ID"))
    });
    let some = |name| node.attribute(name).map(str::trim).filter(|text| !text.is_empty());
    let mimes = some("MIMEType").unwrap_or_default().split(',').map(str::trim);
    Ok(Format {
        puid: attribute(node, "PUID")?.trim().to_owned(),
        name: attribute(node, "Name")?.trim().to_owned(),
        version: some("Version").map(str::to_owned),
        mimes: mimes.filter(|mime| !mime.is_empty()).map(str::to_owned).collect(),
        extensions: elements(node, "Extension").map(|it| text(it).to_lowercase()).collect(),
        over: over.collect::<Result<_, _>>()?,
    })
}

fn is_indirect(sequence: Node<'_, '_>) -> bool {
    sequence.attribute("Reference").is_some_and(|it| it.starts_with("Indirect"))
}

/// The byte sequences below a signature; container signatures have the same.
pub(crate) fn sequences(signature: Node<'_, '_>) -> Result<Vec<Sequence>, Broken> {
    let all = elements(signature, "ByteSequence").map(sequence).collect::<Result<Vec<_>, _>>()?;
    if all.is_empty() { Err(wrong(signature, "it has no byte sequence")) } else { Ok(all) }
}

fn sequence(node: Node<'_, '_>) -> Result<Sequence, Broken> {
    let anchor = match node.attribute("Reference") {
        Some("BOFoffset") => Anchor::Start,
        Some("EOFoffset") => Anchor::End,
        Some("Variable") | None => Anchor::Anywhere,
        Some(other) => return Err(wrong(node, format!("the reference `{other}` is unknown"))),
    };
    let mut parts = Vec::new();
    for part in elements(node, "SubSequence") {
        parts.push((optional(part, "Position")?.unwrap_or(1), part));
    }
    parts.sort_by_key(|(position, _)| *position);
    let last = parts.len().saturating_sub(1);
    let mut steps: Vec<Step> = Vec::new();
    for (at, (_, part)) in parts.iter().enumerate() {
        let min = optional(*part, "SubSeqMinOffset")?.unwrap_or(0);
        // A greatest offset below the least is how the files say that there is only one.
        let max = optional(*part, "SubSeqMaxOffset")?.map(|max| max.max(min));
        let outermost = if anchor == Anchor::End { at == last } else { at == 0 };
        let gap = match (anchor, outermost) {
            // Nothing to measure from: only the least distance means anything.
            (Anchor::Anywhere, true) => Gap { min, max: None },
            (Anchor::Start | Anchor::End, true) => Gap { min, max: Some(max.unwrap_or(min)) },
            (_, false) => Gap { min, max },
        };
        let mut more = sub_sequence(*part)?;
        let outer = if anchor == Anchor::End { more.last_mut() } else { more.first_mut() };
        for choice in outer.into_iter().flat_map(|step| &mut step.choices) {
            let side = if anchor == Anchor::End { &mut choice.after } else { &mut choice.before };
            *side = side.and(gap);
        }
        steps.extend(more);
    }
    if steps.is_empty() {
        return Err(wrong(node, "it has no sub-sequence"));
    }
    Ok(Sequence { anchor, steps })
}

/// Left fragments from the outside in, the expression itself, right fragments from the inside out.
fn sub_sequence(node: Node<'_, '_>) -> Result<Vec<Step>, Broken> {
    let mut left = fragments(node, "LeftFragment")?;
    left.reverse();
    let mut steps = left.concat();
    steps.extend(steps_of(element(node, "Sequence")?, Gap::NONE, Gap::NONE)?);
    steps.extend(fragments(node, "RightFragment")?.concat());
    Ok(steps)
}

/// The steps of each position, the innermost first.
fn fragments(node: Node<'_, '_>, side: &'static str) -> Result<Vec<Vec<Step>>, Broken> {
    let mut positions: Vec<Vec<Step>> = Vec::new();
    let mut sorted = Vec::new();
    for fragment in elements(node, side) {
        sorted.push((number(fragment, "Position")?, fragment));
    }
    sorted.sort_by_key(|(position, _)| *position);
    let mut before = 0;
    for (position, fragment) in sorted {
        let min = optional(fragment, "MinOffset")?.unwrap_or(0);
        let max = optional(fragment, "MaxOffset")?.unwrap_or(min).max(min);
        let gap = Gap { min, max: Some(max) };
        let (outer, inner) =
            if side == "LeftFragment" { (Gap::NONE, gap) } else { (gap, Gap::NONE) };
        let steps = steps_of(fragment, outer, inner)?;
        if position != before {
            positions.push(steps);
        } else if let (Some([step]), [more]) =
            (positions.last_mut().map(Vec::as_mut_slice), steps.as_slice())
        {
            step.choices.extend(more.choices.iter().cloned());
        } else {
            return Err(wrong(fragment, "an alternative with gaps inside cannot be used"));
        }
        before = position;
    }
    Ok(positions)
}

/// The steps of an expression, with gaps on its outside.
fn steps_of(node: Node<'_, '_>, before: Gap, after: Gap) -> Result<Vec<Step>, Broken> {
    let expression = syntax::parse(text(node))
        .map_err(|error| wrong(node, format!("`{}` cannot be read: {error}", text(node))))?;
    let mut steps = expression.steps;
    for choice in steps.first_mut().into_iter().flat_map(|step| &mut step.choices) {
        choice.before = choice.before.and(before);
    }
    for choice in steps.last_mut().into_iter().flat_map(|step| &mut step.choices) {
        choice.after = choice.after.and(expression.after).and(after);
    }
    Ok(steps)
}
