//! Bit errors of a link: independent ones, and bursts by the model of Gilbert and Elliott. Nothing is drawn for a single
//! bit, only the distance to the next errored bit and the times at which bursts begin and end.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{Finding, Ps, Rate, Stream};

/// Bit errors of a link in one direction. Each direction has random numbers of its own under the run's seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BitErrorConfig {
    /// Probability that a bit is errored, independently of other bits. With `bursts` it holds outside of bursts. At most
    /// 0.5.
    #[schemars(range(min = 0.0, max = 0.5), extend("x-not-searched" = "a property of the lines"))]
    pub bit_error_ratio: f64,
    /// Bursts of errors (Gilbert and Elliott). If absent, errors are independent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bursts: Option<BurstConfig>,
}

/// Bursts of bit errors. The link is in a good or in a bad state, whether it carries data or not. The duration of each state
/// is exponential. The model is that of Gilbert (1960) and Elliott (1963), with rates per time in place of probabilities per
/// bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BurstConfig {
    /// Mean time from the end of a burst to the begin of the next.
    #[schemars(extend("x-not-searched" = "a property of the lines"))]
    pub every: Ps,
    /// Mean length of a burst.
    #[schemars(extend("x-not-searched" = "a property of the lines"))]
    pub length: Ps,
    /// Probability that a bit within a burst is errored. At most 0.5, at which the received bits carry no information.
    #[schemars(range(min = 0.0, max = 0.5), extend("x-not-searched" = "a property of the lines"))]
    pub bit_error_ratio: f64,
}

impl BurstConfig {
    /// Share of the time in which the link is in a burst.
    pub fn share(&self) -> f64 {
        let [every, length] = [self.every, self.length].map(Ps::as_secs_f64);
        length / (every + length)
    }
}

impl BitErrorConfig {
    /// Independent errors, with the probability `bit_error_ratio` for each bit, and no bursts.
    pub fn independent(bit_error_ratio: f64) -> BitErrorConfig {
        BitErrorConfig {
            bit_error_ratio,
            bursts: None,
        }
    }
    /// True if a bit can be errored.
    pub fn occur(&self) -> bool {
        let in_bursts = self
            .bursts
            .iter()
            .any(|bursts| bursts.bit_error_ratio > 0.0);
        self.bit_error_ratio > 0.0 || in_bursts
    }
    /// Probability that a bit is errored, over a long time.
    pub fn mean(&self) -> f64 {
        self.bursts.as_ref().map_or(self.bit_error_ratio, |bursts| {
            let share = bursts.share();
            share * bursts.bit_error_ratio + (1.0 - share) * self.bit_error_ratio
        })
    }
    /// Probability that a unit of `bits` bits has an errored bit, on a line of `rate`: 1 - (1 - p)^bits. With bursts
    /// the state of the line is a Markov chain, and the probability that no bit is errored is pi exp(M T), summed over
    /// both states. Here T is the transmission time of the unit, pi the shares of the states, and M the generator of
    /// the chain less the rates of errors on its diagonal.
    pub fn loss(&self, bits: u64, rate: Rate) -> f64 {
        let hazard = |ratio: f64| -libm::log1p(-ratio) * bits as f64;
        let good = hazard(self.bit_error_ratio);
        let Some(bursts) = &self.bursts else {
            return -libm::expm1(-good);
        };
        // Rates of state changes and of errors, per transmission time of the unit.
        let time = bits as f64 / rate.bits_per_second();
        let [begin, end] = [bursts.every, bursts.length].map(|mean| time / mean.as_secs_f64());
        let bad = hazard(bursts.bit_error_ratio);
        let half = ((begin + good) - (end + bad)) / 2.0;
        let middle = -((begin + good) + (end + bad)) / 2.0;
        let apart = libm::sqrt(half * half + begin * end);
        // exp(M) = a I + b (M - middle), by the eigenvalues middle +- apart.
        let (slow, fast) = (libm::exp(middle + apart), libm::exp(middle - apart));
        let (a, b) = ((slow + fast) / 2.0, (slow - fast) / (2.0 * apart));
        let share = bursts.share();
        // The rows of M sum to -good and -bad.
        let row = |errors: f64| a + b * (-errors - middle);
        1.0 - ((1.0 - share) * row(good) + share * row(bad))
    }
    /// Findings about the parameters, such as times shorter than a bit. `rate` is the rate of the slowest line with these
    /// errors; `None` if no line has them.
    pub fn check(&self, rate: Option<Rate>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut ratio = |field: &'static str, ratio: f64| {
            if !(0.0..=0.5).contains(&ratio) {
                let message = format!("must be from 0 to 0.5, but is {ratio}");
                findings.push(Finding::impossible(field, message));
            }
        };
        ratio("bit_error_ratio", self.bit_error_ratio);
        let Some(bursts) = &self.bursts else {
            return findings;
        };
        ratio("bursts.bit_error_ratio", bursts.bit_error_ratio);
        let bit = rate.map_or(0, |rate| libm::ceil(1e12 / rate.bits_per_second()) as u64);
        let least = Ps(bit.max(1));
        let times = [
            ("bursts.every", bursts.every),
            ("bursts.length", bursts.length),
        ];
        for (field, time) in times {
            if time < least {
                let message = format!("must be at least the time of a bit, {least}, but is {time}");
                findings.push(Finding::impossible(field, message));
            }
        }
        findings
    }
    /// The errors of the link named `link` in a run with `seed`; `None` if no bit can be errored.
    pub fn of_link(&self, seed: u64, link: &str) -> Option<BitErrors> {
        self.occur().then(|| BitErrors::new(self, seed, link))
    }
}

