//! Packets of RoCEv2: their kinds, numbers and sizes.

use crate::kernel::Ps;

/// Octets of IP, UDP, the base transport header (BTH) and the invariant CRC (ICRC).
pub const HEADERS: u32 = 20 + 8 + 12 + 4;
/// Octets of the IP packet of an acknowledgement, which has an extended header (AETH) of four octets.
pub const ACK_PACKET: u32 = HEADERS + 4;
/// Octets of the IP packet of a congestion notification (CNP), which has sixteen reserved octets.
pub const CNP_PACKET: u32 = HEADERS + 16;

/// Octets of the IP packet of a report: an acknowledgement, and four octets for the PSN and the mark of the reported packet.
/// A real source would look up the time at which it sent this packet.
pub const REPORT_PACKET: u32 = ACK_PACKET + 4;

/// Octets for the number of the ExpressPass credit that a data packet uses: the number has 24 bits.
pub const CREDIT_NUMBER: u32 = 4;
/// Octets of the IP packet of a credit. The PSN field has the number of the credit; two further octets have the low bits of
/// the PSN that the receiver expects.
pub const CREDIT_PACKET: u32 = HEADERS + 2;

/// Greatest number of switches on the path of a packet with telemetry: the space in packets of the public simulator of
/// HPCC's authors.
pub const MOST_HOPS: usize = 5;
/// Octets of telemetry in a packet, whatever the number of hops: 64 bits for each of [`MOST_HOPS`] hops, and 16 bits for
/// their number, as in that simulator.
pub const TELEMETRY: u32 = 2 + 8 * MOST_HOPS as u32;
/// Value of [`RocePacket::trail`] in a packet without space for telemetry.
pub const NO_TELEMETRY: u32 = u32::MAX;

/// Kind of a RoCEv2 packet: data, a response of the receiver, or a message about credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A part of a message (SEND), with its payload.
    Data,
    /// An acknowledgement of every packet before this PSN.
    Ack,
    /// A negative acknowledgement: the packet with this PSN is missing (PSN sequence error).
    Nak,
    /// A congestion notification packet.
    Cnp,
    /// A part of a message, sent with a credit of ExpressPass.
    Credited,
    /// A credit of ExpressPass. The credit acknowledges every packet before its PSN.
    Credit,
    /// The source asks for credits of ExpressPass.
    Request,
    /// The source needs no more credits of ExpressPass.
    Stop,
    /// A pull (receiver credits): every packet before the PSN of the pull may be sent.
    Pull,
    /// The headers of a part of a message whose payload a switch has cut off. `payload` has the number of octets that were
    /// cut off.
    Trimmed,
    /// The receiver requests the one packet with this PSN, because the packet arrived trimmed.
    Again,
    /// A report on a data packet that the receiver has accepted. The report acknowledges every packet before its PSN. `sent`
    /// is the time at which the data packet was sent, `asks` is true if it was marked, and `trail` has the low 32 bits of
    /// the number of packets accepted so far.
    Report,
}

/// The fields of a RoCEv2 packet that the simulation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RocePacket {
    /// Packet sequence number (PSN), of which a frame carries the low 24 bits. In an acknowledgement, the next PSN that the
    /// receiver expects.
    pub psn: u64,
    /// Time at which the source has sent the packet.
    pub sent: Ps,
    /// Index of the packet's telemetry at the switch that holds the packet, 0 elsewhere. [`NO_TELEMETRY`] if the packet has
    /// no space for telemetry. In a credit, and in data sent with a credit, the low 32 bits of the number of the credit. See
    /// also [`Kind::Report`].
    pub trail: u32,
    /// Octets of payload.
    pub payload: u16,
    /// Kind of the packet.
    pub kind: Kind,
    /// True if the packet asks for an acknowledgement (AckReq).
    pub asks: bool,
}

impl RocePacket {
    /// A packet without payload.
    pub fn empty(kind: Kind, psn: u64, sent: Ps) -> RocePacket {
        RocePacket {
            psn,
            sent,
            trail: NO_TELEMETRY,
            payload: 0,
            kind,
            asks: false,
        }
    }
    /// Octets of the IP packet. Payload is padded to a multiple of four octets.
    #[inline]
    pub fn octets(&self) -> u32 {
        let own = match self.kind {
            Kind::Data => HEADERS + u32::from(self.payload).next_multiple_of(4),
            Kind::Credited => HEADERS + CREDIT_NUMBER + u32::from(self.payload).next_multiple_of(4),
            Kind::Credit => CREDIT_PACKET,
            Kind::Request | Kind::Stop | Kind::Trimmed => HEADERS,
            Kind::Ack | Kind::Nak | Kind::Pull | Kind::Again => ACK_PACKET,
            Kind::Cnp => CNP_PACKET,
            Kind::Report => REPORT_PACKET,
        };
        own + if self.has_telemetry() { TELEMETRY } else { 0 }
    }
    /// True if the packet has space for telemetry.
    #[inline]
    pub fn has_telemetry(&self) -> bool {
        self.trail != NO_TELEMETRY
            && !matches!(self.kind, Kind::Credit | Kind::Credited | Kind::Report)
    }
    /// True if the packet carries a part of a message.
    #[inline]
    pub fn has_data(&self) -> bool {
        matches!(self.kind, Kind::Data | Kind::Credited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet with 1,000 octets of payload has 20 + 8 + 12 + 1,000 + 4 octets, up to three octets of which may be padding;
    /// an acknowledgement has 48, a CNP 60. Telemetry has 42 octets: five times 8, and 2.
    #[test]
    fn packets_have_the_octets_of_their_headers() {
        for payload in 997..=1_000 {
            let data = RocePacket {
                payload,
                ..RocePacket::empty(Kind::Data, 0, Ps::ZERO)
            };
            assert_eq!(data.octets(), 1_044);
        }
        let sizes = [
            (Kind::Ack, 48),
            (Kind::Nak, 48),
            (Kind::Cnp, 60),
            (Kind::Pull, 48),
            (Kind::Again, 48),
            (Kind::Trimmed, 44),
        ];
        for (kind, octets) in sizes {
            let packet = RocePacket::empty(kind, 0, Ps::ZERO);
            assert_eq!(packet.octets(), octets, "{kind:?}");
            let told = RocePacket { trail: 0, ..packet };
            assert_eq!(told.octets(), octets + 42, "{kind:?}");
        }
        assert_eq!(size_of::<RocePacket>(), 24);
    }
}
