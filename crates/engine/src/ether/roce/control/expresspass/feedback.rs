//! Credit feedback control at the receiver: the rate of credits follows the share of them that is lost.

use super::ExpressPassConfig;
use crate::kernel::Ps;

/// Weight of a new round trip in the smoothed one.
const NEW: f64 = 0.2;

/// The rate of a flow's credits, in octets/s on the line of credits, and what it follows.
#[derive(Clone, Debug)]
pub struct Feedback {
    config: ExpressPassConfig,
    /// Greatest rate (max_rate): that of the bucket at the receiver's line.
    most: f64,
    /// Octets of a credit on the line.
    credit: f64,
    rate: f64,
    w: f64,
    /// True if the last period had no decrease, so that the weight may increase.
    may_gain: bool,
    /// Credits answered or lost in this period, and those lost.
    total: u64,
    lost: u64,
    /// Start of the period; `None` before the first data.
    since: Option<Ps>,
    /// Smoothed time from a credit to the data sent with it, in picoseconds.
    rtt: Option<f64>,
}

impl Feedback {
    /// Feedback for credits of `credit` octets on the line, at most `most` octets of them in a second.
    pub fn new(config: &ExpressPassConfig, most: f64, credit: u32) -> Feedback {
        Feedback {
            config: config.clone(),
            most,
            credit: f64::from(credit),
            rate: 0.0,
            w: 0.0,
            may_gain: false,
            total: 0,
            lost: 0,
            since: None,
            rtt: None,
        }
    }
    /// Credits begin at alpha times the greatest rate. The round trip is that of the last time, if there was one.
    pub fn begin(&mut self) {
        (self.rate, self.w) = (self.config.alpha * self.most, self.config.w_init);
        (self.may_gain, self.total, self.lost, self.since) = (false, 0, 0, None);
    }
    /// Octets of credits in a second.
    pub fn rate(&self) -> f64 {
        self.rate
    }
    /// Weight of the greatest rate in an increase (w).
    pub fn w(&self) -> f64 {
        self.w
    }
    /// Data arrive at `now`, a round trip after their credit. Before it `lost` credits were lost.
    pub fn on_answer(&mut self, now: Ps, rtt: Ps, lost: u64) {
        self.since = self.since.or(Some(now));
        self.total += 1 + lost;
        self.lost += lost;
        let new = rtt.0 as f64;
        let smooth = |old: f64| (1.0 - NEW) * old + NEW * new;
        self.rtt = Some(self.rtt.map_or(new, smooth));
    }
    /// Data arrive whose credit has been counted as lost.
    pub fn on_late_answer(&mut self) {
        self.lost = self.lost.saturating_sub(1);
    }

    /// Ends the period and sets the rate, if the period has lasted a round trip and data have arrived in it. A credit is
    /// due at `now`.
    pub fn update(&mut self, now: Ps) {
        let (Some(since), Some(rtt)) = (self.since, self.rtt) else {
            return;
        };
        let elapsed = (now - since).0 as f64;
        if elapsed < rtt || self.total == 0 {
            return;
        }
        let loss = self.lost as f64 / self.total as f64;
        let target = self.config.target_loss * (1.0 - self.rate / self.most);
        if loss > target {
            let answered = (self.total - self.lost) as f64;
            let rate = self.credit * answered / elapsed * 1e12 * (1.0 + target);
            self.rate = self.rate.min(rate);
            self.w = (0.5 * self.w).max(self.config.w_min);
            self.may_gain = false;
        } else {
            if self.may_gain {
                self.w = (self.w + self.config.w_step).min(self.config.w_max);
            }
            self.rate = self.w * self.most + (1.0 - self.w) * self.rate;
            self.may_gain = true;
        }
        self.rate = self.rate.max(self.credit / rtt * 1e12).min(self.most);
        (self.total, self.lost, self.since) = (0, 0, Some(now));
    }
}
