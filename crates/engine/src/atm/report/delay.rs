//! Delay and jitter of cells.

use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::Summary;

/// Delay of a data cell from its sending by one end system to its arrival at the other: queues,
/// transmission and propagation, without the source queue. Null unless `measure.cell_delay` asks
/// for it, or if no cell arrived. Mean, standard deviation and extremes are exact. A quantile is
/// good to 1/32 of its value: it comes from a histogram of whole picoseconds with 32 bins an
/// octave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CellDelay {
    /// Mean delay of data cells; null unless `measure.cell_delay` asks for it, or if no cell
    /// arrived.
    #[schemars(extend("x-formula" = "sum of delays / cells", "x-source" = "Ajmone Marsan 97 section 3", "x-better" = "less"))]
    pub cell_delay_mean_seconds: Option<f64>,
    /// Standard deviation of the delay of data cells, "delay jitter"; null unless
    /// `measure.cell_delay` asks for it, or if no cell arrived.
    #[schemars(extend("x-formula" = "square root of the mean squared distance from the mean", "x-source" = "Ajmone Marsan 97 section 3", "x-better" = "less"))]
    pub cell_delay_std_seconds: Option<f64>,
    /// Least delay of a data cell; null unless `measure.cell_delay` asks for it, or if no cell
    /// arrived.
    #[schemars(extend("x-source" = "TM 4.0 section 3.6.1", "x-better" = "less"))]
    pub cell_delay_min_seconds: Option<f64>,
    /// Median delay of data cells, good to 1/32 of its value; null unless `measure.cell_delay` asks
    /// for it, or if no cell arrived.
    #[schemars(extend("x-source" = "TM 4.0 section 3.6.1", "x-better" = "less"))]
    pub cell_delay_p50_seconds: Option<f64>,
    /// 95th percentile of the delay of data cells, good to 1/32 of its value; null unless
    /// `measure.cell_delay` asks for it, or if no cell arrived.
    #[schemars(extend("x-source" = "TM 4.0 section 3.6.1", "x-better" = "less"))]
    pub cell_delay_p95_seconds: Option<f64>,
    /// 99th percentile of the delay of data cells, good to 1/32 of its value; null unless
    /// `measure.cell_delay` asks for it, or if no cell arrived.
    #[schemars(extend("x-source" = "TM 4.0 section 3.6.1", "x-better" = "less"))]
    pub cell_delay_p99_seconds: Option<f64>,
    /// 99.9th percentile of the delay of data cells, good to 1/32 of its value; less the least
    /// delay, it is the CDV from peak to peak at alpha = 0.001; null unless `measure.cell_delay`
    /// asks for it, or if no cell arrived.
    #[schemars(extend("x-source" = "TM 4.0 section 3.6.1.1", "x-better" = "less"))]
    pub cell_delay_p999_seconds: Option<f64>,
    /// Greatest delay of a data cell; null unless `measure.cell_delay` asks for it, or if no cell
    /// arrived.
    #[schemars(extend("x-source" = "TM 4.0 section 3.6.1", "x-better" = "less"))]
    pub cell_delay_max_seconds: Option<f64>,
}

impl CellDelay {
    /// Measures of cell delays from their statistics in picoseconds.
    pub(in crate::atm) fn new(picoseconds: &Summary) -> CellDelay {
        let seconds = |ps: f64| ps * 1e-12;
        let quantile = |q: f64| picoseconds.quantile(q).map(seconds);
        CellDelay {
            cell_delay_mean_seconds: picoseconds.mean().map(seconds),
            cell_delay_std_seconds: picoseconds.standard_deviation().map(seconds),
            cell_delay_min_seconds: picoseconds.min().map(|ps| seconds(ps as f64)),
            cell_delay_p50_seconds: quantile(0.5),
            cell_delay_p95_seconds: quantile(0.95),
            cell_delay_p99_seconds: quantile(0.99),
            cell_delay_p999_seconds: quantile(0.999),
            cell_delay_max_seconds: picoseconds.max().map(|ps| seconds(ps as f64)),
        }
    }
}
