//! Rate control of sources over RoCE. Each algorithm is one file here and one line in the registry below.

pub mod dcqcn;
pub mod expresspass;
pub mod hpcc;
mod law;
mod line_rate;
pub mod nscc;
pub mod puller;
pub mod rccc;
pub mod swift;
pub mod timely;

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::{Component, documentation};
use crate::kernel::{Finding, Ps, Rate};

pub use law::{Completion, Notifier, RateControl, RateControlParameters, Report, Told, Way};

/// Each line names variant, key in a scenario, description, source, parameters and state of an algorithm. The
/// registry builds the state by `new(&parameters, &way)`.
macro_rules! registry {
    ($($variant:ident = $name:literal, $about:literal, $source:literal, $config:ty, $state:ty;)*) => {
        /// The rate control of a source over RoCE and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "algorithm")]
        pub enum RoceControlConfig {
            $(
                #[doc = $about]
                #[serde(rename = $name)]
                #[schemars(extend("x-source" = $source, "x-documentation" = documentation::<$config>()))]
                $variant($config),
            )*
        }

        impl RoceControlConfig {
            /// The state of the control of a source whose packets take the path `way`.
            pub fn build(&self, way: &Way) -> RoceControl {
                match self {
                    $(RoceControlConfig::$variant(config) => RoceControl::$variant(<$state>::new(config, way)),)*
                }
            }
            /// Findings about the parameters of a source on a line of `line`.
            pub fn check(&self, line: Rate) -> Vec<Finding> {
                match self {
                    $(RoceControlConfig::$variant(config) => config.check(line),)*
                }
            }
            /// The part of the rate control at the receiver, which sends CNPs or returns telemetry.
            pub fn notifier(&self) -> Notifier {
                match self {
                    $(RoceControlConfig::$variant(config) => config.notifier(),)*
                }
            }
            /// Symbol of the rate in the paper of the algorithm.
            pub fn rate_symbol(&self) -> &'static str {
                match self {
                    $(RoceControlConfig::$variant(config) => config.rate_symbol(),)*
                }
            }
            /// True if packets with data collect telemetry, which acknowledgements take back.
            pub fn has_telemetry(&self) -> bool {
                match self {
                    $(RoceControlConfig::$variant(config) => config.has_telemetry(),)*
                }
            }
            /// True if the receiver reports the packets that it has accepted.
            pub fn has_reports(&self) -> bool {
                match self {
                    $(RoceControlConfig::$variant(config) => config.has_reports(),)*
                }
            }
            /// Number of packets in a segment whose round trip is measured, if a packet has `payload` octets;
            /// `None` if no round trips are measured.
            pub fn segment(&self, payload: u64) -> Option<u64> {
                match self {
                    $(RoceControlConfig::$variant(config) => config.segment(payload),)*
                }
            }
            /// The part of receiver credits at the receiver of a transfer of `packets`; `None` without receiver
            /// credits.
            pub fn puller(&self, way: &Way, packets: u64) -> Option<puller::Puller> {
                match self {
                    $(RoceControlConfig::$variant(config) => config.puller(way, packets),)*
                }
            }
            /// Key of the algorithm in a scenario.
            pub fn name(&self) -> &'static str {
                match self {
                    $(RoceControlConfig::$variant(_) => $name,)*
                }
            }
        }

        /// State of the rate control of a source.
        #[derive(Clone, Debug)]
        pub enum RoceControl {
            $(#[doc = $about] $variant($state),)*
        }

        /// Key, description and source of every algorithm.
        pub fn controls() -> &'static [Component] {
            &[$(Component { name: $name, about: $about, source: $source }),*]
        }

        impl RateControl for RoceControl {
            #[inline]
            fn rate(&self) -> f64 {
                match self { $(RoceControl::$variant(state) => state.rate(),)* }
            }
            #[inline]
            fn on_sent(&mut self, now: Ps, octets: u32) {
                match self { $(RoceControl::$variant(state) => state.on_sent(now, octets),)* }
            }
            #[inline]
            fn window(&self) -> f64 {
                match self { $(RoceControl::$variant(state) => state.window(),)* }
            }
            fn on_told(&mut self, told: &Told<'_>) {
                match self { $(RoceControl::$variant(state) => state.on_told(told),)* }
            }
            #[inline]
            fn limit(&self) -> u64 {
                match self { $(RoceControl::$variant(state) => state.limit(),)* }
            }
            fn on_pull(&mut self, limit: u64) {
                match self { $(RoceControl::$variant(state) => state.on_pull(limit),)* }
            }
            fn on_cnp(&mut self, now: Ps) {
                match self { $(RoceControl::$variant(state) => state.on_cnp(now),)* }
            }
            fn starts_by_others(&self) -> bool {
                match self { $(RoceControl::$variant(state) => state.starts_by_others(),)* }
            }
            fn on_start(&mut self, others: u64) {
                match self { $(RoceControl::$variant(state) => state.on_start(others),)* }
            }
            fn on_completion(&mut self, completion: &Completion) {
                match self { $(RoceControl::$variant(state) => state.on_completion(completion),)* }
            }
            fn on_report(&mut self, report: &Report) {
                match self { $(RoceControl::$variant(state) => state.on_report(report),)* }
            }
            fn on_loss(&mut self, now: Ps) {
                match self { $(RoceControl::$variant(state) => state.on_loss(now),)* }
            }
            fn on_trimmed(&mut self, now: Ps, on_way: f64) {
                match self { $(RoceControl::$variant(state) => state.on_trimmed(now, on_way),)* }
            }
            #[inline]
            fn wake_at(&self) -> Ps {
                match self { $(RoceControl::$variant(state) => state.wake_at(),)* }
            }
            fn wake(&mut self, now: Ps) {
                match self { $(RoceControl::$variant(state) => state.wake(now),)* }
            }
            fn stop(&mut self) {
                match self { $(RoceControl::$variant(state) => state.stop(),)* }
            }
        }
    };
}