/// The bit errors of one direction of a link. Each bit has the hazard -ln(1 - p), for the probability p of its state. The
/// next error is where the sum of the hazards has grown by an exponential number of mean 1, so distances between errors are
/// geometric within a state, and nothing is drawn anew when the state changes.
#[derive(Clone, Debug)]
pub struct BitErrors {
    /// Hazard of a bit outside of bursts, and inside.
    hazards: [f64; 2],
    /// Sum of hazards that is left before the next error.
    left: f64,
    stream: Stream,
    states: Option<States>,
}

/// The state of a link with bursts.
#[derive(Clone, Debug)]
struct States {
    /// Mean times in picoseconds: between bursts, and of a burst.
    means: [f64; 2],
    in_burst: bool,
    /// End of the present state.
    until: Ps,
    stream: Stream,
}

/// Number n: if the last known state ended more than n times the shorter mean time ago, the state is drawn anew instead of
/// followed. The old state then changes probabilities by less than 2^-53, the resolution of a random number.
const FORGOTTEN: f64 = 50.0;

impl States {
    fn new(bursts: &BurstConfig, mut stream: Stream) -> States {
        let in_burst = stream.uniform() < bursts.share();
        let means = [bursts.every, bursts.length].map(|time| time.0 as f64);
        let mut states = States {
            means,
            in_burst,
            until: Ps::ZERO,
            stream,
        };
        states.until = states.lasts_from(Ps::ZERO);
        states
    }
    /// Draws the end of the present state, which begins at `now` or is known to hold at `now`.
    fn lasts_from(&mut self, now: Ps) -> Ps {
        let mean = self.means[usize::from(self.in_burst)];
        now.saturating_add(Ps((self.stream.exponential(mean) as u64).max(1)))
    }
    fn turn(&mut self) {
        self.in_burst = !self.in_burst;
        self.until = self.lasts_from(self.until);
    }
    /// Follows the changes of state up to `now`.
    fn follow(&mut self, now: Ps) {
        let [every, length] = self.means;
        if now.0.saturating_sub(self.until.0) as f64 > FORGOTTEN * every.min(length) {
            self.in_burst = self.stream.uniform() < length / (every + length);
            self.until = self.lasts_from(now);
        }
        while self.until <= now {
            self.turn();
        }
    }
}

impl BitErrors {
    fn new(config: &BitErrorConfig, seed: u64, link: &str) -> BitErrors {
        let hazard = |ratio: f64| -libm::log1p(-ratio);
        let bursts = config.bursts.as_ref();
        let mut stream = Stream::new(seed, link, "bit errors");
        BitErrors {
            hazards: [
                hazard(config.bit_error_ratio),
                bursts.map_or(0.0, |bursts| hazard(bursts.bit_error_ratio)),
            ],
            left: stream.exponential(1.0),
            stream,
            states: bursts
                .map(|bursts| States::new(bursts, Stream::new(seed, link, "error bursts"))),
        }
    }

    /// True if one of `bits` bits, which pass from the first to the second time of `span`, is errored. Times of calls must
    /// not decrease.
    #[inline]
    pub fn hit(&mut self, span: (Ps, Ps), bits: u64) -> bool {
        let mut is_hit = false;
        self.each(span, bits, |_| {
            is_hit = true;
            false
        });
        is_hit
    }

    /// Calls `on` for each errored bit of `bits` bits, which pass from `from` to `to`, with its number from 0, in order. If `on`
    /// returns false, the errors behind this bit stay unknown. Times of calls must not decrease.
    #[inline]
    pub fn each(&mut self, (from, to): (Ps, Ps), bits: u64, mut on: impl FnMut(u64) -> bool) {
        if self.states.is_none() {
            // Most units have no errored bit.
            let all = self.hazards[0] * bits as f64;
            if self.left >= all {
                self.left -= all;
                return;
            }
        }
        let mut done = 0.0;
        while done < bits as f64 {
            let (hazard, end) = self.state((from, to), bits, done);
            let all = hazard * (end - done).max(0.0);
            if self.left >= all {
                self.left -= all;
                done = done.max(end);
                continue;
            }
            let bit = ((done + self.left / hazard) as u64).min(bits - 1);
            self.left = self.stream.exponential(1.0);
            done = (bit + 1) as f64;
            if !on(bit) {
                // The hazard has no memory, so what follows needs no draw.
                return;
            }
        }
    }

    /// Hazard of a bit from the bit `done` on, and the bit at which the state changes, at most `bits`. Both are fractions: a
    /// state may change within a bit.
    fn state(&mut self, (from, to): (Ps, Ps), bits: u64, done: f64) -> (f64, f64) {
        let all = bits as f64;
        let Some(states) = &mut self.states else {
            return (self.hazards[0], all);
        };
        let per_bit = (to.0 - from.0) as f64 / all;
        states.follow(from);
        let mut end = all;
        while states.until < to {
            end = (states.until.0 - from.0) as f64 / per_bit;
            if end > done {
                break;
            }
            states.turn();
            end = all;
        }
        (self.hazards[usize::from(states.in_burst)], end.min(all))
    }
}

#[cfg(test)]
mod tests;
