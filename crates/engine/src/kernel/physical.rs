//! Rates that physical layers leave for ATM cells: the rate of a line less the overhead of its frames.
//! ITU-T G.707 and I.432.2 (SDH), GR-253 (SONET), ITU-T G.804 (DS1, E1, E3, DS3; PLCP too).

use super::time::{CELL_BITS, Rate};

/// Frames per second of every layer here; of DS3, frames of its PLCP.
const FRAMES: u64 = 8_000;

/// Names of physical layers, each with the rate that it leaves for cells.
pub(super) const LAYERS: [(&str, Rate); 14] = [
    // 87 columns of a synchronous payload envelope, less path overhead and two columns of fixed stuff.
    ("STS-1", columns(87 - 1 - 2)),
    ("OC-3c", concatenated(3)),
    ("STM-1", concatenated(3)),
    ("OC-12c", concatenated(12)),
    ("STM-4c", concatenated(12)),
    ("OC-48c", concatenated(48)),
    ("STM-16c", concatenated(48)),
    ("OC-192c", concatenated(192)),
    ("STM-64c", concatenated(192)),
    // 24 octets in the 193 bits of a frame.
    ("DS1", octets(24)),
    // 84 of 85 bits: 44.736 Mbit/s x 84 / 85 = 44,209,694.1176 bit/s, to the nearest thousandth.
    ("DS3", Rate((44_736_000_000 * 84 + 42) / 85)),
    ("DS3-PLCP", Rate::from_bps(12 * CELL_BITS * FRAMES)),
    // 32 octets less those of slots 0 and 16.
    ("E1", octets(32 - 2)),
    // 537 octets (G.832), of which 7 are overhead.
    ("E3", octets(537 - 7)),
];

const fn octets(octets: u64) -> Rate {
    Rate::from_bps(octets * 8 * FRAMES)
}

/// Nine rows of `columns` octets in each frame.
const fn columns(columns: u64) -> Rate {
    octets(9 * columns)
}

/// `sts` concatenated STS-1: one column of path overhead, and `sts` / 3 - 1 columns of fixed stuff.
const fn concatenated(sts: u64) -> Rate {
    columns(87 * sts - 1 - (sts / 3 - 1))
}

/// The rate of cells on a physical layer.
pub(super) fn rate(name: &str) -> Option<Rate> {
    let layer = LAYERS.iter().find(|layer| layer.0 == name);
    layer.map(|layer| layer.1)
}

#[cfg(test)]
mod tests {
    use super::super::Ps;
    use super::*;

    /// The rate for cells is the rate of the line times the share of its frames that carries cells;
    /// both numbers are by hand.
    #[test]
    fn the_rest_of_a_line_is_for_cells() {
        for (name, line, (part, whole)) in [
            ("STS-1", 51_840_000, (84, 90)),
            ("OC-3c", 155_520_000, (260, 270)),
            ("OC-12c", 622_080_000, (1_040, 1_080)),
            ("OC-48c", 2_488_320_000, (4_160, 4_320)),
            ("OC-192c", 9_953_280_000, (16_640, 17_280)),
            ("DS1", 1_544_000, (192, 193)),
            ("E1", 2_048_000, (30, 32)),
            ("E3", 34_368_000, (530, 537)),
        ] {
            assert_eq!(
                rate(name),
                Some(Rate::from_bps(line * part / whole)),
                "{name}"
            );
            assert_eq!(line * part % whole, 0, "{name}");
        }
        assert_eq!(rate("DS3"), Some(Rate(44_209_694_118)));
        assert_eq!(rate("DS3-PLCP"), Some(Rate::from_bps(40_704_000)));
        for (sonet, sdh) in [
            ("OC-3c", "STM-1"),
            ("OC-12c", "STM-4c"),
            ("OC-48c", "STM-16c"),
            ("OC-192c", "STM-64c"),
        ] {
            assert_eq!(rate(sonet), rate(sdh), "{sdh}");
        }
        assert_eq!(rate("OC-3"), None);
    }

    #[test]
    fn cells_per_second() {
        let cells = |name| rate(name).unwrap().cells_per_second();
        for (name, expected) in [
            ("OC-3c", 353_207.55),
            ("OC-12c", 1_412_830.19),
            ("DS3", 104_268.15),
            ("DS3-PLCP", 96_000.0),
            ("E3", 80_000.0),
            ("E1", 4_528.30),
            ("DS1", 3_622.64),
        ] {
            assert!((cells(name) - expected).abs() < 0.005, "{name}");
        }
        // 424 bits / 149.76 Mbit/s = 2.831197 us
        let oc3c = rate("OC-3c").unwrap();
        assert_eq!(oc3c.cell_time_floor(), Ps(2_831_196));
    }
}