registry! {
    None = "none", "send at the rate of the line", "InfiniBand Architecture Specification, reliable connection",
        line_rate::LineRateConfig, line_rate::LineRate;
    Dcqcn = "dcqcn", "cut the rate at each congestion notification, raise it by timer and byte counter (data center quantized congestion notification)",
        "Zhu et al. 2015; Zhu et al. 2016, 3.1", dcqcn::DcqcnConfig, dcqcn::Dcqcn;
    Hpcc = "hpcc", "set the window by what switches write into packets: queue length and octets sent of the fullest line (high precision congestion control)",
        "Li et al. 2019, algorithm 1; draft-miao-tsv-hpcc-01", hpcc::HpccConfig, hpcc::Hpcc;
    Timely = "timely", "set the rate by round trips of segments and their gradient, as published or with a patch that has a fixed point",
        "Mittal et al. 2015, algorithm 1; Zhu et al. 2016, algorithms 1 and 2", timely::TimelyConfig, timely::Timely;
    Swift = "swift", "set the window by round trips of packets against a target delay, which grows as the window falls",
        "Kumar et al. 2020, after csg-htsim", swift::SwiftConfig, swift::Swift;
    ExpressPass = "expresspass", "send a packet for each credit of the receiver; each port limits credits so that the data fit the line",
        "Cho et al. 2017, after ns2-xpass", expresspass::ExpressPassConfig, line_rate::LineRate;
    Rccc = "rccc", "send a first window, then the packets that the receiver pulls at the rate of its line (receiver credits)",
        "public simulator of the Ultra Ethernet Consortium, uet-htsim", rccc::RcccConfig, rccc::Rccc;
    Nscc = "nscc", "set the window by marks and the queueing delay of packets; a trimmed packet takes itself from the window (network-signalled congestion control)",
        "public simulator of the Ultra Ethernet Consortium, uet-htsim", nscc::NsccConfig, nscc::Nscc;
}

impl RoceControlConfig {
    /// Parameters of ExpressPass, without whose credits no packet leaves; `None` under other controls.
    pub fn credits(&self) -> Option<&expresspass::ExpressPassConfig> {
        match self {
            RoceControlConfig::ExpressPass(config) => Some(config),
            _ => None,
        }
    }
}

impl Default for RoceControlConfig {
    fn default() -> RoceControlConfig {
        RoceControlConfig::None(line_rate::LineRateConfig::default())
    }
}
