//! The parameters of a TCP connection, as in a scenario.

use alloc::format;
use alloc::string::String;
use core::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blocks::LARGEST_WINDOW;
use super::handshake::{LARGEST_SHIFT, SCALED_WINDOW, SynOptions, UNSCALED_WINDOW};
use super::recovery::Recovery;
use super::segment::HEADER_BYTES;
use super::stamps::{STAMP_BYTES, Stamping};
use super::ticks::Ticks;
use super::window::Window;
use crate::kernel::Ps;
use crate::kernel::units::Bytes;

/// Choice of the coarse clocks that tick together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// The clocks of one host, for all its connections, as in BSD. The clock of the retransmission
    /// timers and that of delayed acknowledgements start when the host boots; the time of boot is
    /// random for each host.
    #[default]
    PerHost,
    /// The retransmission timers of all hosts, as if all hosts had booted at one instant. Clocks of
    /// delayed acknowledgements have a random phase for each connection.
    Shared,
    /// The retransmission timers of all hosts, at whole multiples of `granularity` from time 0 on.
    /// Clocks of delayed acknowledgements are as under `shared`.
    Aligned,
}

/// The timeout that the backoff factors 2, 4, 8, ... multiply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackoffOf {
    /// The retransmission timeout after `min_rto` has been applied: RFC 6298 (2.4) and (5.5).
    #[default]
    Timeout,
    /// The timeout estimated from round trips; then `min_rto` and `max_rto` bound the product, as
    /// in 4.3BSD (`TCPT_RANGESET` of `tcp_timer.c`). The timeout of a round trip far below
    /// `min_rto` then never grows.
    Estimate,
}

