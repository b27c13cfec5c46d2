//! A TCP segment as the octets that AAL5 carries: LLC/SNAP, IPv4 header, TCP header, payload.

use cellrate_engine::atm::aal5::Encapsulation;
use cellrate_engine::tcp::blocks::MOST_OPTION_BYTES;
use cellrate_engine::tcp::{Handshake, Segment};

use super::checksum::{fold, sum};
use super::ends::Ends;
use super::tcp::{ACK, CHECKSUM, CWR, ECE, FIN, Header, MOST_OPTIONS, Options, SYN};
use super::{ip, payload, tcp};

/// LLC and SNAP headers of a routed IP packet (RFC 2684, section 5.1).
pub const LLC_SNAP: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0];

/// Octets of the IP and TCP headers without options.
const HEADERS: u32 = (ip::HEADER + tcp::HEADER) as u32;
/// Largest number of octets of IP options.
const IP_OPTIONS: usize = 40;

/// Octets of no-operation TCP and IP options, which extend the headers to the length
/// `tcp.header_bytes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filling {
    tcp: usize,
    ip: usize,
}

impl Filling {
    /// The options that extend the headers of a flow.
    ///
    /// # Errors
    /// If no headers can have this length; the message says which lengths are allowed.
    pub fn of(ends: &Ends) -> Result<Filling, String> {
        let found = ends.tcp.header_bytes;
        let blocks = if ends.tcp.recovery.is_selective() {
            MOST_OPTION_BYTES
        } else {
            0
        };
        let stamps = ends.tcp.data_header_bytes() - found;
        let reserved = ends.tcp.syn_options().bytes().max(blocks + stamps) as usize;
        let most = HEADERS + (MOST_OPTIONS - reserved + IP_OPTIONS) as u32;
        if !(HEADERS..=most).contains(&found) || !found.is_multiple_of(4) {
            return Err(format!(
                "headers of {found} bytes cannot be written; allowed: {HEADERS} to {most} in steps of 4"
            ));
        }
        let beyond = (found - HEADERS) as usize;
        let tcp = beyond.min(MOST_OPTIONS - reserved);
        Ok(Filling {
            tcp,
            ip: beyond - tcp,
        })
    }
}

/// Appends to `out` the PDU that carries a segment; `id` is the identification in the header of its
/// IP packet.
pub fn write(
    out: &mut Vec<u8>,
    ends: &Ends,
    filling: Filling,
    backward: bool,
    id: u16,
    segment: &Segment,
) {
    if ends.encapsulation == Encapsulation::LlcSnap {
        out.extend(LLC_SNAP);
    }
    let ecn = if segment.is_ect() { ip::ECT_0 } else { 0 };
    write_ip(out, ends, filling, backward, (id, ecn), segment);
}

/// Appends the IP packet that carries a segment, with its identification and traffic class.
pub fn write_ip(
    out: &mut Vec<u8>,
    ends: &Ends,
    filling: Filling,
    backward: bool,
    (id, class): (u16, u8),
    segment: &Segment,
) {
    let header = header(ends, filling, backward, segment);
    let [here, there] = if backward { [1, 0] } else { [0, 1] };
    let packet = ip::Packet {
        from: ends.addresses[here],
        to: ends.addresses[there],
        id,
        options: filling.ip,
        class,
        protocol: ip::TCP,
        payload: header.len() + segment.payload() as usize,
    };
    packet.write_header(out);
    let begin = out.len();
    header.write(out);
    if let Some((seq, len)) = segment.data_range() {
        payload::write(out, ends.flow, backward, seq, usize::from(len));
    }
    let checksum = fold(packet.pseudo_header_sum() + sum(&out[begin..]));
    out[begin..][CHECKSUM].copy_from_slice(&checksum.to_be_bytes());
}

