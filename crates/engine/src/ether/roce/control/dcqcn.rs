//! Data center quantized congestion notification (DCQCN): Zhu et al., "Congestion Control for Large-Scale RDMA
//! Deployments", SIGCOMM 2015. Equations (1) and (2), and the default parameters, are those of section 3.1 of Zhu,
//! Ghobadi, Misra and Padhye, "ECN or Delay", CoNEXT 2016.
//!
//! Three points act. The congestion point, an egress queue, marks by its instantaneous length:
//! [`RedConfig::dcqcn`](crate::ether::aqm::red::RedConfig::dcqcn). The notification point, the receiver, answers marks
//! with CNPs: [`Notifier`]. The reaction point, the source, is in this module. Its timers do not run before its first
//! CNP.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::law::{Notifier, RateControl, RateControlParameters, Way};
use crate::ether::aqm::{lasting, require, share};
use crate::kernel::units::Bytes;
use crate::kernel::{Finding, Ps, Rate};

/// Parameters of DCQCN. Switches must mark by `switch.aqm` with `algorithm = "red"`, `weight = 1`, `gentle = false`,
/// `spacing = "geometric"`, `ecn = true` and `hard_drop = false`; Kmin, Kmax and p_max are `min`, `max` and `max_p`.
/// Rates count preambles and gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DcqcnConfig {
    /// Least time between CNPs of a flow (tau).
    #[schemars(extend("x-search" = { "low": "1 us", "high": "500 us", "scale": "log" }))]
    pub tau: Ps,
    /// Time without a CNP after which alpha decreases (tau'). It must be above `tau`.
    #[schemars(extend("x-search" = { "low": "2 us", "high": "550 us", "scale": "log" }))]
    pub tau_alpha: Ps,
    /// Interval of the timer of increases (T).
    #[schemars(extend("x-search" = { "low": "5 us", "high": "1.5 ms", "scale": "log" }))]
    pub t: Ps,
    /// Bytes on the line between two increases by the byte counter (B).
    #[schemars(extend("x-search" = { "low": "100 kB", "high": "1000 MB", "scale": "log" }))]
    pub b: Bytes,
    /// Number of increases by the timer, or by the byte counter, that belong to fast recovery; later increases are
    /// additive or hyper (F).
    #[schemars(extend("x-search" = { "low": 1, "high": 10, "scale": "linear" }))]
    pub f: u32,
    /// Step of the target rate in an additive increase (R_AI).
    #[schemars(extend("x-search" = { "low": "1 Mbit/s", "high": "1 Gbit/s", "scale": "log" }))]
    pub r_ai: Rate,
    /// Step of the target rate in a hyper increase (R_HAI). It is multiplied by the number of increases after fast
    /// recovery, counted by the timer or by the byte counter, whichever counts fewer. If absent, increases stay
    /// additive.
    #[schemars(extend("x-search" = { "low": "10 Mbit/s", "high": "5 Gbit/s", "scale": "log", "when": {"r_hai": true} }))]
    pub r_hai: Option<Rate>,
    /// Weight of a CNP in alpha, and share of alpha that is taken off after each `tau_alpha` without a CNP (g).
    #[schemars(extend("x-search" = { "low": 0.0009765625, "high": 0.25, "scale": "powers-of-two" }))]
    pub g: f64,
    /// Least rate of a source.
    #[schemars(extend("x-search" = { "low": "1 Mbit/s", "high": "1 Gbit/s", "scale": "log" }))]
    pub r_min: Rate,
    /// Each cut sets the target rate to the rate before the cut. If false, a cut keeps the target rate if no increase
    /// came between the previous cut and this one.
    pub clamp_target: bool,
    /// Priority of CNPs.
    #[schemars(range(max = 7), extend("x-not-searched" = "a choice of the network's classes"))]
    pub cnp_priority: u8,
}

impl Default for DcqcnConfig {
    /// The parameters of Zhu et al. 2016 for 40 Gbit/s. The least rate and the priority are not from the paper.
    fn default() -> DcqcnConfig {
        DcqcnConfig {
            tau: Ps::from_us(50),
            tau_alpha: Ps::from_us(55),
            t: Ps::from_us(55),
            b: Bytes(10_000_000),
            f: 5,
            r_ai: Rate::from_bps(40_000_000),
            r_hai: None,
            g: 1.0 / 256.0,
            r_min: Rate::from_bps(1_000_000),
            clamp_target: true,
            cnp_priority: 6,
        }
    }
}

