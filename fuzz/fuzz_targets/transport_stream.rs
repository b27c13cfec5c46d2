//! See the check of the same name.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cellrate_fuzz::transport_stream(data));
