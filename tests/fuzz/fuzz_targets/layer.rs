#![no_main]

use libfuzzer_sys::fuzz_target;
use nutrients::fuzz::fuzz_layer;

fuzz_target!(|bytes: &[u8]| fuzz_layer(bytes));