fn header(ends: &Ends, filling: Filling, backward: bool, segment: &Segment) -> Header {
    let [here, there] = if backward { [1, 0] } else { [0, 1] };
    let wire = |side: usize, number: u64| {
        ends.first_numbers[side]
            .wrapping_add(1)
            .wrapping_add(number as u32)
    };
    let handshake = segment.handshake();
    let mut options = Options::NONE;
    if let Some(Handshake::Syn(of_syn) | Handshake::SynAck(of_syn)) = handshake {
        options.maximum_segment_size(of_syn.mss);
        match segment.stamps() {
            Some(stamps) => options.time_stamps(stamps, of_syn.sack_permitted),
            None if of_syn.sack_permitted => options.sack_permitted(),
            None => {}
        }
        options.window_scale(of_syn.shift);
    } else if let Some(stamps) = segment.stamps() {
        options.time_stamps(stamps, false);
    }
    options.fill(filling.tcp);
    let blocks = segment.blocks().above(segment.ack());
    options.sack(blocks.map(|(from, to)| (wire(there, from), wire(there, to))));
    let (flags, shift) = match handshake {
        Some(Handshake::Syn(_)) => (SYN, 0),
        Some(Handshake::SynAck(_)) => (SYN | ACK, 0),
        _ => (ACK, ends.window_shift()),
    };
    let whole = ends.tcp.window.0 as u32;
    let window = segment.window().unwrap_or(whole);
    let others = [
        (segment.has_ece(), ECE),
        (segment.has_cwr(), CWR),
        (segment.has_fin(), FIN),
    ];
    let set = others.iter().filter(|(is_set, _)| *is_set);
    let flags = set.fold(flags, |flags, (_, flag)| flags | flag);
    Header {
        ports: [ends.ports[here], ends.ports[there]],
        sequence: segment
            .sequence()
            .map_or(ends.first_numbers[here], |number| wire(here, number)),
        acknowledgement: if flags & ACK == 0 {
            0
        } else {
            wire(there, segment.ack())
        },
        flags,
        window: (window >> shift).min(u32::from(u16::MAX)) as u16,
        options,
    }
}

#[cfg(test)]
mod tests {
    use cellrate_engine::kernel::Ps;
    use cellrate_engine::tcp::blocks::Blocks;
    use cellrate_engine::tcp::{DataFlags, OwnFin, Recovery, Stamps, TcpConfig};

    use super::*;
    use crate::capture::atm::Vc;

    fn ends(tcp: TcpConfig, encapsulation: Encapsulation) -> Ends {
        Ends {
            flow: 0,
            vc: Vc { vpi: 0, vci: 32 },
            addresses: [[10, 0, 0, 1], [10, 0, 0, 2]],
            ports: [0xC000, 9],
            first_numbers: [0xFFFF_FFFF, 0x0FFF],
            encapsulation,
            tcp,
        }
    }

    fn octets(ends: &Ends, backward: bool, segment: Segment) -> Vec<u8> {
        let mut out = Vec::new();
        write(
            &mut out,
            ends,
            Filling::of(ends).unwrap(),
            backward,
            7,
            &segment,
        );
        out
    }

    /// Checksums computed by hand. IP: 4500 + 002c + 0007 + 4000 + 4006 + 0a00 + 0001 + 0a00 + 0002
    /// = d93c, complement 26c3. TCP: addresses 1403, protocol 6, length 24 (18): 1421; c000 + 0009 +
    /// 0000 + 0010 + 0000 + 1000 + 5010 + 8000 = 1a029, with the pseudo-header 1b44a, payload
    /// "0000" 3030 + 3030 = 6060: 214aa, 14ac, complement eb53.
    #[test]
    fn a_data_segment_is_known_octet_by_octet() {
        let ends = ends(TcpConfig::default(), Encapsulation::LlcSnap);
        let segment = Segment::Data {
            flags: DataFlags::NONE,
            seq: 16,
            ack: 0,
            sent: Ps::ZERO,
            window: 0x1_0001,
            len: 4,
        };
        let expected = [
            &LLC_SNAP[..],
            &[
                0x45, 0, 0, 44, 0, 7, 0x40, 0, 64, 6, 0x26, 0xC3, 10, 0, 0, 1, 10, 0, 0, 2,
            ],
            &[
                0xC0, 0, 0, 9, 0, 0, 0, 16, 0, 0, 0x10, 0, 0x50, 0x10, 0x80, 0, 0xEB, 0x53, 0, 0,
            ],
            b"0000",
        ];
        assert_eq!(octets(&ends, false, segment), expected.concat());
    }

