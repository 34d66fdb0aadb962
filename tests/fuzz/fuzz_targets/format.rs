#![no_main]

use libfuzzer_sys::fuzz_target;
use pronom::fuzz::fuzz_file;

fuzz_target!(|bytes: &[u8]| fuzz_file(bytes));
