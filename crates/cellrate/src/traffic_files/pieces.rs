//! Converts packets between clock references to pieces: intervals of constant rate.

use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::mpeg2::{TRANSPORT_PACKET_BYTES, line_bits_per_bit};
use cellrate_engine::traffic::piecewise::Piece;

use super::transport::{CLOCK_HERTZ, Stretch};

/// The largest rate that scenarios allow, 1e15 bit/s.
const FASTEST: u128 = 1_000_000_000_000_000_000;

/// Returns the pieces (intervals of constant rate) of cells that carry `per_pdu` transport packets
/// in each AAL5 PDU. Ends of pieces are rounded to a picosecond of the file's own clock, rates to a
/// thousandth of a bit per second.
///
/// # Errors
/// An interval with more than 1e15 bit/s: the clock reference at its end must be wrong.
pub fn of_packets(stretches: &[Stretch], per_pdu: u32) -> Result<Vec<Piece>, String> {
    let (line, packets) = line_bits_per_bit(per_pdu);
    let mut ticks = 0u128;
    let mut begin = 0u128;
    let piece = |stretch: &Stretch| {
        ticks += stretch.ticks as u128;
        let end = rounded(ticks * 1_000_000_000_000, CLOCK_HERTZ as u128);
        let lasts = Ps((end - begin) as u64);
        begin = end;
        let bits = stretch.packets as u128 * 8 * TRANSPORT_PACKET_BYTES as u128 * line as u128;
        let rate = rounded(
            bits * 1_000 * CLOCK_HERTZ as u128,
            packets as u128 * stretch.ticks as u128,
        );
        if rate > FASTEST {
            let Stretch { ticks, packets } = stretch;
            return Err(format!(
                "{packets} packets lie between clock references {ticks} cycles of {CLOCK_HERTZ} Hz apart: faster than 1e15 bit/s"
            ));
        }
        Ok(Piece {
            lasts,
            rate: Rate(rate as u64),
        })
    };
    stretches.iter().map(piece).collect()
}

fn rounded(numerator: u128, denominator: u128) -> u128 {
    (numerator + denominator / 2) / denominator
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_packets_in_eight_cells() {
        // 20 packets in 10 ms: 80 cells, 3.392 Mbit/s of the line; then 1 packet in 1/27 of a
        // microsecond.
        let stretches = [
            Stretch {
                ticks: 270_000,
                packets: 20,
            },
            Stretch {
                ticks: 1,
                packets: 1,
            },
        ];
        let found = of_packets(&stretches, 2).unwrap();
        assert_eq!(
            found[0],
            Piece {
                lasts: Ps::from_ms(10),
                rate: Rate(3_392_000_000)
            }
        );
        assert_eq!(found[1].lasts, Ps(37_037));
        assert_eq!(found[1].rate, Rate(4 * 424 * 27_000_000_000));
    }

    #[test]
    fn what_no_line_carries_is_refused() {
        // 1,696 bits a packet: 1e15 bit/s is 21,837.9 packets per cycle.
        let of = |packets| of_packets(&[Stretch { ticks: 1, packets }], 2);
        assert!(of(21_837).is_ok());
        let told = of(21_838).unwrap_err();
        assert!(
            told.starts_with(
                "21838 packets lie between clock references 1 cycles of 27000000 Hz apart"
            ),
            "{told}"
        );
    }
}
