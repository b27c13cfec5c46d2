//! MPEG-2 single-program transport streams over VBR, with long-range dependent rates.

mod bound;
mod fft;
mod noise;
mod packets;
mod stream;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::too_often;
use super::piecewise::{Line, PeakBucket, Piecewise};
use super::{Cells, Demand, Load, Source};
use crate::kernel::time::CELL_BITS;
use crate::kernel::{Ps, Rate, Stream};

pub use bound::{Bound, Rates};
pub use noise::{Noise, power, share_of_variance};
pub use packets::{TRANSPORT_PACKET_BYTES, line_bits_per_bit};
pub use stream::Encoder;

/// The bits that the rates of a stream count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Bits of cells on the line, 424 each. Nine streams of 15 Mbit/s then fit into the link of
    /// 149.76 Mbit/s, as in the paper's sums.
    #[default]
    Cells,
    /// Bits of transport packets, 188 bytes each. An AAL5 PDU in cells carries `packets_per_pdu` of
    /// them.
    TransportPackets,
}

/// Several MPEG-2 single-program transport streams, multiplexed onto one channel, as modelled by
/// Kalyanaraman 1997 (section 8.17.3). The rate of each stream is constant between its program
/// clock references, whose distances are uniform. Successive rates are fractional Gaussian noise
/// (Paxson 1997). Cells of a stream are evenly spaced. Each stream passes a bucket of the peak rate
/// and has its own random numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mpeg2Config {
    /// Number of streams: 1 to 1,000. The paper multiplexes nine.
    #[serde(default = "Mpeg2Config::one")]
    #[schemars(range(min = 1, max = 1_000))]
    pub sources: u32,
    /// Mean of the normal distribution of one stream's rates, before they are bounded.
    pub mean: Rate,
    /// Standard deviation of one stream's rates, before they are bounded.
    pub standard_deviation: Rate,
    /// Greatest rate of one stream. The default is the paper's, for HDTV.
    #[serde(default = "Mpeg2Config::hdtv")]
    pub peak: Rate,
    /// Hurst parameter, from 0.5 (independent rates) to 0.99. The default is the paper's.
    #[serde(default = "Mpeg2Config::hurst")]
    #[schemars(range(min = 0.5, max = 0.99))]
    pub hurst: f64,
    /// Treatment of rates below zero and above the peak.
    #[serde(default)]
    pub bound: Bound,
    /// Shortest time between clock references, above 0 s. The default is the paper's, 50 references
    /// per second.
    #[serde(default = "Mpeg2Config::shortest")]
    pub interval_low: Ps,
    /// Longest time between clock references. The default is MPEG-2's limit.
    #[serde(default = "Mpeg2Config::longest")]
    pub interval_high: Ps,
    /// The bits that `mean`, `standard_deviation` and `peak` count.
    #[serde(default)]
    pub rates: Counted,
    /// Transport packets in an AAL5 PDU, 1 to 300. The default, two in eight cells, is the paper's.
    /// Has an effect only if the rates count transport packets.
    #[serde(default = "Mpeg2Config::two")]
    #[schemars(range(min = 1, max = 300))]
    pub packets_per_pdu: u32,
    /// Number of noise values that are drawn at once, a power of two from 256 to 1,048,576. Rates
    /// are correlated within such a block only; the default lasts some ten minutes and is
    /// cellrate's choice. Variations slower than a block are missing, and with them `block^(2 hurst
    /// - 2)` of the variance: 2 % by the defaults, 38 % at a Hurst parameter of 0.95.
    #[serde(default = "Mpeg2Config::block")]
    #[schemars(range(min = 256, max = 1_048_576))]
    pub block: u32,
}

impl Mpeg2Config {
    fn one() -> u32 {
        1
    }

    fn two() -> u32 {
        2
    }

    fn hdtv() -> Rate {
        Rate::from_bps(15_000_000)
    }

    fn hurst() -> f64 {
        0.8
    }

    fn shortest() -> Ps {
        Ps::from_ms(20)
    }

    fn longest() -> Ps {
        Ps::from_ms(100)
    }

    fn block() -> u32 {
        16_384
    }

