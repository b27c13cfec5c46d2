//! Completion times that a public simulator prints for one flow without any other traffic. The simulator is that of the
//! Ultra Ethernet Consortium (ultraethernet/uet-htsim, commit 40ccb05), not a standard. It has no preamble and no gap, and
//! its packets have 64 octets of headers. Here the payload of a packet is chosen so that its frame has as many octets on the
//! line.

use super::*;
use crate::ether::roce::RoceConfig;

/// Completion time in ps, on the clock of the source, of one transfer over six links of 100 Gbit/s and 1 us each. An octet
/// takes 80 ps.
fn completion(payload: u64, bytes: u64) -> f64 {
    let roce = RoceConfig {
        payload: Bytes(payload),
        ..RoceConfig::default()
    };
    let rate = Rate::from_bps(100 * GBPS);
    let plan = row(7, rate, Ps::from_us(1), u64::MAX, |there, back| FlowPlan {
        roce: Some(roce.clone()),
        ..FlowPlan::new("one", transfer(bytes), there, back)
    });
    let end = Ps::from_ms(1);
    let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
    let seconds = report.flows[0].completion_seconds;
    libm::round(seconds.expect("the transfer ends") * 1e12)
}

/// The simulator prints 177.358 us for 223 packets of 9,064 octets and acknowledgements of 64 octets: (222 + 6) 0.72512 +
/// 12 + 6 x 0.00512 us. Payload here is a multiple of four octets, so a packet has 9,066 octets on the line. Packet 222
/// begins after 222 x 9,066 octets. On each of the six links 12 octets of its gap follow its last bit, so 9,054 octets
/// count. The six links back take 74 octets each, preamble and frame of the acknowledgement.
#[test]
fn a_transfer_of_large_packets_has_the_printed_time() {
    let octets = 222 * 9_066 + 6 * 9_054 + 6 * 74;
    let found = completion(8_984, 223 * 8_984);
    assert_eq!(found, f64::from(80 * octets) + 12e6);
    // Each packet before the last has two octets more, the last packet ten fewer on each link, and its acknowledgement ten
    // more on each link.
    let more = 222 * 2 - 6 * 10 + 6 * 10;
    let printed = (found - f64::from(80 * more)) / 1e6;
    assert!((printed - 177.358).abs() < 0.0005, "{printed}");
}

/// The simulator prints 176.2 us for 489 packets of 4,150 octets and a last packet of 2,010 octets: (488 + 6) 0.332 +
/// 0.1608 + 12 + 6 x 0.00512 us. Here 4,068 and 1,928 octets of payload make the same octets on the line. At each switch the
/// last packet waits for the packet before it, so it ends 2,010 octets after that packet. On each of the six links the 12
/// octets of a gap follow the last bit.
#[test]
fn a_transfer_with_a_short_last_packet_has_the_printed_time() {
    let octets = (488 + 6) * 4_150 + 2_010 - 6 * 12 + 6 * 74;
    let found = completion(4_068, 489 * 4_068 + 1_928);
    assert_eq!(found, f64::from(80 * octets) + 12e6);
    // On each link the last gap does not count, and the acknowledgement has ten octets more.
    let more = -6 * 12 + 6 * 10;
    let printed = (found - f64::from(80 * more)) / 1e6;
    assert!((printed - 176.199_52).abs() < 1e-9, "{printed}");
    assert_eq!(format!("{printed:.1}"), "176.2");
}
