//! RDMA over Converged Ethernet: a reliable connection of InfiniBand over UDP and IP (RoCEv2, InfiniBand
//! Architecture Specification, annex A17), which recovers from losses by go-back-N, and its rate control.

pub mod control;
pub mod demand;
pub mod pacer;
pub mod packet;
pub mod receiver;
pub mod reported;
pub mod reporter;
pub mod selective;
pub mod sender;
pub mod telemetry;

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::control::RoceControlConfig;
use self::packet::{ACK_PACKET, CNP_PACKET, CREDIT_NUMBER, CREDIT_PACKET, HEADERS, TELEMETRY};
use super::aqm::{lasting, require};
use super::frame::{Framing, Info, PREAMBLE};
use super::line::OctetClock;
use crate::kernel::units::Bytes;
use crate::kernel::{Finding, Ps};
use crate::net::LinkPlan;
use crate::traffic::SourceConfig;

/// Rule for the packets that a source over RoCE sends again after a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Resend {
    /// The missing packet and all packets behind it (InfiniBand Architecture Specification, reliable connection).
    #[default]
    GoBackN,
    /// Only the missing packet (Ultra Ethernet).
    Selective,
}

/// A flow over RoCEv2 in place of TCP: one message after the other in numbered packets (PSN), without a window other than
/// that of its rate control. The receiver accepts packets only in order, and asks once for the first missing packet
/// (go-back-N), unless `resend` is `selective`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoceConfig {
    /// Payload of a full packet (path MTU of InfiniBand: 256 bytes to 4096 bytes). The frame of the packet has 62 bytes
    /// more, of Ethernet, IP, UDP, BTH, ICRC and FCS, another 42 bytes with telemetry, and 4 bytes under ExpressPass.
    #[schemars(extend("x-search" = { "low": "256 bytes", "high": "4096 bytes", "scale": "powers-of-two" }))]
    pub payload: Bytes,
    /// Number of packets for each acknowledgement; the last packet of a transfer is always acknowledged. Under ExpressPass
    /// credits acknowledge the other packets, under NSCC reports do.
    #[schemars(range(min = 1), extend("x-search" = { "low": 1, "high": 64, "scale": "powers-of-two" }))]
    pub ack_every: u32,
    /// Time without progress of acknowledgements after which the source sends again from the first packet that is not
    /// acknowledged. InfiniBand has 4.096 us times a power of two. Under ExpressPass it is also the time without a credit
    /// after which the source repeats its request.
    #[schemars(extend("x-search" = { "low": "65.536 us", "high": "67.108864 ms", "scale": "log" }))]
    pub timeout: Ps,
    /// Packets that are sent again after a loss. With `selective` the receiver keeps packets that arrive ahead of a missing
    /// one, and asks only for packets that switches have trimmed (`switch.trim_priority`). Other losses wait for the
    /// timeout.
    pub resend: Resend,
    /// Rate control of the source; `none` sends at the rate of the line.
    pub control: RoceControlConfig,
}

impl Default for RoceConfig {
    fn default() -> RoceConfig {
        RoceConfig {
            payload: Bytes(1_024),
            ack_every: 1,
            timeout: Ps(4_096_000 << 8),
            resend: Resend::default(),
            control: RoceControlConfig::default(),
        }
    }
}

impl RoceConfig {
    /// Findings about the parameters, except for those of `control`.
    pub fn check(&self) -> Vec<Finding> {
        let own = [
            require("payload", self.payload.0 > 0, self.payload, "above 0"),
            require("ack_every", self.ack_every > 0, self.ack_every, "above 0"),
            lasting("timeout", self.timeout),
        ];
        own.into_iter().flatten().collect()
    }
    /// Number of packets of a transfer of `bytes`; `u64::MAX` if the transfer never ends.
    pub fn packets(&self, bytes: u64) -> u64 {
        match bytes {
            u64::MAX => u64::MAX,
            _ => bytes.div_ceil(self.payload.0),
        }
    }
    /// Octets of the longest IP packet of the flow.
    pub fn longest_packet(&self) -> u64 {
        let (headers, payload) = self.full_packet();
        (headers + payload).max(CNP_PACKET.max(self.acknowledgement()).into())
    }
    /// Octets for telemetry in packets with data and in acknowledgements.
    fn telemetry(&self) -> u32 {
        if self.control.has_telemetry() {
            TELEMETRY
        } else {
            0
        }
    }
    /// Octets of the IP packet of an acknowledgement.
    pub fn acknowledgement(&self) -> u32 {
        ACK_PACKET + self.telemetry()
    }
    /// Octets on the line of a credit of ExpressPass, and of the full packet that is sent with it; `None` without
    /// ExpressPass.
    pub fn credit_and_data(&self, framing: Framing) -> Option<(u32, u32)> {
        self.control.credits()?;
        let data = self.longest_data().min(Info::MOST_OCTETS);
        Some((framing.on_line(CREDIT_PACKET), framing.on_line(data)))
    }
    /// Least time from the start of a full packet to the last bit of its acknowledgement, over the links `there` of its path
    /// and the links `back` of the path back, if nothing else waits on these links.
    pub fn round_trip<'a>(
        &self,
        framing: Framing,
        there: impl Iterator<Item = &'a LinkPlan>,
        back: impl Iterator<Item = &'a LinkPlan>,
    ) -> Ps {
        let time = |link: &LinkPlan, packet: u32| {
            let octets = PREAMBLE + framing.frame(packet.min(Info::MOST_OCTETS));
            OctetClock::new(link.rate)
                .ceil(octets)
                .saturating_add(link.delay)
        };
        let data = there.map(|link| time(link, self.longest_data()));
        let answer = back.map(|link| time(link, self.acknowledgement()));
        data.chain(answer).fold(Ps::ZERO, Ps::saturating_add)
    }
    /// Octets of the IP packet of a full data packet.
    pub fn longest_data(&self) -> u32 {
        let (headers, payload) = self.full_packet();
        (headers + payload) as u32
    }
    /// Octets of headers and padding of a full packet, and octets of its payload. No payload is longer than 4 GiB.
    pub fn full_packet(&self) -> (u64, u64) {
        let payload = self.payload.0.min(1 << 32);
        let padding = payload.next_multiple_of(4) - payload;
        let number = self.control.credits().map_or(0, |_| CREDIT_NUMBER);
        let headers = HEADERS + number + self.telemetry();
        (u64::from(headers) + padding, payload)
    }
}

/// True if a source can run over RoCE: `greedy` or `transfer`.
pub fn can_run(source: &SourceConfig) -> bool {
    matches!(source, SourceConfig::Greedy(_) | SourceConfig::Transfer(_))
}
