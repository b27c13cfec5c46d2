//! Ethernet frames with IPv4 packets: sizes, the header word of a frame on a link, and the packet in a frame.

use super::notice::Update;
use super::pause::Order;
use super::roce::packet::{MOST_HOPS, RocePacket};
use super::roce::telemetry::Hop;
use crate::kernel::Ps;
use crate::net::unit::Word;
use crate::passing::{Contents, RateRecord};
use crate::tcp::Segment;

/// Octets of preamble and start delimiter before a frame (IEEE 802.3 clause 3.1).
pub const PREAMBLE: u32 = 8;
/// Minimum interframe gap behind a frame, in octets (IEEE 802.3 clause 4.4.2).
pub const GAP: u32 = 12;
/// Octets of the header and of the frame check sequence.
const HEADER_AND_FCS: u32 = 14 + 4;
/// Octets of a VLAN tag (IEEE 802.1Q).
const TAG: u32 = 4;
/// Octets of the shortest frame, from header to FCS (IEEE 802.3 clause 4.4.2).
pub const SHORTEST: u32 = 64;
/// Octets of IP and UDP headers.
pub const UDP_HEADERS: u32 = 20 + 8;
/// Octets of an IP packet with a rate record (the fields of an RM cell): IP and UDP headers, an octet of flags, and
/// three rates. Each rate takes five octets and is in octets/s.
pub const RATES_PACKET: u32 = UDP_HEADERS + 1 + 3 * 5;
/// Octets of the shortest frame with its preamble. Nothing at one end of a link takes effect at the other end in less
/// time than these octets take.
pub const LEAST_ON_WIRE: u32 = PREAMBLE + SHORTEST;

/// Octets on the line of a frame of `octets` from header to FCS, with its preamble and interframe gap.
#[inline]
pub const fn on_line(octets: u32) -> u32 {
    PREAMBLE + octets + GAP
}

/// Form of the frames, the same in the whole network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// True if each frame has a VLAN tag with its priority.
    pub tagged: bool,
}

impl Framing {
    /// Octets from header to FCS of the frame with an IP packet of `octets`, padded to the shortest frame.
    #[inline]
    pub const fn frame(self, octets: u32) -> u32 {
        let tag = if self.tagged { TAG } else { 0 };
        let frame = octets + HEADER_AND_FCS + tag;
        if frame < SHORTEST { SHORTEST } else { frame }
    }
    /// Octets on the line of the frame with an IP packet of `octets`, with preamble and interframe gap.
    #[inline]
    pub const fn on_line(self, octets: u32) -> u32 {
        on_line(self.frame(octets))
    }
}

/// Code point of explicit congestion notification in an IP header (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecn {
    /// The transport does not understand marks.
    NotEct,
    /// The transport understands marks: ECT(0).
    Ect,
    /// A switch has marked the packet.
    Ce,
}

/// The header word of a frame on a link, in 32 bits. Bits 0 to 13 hold the number of octets, bits 14 and 15 the ECN
/// code point, bits 16 to 18 the priority. Higher bits say what the frame carries; bits 26 to 28 count the hops whose
/// telemetry it carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Info(u32);

impl Info {
    /// Maximum number of octets of a frame from header to FCS.
    pub const MOST_OCTETS: u32 = (1 << 14) - 1;
    const ECN: u32 = 14;
    const PRIORITY: u32 = 16;
    const UDP: u32 = 1 << 19;
    /// Set for a rate record. The next three bits are the direction, CI and NI of the record.
    const RATES: u32 = 1 << 20;
    const BACKWARD: u32 = 1 << 21;
    const CI: u32 = 1 << 22;
    const NI: u32 = 1 << 23;
    const CREDIT: u32 = 1 << 24;
    const OF_LINK: u32 = 1 << 25;
    const HOPS: u32 = 26;
    const TELEMETRY: u32 = 1 << 29;
    const FLOW_CREDIT: u32 = 1 << 30;
    const ERRORED: u32 = 1 << 31;

