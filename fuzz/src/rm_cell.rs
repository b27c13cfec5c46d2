//! RM cells and their 16-bit rates.

use cellrate_engine::atm::rm::{self, MAX_RATE, PAYLOAD_OCTETS};

use super::input::Input;

/// DIR, BN, CI and NI.
const FLAGS: u8 = 0xf0;

/// The input is a payload, then rates.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let payload: [u8; PAYLOAD_OCTETS] = input.array();
    if let Ok((cell, backward)) = rm::decode(&payload) {
        let written = rm::encode(&cell, backward);
        assert_eq!(rm::decode(&written), Ok((cell, backward)));
        // The rest is not compared: reserved bits and octets, and other codes of a zero rate.
        assert_eq!(written[0], payload[0]);
        assert_eq!(written[1], payload[1] & FLAGS);
    }
    while !input.is_empty() {
        let code = input.short();
        let rate = rm::decode_rate(code);
        assert!((0.0..=MAX_RATE).contains(&rate), "{code:#06x}");
        assert_eq!(rm::decode_rate(rm::encode_rate(rate)), rate, "{code:#06x}");
        quantised(f64::from_bits(input.long()));
    }
}

/// A rate survives within its truncation: at most 1/512 lower, never higher.
fn quantised(rate: f64) {
    let kept = rm::quantise(rate);
    assert_eq!(rm::quantise(kept), kept, "{rate} twice");
    if !(1.0..=MAX_RATE).contains(&rate) {
        let expected = if rate > MAX_RATE { MAX_RATE } else { 0.0 };
        assert_eq!(kept, expected, "{rate}");
    } else {
        assert!(
            kept <= rate && rate - kept < rate / 512.0,
            "{rate} becomes {kept}"
        );
    }
}