impl RateControlParameters for DcqcnConfig {
    fn check(&self, line: Rate) -> Vec<Finding> {
        let alpha_waits = self.tau_alpha > self.tau;
        [
            lasting("tau", self.tau),
            require("tau_alpha", alpha_waits, self.tau_alpha, "above `tau`"),
            lasting("t", self.t),
            require("b", self.b.0 > 0, self.b, "above 0"),
            require("f", self.f > 0, self.f, "above 0"),
            share("g", self.g),
            require(
                "r_min",
                self.r_min.0 > 0 && self.r_min <= line,
                self.r_min,
                "above 0 and at most the rate of the line",
            ),
            require(
                "cnp_priority",
                self.cnp_priority <= 7,
                self.cnp_priority,
                "at most 7",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn rate_symbol(&self) -> &'static str {
        "R_C"
    }
    fn notifier(&self) -> Notifier {
        Notifier::new(self.tau, self.cnp_priority)
    }
}

/// The reaction point of DCQCN at a source. Rates are in octets/s on the line.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    config: DcqcnConfig,
    line: f64,
    /// Current rate R_C; `r_t` is the target rate R_T.
    r_c: f64,
    r_t: f64,
    alpha: f64,
    /// Time at which alpha falls next; `timer_at` is the time at which the timer next causes an increase.
    alpha_at: Ps,
    timer_at: Ps,
    /// Octets on the line since the byte counter last caused an increase.
    octets: u64,
    /// Number of increases by the timer since the last CNP; `by_bytes` is the number of increases by the byte counter.
    by_timer: u32,
    by_bytes: u32,
    has_increased: bool,
}

impl Dcqcn {
    /// A source whose packets take the path `way`. It begins at the rate of its line, with alpha at 1.
    pub fn new(config: &DcqcnConfig, way: &Way) -> Dcqcn {
        let line = octets(way.line);
        Dcqcn {
            config: config.clone(),
            line,
            r_c: line,
            r_t: line,
            alpha: 1.0,
            alpha_at: Ps::NEVER,
            timer_at: Ps::NEVER,
            octets: 0,
            by_timer: 0,
            by_bytes: 0,
            has_increased: false,
        }
    }
    /// Target rate R_T, in octets/s on the line.
    pub fn target(&self) -> f64 {
        self.r_t
    }
    /// Estimate of congestion (alpha): the weighted share of intervals with a CNP.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Increases the rates, after the timer or the byte counter has run out (the rule of QCN, which DCQCN adopts).
    fn increase(&mut self) {
        let (most, least) = (
            self.by_timer.max(self.by_bytes),
            self.by_timer.min(self.by_bytes),
        );
        let f = self.config.f;
        if most > f {
            self.r_t += match self.config.r_hai {
                // Hyper increase: timer and byte counter have both ended fast recovery.
                Some(r_hai) if least > f => f64::from(least - f) * octets(r_hai),
                // Additive increase.
                _ => octets(self.config.r_ai),
            };
            self.r_t = self.r_t.min(self.line);
        }
        // In fast recovery R_T stays. Each increase moves R_C halfway to R_T.
        self.r_c = (self.r_c + self.r_t) / 2.0;
        self.has_increased = true;
    }
}

impl RateControl for Dcqcn {
    fn rate(&self) -> f64 {
        self.r_c
    }

    fn on_sent(&mut self, _now: Ps, octets: u32) {
        if self.timer_at == Ps::NEVER {
            return;
        }
        self.octets += u64::from(octets);
        while self.octets >= self.config.b.0 {
            self.octets -= self.config.b.0;
            self.by_bytes = self.by_bytes.saturating_add(1);
            self.increase();
        }
    }

    fn on_cnp(&mut self, now: Ps) {
        let DcqcnConfig { g, .. } = self.config;
        if self.config.clamp_target || self.has_increased {
            self.r_t = self.r_c; // (1), first line
        }
        let least = octets(self.config.r_min);
        self.r_c = (self.r_c * (1.0 - self.alpha / 2.0)).max(least); // (1), second line
        self.alpha = (1.0 - g) * self.alpha + g; // (1), third line
        // Timers, byte counter and stages begin anew.
        self.alpha_at = now.saturating_add(self.config.tau_alpha);
        self.timer_at = now.saturating_add(self.config.t);
        (self.octets, self.by_timer, self.by_bytes) = (0, 0, 0);
        self.has_increased = false;
    }

    fn wake_at(&self) -> Ps {
        self.alpha_at.min(self.timer_at)
    }

    fn wake(&mut self, now: Ps) {
        if self.alpha_at <= now {
            self.alpha *= 1.0 - self.config.g; // (2)
            self.alpha_at = now.saturating_add(self.config.tau_alpha);
        }
        if self.timer_at <= now {
            self.timer_at = now.saturating_add(self.config.t);
            self.by_timer = self.by_timer.saturating_add(1);
            self.increase();
        }
    }

    fn stop(&mut self) {
        (self.alpha_at, self.timer_at) = (Ps::NEVER, Ps::NEVER);
    }
}

fn octets(rate: Rate) -> f64 {
    rate.bits_per_second() / 8.0
}

#[cfg(test)]
mod tests;
