#![no_main]

use libfuzzer_sys::fuzz_target;
use bagit::fuzz::fuzz_manifest;

fuzz_target!(|bytes: &[u8]| fuzz_manifest(bytes));
