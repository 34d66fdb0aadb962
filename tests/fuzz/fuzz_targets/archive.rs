#![no_main]

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use bagit::fuzz::fuzz_archive;

fuzz_target!(|bytes: &[u8]| fuzz_archive(bytes));

// Plain mutations seldom get past a checksum: two in three are made behind it.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed.is_multiple_of(3) {
        return fuzzer_mutate(data, size, max_size);
    }
    match unpacked(&data[..size], max_size) {
        Some(mut tar) => {
            let length = tar.len();
            tar.resize(max_size.max(length), 0);
            let room = tar.len();
            let length = mutate_tar(&mut tar, length, room);
            match packed(&tar[..length]) {
                Some(gz) if gz.len() <= max_size => {
                    data[..gz.len()].copy_from_slice(&gz);
                    gz.len()
                }
                Some(_) | None => fuzzer_mutate(data, size, max_size),
            }
        }
        None => mutate_tar(data, size, max_size),
    }
});

/// Mutates, then puts every checksum of a tar header right.
fn mutate_tar(data: &mut [u8], size: usize, max_size: usize) -> usize {
    let size = fuzzer_mutate(data, size, max_size);
    for header in data[..size].as_chunks_mut::<512>().0 {
        // Only what has the magic is taken for a header: content stays as it was mutated.
        if &header[257..262] == b"ustar" {
            header[148..156].fill(b' ');
            let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
    }
    size
}

/// What is in a gzip file, if it is one and whole.
fn unpacked(bytes: &[u8], max_size: usize) -> Option<Vec<u8>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return None;
    }
    let mut tar = Vec::new();
    let bound = 16 * max_size as u64;
    GzDecoder::new(bytes).take(bound).read_to_end(&mut tar).ok()?;
    Some(tar)
}

fn packed(tar: &[u8]) -> Option<Vec<u8>> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(tar).ok()?;
    gz.finish().ok()
}
