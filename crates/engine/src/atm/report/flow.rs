//! Measures of a flow in the report.

use alloc::string::String;

use schemars::JsonSchema;
use serde::Serialize;

use super::CellDelay;
use crate::atm::cell::ServiceClass;

/// A flow, from its source to its destination.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct FlowReport {
    /// Name of the flow.
    pub name: String,
    /// Name of the flow's group.
    pub group: String,
    /// Number of the flow in its group, from 1.
    #[schemars(extend("x-unit" = ""))]
    pub index: u32,
    /// Service class of the forward channel.
    #[schemars(extend("x-source" = "TM 4.0 section 2"))]
    pub service: ServiceClass,
    /// Kind of the source.
    pub source: &'static str,
    /// Start time of the source, jitter included.
    pub start_seconds: f64,
    /// Bytes delivered in order to the destination application. For a source without TCP (raw cells), 48 per
    /// cell.
    #[schemars(extend("x-better" = "more"))]
    pub delivered_bytes: u64,
    /// Bits delivered in order to the destination application / length of the measuring window. For
    /// a source without TCP, the payload of the cells that arrived, which the totals leave out.
    #[schemars(extend("x-formula" = "8 delivered_bytes / window", "x-source" = "Kalyanaraman 97 section 8.8", "x-better" = "more"))]
    pub tcp_throughput_bits_per_second: f64,
    /// Bits of all segments, including repeated ones, that reached TCP at the destination / length
    /// of the measuring window: "throughput" of Ajmone Marsan 97 section 4.1.
    #[schemars(extend("x-formula" = "8 (bytes of segments that arrived) / window", "x-source" = "Ajmone Marsan 97 section 4.1", "x-better" = "more"))]
    pub arrived_throughput_bits_per_second: f64,
    /// Acknowledged bits / length of the measuring window.
    #[schemars(extend("x-formula" = "8 acked_bytes / window", "x-better" = "more"))]
    pub goodput_bits_per_second: f64,
    /// Bytes that the source saw acknowledged.
    #[schemars(extend("x-better" = "more"))]
    pub acked_bytes: u64,
    /// Acknowledged bytes in cells: bytes divided by MSS, times the cells of a full segment.
    #[schemars(extend("x-formula" = "acked_bytes / MSS times cells of a full segment", "x-source" = "Ohsaki 95 section III.B", "x-better" = "more"))]
    pub acked_cells: f64,
    /// Latest acknowledged sequence number in cells / cells that the slowest link of the path can
    /// carry in the measuring window.
    #[schemars(extend("x-formula" = "acked_cells / (slowest link's rate times window / 424 bits)", "x-source" = "Ohsaki 95 section III.B", "x-better" = "more"))]
    pub effective_throughput_ratio: f64,
    /// Delivered bytes / (delivered bytes + bytes sent again): goodput / offered load over a time
    /// in which as many bytes leave the network as enter it. Bytes on the way when the measuring
    /// window begins or ends do not count, so a flow that repeats nothing has 1. Null if nothing
    /// was delivered and nothing sent again. Kalyanaraman 97 section 8.18 calls another measure
    /// "efficiency": `capacity_efficiency` of the port.
    #[schemars(extend("x-unit" = "", "x-formula" = "delivered_bytes / (delivered_bytes + bytes_retransmitted)", "x-source" = "Ajmone Marsan 97 section 4.1", "x-better" = "more", "x-greatest" = 1))]
    pub efficiency: Option<f64>,
    /// TCP segments with payload that were sent, including those sent again.
    pub segments_sent: u64,
    /// Segments sent again.
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
    /// Duplicate acknowledgements, as the sender counts them: they acknowledge no new data while
    /// data are outstanding. Under selective acknowledgement only those count whose blocks report
    /// new data.
    #[schemars(extend("x-unit" = "", "x-source" = "RFC 5681 section 2, RFC 6675 section 2", "x-better" = "less"))]
    pub duplicate_acks: u64,
    /// PDUs that lost at least one cell at a switch, each counted once, even if it lost cells at several
    /// switches; 0 for a source without TCP (raw cells). PDUs that lost cells only on links count in
    /// `cells_lost_on_links` of the channel, PDUs whose ends the source queue refused in
    /// `source_queue_dropped_packets`.
    #[schemars(extend("x-better" = "less"))]
    pub packets_lost: u64,
    /// PDUs discarded by AAL5 because cells of an earlier PDU, whose end was lost, preceded them
    /// (whole run).
    #[schemars(extend("x-source" = "Kalyanaraman 97 section 8.12", "x-better" = "less"))]
    pub packets_merged: u64,
    /// PDUs whose cells all arrived, and whose CRC-32 found a payload with bit errors.
    #[schemars(extend("x-source" = "ITU-T I.363.5", "x-better" = "less"))]
    pub packets_errored: u64,
    /// Time from the start to the acknowledgement of the last byte; null if the last byte is not
    /// acknowledged (whole run).
    #[schemars(extend("x-formula" = "time of the last acknowledgement - start_seconds", "x-better" = "less"))]
    pub completion_seconds: Option<f64>,
    /// Share of the measuring window in which cells waited in the source queue.
    #[schemars(extend("x-formula" = "time in which the source queue held cells / window", "x-source" = "Kalyanaraman 97 section 8.14.2 item 2", "x-greatest" = 1))]
    pub rate_limited_share: f64,
    /// Share of the measuring window in which TCP had data to send but had exhausted its own window, and no cell
    /// waited in the source queue.
    #[schemars(extend("x-formula" = "time in which data waited for the window alone / window", "x-source" = "Kalyanaraman 97 section 8.14.2", "x-greatest" = 1))]
    pub window_limited_share: f64,
    /// Mean delay of PDUs from the hand-over to IP to the delivery by AAL5; null if no PDU arrived.
    #[schemars(extend("x-formula" = "sum of delays / PDUs", "x-better" = "less"))]
    pub packet_delay_mean_seconds: Option<f64>,
    /// Standard deviation of the delay of PDUs; null if no PDU arrived.
    #[schemars(extend("x-formula" = "square root of the mean squared distance from the mean", "x-better" = "less"))]
    pub packet_delay_std_seconds: Option<f64>,
    /// Median delay of PDUs, good to 1/32 of its value; null if no PDU arrived.
    #[schemars(extend("x-better" = "less"))]
    pub packet_delay_p50_seconds: Option<f64>,
    /// 99th percentile of the delay of PDUs, good to 1/32 of its value; null if no PDU arrived.
    #[schemars(extend("x-better" = "less"))]
    pub packet_delay_p99_seconds: Option<f64>,
    /// Delays of the flow's data cells.
    #[serde(flatten)]
    pub delays: CellDelay,
    /// Greatest length of the source queue in cells.
    #[schemars(extend("x-better" = "less"))]
    pub source_queue_max_cells: u64,
    /// Mean length of the source queue in cells.
    #[schemars(extend("x-formula" = "integral of the length over the window / window", "x-better" = "less"))]
    pub source_queue_mean_cells: f64,
    /// PDUs that the source queue refused, in whole or in part (`source_queue_refuses`); 0 for a source without
    /// TCP (raw cells).
    #[schemars(extend("x-better" = "less"))]
    pub source_queue_dropped_packets: u64,
    /// Cells of PDUs that the source queue refused, and refused cells of a source without TCP (raw cells).
    #[schemars(extend("x-better" = "less"))]
    pub source_queue_dropped_cells: u64,
    /// Balance of all bytes (whole run); null for a source without TCP (raw cells).
    pub balance: Option<Balance>,
}

