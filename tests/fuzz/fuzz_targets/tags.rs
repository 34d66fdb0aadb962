#![no_main]

use libfuzzer_sys::fuzz_target;
use bagit::fuzz::fuzz_tags;

fuzz_target!(|bytes: &[u8]| fuzz_tags(bytes));
