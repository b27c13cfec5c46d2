//! The report of a run. Every measure is defined here once, and its key states the unit. Bytes of frames count from header
//! to FCS. Rates of lines count preambles and interframe gaps, too.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use super::collective::CollectiveReport;
use crate::control::ControlReport;
use crate::kernel::Ps;
use crate::kernel::statistics::jain_index;

/// The report of a run. Measures cover the measuring window unless they say "whole run".
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Hash of the events of all components, in the order of the components (whole run).
    pub digest: String,
    /// Length of the run.
    pub simulated_seconds: f64,
    /// Length of the measuring window.
    pub window_seconds: f64,
    /// Frames that crossed a link (whole run).
    pub packet_hops: u64,
    /// Sums and indices over all flows.
    pub totals: Totals,
    /// One entry per flow.
    pub flows: Vec<FlowReport>,
    /// One entry per group whose flows await one another.
    pub collectives: Vec<CollectiveReport>,
    /// One entry per output port of a switch.
    pub ports: Vec<PortReport>,
    /// One entry per link with bit errors.
    pub links: Vec<LinkReport>,
}

impl Report {
    /// Adds the completion time of each flow in a run without the other flows, and computes the slowdowns.
    pub fn add_alone(&mut self, alone: &[Option<Ps>]) {
        for (flow, alone) in self.flows.iter_mut().zip(alone) {
            flow.alone_seconds = alone.map(Ps::as_secs_f64);
            let both = flow.completion_seconds.zip(flow.alone_seconds);
            flow.slowdown = both.map(|(among, alone)| among / alone);
        }
        let found = Quantiles::of(self.flows.iter().filter_map(|flow| flow.slowdown));
        self.totals.slowdown_mean = found.mean;
        [
            self.totals.slowdown_p50,
            self.totals.slowdown_p95,
            self.totals.slowdown_p99,
        ] = found.p50_p95_p99;
    }
}

/// Mean and quantiles of values; `None` without values.
pub(super) struct Quantiles {
    pub(super) mean: Option<f64>,
    pub(super) p50_p95_p99: [Option<f64>; 3],
}

impl Quantiles {
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Quantiles {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        // The least value that at least `percent` percent of the values do not exceed.
        let quantile = |percent: usize| {
            let rank = (values.len() * percent).div_ceil(100);
            values.get(rank.checked_sub(1)?).copied()
        };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Quantiles {
            mean: (!values.is_empty()).then_some(mean),
            p50_p95_p99: [50, 95, 99].map(quantile),
        }
    }
}