/// Balance of all bytes that TCP sent, by their places at the end of the run (Kalyanaraman 97 section 8.8,
/// extended by the source queue and the receiver's store). In every run the bytes sent are equal to the sum of
/// the bytes at all places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "Kalyanaraman 97 section 8.8"))]
pub struct Balance {
    /// Bytes sent for the first time (whole run).
    pub sent_once_bytes: u64,
    /// Bytes sent again (whole run).
    pub retransmitted_bytes: u64,
    /// Bytes delivered to the application (whole run).
    pub delivered_bytes: u64,
    /// Bytes in cells that switches dropped (whole run).
    pub dropped_at_switch_bytes: u64,
    /// Bytes in cells that links lost (whole run).
    pub lost_on_links_bytes: u64,
    /// Bytes in cells that the source queue refused (whole run).
    pub dropped_at_source_queue_bytes: u64,
    /// Bytes that wait in the source queue at the end.
    pub in_source_queue_bytes: u64,
    /// Bytes in cells on links and in switches at the end, and in the PDU that is being
    /// reassembled.
    pub in_path_bytes: u64,
    /// Bytes in cells that arrived but belonged to damaged PDUs (whole run).
    pub dropped_by_aal5_bytes: u64,
    /// Bytes that arrived twice (whole run).
    pub duplicate_bytes: u64,
    /// Bytes at the receiver that wait for missing earlier bytes at the end.
    pub held_out_of_order_bytes: u64,
}

impl Balance {
    /// Sum of the bytes that the flow has sent.
    pub fn sent(&self) -> u64 {
        self.sent_once_bytes + self.retransmitted_bytes
    }
    /// Sum of the bytes at all places, such as delivered, lost or waiting, which equals [`Balance::sent`].
    pub fn accounted(&self) -> u64 {
        self.delivered_bytes
            + self.dropped_at_switch_bytes
            + self.lost_on_links_bytes
            + self.dropped_at_source_queue_bytes
            + self.in_source_queue_bytes
            + self.in_path_bytes
            + self.dropped_by_aal5_bytes
            + self.duplicate_bytes
            + self.held_out_of_order_bytes
    }
}