/// Parameters of a TCP connection. Both ends use the same parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpConfig {
    /// The sender's reaction to losses, and its congestion window.
    pub recovery: Recovery,
    /// Sets the connection up before data are sent: SYN, SYN-ACK, ACK (RFC 793 section 3.4), with
    /// their timers. Windows are then as in real headers: unscaled in a SYN, otherwise multiples of
    /// a power of two (RFC 7323).
    pub connection_setup: bool,
    /// Closes the connection of a source that ends, such as `transfer` (RFC 9293 section 3.6). The
    /// segment with the last byte carries FIN, the destination answers with its own FIN, which the
    /// source acknowledges. The completion time is still that of the last byte's acknowledgement.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub connection_close: bool,
    /// Payload bytes of a full segment.
    #[schemars(extend("x-search" = { "low": "64 bytes", "high": "9140 bytes", "scale": "log" }))]
    pub mss: Bytes,
    /// Receive window, which limits the outstanding bytes. A window above 64 KiB implies window
    /// scaling (RFC 7323).
    #[schemars(extend("x-search" = { "low": "16 KiB", "high": "4 MiB", "scale": "log" }))]
    pub window: Bytes,
    /// Initial cwnd, in segments.
    #[schemars(extend("x-search" = { "low": 1, "high": 16, "scale": "linear" }))]
    pub initial_window: u32,
    /// Initial ssthresh; the receive window if absent.
    #[schemars(extend("x-search" = { "low": "16 KiB", "high": "4 MiB", "scale": "log" }))]
    pub initial_ssthresh: Option<Bytes>,
    /// Tick interval of the clock that measures round trips and counts down the retransmission
    /// timer. 500 ms in 4.3BSD; 100 ms (Kalyanaraman 8.5) or 0.1 ms (Romanow and Floyd) in
    /// simulations. `clock` determines the phase.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "500 ms", "scale": "log" }))]
    pub granularity: Ps,
    /// Choice of the coarse clocks that tick together.
    pub clock: Clock,
    /// Retransmission timeout before the first round trip is measured; does not depend on the
    /// granularity.
    #[schemars(extend("x-search" = { "low": "10 ms", "high": "10 s", "scale": "log" }))]
    pub initial_rto: Ps,
    /// Least retransmission timeout; at least one tick.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "1 s", "scale": "log" }))]
    pub min_rto: Ps,
    /// Greatest retransmission timeout.
    #[schemars(extend("x-search" = { "low": "1 s", "high": "240 s", "scale": "log" }))]
    pub max_rto: Ps,
    /// Number of consecutive timeouts after which the backoff factor stops doubling: 6 for 1, 2, 4,
    /// ..., 64, 64.
    #[schemars(extend("x-search" = { "low": 0, "high": 12, "scale": "linear" }))]
    pub max_backoff: u32,
    /// The timeout that the backoff factor multiplies.
    pub backoff_of: BackoffOf,
    /// Acknowledges every second segment at once, and a single segment at the next tick of
    /// `delayed_ack_interval`.
    pub delayed_ack: bool,
    /// Tick interval of the clock of delayed acknowledgements.
    #[schemars(extend("x-search" = { "low": "10 ms", "high": "500 ms", "scale": "log", "when": {"delayed_ack": true} }))]
    pub delayed_ack_interval: Ps,
    /// Begins slow start again after an idle time of at least one RTO (4.3BSD).
    pub idle_restart: bool,
    /// Time that the host needs for each received segment before TCP gets it. Sending a segment
    /// takes no such time.
    #[schemars(extend("x-not-searched" = "a property of the host"))]
    pub processing_time: Ps,
    /// Greatest random addition to `processing_time`.
    #[schemars(extend("x-not-searched" = "a property of the host"))]
    pub processing_variation: Ps,
    /// Only for `tahoe`: after the fast retransmission the sender continues where it had stopped
    /// (4.3BSD). With false it goes back to the lost segment and sends everything from there again.
    pub restore_snd_nxt: bool,
    /// Bytes of TCP and IP headers in every segment, without SACK blocks and time stamps.
    #[schemars(extend("x-not-searched" = "follows from the protocols"))]
    pub header_bytes: u32,
    /// Adds MSS/8 to each linear increase of cwnd, as Net/3 does. Has no effect on `jacobson88`.
    pub net3_increment: bool,
    /// Round trips, and the timer for the oldest segment, begin when the segment's last bit has
    /// left the host (Gerla et al.). With false both begin when TCP hands the segment to IP.
    pub rtt_excludes_transmission: bool,
    /// Uses ECN (RFC 3168) at both ends: queues may mark new data instead of discarding them. Marks
    /// reduce the window once per window of data, by the recovery's rule for a loss, and nothing is
    /// sent again. `dctcp` implies ECN; other recoveries use it only with `true`. Has an effect
    /// only over Ethernet, since ATM switches mark EFCI in cells. Acknowledgements without payload,
    /// retransmissions and segments of the set-up may be marked only under `dctcp`, as with Linux.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<bool>,
    /// Sends one new segment beyond cwnd for each of the first two duplicate acknowledgements (RFC
    /// 3042), so that small windows also get a third duplicate. Recoveries with SACK always do so
    /// (RFC 6675).
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub limited_transmit: bool,
    /// Uses time stamps (RFC 7323) in all segments, 12 bytes each in addition to `header_bytes`.
    /// Each acknowledgement of new data, also of data sent again, measures the round trip from the
    /// hand-over to IP, in ticks of `granularity`. PAWS refuses segments with older stamps.
    /// `connection_setup` negotiates time stamps.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub timestamps: bool,
    /// Spreads segments over the round trip once it has been measured: at 2 cwnd / SRTT below half
    /// of ssthresh, at 1.2 cwnd / SRTT above, as Linux and ns-3 do. SRTT is by an exact clock.
    /// `bbr` has its own pacing.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub pacing: bool,
    /// Segmentation offload: greatest payload that the sender passes to the interface at one
    /// instant, at least two segments. Over Ethernet the frames of such a burst leave back to back,
    /// without frames of other flows of the host between them. Pacing then spaces bursts instead of
    /// segments. A paced burst has the payload that the pace permits in 1/1024 s, but at least two
    /// segments, as in Linux, where the greatest payload is 64 KiB. No bursts if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-not-searched" = "a property of the host"))]
    pub tso: Option<Bytes>,
    /// Checks after a timeout whether the timeout was spurious (F-RTO, RFC 5682). New data follow
    /// the first retransmission. If two acknowledgements in a row acknowledge new data, nothing
    /// else is sent again, and the window is restored (RFC 4015). Recoveries with SACK use the form
    /// of RFC 5682 section 3, which also counts SACK blocks.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub frto: bool,
    /// Nagle's rule (RFC 896; RFC 1122 section 4.2.3.4): while data are outstanding, less than a
    /// full segment waits for more data or until everything is acknowledged. Matters for sources
    /// that write in pieces. The end of a transfer does not wait, since its application closes the
    /// connection.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub nagle: bool,
}