    /// Fault of the bounded rates because of which they cannot be played: the field, and a text. `None` if there
    /// is no fault.
    fn check_bound(&self) -> Option<(&'static str, String)> {
        let rates = self.line_rates();
        let delayed = matches!(self.bound, Bound::TruncateAndCarry | Bound::Exponential);
        if delayed && self.bound.mean(&rates) >= rates.peak {
            return Some((
                "mean",
                format!(
                    "`mean` is not below `peak`, {}, so the backlog of cells beyond the peak grows without end",
                    self.peak
                ),
            ));
        }
        if self.bound == Bound::Discard && rates.kept() < 0.05 {
            let share = 100.0 * rates.kept();
            return Some((
                "mean",
                format!(
                    "only {share:.1} % of the drawn rates lie between zero and the peak, {}; allowed: 5 % or more",
                    self.peak
                ),
            ));
        }
        if self.bound.mean(&rates) < 1.0 {
            return Some((
                "mean",
                String::from("the mean of the rates within `bound` is below 1 bit/s"),
            ));
        }
        let wrong = too_often(
            self.mean_interval(),
            self.bound.mean(&rates) / CELL_BITS as f64,
        )?;
        Some(("interval_low", wrong))
    }

    /// Mean interval between clock references in seconds.
    fn mean_interval(&self) -> f64 {
        (self.interval_low.as_secs_f64() + self.interval_high.as_secs_f64()) / 2.0
    }

    /// Parameters of the rates on the line in bit/s; a cell counts 424 bits.
    pub fn line_rates(&self) -> Rates {
        let factor = match self.rates {
            Counted::Cells => 1.0,
            Counted::TransportPackets => {
                let (line, packets) = line_bits_per_bit(self.packets_per_pdu);
                line as f64 / packets as f64
            }
        };
        let line = |rate: Rate| rate.bits_per_second() * factor;
        Rates {
            mean: line(self.mean),
            deviation: line(self.standard_deviation),
            peak: line(self.peak),
        }
    }

    /// Expected simulated time for which a block of noise lasts.
    pub fn block_lasts(&self) -> Ps {
        let share = if self.bound == Bound::Discard {
            self.line_rates().kept()
        } else {
            1.0
        };
        Ps::from_secs_f64(f64::min(
            share * self.block as f64 * self.mean_interval(),
            1e7,
        ))
    }
}

impl Source for Mpeg2Config {
    const OVER_TCP: bool = false;

    fn check(&self) -> Option<(&'static str, String)> {
        if !(1..=1_000).contains(&self.sources) {
            return Some((
                "sources",
                format!("{} streams are not 1 to 1,000", self.sources),
            ));
        }
        if !(0.5..=0.99).contains(&self.hurst) {
            return Some((
                "hurst",
                format!("`hurst` is {}; allowed: 0.5 to 0.99", self.hurst),
            ));
        }
        if self.interval_low == Ps::ZERO {
            return Some((
                "interval_low",
                String::from("`interval_low` is 0 s; allowed: above 0 s"),
            ));
        }
        if self.interval_high < self.interval_low {
            let message = format!(
                "`interval_high` of {} is less than `interval_low` of {}",
                self.interval_high, self.interval_low
            );
            return Some(("interval_high", message));
        }
        if !(1..=300).contains(&self.packets_per_pdu) {
            return Some((
                "packets_per_pdu",
                format!("{} packets are not 1 to 300", self.packets_per_pdu),
            ));
        }
        if !self.block.is_power_of_two() || !(256..=1 << 20).contains(&self.block) {
            return Some((
                "block",
                format!(
                    "`block` is {}; allowed: a power of two from 256 to 1,048,576",
                    self.block
                ),
            ));
        }
        if self.sources as u64 > u64::MAX / 2 / self.peak.0 {
            return Some((
                "peak",
                String::from("all streams together exceed the largest rate, 9e15 bit/s"),
            ));
        }
        self.check_bound()
    }

    fn load(&self) -> Load {
        let rates = self.line_rates();
        let cells = |rate: f64| self.sources as f64 * rate / CELL_BITS as f64;
        let (mean, peak) = (cells(self.bound.mean(&rates)), cells(rates.peak));
        // The greatest burst to be expected: the excess over the mean if all streams are at their peak for ten
        // seconds. A longer time is most unlikely.
        let burst = libm::ceil(10.0 * (peak - mean)) as u64;
        Load::Own { mean, peak, burst }
    }

    fn demand(&self, start: Ps, mut stream: Stream) -> Demand {
        let noise = Noise::new(self.block as usize, self.hurst);
        let peak = Rate(libm::round(self.line_rates().peak * 1e3) as u64);
        let lines = (0..self.sources).map(|_| {
            let gathered = stream.uniform();
            let encoder = Encoder::new(self, noise.clone(), stream.branch());
            Line::new(PeakBucket::new(encoder, peak), start, gathered)
        });
        Demand::Cells(Cells::Mpeg2(Box::new(Piecewise::new(lines))))
    }
}

#[cfg(test)]
mod tests;
