//! Credit feedback control at the receiver: the rate of credits depends on the share of credits that are lost.

use super::ExpressPassConfig;
use crate::kernel::Ps;

/// Weight of a new round trip in the smoothed round trip.
const NEW: f64 = 0.2;

/// The rate of a flow's credits, in octets/s of credits on the line, and the state that sets it.
#[derive(Clone, Debug)]
pub struct Feedback {
    config: ExpressPassConfig,
    /// Greatest rate (max_rate): the rate of the token bucket at the receiver's line.
    most: f64,
    /// Octets on the line of a credit.
    credit: f64,
    rate: f64,
    w: f64,
    /// True if the last period had no decrease of the rate, so that the weight may increase.
    may_gain: bool,
    /// Number of credits answered or lost in this period; `lost` is the number of lost ones.
    total: u64,
    lost: u64,
    /// Start of the present period; `None` before the first data.
    since: Option<Ps>,
    /// Smoothed time from the sending of a credit to the arrival of its data, in picoseconds.
    rtt: Option<f64>,
}

impl Feedback {
    /// Feedback for credits of `credit` octets on the line. Their rate is at most `most` octets/s.
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
    /// Begins anew, at alpha times the greatest rate. A round trip that was measured before is kept.
    pub fn begin(&mut self) {
        (self.rate, self.w) = (self.config.alpha * self.most, self.config.w_init);
        (self.may_gain, self.total, self.lost, self.since) = (false, 0, 0, None);
    }
    /// Present rate of credits, in octets/s on the line.
    pub fn rate(&self) -> f64 {
        self.rate
    }
    /// Weight of the greatest rate in an increase (w).
    pub fn w(&self) -> f64 {
        self.w
    }
    /// Processes data that arrive at `now`, a round trip `rtt` after their credit was sent. `lost` credits before this
    /// credit have not been answered.
    pub fn on_answer(&mut self, now: Ps, rtt: Ps, lost: u64) {
        self.since = self.since.or(Some(now));
        self.total += 1 + lost;
        self.lost += lost;
        let new = rtt.0 as f64;
        let smooth = |old: f64| (1.0 - NEW) * old + NEW * new;
        self.rtt = Some(self.rtt.map_or(new, smooth));
    }
    /// Processes data whose credit has been counted as lost.
    pub fn on_late_answer(&mut self) {
        self.lost = self.lost.saturating_sub(1);
    }

    /// Ends the period and sets the rate, if the period has lasted a round trip and data have arrived in it. Must be
    /// called at `now`, when a credit is due.
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