    /// As in RFC 793 figure 7, each SYN uses up a sequence number, and its window is not shifted.
    #[test]
    fn a_connection_is_set_up_with_the_numbers_before_the_data() {
        let sack = TcpConfig {
            recovery: Recovery::Sack,
            ..TcpConfig::default()
        };
        let ends = ends(sack.clone(), Encapsulation::VcMux);
        let options = sack.syn_options();
        let of_setup = |handshake, window| Segment::Setup {
            handshake,
            sent: Ps(1),
            window,
        };
        let syn = octets(&ends, false, of_setup(Handshake::Syn(options), 65_535));
        let expected = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0x80, 2, 0xFF, 0xFF];
        assert_eq!(syn[24..36], expected);
        assert_eq!(syn[40..], [2, 4, 2, 0, 1, 1, 4, 2, 1, 3, 3, 1]);
        let answer = octets(&ends, true, of_setup(Handshake::SynAck(options), 65_535));
        assert_eq!(
            answer[24..36],
            [0, 0, 0x0F, 0xFF, 0, 0, 0, 0, 0x80, 0x12, 0xFF, 0xFF]
        );
        let last = octets(&ends, false, of_setup(Handshake::Ack { seq: 0 }, 65_536));
        assert_eq!(
            last[24..],
            [
                0, 0, 0, 0, 0, 0, 0x10, 0, 0x50, 0x10, 0x80, 0, last[36], last[37], 0, 0
            ]
        );
    }

    /// As in RFC 9293 figure 12: each FIN uses up a number. The FIN of the source follows four bytes
    /// of data.
    #[test]
    fn a_connection_is_closed_with_the_numbers_behind_the_data() {
        for timestamps in [false, true] {
            let closing = TcpConfig {
                connection_close: true,
                timestamps,
                ..TcpConfig::default()
            };
            let ends = ends(closing.clone(), Encapsulation::VcMux);
            let mut sender = cellrate_engine::tcp::TcpSender::new(&closing, Ps::ZERO);
            let mut receiver = cellrate_engine::tcp::TcpReceiver::new(&closing);
            sender.supply_last(4);
            let last = sender.poll_segment(Ps::ZERO).unwrap();
            receiver.on_segment(Ps::ZERO, &last);
            let fin = receiver.poll_ack(Ps::ZERO).unwrap();
            sender.on_ack(Ps::ZERO, &fin);
            let ack = sender.poll_segment(Ps::ZERO).unwrap();
            // Sequence and acknowledgement numbers, flags, and octets behind the headers.
            let expected = [
                (false, last, 0, 0x1000, 0x11, 4),
                (true, fin, 0x1000, 5, 0x11, 0),
                (false, ack, 5, 0x1001, 0x10, 0),
            ];
            for (backward, segment, sequence, acknowledgement, flags, payload) in expected {
                let packet = octets(&ends, backward, segment);
                let number = |at: usize| u32::from_be_bytes(packet[at..at + 4].try_into().unwrap());
                let header = 20 + usize::from(packet[32] >> 4) * 4;
                assert_eq!((number(24), number(28)), (sequence, acknowledgement));
                assert_eq!((packet[33], packet.len() - header), (flags, payload));
            }
        }
    }

    #[test]
    fn an_acknowledgement_has_numbers_of_the_other_side_and_its_blocks() {
        let sack = TcpConfig {
            recovery: Recovery::Sack,
            ..TcpConfig::default()
        };
        let ends = ends(sack.clone(), Encapsulation::VcMux);
        let mut receiver = cellrate_engine::tcp::TcpReceiver::new(&sack);
        receiver.on_segment(Ps(1), &Segment::data(10, 10));
        let packet = octets(&ends, true, receiver.poll_ack(Ps(1)).unwrap());
        let tcp = &packet[20..];
        assert_eq!(
            (packet.len(), &tcp[4..12]),
            (52, &[0, 0, 0x10, 0, 0, 0, 0, 0][..])
        );
        assert_eq!(tcp[20..], [1, 1, 5, 10, 0, 0, 0, 10, 0, 0, 0, 20]);
        assert_eq!(fold(sum(tcp) + 0x0A00_0001 + 0x0A00_0002 + 6 + 32), 0);
    }

    /// 20 octets of IP and 20 of TCP; time stamps of 12 before a SACK option of 12. The window of 64 KiB
    /// is shifted by one.
    #[test]
    fn time_stamps_stand_in_every_header() {
        let stamped = TcpConfig {
            recovery: Recovery::Sack,
            timestamps: true,
            ..TcpConfig::default()
        };
        let ends = ends(stamped.clone(), Encapsulation::VcMux);
        let mut sender = cellrate_engine::tcp::TcpSender::new(&stamped, Ps::ZERO);
        sender.supply(2);
        let data = sender.poll_segment(Ps::from_ms(500)).unwrap();
        let packet = octets(&ends, false, data);
        assert_eq!((packet.len(), packet[32]), (20 + 32 + 2, 8 << 4));
        assert_eq!(packet[40..52], [1, 1, 8, 10, 0, 0, 0, 2, 0, 0, 0, 0]);
        assert_eq!(
            fold(sum(&packet[20..]) + 0x0A00_0001 + 0x0A00_0002 + 6 + 34),
            0
        );
        let mut receiver = cellrate_engine::tcp::TcpReceiver::new(&stamped);
        receiver.on_segment(Ps::from_ms(500), &data);
        receiver.on_segment(Ps::from_s(1), &Segment::data(10, 10));
        let packet = octets(&ends, true, receiver.poll_ack(Ps::from_s(1)).unwrap());
        assert_eq!((packet.len(), packet[32]), (20 + 44, 11 << 4));
        assert_eq!(packet[34..36], [0x80, 0]);
        assert_eq!(packet[40..52], [1, 1, 8, 10, 0, 0, 0, 3, 0, 0, 0, 2]);
        assert_eq!(packet[52..56], [1, 1, 5, 10]);
        assert_eq!(
            fold(sum(&packet[20..]) + 0x0A00_0001 + 0x0A00_0002 + 6 + 44),
            0
        );
        let syn = Handshake::Syn(stamped.syn_options());
        let syn = Segment::setup(syn, 65_535, Ps(1), Some(Stamps::default()));
        let expected = [2, 4, 2, 0, 4, 2, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 3, 1];
        assert_eq!(octets(&ends, false, syn)[40..], expected);
    }

    #[test]
    fn ecn_stands_in_both_headers() {
        let ends = ends(TcpConfig::default(), Encapsulation::VcMux);
        let options = TcpConfig {
            ecn: Some(true),
            ..TcpConfig::default()
        }
        .syn_options();
        let setup = |handshake| Segment::Setup {
            handshake,
            sent: Ps(1),
            window: 0,
        };
        let data = |flags| Segment::Data {
            flags,
            len: 1,
            window: 0,
            ack: 0,
            seq: 0,
            sent: Ps(1),
        };
        let ack = Segment::Ack {
            ece: true,
            fin: OwnFin::NotYet,
            window: 0,
            ack: 0,
            blocks: Blocks::NONE,
        };
        // ECE is 0x40, CWR 0x80; ECT(0) is 2.
        let cases = [
            (setup(Handshake::Syn(options)), 0, 0xC2),
            (setup(Handshake::SynAck(options)), 0, 0x52),
            (data(DataFlags::ECT_0), 2, 0x10),
            (data(DataFlags::ECT_0_CWR), 2, 0x90),
            (ack, 0, 0x50),
        ];
        for (segment, code_point, flags) in cases {
            let packet = octets(&ends, false, segment);
            assert_eq!((packet[1], packet[33]), (code_point, flags), "{segment:?}");
        }
    }

    #[test]
    fn headers_are_as_long_as_the_scenario_says() {
        for (header_bytes, recovery) in [
            (40, Recovery::Reno),
            (52, Recovery::Sack),
            (112, Recovery::Reno),
        ] {
            let tcp = TcpConfig {
                header_bytes,
                recovery,
                ..TcpConfig::default()
            };
            let packet = octets(
                &ends(tcp, Encapsulation::VcMux),
                false,
                Segment::data(0, 100),
            );
            let (ip, total) = (
                usize::from(packet[0] & 15) * 4,
                usize::from(packet[2]) << 8 | usize::from(packet[3]),
            );
            let tcp = usize::from(packet[ip + 12] >> 4) * 4;
            assert_eq!(
                (packet.len(), total, ip + tcp),
                (
                    header_bytes as usize + 100,
                    packet.len(),
                    header_bytes as usize
                )
            );
            assert_eq!(fold(sum(&packet[..ip])), 0);
        }
    }

    #[test]
    fn headers_that_no_options_fill_are_refused() {
        let refused = |header_bytes, recovery| {
            let tcp = TcpConfig {
                header_bytes,
                recovery,
                ..TcpConfig::default()
            };
            Filling::of(&ends(tcp, Encapsulation::VcMux)).unwrap_err()
        };
        let text = "headers of 39 bytes cannot be written; allowed: 40 to 112 in steps of 4";
        assert_eq!(refused(39, Recovery::Reno), text);
        assert!(refused(42, Recovery::Reno).contains("42 bytes"));
        assert!(refused(96, Recovery::Sack).contains("40 to 92"));
    }
}
