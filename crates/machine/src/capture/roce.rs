//! Packets of RoCEv2 (InfiniBand Architecture Specification, annex A17): UDP, base transport header, payload and
//! invariant CRC.

use cellrate_engine::ether::FlowPlan;
use cellrate_engine::ether::roce::packet::{CREDIT_NUMBER, Kind, RocePacket, TELEMETRY};
use cellrate_engine::traffic::SourceConfig;

use super::ends::Ends;
use super::ip;
use super::payload;

/// UDP port of RoCEv2.
const PORT: u16 = 4_791;
/// Octets of UDP, the base transport header (BTH), and the invariant CRC.
const UDP: usize = 8;
const BTH: usize = 12;
const ICRC: usize = 4;
/// Partition key of the default partition.
const P_KEY: u16 = 0xffff;
/// Number of the first queue pair for data; queue pairs 0 and 1 are reserved for management.
const FIRST_QUEUE_PAIR: u32 = 2;

/// Opcodes of a reliable connection, and the opcode of a congestion notification packet (CNP).
mod opcode {
    pub const SEND_FIRST: u8 = 0x00;
    pub const SEND_MIDDLE: u8 = 0x01;
    pub const SEND_LAST: u8 = 0x02;
    pub const SEND_ONLY: u8 = 0x04;
    pub const ACKNOWLEDGE: u8 = 0x11;
    pub const CNP: u8 = 0x81;
    /// Opcodes from the range for manufacturers (0xc0 to 0xff), because credits have no standard opcode: the credit, request
    /// and stop of ExpressPass, and the pull of receiver credits.
    pub const CREDIT: u8 = 0xc0;
    pub const REQUEST: u8 = 0xc1;
    pub const STOP: u8 = 0xc2;
    pub const PULL: u8 = 0xc3;
    /// The headers of a trimmed packet, and the request for this packet.
    pub const TRIMMED: u8 = 0xc4;
    pub const AGAIN: u8 = 0xc5;
    /// An acknowledgement of NSCC: the number of packets accepted, and the ECN mark of one packet.
    pub const REPORT: u8 = 0xc6;
}

/// Appends the IP packet that carries a RoCE packet of `flow`, forward or `backward`, with the traffic class
/// `class`. If the packet has room for telemetry, `hops` is the number of hops in it. The telemetry follows the
/// headers: the number of hops, and zeros in place of the values.
pub fn write(
    out: &mut Vec<u8>,
    (flow, ends): (&FlowPlan, &Ends),
    backward: bool,
    (class, hops): (u8, Option<usize>),
    packet: &RocePacket,
) {
    let [from, to] = if backward { [1, 0] } else { [0, 1] };
    let payload = if packet.has_data() {
        usize::from(packet.payload)
    } else {
        0
    };
    let padding = payload.next_multiple_of(4) - payload;
    let rest = match packet.kind {
        Kind::Data => payload + padding,
        Kind::Ack | Kind::Nak | Kind::Pull | Kind::Again => 4,
        Kind::Cnp => 16,
        Kind::Report => 8,
        Kind::Credited => CREDIT_NUMBER as usize + payload + padding,
        Kind::Credit => 2,
        Kind::Request | Kind::Stop | Kind::Trimmed => 0,
    };
    let telemetry = hops.map_or(0, |_| TELEMETRY as usize);
    let length = UDP + BTH + telemetry + rest + ICRC;
    let begin = out.len();
    let header = ip::Packet {
        from: ends.addresses[from],
        to: ends.addresses[to],
        id: 0,
        options: 0,
        class,
        protocol: ip::UDP,
        payload: length,
    };
    header.write_header(out);
    // The UDP source port distinguishes flows for ECMP. The UDP checksum is zero (unused), since
    // the ICRC covers the packet.
    out.extend(ends.ports[0].to_be_bytes());
    out.extend(PORT.to_be_bytes());
    out.extend((length as u16).to_be_bytes());
    out.extend([0, 0]);
    let queue_pair = FIRST_QUEUE_PAIR + 2 * ends.flow + u32::from(backward);
    let becn = if packet.kind == Kind::Cnp { 0x40 } else { 0 };
    let asks = if packet.asks && packet.kind != Kind::Report {
        1 << 31
    } else {
        0
    };
    out.extend([opcode(flow, packet), (padding as u8) << 4]);
    out.extend(P_KEY.to_be_bytes());
    out.extend((becn << 24 | queue_pair & 0xff_ffff).to_be_bytes());
    out.extend((asks | number(packet)).to_be_bytes());
    match packet.kind {
        Kind::Data | Kind::Trimmed | Kind::Request | Kind::Stop => {}
        // The number of the credit that the data answer.
        Kind::Credited => out.extend((packet.trail & 0xff_ffff).to_be_bytes()),
        // The low bits of the PSN that the receiver expects.
        Kind::Credit => out.extend((packet.psn as u16).to_be_bytes()),
        // Syndrome of the AETH: an ACK with unlimited credit, or a NAK for a PSN sequence error. The
        // count of messages stays 0.
        Kind::Ack => out.extend([0x1f, 0, 0, 0]),
        Kind::Nak => out.extend([0x60, 0, 0, 0]),
        // No standard defines the contents of these packets.
        Kind::Pull | Kind::Again => out.extend([0; 4]),
        Kind::Cnp => out.extend([0; 16]),
        // The number of packets that the receiver has accepted, and the ECN mark of the packet that
        // the report answers, without the number of this packet.
        Kind::Report => {
            out.extend((packet.trail & 0xff_ffff).to_be_bytes());
            out.extend(u32::from(packet.asks).to_be_bytes());
        }
    }
    if let Some(hops) = hops {
        out.resize(out.len() + telemetry - 2, 0);
        out.extend((hops as u16).to_be_bytes());
    }
    if packet.has_data() {
        let at = packet.psn * payload_of(flow);
        payload::write(out, ends.flow, false, at, payload);
        out.resize(out.len() + padding, 0);
    }
    let crc = invariant_crc(&out[begin..]);
    out.extend(crc.to_le_bytes());
}