    /// The header word of a frame of `octets` with a TCP segment.
    #[inline]
    pub fn tcp(octets: u32, priority: u8, ecn: Ecn) -> Info {
        debug_assert!((SHORTEST..=Info::MOST_OCTETS).contains(&octets) && priority < 8);
        let ecn = match ecn {
            Ecn::NotEct => 0,
            Ecn::Ect => 0b10, // RFC 3168 figure 1
            Ecn::Ce => 0b11,
        };
        Info(octets | ecn << Info::ECN | (priority as u32) << Info::PRIORITY)
    }
    /// The header word of a frame of `octets` with a UDP datagram.
    #[inline]
    pub fn udp(octets: u32, priority: u8) -> Info {
        Info(Info::tcp(octets, priority, Ecn::NotEct).0 | Info::UDP)
    }
    /// The header word of a frame of `octets` with a RoCE packet. Every packet is ECT, since a port that marks would
    /// otherwise drop acknowledgements.
    #[inline]
    pub fn roce(octets: u32, priority: u8) -> Info {
        Info::tcp(octets, priority, Ecn::Ect)
    }
    /// The header word of a frame that has space for telemetry and carries the telemetry of `hops` hops, at most
    /// [`MOST_HOPS`].
    #[inline]
    pub fn with_hops(self, hops: usize) -> Info {
        debug_assert!(hops <= MOST_HOPS);
        let others = self.0 & !(0b111 << Info::HOPS);
        Info(others | Info::TELEMETRY | (hops as u32) << Info::HOPS)
    }
    /// Number of hops whose telemetry the frame carries. The link stores each hop as one record in memory, directly
    /// after the record of the frame's packet.
    #[inline]
    pub fn hops(self) -> usize {
        (self.0 >> Info::HOPS & 0b111) as usize
    }
    /// True for a frame with space for telemetry.
    #[inline]
    pub fn has_telemetry(self) -> bool {
        self.0 & Info::TELEMETRY != 0
    }
    /// The header word of a frame of `octets` with a credit of ExpressPass, from the receiver of a flow to its source.
    #[inline]
    pub fn flow_credit(octets: u32, priority: u8) -> Info {
        Info(Info::tcp(octets, priority, Ecn::NotEct).0 | Info::FLOW_CREDIT)
    }
    /// True for a frame with a credit of ExpressPass.
    #[inline]
    pub fn is_flow_credit(self) -> bool {
        self.0 & Info::FLOW_CREDIT != 0
    }
    /// The frame of `octets` with a rate record on its way to the destination, or back. The packet is ECT, since a CE
    /// mark of the packet and CI have the same meaning.
    pub fn rates(
        octets: u32,
        priority: u8,
        record: &RateRecord,
        is_backward: bool,
    ) -> (Info, Packet) {
        let kind = if is_backward { Info::BACKWARD } else { 0 };
        let info = Info(Info::tcp(octets, priority, Ecn::Ect).0 | Info::RATES | kind);
        info.with_record(record)
    }
    /// The header word of a credit frame (FCVC): the shortest frame, with or without a VLAN tag, at the highest
    /// priority. Its packet has a label and a credit limit of four octets each.
    pub fn credit() -> Info {
        Info(Info::tcp(SHORTEST, 7, Ecn::NotEct).0 | Info::CREDIT)
    }
    /// True for a credit frame (FCVC).
    #[inline]
    pub fn is_credit(self) -> bool {
        self.0 & Info::CREDIT != 0
    }
    /// The header word of a frame from one end of a link to the other, of PFC (IEEE 802.3 annex 31D) or CBFC: the
    /// shortest frame, without a VLAN tag.
    pub fn of_link() -> Info {
        Info(Info::tcp(SHORTEST, 7, Ecn::NotEct).0 | Info::OF_LINK)
    }
    /// True for a frame of PFC or CBFC, which belongs to no flow.
    #[inline]
    pub fn is_of_link(self) -> bool {
        self.0 & Info::OF_LINK != 0
    }
    /// True for a frame that PFC and CBFC may hold back and count: neither a frame of PFC or CBFC, nor a credit of
    /// ExpressPass.
    #[inline]
    pub fn is_held_back(self) -> bool {
        self.0 & (Info::OF_LINK | Info::FLOW_CREDIT) == 0
    }
    /// The header word of the frame with a flag for an errored bit, for which its receiver drops it.
    #[inline]
    pub fn errored(self) -> Info {
        Info(self.0 | Info::ERRORED)
    }
    /// The header word without the flag for an errored bit.
    #[inline]
    pub fn intact(self) -> Info {
        Info(self.0 & !Info::ERRORED)
    }
    /// True for a frame with an errored bit.
    #[inline]
    pub fn is_errored(self) -> bool {
        self.0 & Info::ERRORED != 0
    }
    /// Contents of the frame, as a control scheme distinguishes them.
    #[inline]
    pub fn contents(self) -> Contents {
        match self.0 & (Info::RATES | Info::BACKWARD) {
            0 => Contents::Data,
            Info::RATES => Contents::Forward,
            _ => Contents::Backward,
        }
    }
    /// The frame with `record` in place of its present rate record.
    pub fn with_record(self, record: &RateRecord) -> (Info, Packet) {
        let &RateRecord { er, ccr, mcr, .. } = record;
        let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        let flags = bit(record.ci, Info::CI) | bit(record.ni, Info::NI);
        let info = Info(self.0 & !(Info::CI | Info::NI) | flags);
        (info, Packet::Rates { er, ccr, mcr })
    }
    /// The rate record of the frame, of which `packet` is the packet; `None` if it carries none.
    pub fn record(self, packet: &Packet) -> Option<RateRecord> {
        match *packet {
            Packet::Rates { er, ccr, mcr } => Some(RateRecord {
                er,
                ccr,
                mcr,
                ci: self.0 & Info::CI != 0,
                ni: self.0 & Info::NI != 0,
                bn: false,
            }),
            _ => None,
        }
    }
    /// Octets from header to FCS.
    #[inline]
    pub fn octets(self) -> u32 {
        self.0 & Info::MOST_OCTETS
    }
    /// The ECN code point of the packet.
    #[inline]
    pub fn ecn(self) -> Ecn {
        match self.0 >> Info::ECN & 0b11 {
            0b11 => Ecn::Ce,
            0 => Ecn::NotEct,
            _ => Ecn::Ect,
        }
    }
    /// The header word with ECN code point ECT instead of not-ECT; ECT and CE stay.
    #[inline]
    pub fn ect(self) -> Info {
        let is_ect = self.0 >> Info::ECN & 0b11 != 0;
        Info(self.0 | if is_ect { 0 } else { 0b10 << Info::ECN })
    }
    /// The header word with the packet marked CE.
    #[inline]
    pub fn marked(self) -> Info {
        Info(self.0 | 0b11 << Info::ECN)
    }
    /// Priority code point of the frame; 7 is the highest.
    #[inline]
    pub fn priority(self) -> u8 {
        (self.0 >> Info::PRIORITY & 7) as u8
    }
    /// True for a UDP datagram.
    #[inline]
    pub fn is_udp(self) -> bool {
        self.0 & Info::UDP != 0
    }
    /// The 32 bits of the header word, for a digest.
    pub(super) fn bits(self) -> u64 {
        self.0 as u64
    }
}