impl Default for TcpConfig {
    fn default() -> TcpConfig {
        TcpConfig {
            recovery: Recovery::Tahoe,
            connection_setup: false,
            connection_close: false,
            mss: Bytes(512),
            window: Bytes(64 * 1024),
            initial_window: 1,
            initial_ssthresh: None,
            granularity: Ps::from_ms(500),
            clock: Clock::PerHost,
            initial_rto: Ps::from_s(3),
            min_rto: Ps::from_s(1),
            max_rto: Ps::from_s(64),
            max_backoff: 6,
            backoff_of: BackoffOf::Timeout,
            delayed_ack: false,
            delayed_ack_interval: Ps::from_ms(200),
            idle_restart: true,
            processing_time: Ps::ZERO,
            processing_variation: Ps::ZERO,
            restore_snd_nxt: true,
            header_bytes: HEADER_BYTES,
            net3_increment: false,
            rtt_excludes_transmission: false,
            ecn: None,
            limited_transmit: false,
            timestamps: false,
            pacing: false,
            tso: None,
            frto: false,
            nagle: false,
        }
    }
}

/// Largest AAL5 payload (16-bit length field) without the 8 bytes of LLC/SNAP.
const MAX_PACKET: u64 = 65_535 - 8;

impl TcpConfig {
    /// True if an end with these parameters can use ECN.
    pub fn has_ecn(&self) -> bool {
        self.ecn.unwrap_or(self.recovery.reports_each_mark())
    }
    /// Window of a connection at its start.
    pub fn first_window(&self) -> Window {
        let (mss, window) = (self.mss.0, self.window.0);
        Window {
            cwnd: mss * self.initial_window as u64,
            // RFC 5681 3.1: arbitrarily high, for example the largest advertised window.
            ssthresh: self.initial_ssthresh.map_or(window, |bytes| bytes.0),
            rwnd: window,
            mss,
            cap: window,
            // RFC 2001 section 2 calls this addition wrong, but Net/3 makes it.
            extra: if self.net3_increment { mss / 8 } else { 0 },
        }
    }
    /// Options of the SYN that either end sends. The shift is the least shift with which the receive window fits
    /// into 16 bits.
    pub fn syn_options(&self) -> SynOptions {
        let shift = (0..LARGEST_SHIFT).find(|shift| self.window.0 >> shift <= UNSCALED_WINDOW);
        SynOptions {
            mss: self.mss.0 as u16,
            shift: shift.unwrap_or(LARGEST_SHIFT),
            sack_permitted: self.recovery.is_selective(),
            ecn: self.has_ecn(),
            timestamps: self.timestamps,
        }
    }
    /// Bytes of TCP and IP headers of a segment with payload, time stamps included.
    pub fn data_header_bytes(&self) -> u32 {
        let stamps = if self.timestamps { STAMP_BYTES } else { 0 };
        self.header_bytes.saturating_add(stamps)
    }
    /// State of the time stamps at one end, whose clock has the phase `phase`; `None` if the connection has no
    /// time stamps.
    pub(super) fn stamping(&self, phase: Ps) -> Option<Stamping> {
        let ticks = || Ticks::new(self.granularity, phase);
        self.timestamps.then(|| Stamping::new(ticks()))
    }

