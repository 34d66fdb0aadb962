//! Where the bytes of a file are read from while it is ingested.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use byteio::read_at::FilePart;
use digests::Source;
use storage::work::item::ItemId;

use super::place::{staged_files, staged_tar};
use super::records::{BagRecord, FileRecord, Packing};
use crate::app::App;

/// The bytes of a file, to be read from start to end.
pub(super) fn stream(
    app: &App,
    item: ItemId,
    bag: &BagRecord,
    file: (&str, &FileRecord),
) -> Source<'static> {
    let (path, start) = place(app, item, bag, file);
    match bag.packing {
        Packing::Tar => Source::Range { path, start, len: file.1.size_bytes },
        Packing::Files => Source::File(path),
    }
}

/// The bytes of a file, to be read at any position.
pub(super) fn part(
    app: &App,
    item: ItemId,
    bag: &BagRecord,
    file: (&str, &FileRecord),
) -> io::Result<FilePart<File>> {
    let (path, start) = place(app, item, bag, file);
    Ok(FilePart::new(File::open(path)?, start, file.1.size_bytes))
}

fn place(
    app: &App,
    item: ItemId,
    bag: &BagRecord,
    (path, file): (&str, &FileRecord),
) -> (PathBuf, u64) {
    match bag.packing {
        Packing::Tar => (staged_tar(app, item), file.position.unwrap_or(0)),
        Packing::Files => (staged_files(app, item).join(path), 0),
    }
}
