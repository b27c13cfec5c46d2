//! What a run measured. Every measure is defined here, once, with the name and the definition of
//! the paper that introduced it; keys carry their units.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;

use crate::atm::cell::ServiceClass;

/// A whole run. Measures are over the measuring window unless they say "whole run".
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Hash of everything that happened to every component, in component order (whole run).
    pub digest: String,
    /// Length of the run.
    pub simulated_seconds: f64,
    /// Length of the measuring window.
    pub window_seconds: f64,
    /// Cells that crossed a link (whole run).
    pub cell_hops: u64,
    /// Sums and indices over all flows.
    pub totals: Totals,
    /// One entry per flow.
    pub flows: Vec<FlowReport>,
    /// One entry per directed channel.
    pub vcs: Vec<VcReport>,
    /// One entry per output port of a switch.
    pub ports: Vec<PortReport>,
}

/// Sums and indices over all flows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Totals {
    /// Sum of the flows' TCP throughputs.
    pub tcp_throughput_bits_per_second: f64,
    /// Sum of the flows' goodputs.
    pub goodput_bits_per_second: f64,
    /// Sum of the flows' effective throughputs.
    pub effective_throughput_ratio: f64,
    /// Cells dropped at switches / cells sent by sources (Kalyanaraman 97 section 8.8).
    pub cell_loss_ratio: f64,
    /// The same over channels of class ABR and UBR only.
    pub data_cell_loss_ratio: f64,
    /// PDUs that lost at least one cell at a switch.
    pub packets_lost: u64,
    /// Segments sent again.
    pub segments_retransmitted: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// (sum x)^2 / (n sum x^2) over the TCP throughputs of the flows over TCP (Jain); null without.
    pub jain_index: Option<f64>,
    /// Cells sent by all end systems.
    pub cells_sent: u64,
    /// Cells dropped at switches.
    pub cells_dropped: u64,
    /// Most cells ever waiting at once in all source queues and switch queues together, sampled;
    /// null without sampling (whole run).
    pub queued_max_cells: Option<u64>,
}

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
    /// Acknowledged bytes / window, as bits.
    pub goodput_bits_per_second: f64,
    /// Bytes acknowledged.
    pub acked_bytes: u64,
    /// Cells of the segments acknowledged.
    pub acked_cells: f64,
    /// Latest acknowledged sequence number in cells / cells that the slowest link of the path
    /// carries in the window (Ohsaki 95 section III.B).
    pub effective_throughput_ratio: f64,
    /// Delivered bytes / bytes sent; null if none were sent.
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
    /// PDUs that lost at least one cell at a switch; 0 for bare cells.
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
    /// From the sending of a cell to its arrival; null unless cell delays are measured.
    pub cell_delay_mean_seconds: Option<f64>,
    /// Standard deviation of the same.
    pub cell_delay_std_seconds: Option<f64>,
    /// Median of the same.
    pub cell_delay_p50_seconds: Option<f64>,
    /// 99th percentile of the same.
    pub cell_delay_p99_seconds: Option<f64>,
    /// Greatest length of the source queue.
    pub source_queue_max_cells: u64,
    /// Mean length of the source queue.
    pub source_queue_mean_cells: f64,
    /// PDUs refused by the source queue.
    pub source_queue_dropped_packets: u64,
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
            + self.dropped_at_source_queue_bytes
            + self.in_source_queue_bytes
            + self.in_path_bytes
            + self.dropped_by_aal5_bytes
            + self.duplicate_bytes
            + self.held_out_of_order_bytes
    }
}

/// A directed channel.
#[derive(Clone, Debug, Serialize)]
pub struct VcReport {
    /// Name of the flow and direction.
    pub name: String,
    /// Class.
    pub service: ServiceClass,
    /// Cells sent by the end system.
    pub cells_sent: u64,
    /// Cells that arrived.
    pub cells_delivered: u64,
    /// Cells dropped at switches.
    pub cells_dropped: u64,
    /// Cells on links and in switches at the end (whole run).
    pub cells_in_flight: u64,
    /// Data cells sent.
    pub data_cells_sent: u64,
    /// In-rate forward RM cells sent.
    pub frm_cells_sent: u64,
    /// Backward RM cells sent.
    pub brm_cells_sent: u64,
    /// RM cells sent out of rate.
    pub out_of_rate_cells_sent: u64,
    /// Times that the idle rule (SES rule 5) was applied (whole run).
    pub idle_resets: u64,
    /// Times that the rule for missing BRMs (SES rule 6) was applied (whole run).
    pub missing_brm_cuts: u64,
    /// Time-weighted mean of ACR; null if not ABR.
    pub acr_mean_cells_per_second: Option<f64>,
    /// ACR at the end (whole run); null if not ABR.
    pub acr_final_cells_per_second: Option<f64>,
}

/// An output port of a switch.
#[derive(Clone, Debug, Serialize)]
pub struct PortReport {
    /// Name of its link.
    pub name: String,
    /// Rate of its link.
    pub rate_bits_per_second: f64,
    /// Cells sent / cells that the link carries in the window.
    pub utilisation: f64,
    /// Cells dropped / cells arrived.
    pub cell_loss_ratio: f64,
    /// Queues in order of priority.
    pub queues: Vec<QueueReport>,
    /// The control scheme and what it counted.
    pub control: ControlReport,
}

/// A queue.
#[derive(Clone, Debug, Serialize)]
pub struct QueueReport {
    /// Classes that share it.
    pub classes: Vec<ServiceClass>,
    /// Cells that arrived, dropped ones included.
    pub cells_arrived: u64,
    /// Cells dropped.
    pub cells_dropped: u64,
    /// Time-weighted mean length, the cell in service included.
    pub queue_mean_cells: f64,
    /// Greatest length.
    pub queue_max_cells: u64,
    /// Median of the sampled lengths; null without sampling.
    pub queue_p50_cells: Option<f64>,
    /// 95th percentile of the sampled lengths.
    pub queue_p95_cells: Option<f64>,
    /// 99th percentile of the sampled lengths.
    pub queue_p99_cells: Option<f64>,
    /// Limit; null if there is none.
    pub buffer_cells: Option<u64>,
}

/// What a control scheme counted (whole run); which keys there are depends on the scheme.
#[derive(Clone, Debug, Serialize)]
pub struct ControlReport {
    /// Key of the scheme.
    pub scheme: String,
    /// Name and value of each statistic.
    #[serde(flatten)]
    pub statistics: alloc::collections::BTreeMap<String, f64>,
}

impl ControlReport {
    /// A scheme with its statistics.
    pub fn new(scheme: &str, statistics: Vec<(&'static str, f64)>) -> ControlReport {
        let statistics = statistics.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
        ControlReport { scheme: scheme.to_string(), statistics }
    }
}

/// Jain's index of fairness: 1 if all are equal, 1/n if one has everything; `None` for no values or
/// only zeros.
pub fn jain_index(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|x| x * x).sum();
    (squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_index_of_known_sets() {
        assert_eq!(jain_index(&[3.0, 3.0, 3.0]), Some(1.0));
        assert_eq!(jain_index(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
        // (1+2+3)^2 / (3 * 14)
        assert_eq!(jain_index(&[1.0, 2.0, 3.0]), Some(36.0 / 42.0));
        assert_eq!(jain_index(&[]), None);
    }
}