    /// Refuses values with which no connection can run. The message names the field, its value and
    /// the allowed values.
    pub fn validate(&self) -> Result<(), String> {
        self.validate_sizes()?;
        self.recovery.check()?;
        check(
            self.has_ecn() || !self.recovery.reports_each_mark(),
            "ecn",
            "false",
            "true or absent with `dctcp`, which reacts to marks",
        )?;
        self.validate_times()
    }

    fn validate_sizes(&self) -> Result<(), String> {
        let most = MAX_PACKET.saturating_sub(self.data_header_bytes() as u64);
        check(
            (1..=most).contains(&self.mss.0),
            "mss",
            self.mss,
            format!("1 bytes to {most} bytes"),
        )?;
        let widest = Bytes(u32::MAX as u64);
        let window = (self.mss.0..=widest.0).contains(&self.window.0);
        check(
            window,
            "window",
            self.window,
            format!("the mss ({}) to {widest}", self.mss),
        )?;
        let reported = !self.recovery.is_selective() || self.window.0 <= LARGEST_WINDOW;
        check(
            reported,
            "window",
            self.window,
            format!("at most {} with SACK", Bytes(LARGEST_WINDOW)),
        )?;
        let scaled = !self.connection_setup || self.window <= SCALED_WINDOW;
        check(
            scaled,
            "window",
            self.window,
            format!("at most {SCALED_WINDOW} with connection_setup"),
        )?;
        let burst = self.tso.unwrap_or(Bytes(2 * self.mss.0));
        check(
            burst.0 >= 2 * self.mss.0,
            "tso",
            burst,
            format!("at least two segments ({})", Bytes(2 * self.mss.0)),
        )?;
        check(
            self.initial_window > 0,
            "initial_window",
            self.initial_window,
            "at least 1 segment",
        )?;
        let ssthresh = self.initial_ssthresh.unwrap_or(self.window);
        check(
            ssthresh >= self.mss,
            "initial_ssthresh",
            ssthresh,
            format!("at least the mss ({})", self.mss),
        )
    }

    fn validate_times(&self) -> Result<(), String> {
        check(
            self.granularity > Ps::ZERO,
            "granularity",
            self.granularity,
            "above 0 s",
        )?;
        check(
            self.initial_rto > Ps::ZERO,
            "initial_rto",
            self.initial_rto,
            "above 0 s",
        )?;
        check(
            self.max_rto > Ps::ZERO,
            "max_rto",
            self.max_rto,
            "above 0 s",
        )?;
        let allowed = format!("at most max_rto ({})", self.max_rto);
        check(
            self.min_rto <= self.max_rto,
            "min_rto",
            self.min_rto,
            allowed,
        )?;
        check(
            self.max_backoff <= 12,
            "max_backoff",
            self.max_backoff,
            "0 to 12",
        )?;
        let interval = self.delayed_ack_interval;
        check(
            interval > Ps::ZERO,
            "delayed_ack_interval",
            interval,
            "above 0 s",
        )
    }
}

