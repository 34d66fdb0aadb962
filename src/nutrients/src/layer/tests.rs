use std::fs;

use super::*;
use crate::shape::{Bounds, Shape};

fn square(at: u32) -> Record {
    let (x, y) = (f64::from(at % 100) * 10.0, f64::from(at / 100) * 10.0);
    let ring = vec![[x, y], [x + 9.0, y], [x + 9.0, y + 9.0], [x, y + 9.0], [x, y]];
    Record {
        id: format!("P{at:06}"),
        name: "Grass".to_owned(),
        label: String::new(),
        numbers: [Some(f64::from(at)), None, Some(0.0), Some(-1.5)],
        shape: Shape::from_coordinates(vec![vec![ring]]),
    }
}

fn written(path: &std::path::Path, order: impl Iterator<Item = u32>) -> Written {
    let mut writer = LayerWriter::new(path);
    for at in order {
        writer.push(&square(at)).unwrap();
    }
    writer.finish(|| Ok(())).unwrap()
}

#[test]
fn what_is_written_is_found_again_whatever_the_order() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    let first = written(&one, 0..10_000);
    assert_eq!(first, written(&two, (0..10_000).rev()));
    assert_eq!(LayerFile::digest(&one).unwrap(), first.sha256);
    let layer = LayerFile::open(&one).unwrap();
    assert_eq!(layer.record_count(), 10_000);
    let window = Bounds { min_x: 101.0, min_y: 101.0, max_x: 128.0, max_y: 128.0 };
    let blocks = layer.blocks_near(&window);
    assert!(blocks.len() < 10, "{}", blocks.len());
    let mut found: Vec<Record> = blocks.iter().flat_map(|at| layer.block(*at).unwrap()).collect();
    found.retain(|record| record.shape.bounds().meets(&window));
    found.sort_by(|a, b| a.id.cmp(&b.id));
    let wanted = [1010, 1011, 1012, 1110, 1111, 1112, 1210, 1211, 1212].map(square);
    assert_eq!(found, wanted);
}

#[test]
fn a_torn_or_garbled_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("layer");
    written(&path, 0..500);
    let good = fs::read(&path).unwrap();
    let bad = dir.path().join("bad");
    let refused = |bytes: &[u8]| {
        byteio::durable::write(&bad, bytes, false).unwrap();
        LayerFile::open(&bad)
            .and_then(|it| it.all_blocks().map(|at| it.block(at)).collect::<Result<Vec<_>, _>>())
            .is_err()
    };
    assert!(!refused(&good));
    for len in (0..good.len()).step_by(997).chain([good.len() - 1]) {
        assert!(refused(&good[..len]), "cut at {len}");
    }
    for at in (0..good.len()).step_by(131) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x40;
        assert!(refused(&bytes), "garbled at {at}");
    }
}

#[test]
fn an_empty_layer_is_a_layer() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("layer");
    assert_eq!(written(&path, 0..0).records, 0);
    let layer = LayerFile::open(&path).unwrap();
    assert!(
        layer.blocks_near(&Bounds { min_x: 0.0, min_y: 0.0, max_x: 9.0, max_y: 9.0 }).is_empty()
    );
}
