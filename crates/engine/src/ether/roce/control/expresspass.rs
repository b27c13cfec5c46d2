//! ExpressPass: Cho, Jang and Han, "Credit-Scheduled Delay-Bounded Congestion Control for Datacenters", SIGCOMM 2017.
//!
//! The paper was not at hand. This module follows the authors' public simulator (kaist-ina/ns2-xpass). A source asks its
//! receiver for credits. Each credit lets the source send one packet. A stop tells the receiver that the source has no more
//! to send. The receiver paces credits. Every port and interface that credits cross limits their rate, so that data and
//! credits of both directions fit the line. Credits whose numbers are missing among those that data answer count as lost,
//! and the receiver sets its rate by these losses once a round trip.
//!
//! ExpressPass is a control of RoCE here, not a transport beside it. Packets, go-back-N, ends of transfers, captures and
//! reports are those of RoCE. This module differs from the simulator in these points:
//! - Each credit acknowledges all packets before the one that the receiver expects. An acknowledgement for each packet would
//!   take the rate that credits leave. Only the last packet of a transfer has its own acknowledgement; `ack_every` has no
//!   effect.
//! - Data have four octets for the number of the credit. A credit has 46 octets of IP: the shortest frame, without a tag.
//! - The stop leaves behind the last packet, and again if credits still come two round trips later. The simulator sends the
//!   stop earlier, if the credits under way suffice; and its credits start more slowly if fewer than 40 packets remain.
//! - A request that no credit answers is sent again after `timeout`. The timer waits for at least sixteen times the usual
//!   time between credits, since credits of many flows are far apart.
//! - Data that answer an earlier credit than data before them take one credit off the counted losses. The simulator stops
//!   with an error in this case.
//! - The first period of the feedback begins with the first packet. Rates are not cut to whole octets. The least rate, one
//!   credit each round trip, is limited by the maximum rate. In the simulator the maximum rate gives way.
//! - The buckets are full at the start. Their rate allows for the longest packet of the flows whose credits cross the port.

pub mod feedback;

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::law::{Notifier, RateControlParameters};
use crate::ether::aqm::{require, share};
use crate::kernel::{Finding, Rate};

/// Parameters of ExpressPass. Credits return over the links of the data, so each flow has one path. FCVC is not allowed
/// beside ExpressPass; PFC and CBFC neither hold back nor count credits of ExpressPass. `credit_queue` and `burst` apply to
/// all ports and must be equal in all flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExpressPassConfig {
    /// Rate of credits at the start, as a share of the greatest rate (alpha).
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1.0, "scale": "log" }))]
    pub alpha: f64,
    /// Weight of the greatest rate in an increase at the start (w_init).
    #[schemars(extend("x-search" = { "low": 0.01, "high": 0.5, "scale": "log" }))]
    pub w_init: f64,
    /// Least weight of the greatest rate (w_min); each decrease of the rate halves the weight.
    #[schemars(extend("x-search" = { "low": 0.001, "high": 0.1, "scale": "log" }))]
    pub w_min: f64,
    /// Greatest weight of the greatest rate (w_max).
    #[schemars(extend("x-search" = { "low": 0.05, "high": 1.0, "scale": "log" }))]
    pub w_max: f64,
    /// Amount by which the weight grows in each round trip without a decrease of the rate, from the second such round trip
    /// in a row on.
    #[schemars(extend("x-search" = { "low": 0.005, "high": 0.5, "scale": "log" }))]
    pub w_step: f64,
    /// Share of lost credits above which the rate decreases, for a rate near 0. This share falls linearly with the rate, to
    /// 0 at the greatest rate.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 0.5, "scale": "log" }))]
    pub target_loss: f64,
    /// Greatest random change of the time between two credits, as a share of this time. The change is drawn for each credit.
    #[schemars(extend("x-search" = { "low": 0.001, "high": 0.5, "scale": "log" }))]
    pub jitter: f64,
    /// Number of credits that may wait at each port and interface; further credits are dropped.
    #[schemars(range(min = 1), extend("x-search" = { "low": 2, "high": 64, "scale": "powers-of-two" }))]
    pub credit_queue: u32,
    /// Number of credits that a port or interface may send at once after a silence: the depth of its token bucket.
    #[schemars(range(min = 1), extend("x-search" = { "low": 1, "high": 16, "scale": "powers-of-two" }))]
    pub burst: u32,
}

impl Default for ExpressPassConfig {
    /// The defaults of the public simulator; `credit_queue` and `burst` are those of its experiments.
    fn default() -> ExpressPassConfig {
        ExpressPassConfig {
            alpha: 0.5,
            w_init: 0.5,
            w_min: 0.01,
            w_max: 0.5,
            w_step: 0.05,
            target_loss: 0.125,
            jitter: 0.1,
            credit_queue: 8,
            burst: 2,
        }
    }
}

impl RateControlParameters for ExpressPassConfig {
    fn check(&self, _line: Rate) -> Vec<Finding> {
        let within = |name: &'static str, value: f64, is_allowed: bool, allowed: &str| {
            require(name, value.is_finite() && is_allowed, value, allowed)
        };
        [
            share("alpha", self.alpha),
            share("w_max", self.w_max),
            within(
                "w_min",
                self.w_min,
                self.w_min > 0.0 && self.w_min <= self.w_max,
                "above 0 and at most `w_max`",
            ),
            within(
                "w_init",
                self.w_init,
                (self.w_min..=self.w_max).contains(&self.w_init),
                "at least `w_min` and at most `w_max`",
            ),
            within(
                "w_step",
                self.w_step,
                (0.0..=1.0).contains(&self.w_step),
                "at least 0 and at most 1",
            ),
            within(
                "target_loss",
                self.target_loss,
                (0.0..1.0).contains(&self.target_loss),
                "at least 0 and below 1",
            ),
            within(
                "jitter",
                self.jitter,
                (0.0..1.0).contains(&self.jitter),
                "at least 0 and below 1",
            ),
            require(
                "credit_queue",
                self.credit_queue > 0,
                self.credit_queue,
                "above 0",
            ),
            require("burst", self.burst > 0, self.burst, "above 0"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn notifier(&self) -> Notifier {
        Notifier::NONE
    }
}

#[cfg(test)]
mod tests;