/// Sums and indices over all flows.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct Totals {
    /// Sum of the flows' throughputs, over TCP, over RoCE and of datagrams.
    #[schemars(extend("x-formula" = "sum of `throughput_bits_per_second` of `flows`", "x-better" = "more"))]
    pub throughput_bits_per_second: f64,
    /// Sum of the throughputs of the flows over TCP.
    #[schemars(extend("x-formula" = "sum of `tcp_throughput_bits_per_second` of the flows over TCP", "x-better" = "more"))]
    pub tcp_throughput_bits_per_second: f64,
    /// Sum of the goodputs of the flows over TCP and RoCE.
    #[schemars(extend("x-formula" = "sum of `goodput_bits_per_second` of the flows over TCP and RoCE", "x-better" = "more"))]
    pub goodput_bits_per_second: f64,
    /// Frames sent by all hosts.
    pub packets_sent: u64,
    /// Frames that arrived at hosts.
    #[schemars(extend("x-better" = "more"))]
    pub packets_delivered: u64,
    /// Frames dropped at switches.
    #[schemars(extend("x-better" = "less"))]
    pub packets_dropped: u64,
    /// Frames of flows that receivers dropped by their FCS, since a bit was errored.
    #[schemars(extend("x-source" = "IEEE 802.3 clause 3.2.9", "x-better" = "less"))]
    pub packets_lost_on_links: u64,
    /// Frames dropped, divided by the sum of frames dropped and frames that arrived at hosts; 0 if both are 0.
    #[schemars(extend("x-formula" = "packets_dropped / (packets_dropped + packets_delivered)", "x-better" = "less", "x-greatest" = 1))]
    pub packet_loss_ratio: f64,
    /// Frames that arrived at hosts with a congestion mark.
    #[schemars(extend("x-source" = "RFC 3168 section 5"))]
    pub packets_marked: u64,
    /// Segments, and packets over RoCE, sent again.
    #[schemars(extend("x-better" = "less"))]
    pub segments_retransmitted: u64,
    /// Expiries of retransmission timers.
    #[schemars(extend("x-unit" = "", "x-better" = "less"))]
    pub timeouts: u64,
    /// Jain's index of fairness over the throughputs of the flows over TCP and RoCE: 1 if all are equal, 1/n
    /// if one flow has everything. Null without such flows, or if none of them delivers anything.
    #[schemars(extend("x-formula" = "(sum x)^2 / (n sum x^2), x = `throughput_bits_per_second` of the n flows over TCP and RoCE", "x-source" = "Jain, Chiu and Hawe 84", "x-better" = "more", "x-greatest" = 1))]
    pub jain_index: Option<f64>,
    /// Flows whose last byte has been acknowledged (whole run).
    #[schemars(extend("x-unit" = "flows", "x-better" = "more"))]
    pub flows_completed: u64,
    /// Mean completion time of the flows that have ended; null if none has (whole run).
    #[schemars(extend("x-formula" = "sum of `completion_seconds` / `flows_completed`", "x-better" = "less"))]
    pub completion_mean_seconds: Option<f64>,
    /// Median completion time: the least completion time that at least half of the ended flows do not exceed
    /// (whole run).
    #[schemars(extend("x-better" = "less"))]
    pub completion_p50_seconds: Option<f64>,
    /// Completion time that at least 95 % of the ended flows do not exceed (whole run).
    #[schemars(extend("x-better" = "less"))]
    pub completion_p95_seconds: Option<f64>,
    /// Completion time that at least 99 % of the ended flows do not exceed (whole run).
    #[schemars(extend("x-better" = "less"))]
    pub completion_p99_seconds: Option<f64>,
    /// Greatest completion time of the groups whose flows await one another (whole run). Null without such groups, or if a
    /// flow of such a group has not ended.
    #[schemars(extend("x-formula" = "greatest `completion_seconds` of `collectives`", "x-better" = "less"))]
    pub collective_completion_seconds: Option<f64>,
    /// Mean slowdown of the flows that have ended (whole run). Null without `measure.slowdown`, or if no flow
    /// has ended.
    #[schemars(extend("x-unit" = "", "x-formula" = "sum of `slowdown` of `flows` / number of flows with one", "x-better" = "less"))]
    pub slowdown_mean: Option<f64>,
    /// Median slowdown: the least slowdown that at least half of the ended flows do not exceed (whole run).
    #[schemars(extend("x-unit" = "", "x-better" = "less"))]
    pub slowdown_p50: Option<f64>,
    /// Slowdown that at least 95 % of the ended flows do not exceed (whole run).
    #[schemars(extend("x-unit" = "", "x-better" = "less"))]
    pub slowdown_p95: Option<f64>,
    /// Slowdown that at least 99 % of the ended flows do not exceed (whole run).
    #[schemars(extend("x-unit" = "", "x-better" = "less"))]
    pub slowdown_p99: Option<f64>,
}

impl Totals {
    /// The sums and indices that follow from the reports of the flows; all others are 0.
    pub(crate) fn over(flows: &[FlowReport]) -> Totals {
        let over_tcp = flows.iter();
        let over_tcp: Vec<f64> = over_tcp
            .filter_map(|flow| flow.tcp_throughput_bits_per_second)
            .collect();
        let reliable = flows
            .iter()
            .filter(|flow| flow.goodput_bits_per_second.is_some());
        let shares: Vec<f64> = reliable
            .map(|flow| flow.throughput_bits_per_second)
            .collect();
        let goodputs = flows.iter().filter_map(|flow| flow.goodput_bits_per_second);
        let ended = flows.iter().filter_map(|flow| flow.completion_seconds);
        let completion = Quantiles::of(ended.clone());
        let [
            completion_p50_seconds,
            completion_p95_seconds,
            completion_p99_seconds,
        ] = completion.p50_p95_p99;
        Totals {
            throughput_bits_per_second: flows
                .iter()
                .map(|flow| flow.throughput_bits_per_second)
                .sum(),
            // The sum of no floats is -0; without flows over TCP it must be 0.
            tcp_throughput_bits_per_second: over_tcp.iter().sum::<f64>() + 0.0,
            goodput_bits_per_second: goodputs.sum::<f64>() + 0.0,
            segments_retransmitted: flows.iter().map(|flow| flow.segments_retransmitted).sum(),
            timeouts: flows.iter().map(|flow| flow.timeouts).sum(),
            jain_index: jain_index(&shares),
            flows_completed: ended.count() as u64,
            completion_mean_seconds: completion.mean,
            completion_p50_seconds,
            completion_p95_seconds,
            completion_p99_seconds,
            ..Totals::default()
        }
    }
}

