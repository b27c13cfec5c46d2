//! The rate that a flow would have if it had all its lines to itself.

use cellrate_engine::atm::aal5::cells_for;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, Plan};
use cellrate_engine::traffic::{Load, SourceConfig};

/// Load that a flow would put on the network if it had all its lines to itself.
pub struct Demand {
    /// Rate of the flow's forward channel in cells/s if links did not limit it: the least of a
    /// window per round trip, PCR, and the rate at which its application writes.
    pub rate: f64,
    /// Most cells of the flow's forward channel in the whole run.
    pub most_cells: f64,
    /// Cells of the backward channel (acknowledgements and backward RM cells) for each cell of the
    /// forward channel.
    pub back: f64,
    /// True if TCP, ABR or credit control reduces the flow to its share of a link.
    pub yields: bool,
}

/// Demand of a flow of `plan`.
pub fn demand(flow: &FlowPlan, plan: &Plan) -> Demand {
    let abr = flow.service == ServiceClass::Abr;
    let line = flow.forward.first().map(|link| plan.links[*link].rate);
    let access = line.map_or(0.0, |rate| rate.cells_per_second());
    let brms = if abr {
        1.0 / f64::from(flow.abr.nrm.max(1))
    } else {
        0.0
    };
    let most_rate = match line {
        Some(line) if abr => access.min(flow.abr.pcr_cells(line)),
        _ => access,
    };
    if !flow.source.over_tcp() {
        let own = match flow.source.load() {
            Load::Own { mean, .. } => mean,
            Load::Elastic => f64::INFINITY,
        };
        return Demand {
            rate: own.min(most_rate),
            most_cells: f64::INFINITY,
            back: brms,
            yields: abr || plan.fcvc.is_some(),
        };
    }
    let segment = Segment::of(flow);
    let trip = plan.round_trip(flow).as_secs_f64();
    let window = flow.tcp.window.0 as f64 * segment.cells_per_byte / trip.max(1e-9);
    let written = bytes_per_second(&flow.source) * segment.cells_per_byte;
    Demand {
        rate: most_rate.min(window).min(written),
        most_cells: match &flow.source {
            SourceConfig::Transfer(file) => file.size.0 as f64 * segment.cells_per_byte,
            _ => f64::INFINITY,
        },
        back: segment.acknowledgements + brms,
        yields: true,
    }
}

/// Cells that full segments and their acknowledgements take.
struct Segment {
    cells_per_byte: f64,
    /// Cells of acknowledgements for each cell of data.
    acknowledgements: f64,
}

impl Segment {
    fn of(flow: &FlowPlan) -> Segment {
        let header = u64::from(flow.tcp.data_header_bytes() + flow.encapsulation.bytes());
        let data = f64::from(cells_for(flow.tcp.mss.0 + header));
        let every = if flow.tcp.delayed_ack { 2.0 } else { 1.0 };
        Segment {
            cells_per_byte: data / flow.tcp.mss.0.max(1) as f64,
            acknowledgements: f64::from(cells_for(header)) / data / every,
        }
    }
}

/// Mean number of bytes that an application writes in a second if the network never limits it.
fn bytes_per_second(source: &SourceConfig) -> f64 {
    match source {
        SourceConfig::Messages(messages) => messages.mean_rate.bits_per_second() / 8.0,
        SourceConfig::Www(www) => {
            let object = match www.pareto_shape {
                None => SPEC_WEB_BYTES,
                Some(shape) => cut_pareto_mean(
                    shape,
                    www.smallest.map_or(1024.0, |bytes| bytes.0 as f64),
                    www.largest.map_or(10_485_760.0, |bytes| bytes.0 as f64),
                ),
            };
            www.objects * object / www.think_time.as_secs_f64().max(1e-9)
        }
        _ => f64::INFINITY,
    }
}

/// Mean size of an object of SPECweb96 in bytes; see the source `www`.
const SPEC_WEB_BYTES: f64 = 14_600.0;

/// Mean of a Pareto distribution that is truncated at `high`, by integration of its density.
fn cut_pareto_mean(shape: f64, low: f64, high: f64) -> f64 {
    let mass = 1.0 - (low / high).powf(shape);
    let integral = if (shape - 1.0).abs() < 1e-9 {
        low * (high / low).ln()
    } else {
        shape / (shape - 1.0) * (low - high * (low / high).powf(shape))
    };
    integral / mass
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integrated mean agrees with a sum over a million quantiles of equal probability.
    #[test]
    fn the_mean_of_a_cut_pareto_distribution_is_that_of_its_quantiles() {
        for shape in [0.8, 1.0, 1.06, 2.5] {
            let (low, high) = (1024.0_f64, 10_485_760.0);
            let n = 1_000_000;
            let mass = 1.0 - (low / high).powf(shape);
            let quantiles = (0..n).map(|i| {
                let u = (f64::from(i) + 0.5) / f64::from(n);
                low * (1.0 - u * mass).powf(-1.0 / shape)
            });
            let summed = quantiles.sum::<f64>() / f64::from(n);
            let found = cut_pareto_mean(shape, low, high);
            assert!(
                (found / summed - 1.0).abs() < 2e-3,
                "{shape}: {found} {summed}"
            );
        }
    }
}
