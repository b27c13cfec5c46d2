//! The header of a cell at the UNI (ITU-T I.361) with its HEC (I.432).

use cellrate_engine::atm::cell::{Info, Kind};

/// Value that is added to the CRC of the HEC, so that a shift by one bit is noticed (I.432).
const COSET: u8 = 0x55;
/// The generator x^8 + x^2 + x + 1 of the HEC, without its leading term.
const CRC_8: u8 = 0x07;

const USER_DATA: u8 = 0b000;
const SDU_TYPE_1: u8 = 0b001;
const CONGESTION: u8 = 0b010;
const RESOURCE_MANAGEMENT: u8 = 0b110;

/// Identifier of a channel in the cells on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vc {
    /// Virtual path identifier.
    pub vpi: u8,
    /// Virtual channel identifier.
    pub vci: u16,
}

/// The first four octets of a cell: GFC 0, VPI, VCI, payload type, CLP.
pub fn header(vc: Vc, info: Info) -> [u8; 4] {
    let [high, low] = vc.vci.to_be_bytes();
    [
        vc.vpi >> 4,
        vc.vpi << 4 | high >> 4,
        high << 4 | low >> 4,
        low << 4 | payload_type(info) << 1 | info.clp() as u8,
    ]
}

/// The fifth octet (HEC) of the header that begins with the four octets `header`.
pub fn hec(header: [u8; 4]) -> u8 {
    header
        .into_iter()
        .fold(0, |crc, octet| shift_in(crc ^ octet))
        ^ COSET
}

fn shift_in(crc: u8) -> u8 {
    (0..8).fold(crc, |crc, _| {
        if crc & 0x80 != 0 {
            crc << 1 ^ CRC_8
        } else {
            crc << 1
        }
    })
}

fn payload_type(info: Info) -> u8 {
    match info.kind() {
        Kind::Frm | Kind::Brm => RESOURCE_MANAGEMENT,
        Kind::Data | Kind::Credit => {
            USER_DATA
                | if info.is_eom() { SDU_TYPE_1 } else { 0 }
                | if info.efci() { CONGESTION } else { 0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The idle cell's header (I.432), and that of VPI 0, VCI 5 by hand: x^14 mod the generator,
    /// plus the coset.
    #[test]
    fn known_headers_have_their_hec() {
        assert_eq!(hec([0, 0, 0, 1]), 0x52);
        assert_eq!(hec([0, 0, 0, 0x50]), 0xE2);
        assert_eq!(hec([0, 0, 0, 0]), 0x55);
    }

    #[test]
    fn every_field_has_its_place() {
        let vc = Vc {
            vpi: 0xAB,
            vci: 0xCDEF,
        };
        assert_eq!(header(vc, Info::data(7)), [0x0A, 0xBC, 0xDE, 0xF0]);
        let mut end = Info::end_of_message(7);
        assert_eq!(header(vc, end)[3], 0xF2);
        end.mark_efci();
        assert_eq!(header(vc, end)[3], 0xF6);
        assert_eq!(header(vc, Info::rm(Kind::Frm, false))[3], 0xFC);
        assert_eq!(header(vc, Info::rm(Kind::Brm, true))[3], 0xFD);
    }
}
