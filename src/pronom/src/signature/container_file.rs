//! DROID's container signature file: which files inside a ZIP or OLE2 tell what it is.

use std::collections::HashMap;

use roxmltree::Node;

use super::droid_file::sequences;
use super::set::{Broken, ContainerSignature, Format, WantedFile};
use super::xml::{attribute, document, element, elements, number, text, wrong};
use crate::identification::ContainerKind;

/// What a container signature file holds.
pub(crate) struct Read {
    pub(crate) version: u32,
    pub(crate) signatures: Vec<ContainerSignature>,
    pub(crate) triggers: Vec<(ContainerKind, u16)>,
    pub(crate) left_out: Vec<String>,
}

pub(crate) fn read(xml: &str, formats: &[Format]) -> Result<Read, Broken> {
    let document = document(xml)?;
    let root = document.root_element();
    if root.tag_name().name() != "ContainerSignatureMapping" {
        let found = root.tag_name().name().to_owned();
        return Err(Broken::Other { wanted: "container signature file", found });
    }
    let places: HashMap<&str, u16> =
        (0..).zip(formats).map(|(at, format)| (format.puid.as_str(), at)).collect();
    let mut puids: HashMap<u32, Vec<&str>> = HashMap::new();
    for mapping in elements(element(root, "FileFormatMappings")?, "FileFormatMapping") {
        let puid = attribute(mapping, "Puid")?.trim();
        puids.entry(number(mapping, "signatureId")?).or_default().push(puid);
    }
    let mut left_out = Vec::new();
    let mut signatures = Vec::new();
    for node in elements(element(root, "ContainerSignatures")?, "ContainerSignature") {
        let id = number(node, "Id")?;
        let Some(kind) = kind(node)? else {
            left_out.push(format!("container signature {id}: its kind of container is unknown"));
            continue;
        };
        let files = elements(element(node, "Files")?, "File").map(wanted_file);
        let files = files.collect::<Result<Vec<_>, _>>()?;
        if files.is_empty() {
            return Err(wrong(node, "it names no file"));
        }
        for puid in puids.get(&id).into_iter().flatten() {
            match places.get(puid) {
                Some(&format) => {
                    signatures.push(ContainerSignature { id, kind, format, files: files.clone() });
                }
                None => left_out.push(format!("container signature {id}: {puid} is unknown")),
            }
        }
    }
    let mut triggers = Vec::new();
    for node in elements(element(root, "TriggerPuids")?, "TriggerPuid") {
        let place = places.get(attribute(node, "Puid")?.trim());
        triggers.extend(kind(node)?.zip(place.copied()));
    }
    if signatures.is_empty() && !left_out.is_empty() {
        return Err(Broken::Strange);
    }
    if signatures.is_empty() || triggers.is_empty() {
        return Err(Broken::Empty);
    }
    let version = number(root, "signatureVersion")?;
    Ok(Read { version, signatures, triggers, left_out })
}

fn kind(node: Node<'_, '_>) -> Result<Option<ContainerKind>, Broken> {
    Ok(match attribute(node, "ContainerType")? {
        "ZIP" => Some(ContainerKind::Zip),
        "OLE2" => Some(ContainerKind::Ole2),
        _ => None,
    })
}

fn wanted_file(node: Node<'_, '_>) -> Result<WantedFile, Broken> {
    let path = text(element(node, "Path")?).to_owned();
    if path.is_empty() {
        return Err(wrong(node, "its path is empty"));
    }
    let mut content = Vec::new();
    for signatures in elements(node, "BinarySignatures") {
        for signature in
            elements(element(signatures, "InternalSignatureCollection")?, "InternalSignature")
        {
            content.push(sequences(signature)?);
        }
    }
    Ok(WantedFile { path, content })
}
