#![no_main]

use libfuzzer_sys::fuzz_target;
use pronom::fuzz::fuzz_signatures;

fuzz_target!(|bytes: &[u8]| fuzz_signatures(bytes));
