//! The RM cell on the line: payload, CRC-10 and rate code.

use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::atm::rm::{
    MAX_RATE, RmError, decode, decode_rate, encode, encode_rate, quantise,
};
use proptest::prelude::*;

const FRM: RmCell = RmCell {
    er: 353_207.5,
    ccr: 3_532.0,
    mcr: 0.0,
    ci: false,
    ni: false,
    bn: false,
};

#[test]
fn the_payload_of_a_known_frm_is_encoded_to_the_octet() {
    let mut expected = [0x6A; 48];
    expected[..8].copy_from_slice(&[0x01, 0x00, 0x64, 0xB1, 0x57, 0x73, 0x00, 0x00]);
    expected[8..16].fill(0);
    expected[46..].copy_from_slice(&[0x00, 0xAC]);
    assert_eq!(encode(&FRM, false), expected);
}

#[test]
fn the_rate_code_truncates() {
    // 353,207.5 = 2^18 * 1.34738: mantissa floor(0.34738 * 512) = 177 = 0xB1, back 352,768.
    assert_eq!(
        (encode_rate(353_207.5), quantise(353_207.5)),
        (0x64B1, 352_768.0)
    );
    // 3,532 = 2^11 * (1 + 371/512) exactly.
    assert_eq!((encode_rate(3_532.0), quantise(3_532.0)), (0x5773, 3_532.0));
}

#[test]
fn the_rate_code_ends_at_one_cell_per_second_and_at_its_maximum() {
    assert_eq!(
        [
            encode_rate(0.0),
            encode_rate(0.999),
            encode_rate(-5.0),
            encode_rate(f64::NAN)
        ],
        [0; 4]
    );
    assert_eq!(quantise(1.0), 1.0);
    assert_eq!(quantise(f64::INFINITY), MAX_RATE);
    // Without nz the rest of the code is ignored.
    assert_eq!(decode_rate(0x3FFF), 0.0);
}

#[test]
fn a_damaged_payload_is_refused() {
    for bit in 0..48 * 8 {
        let mut payload = encode(&FRM, true);
        payload[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(decode(&payload), Err(RmError::Crc), "bit {bit}");
    }
}

#[test]
fn another_protocol_is_refused() {
    // The all-zero payload has a remainder of zero, so only its protocol identifier is wrong.
    assert_eq!(decode(&[0; 48]), Err(RmError::Protocol(0)));
}

proptest! {
    #![proptest_config(repeatable(256))]

    #[test]
    fn quantised_rates_are_at_most_a_512th_lower_and_stay_what_they_are(rate in 1.0..MAX_RATE) {
        let coded = quantise(rate);
        prop_assert!(coded <= rate && coded > rate * (1.0 - 1.0 / 512.0));
        prop_assert_eq!(quantise(coded), coded);
    }

    #[test]
    fn what_is_encoded_decodes_to_the_same(er in 0.0..1e9, ccr in 0.0..1e9, flags in 0u8..16) {
        let [ci, ni, bn, backward] = [1, 2, 4, 8].map(|bit| flags & bit != 0);
        let rm = RmCell { er: quantise(er), ccr: quantise(ccr), mcr: 0.0, ci, ni, bn };
        prop_assert_eq!(decode(&encode(&rm, backward)), Ok((rm, backward)));
    }
}
