#![no_main]

use libfuzzer_sys::fuzz_target;
use nutrients::fuzz::fuzz_sites;

fuzz_target!(|bytes: &[u8]| fuzz_sites(bytes));
