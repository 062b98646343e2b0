#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reprise_fuzz::parsers::croissant(bytes));