/// The packet sequence number (PSN, 24 bits). An acknowledgement has the number of the last packet
/// that arrived in order, a credit of ExpressPass its own number.
fn number(packet: &RocePacket) -> u32 {
    let psn = match packet.kind {
        Kind::Ack => packet.psn.wrapping_sub(1),
        Kind::Credit => packet.trail.into(),
        _ => packet.psn,
    };
    psn as u32 & 0xff_ffff
}

fn payload_of(flow: &FlowPlan) -> u64 {
    flow.roce.as_ref().map_or(0, |roce| roce.payload.0)
}

/// Opcode of a packet. Each transfer is one message; data without end are one message that never
/// ends.
fn opcode(flow: &FlowPlan, packet: &RocePacket) -> u8 {
    let last = match &flow.source {
        SourceConfig::Transfer(transfer) => {
            Some(transfer.size.0.div_ceil(payload_of(flow).max(1)) - 1)
        }
        _ => None,
    };
    match packet.kind {
        Kind::Cnp => opcode::CNP,
        Kind::Ack | Kind::Nak => opcode::ACKNOWLEDGE,
        Kind::Pull => opcode::PULL,
        Kind::Trimmed => opcode::TRIMMED,
        Kind::Again => opcode::AGAIN,
        Kind::Report => opcode::REPORT,
        Kind::Credit => opcode::CREDIT,
        Kind::Request => opcode::REQUEST,
        Kind::Stop => opcode::STOP,
        Kind::Data | Kind::Credited => match (packet.psn == 0, Some(packet.psn) == last) {
            (true, true) => opcode::SEND_ONLY,
            (true, false) => opcode::SEND_FIRST,
            (false, true) => opcode::SEND_LAST,
            (false, false) => opcode::SEND_MIDDLE,
        },
    }
}

/// The CRC-32 of Ethernet over eight octets of ones and the packet from the IP header on. The
/// fields that change on the path count as ones: traffic class, time to live and checksum of IP,
/// the UDP checksum, and the octet of FECN and BECN.
fn invariant_crc(packet: &[u8]) -> u32 {
    const VARIANT: [usize; 7] = [1, 8, 10, 11, 26, 27, 32];
    let masked = packet.iter().enumerate().map(
        |(at, octet)| {
            if VARIANT.contains(&at) { 0xff } else { *octet }
        },
    );
    let mut crc = u32::MAX;
    for octet in [0xff; 8].into_iter().chain(masked) {
        crc ^= u32::from(octet);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !crc
}