/// Measures of one flow over the measuring window, unless a measure states another span.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct FlowReport {
    /// Name of the flow.
    pub name: String,
    /// Name of the flow's group.
    pub group: String,
    /// Number in the group, from 1.
    #[schemars(extend("x-unit" = ""))]
    pub index: u32,
    /// Kind of the flow's source of traffic, as in the scenario.
    pub source: &'static str,
    /// Priority of the flow's frames; 7 is the highest.
    #[schemars(extend("x-unit" = "", "x-source" = "IEEE 802.1Q"))]
    pub priority: u8,
    /// Start time of the flow, jitter included. Null if the flow still awaits other flows.
    pub start_seconds: Option<f64>,
    /// Bytes delivered in order to the destination application; for datagrams their payload bytes.
    #[schemars(extend("x-better" = "more"))]
    pub delivered_bytes: u64,
    /// Payload delivered to the destination application in the measuring window, divided by the length of this window,
    /// in bit/s.
    #[schemars(extend("x-formula" = "8 delivered_bytes / window", "x-better" = "more"))]
    pub throughput_bits_per_second: f64,
    /// Bytes delivered in order to the destination application in the measuring window, divided by the length of this
    /// window, in bit/s; null without TCP.
    #[schemars(extend("x-formula" = "8 delivered_bytes / window", "x-better" = "more"))]
    pub tcp_throughput_bits_per_second: Option<f64>,
    /// Bytes acknowledged in the measuring window, divided by the length of this window, in bit/s; null for datagrams.
    #[schemars(extend("x-formula" = "8 acked_bytes / window", "x-better" = "more"))]
    pub goodput_bits_per_second: Option<f64>,
    /// Bytes whose acknowledgement has reached the source; 0 for datagrams.
    #[schemars(extend("x-better" = "more"))]
    pub acked_bytes: u64,
    /// Delivered bytes / (delivered bytes + bytes sent again). Null for datagrams, and if no bytes were
    /// delivered or sent again.
    #[schemars(extend("x-unit" = "", "x-formula" = "delivered_bytes / (delivered_bytes + bytes_retransmitted)", "x-source" = "Ajmone Marsan 97 section 4.1", "x-better" = "more", "x-greatest" = 1))]
    pub efficiency: Option<f64>,
    /// Segments with payload, or packets with payload over RoCE, that were sent or sent again.
    pub segments_sent: u64,
    /// Segments, or packets over RoCE, that were sent again.
    #[schemars(extend("x-better" = "less"))]
    pub segments_retransmitted: u64,
    /// Bytes sent again.
    #[schemars(extend("x-better" = "less"))]
    pub bytes_retransmitted: u64,
    /// Expiries of the retransmission timer.
    #[schemars(extend("x-unit" = "", "x-source" = "RFC 6298 section 5", "x-better" = "less"))]
    pub timeouts: u64,
    /// Fast retransmissions.
    #[schemars(extend("x-unit" = "", "x-source" = "RFC 5681 section 3.2", "x-better" = "less"))]
    pub fast_retransmits: u64,
    /// Duplicate acknowledgements that the sender has counted.
    #[schemars(extend("x-unit" = "", "x-source" = "RFC 5681 section 2, RFC 6675 section 2", "x-better" = "less"))]
    pub duplicate_acks: u64,
    /// Packets that the source has sent.
    pub packets_sent: u64,
    /// Packets of the source that have arrived at the destination, trimmed packets included.
    #[schemars(extend("x-better" = "more"))]
    pub packets_delivered: u64,
    /// Packets of the source that switches and routers have dropped.
    #[schemars(extend("x-better" = "less"))]
    pub packets_dropped: u64,
    /// Packets of the source that receivers of links dropped by their FCS, because a bit was errored.
    #[schemars(extend("x-source" = "IEEE 802.3 clause 3.2.9", "x-better" = "less"))]
    pub packets_lost_on_links: u64,
    /// Packets of the source that have arrived with a congestion mark at the last Ethernet node of the path:
    /// the destination or a router.
    #[schemars(extend("x-source" = "RFC 3168 section 5"))]
    pub packets_marked: u64,
    /// Time from the start of the flow to the acknowledgement of its last byte (whole run). Null without this
    /// acknowledgement.
    #[schemars(extend("x-formula" = "time of the last acknowledgement - start_seconds", "x-better" = "less"))]
    pub completion_seconds: Option<f64>,
    /// Completion time of the flow alone in the network, on the same paths and from its start (whole run).
    /// Null without `measure.slowdown`, or if the flow has not completed.
    #[schemars(extend("x-better" = "less"))]
    pub alone_seconds: Option<f64>,
    /// Completion time among the other flows / completion time alone (whole run). Null without either time.
    #[schemars(extend("x-unit" = "", "x-formula" = "completion_seconds / alone_seconds", "x-better" = "less"))]
    pub slowdown: Option<f64>,
    /// Mean delay of packets, from their hand-over to IP at the source to their arrival; null without arrivals.
    #[schemars(extend("x-formula" = "sum of delays / packets", "x-better" = "less"))]
    pub packet_delay_mean_seconds: Option<f64>,
    /// Standard deviation of the delay of packets; null without arrivals.
    #[schemars(extend("x-formula" = "square root of the mean squared distance from the mean", "x-better" = "less"))]
    pub packet_delay_std_seconds: Option<f64>,
    /// Median delay of packets, exact to 1/32 of its value; null without arrivals.
    #[schemars(extend("x-better" = "less"))]
    pub packet_delay_p50_seconds: Option<f64>,
    /// 99th percentile of the delay of packets, exact to 1/32 of its value; null without arrivals.
    #[schemars(extend("x-better" = "less"))]
    pub packet_delay_p99_seconds: Option<f64>,
    /// Rate records (frames with the fields of an RM cell) that the source has sent; null without rate control.
    pub records_sent: Option<u64>,
    /// Time-weighted mean of ACR, which counts preambles and interframe gaps. For a flow over ABR this is the
    /// ACR of its virtual channel. Null without rate control and without ABR.
    #[schemars(extend("x-formula" = "integral of ACR over the window / window", "x-source" = "TM 4.0 section 5.10.4"))]
    pub acr_mean_bits_per_second: Option<f64>,
    /// ACR at the end of the run, with preambles and interframe gaps (whole run). Null without rate control
    /// and without ABR.
    #[schemars(extend("x-source" = "TM 4.0 section 5.10.4"))]
    pub acr_final_bits_per_second: Option<f64>,
    /// Time-weighted mean of the rate of a source over RoCE, preambles and interframe gaps included. The rate is R_C of
    /// DCQCN, R of HPCC and TIMELY, the pacing rate of Swift, and under ExpressPass the rate of data that the credits allow.
    /// Null without RoCE.
    #[schemars(extend("x-formula" = "integral of the rate over the window / window", "x-source" = "Zhu et al. 2015; Li et al. 2019; Mittal et al. 2015"))]
    pub rate_mean_bits_per_second: Option<f64>,
    /// Rate of a source over RoCE at the end of the run (whole run). Null without RoCE.
    #[schemars(extend("x-source" = "Zhu et al. 2015; Li et al. 2019; Mittal et al. 2015"))]
    pub rate_final_bits_per_second: Option<f64>,
    /// Congestion notification packets (CNPs) that the destination has sent; null without RoCE.
    #[schemars(extend("x-unit" = "packets", "x-source" = "Zhu et al. 2015"))]
    pub cnps_sent: Option<u64>,
    /// CNPs that the source has received; null without RoCE.
    #[schemars(extend("x-unit" = "packets", "x-source" = "Zhu et al. 2015"))]
    pub cnps_received: Option<u64>,
    /// Negative acknowledgements (NAKs) after which the source has gone back to a missing packet, or has sent this packet
    /// alone again; null without RoCE.
    #[schemars(extend("x-unit" = "packets", "x-source" = "InfiniBand Architecture Specification, reliable connection", "x-better" = "less"))]
    pub naks_received: Option<u64>,
    /// Credits of ExpressPass that came due at the destination. Credits that the queue of the destination's interface
    /// dropped count, too. Null without ExpressPass.
    #[schemars(extend("x-unit" = "packets", "x-source" = "Cho et al. 2017"))]
    pub credits_sent: Option<u64>,
    /// Credits of ExpressPass that the source has received; all other credits were dropped or are on their way. Null without
    /// ExpressPass.
    #[schemars(extend("x-unit" = "packets", "x-source" = "Cho et al. 2017"))]
    pub credits_received: Option<u64>,
    /// Credits of ExpressPass with which no packet was sent, because the source had no more data; null without ExpressPass.
    #[schemars(extend("x-unit" = "packets", "x-source" = "Cho et al. 2017", "x-better" = "less"))]
    pub credits_unused: Option<u64>,
    /// Mean number of cells in the source queue of the flow's virtual channel, at the router where its data
    /// enter ATM. Null for a flow that does not cross ATM.
    #[schemars(extend("x-formula" = "integral of their number over the window / window", "x-better" = "less"))]
    pub router_queue_mean_cells: Option<f64>,
    /// Greatest number of cells in the source queue of the flow's virtual channel, at the router where its
    /// data enter ATM. Null for a flow that does not cross ATM.
    #[schemars(extend("x-better" = "less"))]
    pub router_queue_max_cells: Option<u64>,
    /// Balance of all bytes (whole run); null for datagrams.
    pub balance: Option<Balance>,
}

