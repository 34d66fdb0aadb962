//! The set that comes with the program is what its sources say.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

use crate::Formats;
use crate::signature::SignatureSet;

/// A file beside the set, unpacked.
fn source(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/built_in").join(name);
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn the_built_in_set_is_made_of_its_sources() {
    let droid = source("DROID_SignatureFile_V122.xml.gz");
    let container = source("container-signature-20260119.xml.gz");
    let set = SignatureSet::compile(&droid, &container, None).unwrap();
    let bytes = set.to_bytes().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/built_in/pronom.set");
    if std::fs::read(&path).unwrap() != bytes {
        byteio::durable::write(&path, &bytes, false).unwrap();
        panic!("the built-in set was stale; it is written anew: build and test again");
    }
    assert_eq!(set.about.left_out, Vec::<String>::new());
    let built_in = Formats::built_in().unwrap();
    assert_eq!(*built_in.set(), set);
    assert_eq!(set.about.droid_version, 122);
    assert_eq!(set.about.container_version, 40);
    assert_eq!((set.formats.len(), set.signatures.len(), set.containers.len()), (2544, 2242, 310));
}