fn check(ok: bool, field: &str, found: impl Display, allowed: impl Display) -> Result<(), String> {
    if ok {
        Ok(())
    } else {
        Err(format!("`{field}` is {found}; allowed: {allowed}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(change: impl Fn(&mut TcpConfig)) -> String {
        let mut config = TcpConfig::default();
        change(&mut config);
        config.validate().unwrap_err()
    }

    #[test]
    fn the_default_is_valid_and_reads_back_the_same() {
        let config = TcpConfig::default();
        assert_eq!(config.validate(), Ok(()));
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<TcpConfig>(&text).unwrap(), config);
        assert_eq!(serde_json::from_str::<TcpConfig>("{}").unwrap(), config);
    }

    #[test]
    fn unknown_keys_and_policies_are_refused() {
        assert!(serde_json::from_str::<TcpConfig>(r#"{"mms": "512 bytes"}"#).is_err());
        for unknown in [r#""westwood""#, r#"{ "policy": "westwood", "gain": 2 }"#] {
            let text = alloc::format!(r#"{{"recovery": {unknown}}}"#);
            let config: TcpConfig = serde_json::from_str(&text).unwrap();
            let refused = "recovery: there is no policy `westwood`".into();
            assert_eq!(config.validate(), Err(refused));
        }
    }

    #[test]
    fn a_refusal_names_field_found_and_allowed() {
        assert_eq!(
            broken(|c| c.mss = Bytes(0)),
            "`mss` is 0 bytes; allowed: 1 bytes to 65487 bytes"
        );
        assert_eq!(
            broken(|c| c.window = Bytes(100)),
            "`window` is 100 bytes; allowed: the mss (512 bytes) to 4294967295 bytes"
        );
        let selective = broken(|c| (c.recovery, c.window) = (Recovery::Sack, Bytes(1 << 31)));
        assert_eq!(
            selective,
            "`window` is 2097152 KiB; allowed: at most 2147483647 bytes with SACK"
        );
        let scaled = broken(|c| (c.connection_setup, c.window) = (true, Bytes(1 << 30)));
        assert_eq!(
            scaled,
            "`window` is 1048576 KiB; allowed: at most 1048560 KiB with connection_setup"
        );
        assert_eq!(
            broken(|c| c.min_rto = Ps::from_s(65)),
            "`min_rto` is 65 s; allowed: at most max_rto (64 s)"
        );
    }

    #[test]
    fn dctcp_implies_ecn_and_refuses_to_be_without() {
        let dctcp = || Recovery::Dctcp(Default::default());
        let config = |ecn| TcpConfig {
            recovery: dctcp(),
            ecn,
            ..TcpConfig::default()
        };
        assert!(config(None).has_ecn() && !TcpConfig::default().has_ecn());
        assert_eq!(config(Some(true)).validate(), Ok(()));
        assert_eq!(
            config(Some(false)).validate(),
            Err(
                "`ecn` is false; allowed: true or absent with `dctcp`, which reacts to marks"
                    .into()
            )
        );
    }

    #[test]
    fn a_connection_without_options_is_written_as_before_they_existed() {
        let text = serde_json::to_string(&TcpConfig::default()).unwrap();
        let options = [
            "ecn",
            "limited_transmit",
            "timestamps",
            "pacing",
            "frto",
            "nagle",
            "connection_close",
            "tso",
        ];
        assert!(options.iter().all(|option| !text.contains(option)));
    }

    #[test]
    fn time_stamps_are_part_of_the_largest_packet() {
        let config = |mss| TcpConfig {
            timestamps: true,
            mss: Bytes(mss),
            window: Bytes(100_000),
            ..TcpConfig::default()
        };
        // 65,527 - 40 - 12
        assert_eq!(config(65_475).validate(), Ok(()));
        assert!(config(65_476).validate().is_err());
    }

    #[test]
    fn impossible_values_are_refused() {
        assert!(broken(|c| c.tso = Some(Bytes(1_023))).contains("tso"));
        assert!(broken(|c| c.initial_window = 0).contains("initial_window"));
        assert!(broken(|c| c.initial_ssthresh = Some(Bytes(1))).contains("initial_ssthresh"));
        assert!(broken(|c| c.granularity = Ps::ZERO).contains("granularity"));
        assert!(broken(|c| c.initial_rto = Ps::ZERO).contains("initial_rto"));
        assert!(broken(|c| c.max_backoff = 13).contains("max_backoff"));
        assert!(broken(|c| c.delayed_ack_interval = Ps::ZERO).contains("delayed_ack_interval"));
        assert!(broken(|c| c.header_bytes = 70_000).contains("mss"));
    }
}