/// Balance of all bytes that TCP or RoCE sent, by their places at the end of the run. Bytes sent and bytes
/// accounted for are equal in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "Kalyanaraman 97 section 8.8"))]
pub struct Balance {
    /// Bytes sent for the first time (whole run).
    pub sent_once_bytes: u64,
    /// Bytes sent again (whole run).
    pub retransmitted_bytes: u64,
    /// Bytes delivered to the application (whole run).
    pub delivered_bytes: u64,
    /// Payload bytes in frames that switches dropped, and payload bytes that switches cut off packets (trimming) whose
    /// headers arrived (whole run).
    pub dropped_bytes: u64,
    /// Bytes in frames that receivers of links dropped by their FCS (whole run).
    pub lost_on_links_bytes: u64,
    /// Bytes in frames that at the end of the run are on links or in switches, or wait at a source under rate control
    /// or with TCP bursts (`tcp.tso`).
    pub in_path_bytes: u64,
    /// Bytes that arrived twice, or that arrived over RoCE ahead of a missing packet and were discarded (whole run).
    pub duplicate_bytes: u64,
    /// Bytes that at the end of the run wait at the receiver for earlier bytes.
    pub held_out_of_order_bytes: u64,
}

impl Balance {
    /// Bytes sent for the first time or again.
    pub fn sent(&self) -> u64 {
        self.sent_once_bytes + self.retransmitted_bytes
    }
    /// Sum of the bytes delivered, dropped, lost on links, under way, duplicate or waiting at the receiver.
    pub fn accounted(&self) -> u64 {
        self.delivered_bytes
            + self.dropped_bytes
            + self.lost_on_links_bytes
            + self.in_path_bytes
            + self.duplicate_bytes
            + self.held_out_of_order_bytes
    }
}

