#![no_main]

use libfuzzer_sys::fuzz_target;
use nutrients::fuzz::fuzz_geopackage;

fuzz_target!(|bytes: &[u8]| fuzz_geopackage(bytes));
