//! Measures of a flow.

use alloc::string::String;

use serde::Serialize;

use super::CellDelay;
use crate::atm::cell::ServiceClass;

/// A flow.
#[derive(Clone, Debug, Serialize)]
pub struct FlowReport {
    /// Name of the instance.
    pub name: String,
    /// Name of its group.
    pub group: String,
    /// Number in the group, from 1.
    pub index: u32,
    /// Class of the forward channel.
    pub service: ServiceClass,
    /// Kind of source.
    pub source: &'static str,
    /// When it started, jitter included.
    pub start_seconds: f64,
    /// Bytes delivered in order to the destination application; for bare cells 48 per cell.
    pub delivered_bytes: u64,
    /// Delivered bytes / window, as bits (Kalyanaraman 97 section 8.8).
    pub tcp_throughput_bits_per_second: f64,
    /// Bytes of all segments that reached TCP at the destination, also those that came again /
    /// window, as bits: "throughput" of Ajmone Marsan 97 section 4.1.
    pub arrived_throughput_bits_per_second: f64,
    /// Acknowledged bytes / window, as bits.
    pub goodput_bits_per_second: f64,
    /// Bytes acknowledged.
    pub acked_bytes: u64,
    /// Cells of the segments acknowledged.
    pub acked_cells: f64,
    /// Latest acknowledged sequence number in cells / cells that the slowest link of the path
    /// carries in the window (Ohsaki 95 section III.B).
    pub effective_throughput_ratio: f64,
    /// Delivered bytes / bytes that TCP sent, those sent again included: goodput / offered load
    /// (Ajmone Marsan 97 section 4.1); null if none were sent. The efficiency of Kalyanaraman 97
    /// section 8.18 is another one: `capacity_efficiency` of the port.
    pub efficiency: Option<f64>,
    /// Segments sent.
    pub segments_sent: u64,
    /// Of them, segments sent before.
    pub segments_retransmitted: u64,
    /// Bytes sent again.
    pub bytes_retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Fast retransmissions.
    pub fast_retransmits: u64,
    /// PDUs that lost at least one cell at a switch, each counted once at however many switches it lost
    /// some; 0 for bare cells. Not those that lost cells on links only, which `cells_lost_on_links` of the channel counts.
    pub packets_lost: u64,
    /// PDUs discarded by AAL5 because cells of an earlier one, whose end was lost, preceded them
    /// (Kalyanaraman 97 section 8.12; whole run).
    pub packets_merged: u64,
    /// From the start to the acknowledgement of the last byte; null if that has not come (whole run).
    pub completion_seconds: Option<f64>,
    /// Share of the window in which cells waited in the source queue (section 8.14.2 item 2).
    pub rate_limited_share: f64,
    /// Share of the window in which TCP had data, its window was exhausted and no cell waited.
    pub window_limited_share: f64,
    /// From the hand-over to IP to the delivery by AAL5.
    pub packet_delay_mean_seconds: Option<f64>,
    /// Standard deviation of the same.
    pub packet_delay_std_seconds: Option<f64>,
    /// Median of the same.
    pub packet_delay_p50_seconds: Option<f64>,
    /// 99th percentile of the same.
    pub packet_delay_p99_seconds: Option<f64>,
    /// Delays of its cells.
    #[serde(flatten)]
    pub delays: CellDelay,
    /// Greatest length of the source queue.
    pub source_queue_max_cells: u64,
    /// Mean length of the source queue.
    pub source_queue_mean_cells: f64,
    /// PDUs refused by the source queue; 0 for bare cells.
    pub source_queue_dropped_packets: u64,
    /// Cells of the PDUs refused by the source queue, and bare cells refused.
    pub source_queue_dropped_cells: u64,
    /// Where every byte is (whole run); null for bare cells.
    pub balance: Option<Balance>,
}

/// Where every byte that TCP sent is at the end of the run (Kalyanaraman 97 section 8.8, extended
/// by the source queue and the receiver's store). Both sides agree in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Balance {
    /// Sent for the first time.
    pub sent_once_bytes: u64,
    /// Sent again.
    pub retransmitted_bytes: u64,
    /// Delivered to the application.
    pub delivered_bytes: u64,
    /// In cells that switches dropped.
    pub dropped_at_switch_bytes: u64,
    /// In cells that links lost.
    pub lost_on_links_bytes: u64,
    /// In PDUs that the source queue refused.
    pub dropped_at_source_queue_bytes: u64,
    /// Waiting in the source queue.
    pub in_source_queue_bytes: u64,
    /// In cells on links and in switches, and in the PDU that is arriving.
    pub in_path_bytes: u64,
    /// In cells that arrived but belonged to damaged PDUs.
    pub dropped_by_aal5_bytes: u64,
    /// Arrived twice.
    pub duplicate_bytes: u64,
    /// Waiting at the receiver for earlier ones.
    pub held_out_of_order_bytes: u64,
}

impl Balance {
    /// Bytes sent.
    pub fn sent(&self) -> u64 {
        self.sent_once_bytes + self.retransmitted_bytes
    }
    /// Bytes accounted for.
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