/// Dropped frames / (dropped frames + passed frames); 0 without frames.
pub(crate) fn loss_ratio(dropped: u64, passed: u64) -> f64 {
    dropped as f64 / (dropped + passed).max(1) as f64
}

/// A link with bit errors, in one direction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct LinkReport {
    /// Name of the link.
    pub name: String,
    /// Mean probability that a bit is errored, by the parameters of the link.
    #[schemars(extend("x-unit" = "", "x-formula" = "with bursts the mean of both states, by their share of the time", "x-source" = "Gilbert 1960; Elliott 1963", "x-better" = "less"))]
    pub bit_error_ratio: f64,
    /// Frames that have arrived at the end of the link, including errored frames and frames of flow control.
    pub packets_arrived: u64,
    /// Frames that the receiver of the link dropped by their FCS.
    #[schemars(extend("x-source" = "IEEE 802.3 clause 3.2.9", "x-better" = "less"))]
    pub packets_lost: u64,
    /// Frames that link-level retry sent again; a frame counts each time. The tries before arrived with an errored bit. Null
    /// without link-level retry.
    #[schemars(extend("x-source" = "Ultra Ethernet, link layer", "x-better" = "less"))]
    pub packets_retried: Option<u64>,
    /// Frames dropped by their FCS / frames that have arrived; 0 without frames.
    #[schemars(extend("x-formula" = "packets_lost / packets_arrived", "x-better" = "less", "x-greatest" = 1))]
    pub packet_loss_ratio: f64,
}