/// The packet in a frame, by transport: the record in memory that follows the frame's header word on a link.
#[derive(Clone, Copy, Debug)]
pub enum Packet {
    /// A TCP segment.
    Tcp(Segment),
    /// A RoCE packet.
    Roce(RocePacket),
    /// A UDP datagram, with the time at which its host sent it.
    Udp(Ps),
    /// A rate record (the fields of an RM cell), with rates in octets/s on the line. The bits CI and NI are in the
    /// header word of the frame.
    Rates {
        /// Explicit rate.
        er: f64,
        /// Current rate.
        ccr: f64,
        /// Minimum rate.
        mcr: f64,
    },
    /// Credit (FCVC) for the channel that the label of the frame identifies.
    Credit {
        /// Limit of the channel: the count of octets on the line, since the start of the run, up to which it may send.
        limit: u32,
    },
    /// A PFC frame that begins or ends pauses of priorities.
    Pause(Order),
    /// Credits that the receiver of a link has freed.
    Credits(Update),
    /// Telemetry of one hop, carried by the frame that precedes this record.
    Hop(Hop),
}

impl Word for Info {
    type Record = Packet;

    #[inline(always)]
    fn has_record(self) -> bool {
        true
    }
    #[inline(always)]
    fn is_plain(self) -> bool {
        self.is_udp()
    }
    #[inline(always)]
    fn further(self) -> usize {
        self.hops()
    }
    #[inline(always)]
    fn stamp(sent: Ps) -> Packet {
        Packet::Udp(sent)
    }
    #[inline(always)]
    fn stamp_in(record: &Packet) -> Option<Ps> {
        match record {
            Packet::Udp(sent) => Some(*sent),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_the_sizes_of_the_standard() {
        let plain = Framing { tagged: false };
        let tagged = Framing { tagged: true };
        // An IP packet of 1,500 octets needs 1,518 octets, or 1,522 with a tag. 46 octets fill the shortest
        // frame, or 42 with a tag.
        for (packet, frame, with_tag) in [
            (1_500, 1_518, 1_522),
            (46, 64, 68),
            (42, 64, 64),
            (1, 64, 64),
        ] {
            assert_eq!(
                (plain.frame(packet), tagged.frame(packet)),
                (frame, with_tag)
            );
        }
        // On the line the shortest frame takes 84 octets, and the frame of 1,518 octets takes 1,538.
        assert_eq!(
            [64, 1_518].map(|octets| PREAMBLE + octets + GAP),
            [84, 1_538]
        );
    }

    #[test]
    fn a_word_keeps_what_it_is_given() {
        for ecn in [Ecn::NotEct, Ecn::Ect, Ecn::Ce] {
            let info = Info::tcp(9_018, 5, ecn);
            assert_eq!(
                (info.octets(), info.priority(), info.ecn()),
                (9_018, 5, ecn)
            );
            assert!(!info.is_plain());
        }
        let marked = Info::tcp(1_518, 7, Ecn::Ect).marked();
        assert_eq!(
            (marked.octets(), marked.priority(), marked.ecn()),
            (1_518, 7, Ecn::Ce)
        );
        let told = marked.with_hops(2).with_hops(MOST_HOPS);
        assert_eq!((told.hops(), told.has_telemetry()), (MOST_HOPS, true));
        assert_eq!(
            (told.octets(), told.priority(), told.ecn(), told.contents()),
            (1_518, 7, Ecn::Ce, Contents::Data)
        );
        assert_eq!((marked.hops(), marked.has_telemetry()), (0, false));
        assert!(Info::udp(64, 0).is_stamped());
        assert_eq!(Info::udp(64, 0).contents(), Contents::Data);
        let sent = RateRecord {
            er: 12.5e9,
            ccr: 1.0,
            mcr: 0.5,
            ci: true,
            ni: false,
            bn: false,
        };
        let (info, packet) = Info::rates(64, 3, &sent, true);
        assert_eq!(info.contents(), Contents::Backward);
        assert_eq!(info.record(&packet), Some(sent));
        let changed = RateRecord {
            er: 1e9,
            ci: false,
            ni: true,
            ..sent
        };
        let (info, packet) = info.with_record(&changed);
        assert_eq!(info.record(&packet), Some(changed));
        assert_eq!((info.octets(), info.priority()), (64, 3));
        assert_eq!(size_of::<Packet>(), 32);
        let errored = told.errored();
        assert!(errored.is_errored() && !told.is_errored());
        assert_eq!((errored.octets(), errored.hops()), (1_518, MOST_HOPS));
    }
}
