//! A container for every container signature, made of nothing but the signature itself.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use super::synthesis::{Counts, lay_out};
use crate::signature::ContainerSignature;
use crate::{ContainerKind, Formats, Looking};

/// The files of a signature with their content; none if its sequences leave no room.
fn entries(signature: &ContainerSignature) -> Option<BTreeMap<&str, Vec<u8>>> {
    let mut entries = BTreeMap::new();
    for file in &signature.files {
        let content = match file.content.first() {
            Some(sequences) => lay_out(sequences)?,
            None => b"anything".to_vec(),
        };
        entries.insert(file.path.as_str(), content);
    }
    Some(entries)
}

fn zip(entries: &BTreeMap<&str, Vec<u8>>) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (path, content) in entries {
        if path.ends_with('/') {
            zip.add_directory(*path, options).unwrap();
        } else {
            zip.start_file(*path, options).unwrap();
            zip.write_all(content).unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

fn ole2(entries: &BTreeMap<&str, Vec<u8>>) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for (path, content) in entries {
        if let Some((folder, _)) = path.rsplit_once('/') {
            file.create_storage_all(format!("/{folder}")).unwrap();
        }
        let mut stream = file.create_stream(format!("/{path}")).unwrap();
        stream.write_all(content).unwrap();
    }
    file.into_inner().into_inner()
}

#[test]
fn every_container_signature_is_found_in_a_container_made_of_it() {
    let formats = Formats::built_in().unwrap();
    let mut counts = Counts::default();
    for signature in &formats.set.containers {
        let Some(entries) = entries(signature) else {
            counts.no_room(&formats, signature.format, signature.id);
            continue;
        };
        let bytes = match signature.kind {
            ContainerKind::Zip => zip(&entries),
            ContainerKind::Ole2 => ole2(&entries),
        };
        let found = formats.identify(&bytes.as_slice(), "file", &Looking::default()).unwrap();
        counts.count(&formats, signature.format, signature.id, &found);
    }
    counts.tell("container signatures", &[]);
}