/// An output port of a switch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct PortReport {
    /// Name of the port's link.
    pub name: String,
    /// Rate of the port's link.
    pub rate_bits_per_second: f64,
    /// Share of the measuring window in which the line sends a frame, a preamble or an interframe gap; 1 for a line
    /// that is never free.
    #[schemars(extend("x-unit" = "", "x-formula" = "time of frames, preambles and gaps / window", "x-better" = "more", "x-greatest" = 1))]
    pub utilisation: f64,
    /// Dropped frames / (dropped frames + frames whose service began); 0 without frames.
    #[schemars(extend("x-formula" = "packets dropped / (packets dropped + packets whose service began)", "x-better" = "less", "x-greatest" = 1))]
    pub packet_loss_ratio: f64,
    /// Queues of the port. Under strict priority the first queue is served first.
    pub queues: Vec<QueueReport>,
    /// Name and statistics of the control of the port (scheme, credits or pauses); null without control.
    pub control: Option<ControlReport>,
}

/// Counts, lengths and delays of one queue of an output port.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct QueueReport {
    /// Priorities of the queue's frames.
    #[schemars(extend("x-unit" = "", "x-source" = "IEEE 802.1Q"))]
    pub priorities: Vec<u8>,
    /// Frames that arrived, dropped frames included.
    pub packets_arrived: u64,
    /// Dropped frames.
    #[schemars(extend("x-better" = "less"))]
    pub packets_dropped: u64,
    /// Frames that active queue management dropped although they may have fitted into the buffer.
    #[schemars(extend("x-better" = "less"))]
    pub packets_dropped_early: u64,
    /// Packets that did not fit into this queue and were cut to their headers; they count as arrived in the queue of trimmed
    /// packets. Null if the switch does not trim packets.
    #[schemars(extend("x-source" = "uet-htsim", "x-better" = "less"))]
    pub packets_trimmed: Option<u64>,
    /// Frames that the port marked as CE.
    #[schemars(extend("x-source" = "RFC 3168 section 5"))]
    pub packets_marked: u64,
    /// Time-weighted mean of the bytes in the queue, the frame in transmission included.
    #[schemars(extend("x-formula" = "integral of the bytes held over the window / window", "x-better" = "less"))]
    pub queue_mean_bytes: f64,
    /// Greatest number of bytes in the queue.
    #[schemars(extend("x-better" = "less"))]
    pub queue_max_bytes: u64,
    /// Greatest number of bytes in the queue from the start of the run to the measuring window. This is the peak of the
    /// start-up, if the start-up ends before the window. Null if the window begins with the run.
    #[schemars(extend("x-formula" = "most bytes held from time 0 to `measure.from`", "x-better" = "less"))]
    pub queue_max_before_window_bytes: Option<u64>,
    /// Time-weighted mean of the frames in the queue, the frame in transmission included.
    #[schemars(extend("x-formula" = "integral of the frames held over the window / window", "x-better" = "less"))]
    pub queue_mean_packets: f64,
    /// Greatest number of frames in the queue.
    #[schemars(extend("x-better" = "less"))]
    pub queue_max_packets: u64,
    /// Median of the sampled bytes in the queue; null without sampling.
    #[schemars(extend("x-better" = "less"))]
    pub queue_p50_bytes: Option<f64>,
    /// 95th percentile of the sampled bytes in the queue; null without sampling.
    #[schemars(extend("x-better" = "less"))]
    pub queue_p95_bytes: Option<f64>,
    /// 99th percentile of the sampled bytes in the queue; null without sampling.
    #[schemars(extend("x-better" = "less"))]
    pub queue_p99_bytes: Option<f64>,
    /// Greatest number of bytes that the queue may hold; null without a limit.
    pub buffer_bytes: Option<u64>,
}
