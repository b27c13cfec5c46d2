//! Recovery policies: they set the window of a sender and react to losses. Each policy is one file
//! here, with its parameters, if any, in one serde struct, and one line in the registry below.

pub mod bbr;
pub mod cubic;
mod custom;
pub mod dctcp;
pub mod jacobson88;
pub mod newreno;
mod ranges;
pub mod reno;
mod reports;
pub(super) mod round_trip;
pub mod sack;
pub mod tahoe;
pub mod timeout_only;
pub mod vegas;
mod written;

use alloc::boxed::Box;
use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::bbr::{Bbr, BbrConfig};
use self::cubic::{Cubic, CubicConfig};
pub use self::custom::{CustomPolicy, CustomRecovery, RecoveryConfig};
use self::dctcp::{Dctcp, DctcpConfig};
use self::jacobson88::Jacobson88;
use self::newreno::NewReno;
use self::reno::Reno;
pub use self::reports::{Ack, Delivery, Loss, RateSample};
use self::sack::Sack;
use self::tahoe::Tahoe;
use self::timeout_only::TimeoutOnly;
use self::vegas::{Vegas, VegasConfig};
use super::window::Window;
use crate::component::{Component, documentation};
use crate::custom::FromOutside;
use crate::kernel::{Ps, Stream};

/// The data that a fast retransmission sends again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resend {
    /// Only the segment at snd_una. After it the sender continues where it had stopped, at the old snd_nxt
    /// (4.3BSD).
    Oldest,
    /// Everything from snd_una on (go-back-N).
    GoBack,
}

/// Facts about a connection, from which the state of a policy is built.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The parameter `tcp.restore_snd_nxt`.
    pub restore_snd_nxt: bool,
    /// Window of the connection at its start.
    pub window: Window,
    /// Random stream for the policy.
    pub stream: Stream,
}

#[cfg(test)]
impl Facts {
    /// Facts about a connection with segments of 1,000 bytes. `cwnd` and `ssthresh` are in
    /// segments; the receive window never limits the sender.
    fn of_test(cwnd: u64, ssthresh: u64) -> Facts {
        const MSS: u64 = 1_000;
        let window = Window {
            cwnd: cwnd * MSS,
            ssthresh: ssthresh * MSS,
            rwnd: 1 << 30,
            mss: MSS,
            cap: 1 << 30,
            extra: 0,
        };
        Facts {
            restore_snd_nxt: true,
            window,
            stream: Stream::new(1, "", ""),
        }
    }
}

/// A recovery policy at one sender. The sender counts duplicates, runs timers and keeps the
/// scoreboard. The policy sets the window and, optionally, the pace.
pub trait RecoveryPolicy {
    /// The retransmission timer has expired; the sender goes back to snd_una.
    fn on_timeout(&mut self, window: &mut Window, _loss: &Loss) {
        window.ssthresh = window.half(); // RFC 2001 section 2, step 3
        window.cwnd = window.mss; // RFC 2001 section 2, step 3; RFC 5681 3.1
    }
    /// The third duplicate acknowledgement has arrived. Returns the data to retransmit at once, if
    /// any.
    fn on_third_dup_ack(&mut self, _window: &mut Window, _loss: &Loss) -> Option<Resend> {
        None
    }
    /// True if the first or second duplicate acknowledgement counts as the third, given that the oldest segment
    /// was sent `age` ago. Called only if the sender keeps a record of each segment sent, for
    /// [`Self::needs_delivery`] or for pacing.
    fn retransmits_early(&self, _age: Ps) -> bool {
        false
    }
    /// A duplicate acknowledgement after the third has arrived.
    fn on_further_dup_ack(&mut self, _window: &mut Window) {}
    /// True if a recovery lasts until all data outstanding at its beginning are acknowledged, and no other
    /// recovery can begin before that (RFC 6582).
    fn recovers_fully(&self) -> bool {
        false
    }
    /// A sender with a scoreboard has detected a loss (RFC 6675 section 5 step 4).
    fn on_selective_loss(&mut self, _window: &mut Window, _loss: &Loss) {}
    /// The receiver reports marked data. The policy must reduce the window; nothing is sent again. Called at most
    /// once per window of data, and not during a recovery from a loss (RFC 3168 section 6.1.2).
    fn on_ecn_echo(&mut self, window: &mut Window, _loss: &Loss) {
        window.ssthresh = window.half(); // RFC 3168 6.1.2: as after a loss
        window.cwnd = window.cwnd.min(window.ssthresh); // RFC 3168 6.1.2: no slow start
    }
    /// An acknowledgement, duplicate or not, of a connection with ECN has arrived. Called before
    /// the other reactions.
    fn on_marks(&mut self, _ack: &Ack) {}
    /// A partial acknowledgement has arrived during a recovery, with [`Self::recovers_fully`]. The
    /// sender sends the oldest segment again.
    fn on_partial_ack(&mut self, _window: &mut Window, _ack: &Ack) {}
    /// New data are acknowledged after three or more duplicates. Called before [`Self::grow`], or
    /// instead of it if [`Self::recovers_fully`].
    fn on_recovered(&mut self, _window: &mut Window, _ack: &Ack) {}
    /// New data are acknowledged without ECN-Echo. Not called during a recovery if
    /// [`Self::recovers_fully`].
    fn grow(&mut self, window: &mut Window, ack: &Ack);
    /// An acknowledgement, duplicate or not, has arrived. Called after the methods above, and only if the sender
    /// keeps a record of each segment sent.
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack) {}
    /// True if [`Ack::delivery`] must be present. For this the sender keeps a record of each segment sent. The
    /// value must never change.
    fn needs_delivery(&self) -> bool {
        false
    }
    /// Pace in payload bytes per second. If `None`, `tcp.pacing` sets the pace; without `tcp.pacing`, the sender
    /// sends at once all that the window permits.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }
    /// True while the policy itself limits the sender, so that samples of the delivery rate do not
    /// show the rate of the path.
    fn holds_back(&self) -> bool {
        false
    }
    /// True if a pause of at least an RTO leads to slow start (`tcp.idle_restart`).
    fn restarts_slowly(&self) -> bool {
        true
    }
    /// Data are about to be sent, after a time in which the application had no data and no data were outstanding.
    /// Called only if the sender keeps a record of each segment sent.
    fn on_restart(&mut self, _now: Ps) {}
}

/// Each line names the enum variant with its parameters, the key in a scenario, a description, its source, and a
/// function that builds the state. `selective` says whether receivers send SACK blocks; by default they do not.
/// Parameters have `DEFAULT` and `check(&self) -> Result<(), String>`.
macro_rules! registry {
    (@is_plain) => { true };
    (@is_plain $config:ty) => { false };
    (@is_selective) => { false };
    (@is_selective $selective:expr) => { $selective };
    ($($variant:ident $(($parameters:ident: $config:ty))? = $name:literal, $about:literal, $source:literal, $build:expr $(, selective: $selective:expr)?;)*) => {
        /// The recovery of a TCP sender: a name, or a table with the name as `policy` and with
        /// parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each is described in the registry")]
        pub enum Recovery {
            $(#[doc = $about] $variant $(($config))?,)*
            Custom(RecoveryConfig),
        }

        /// A recovery, written as a table with its parameters.
        #[derive(Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "policy")]
        enum Table {
            $(
                #[doc = $about]
                #[serde(rename = $name)]
                $(#[schemars(extend("x-documentation" = documentation::<$config>()))])?
                $variant $(($config))?,
            )*
        }

        impl From<Table> for Recovery {
            fn from(table: Table) -> Recovery {
                match table { $(Table::$variant $(($parameters))? => Recovery::$variant $(($parameters))?,)* }
            }
        }

        impl Recovery {
            /// The recovery as a table; `None` if it is user-defined.
            fn table(&self) -> Option<Table> {
                match self {
                    $(Recovery::$variant $(($parameters))? => Some(Table::$variant $((*$parameters))?),)*
                    Recovery::Custom(_) => None,
                }
            }
        }

        impl Recovery {
            /// Every recovery of the registry with its default parameters, in the order of the
            /// registry.
            pub const ALL: &[Recovery] = &[$(Recovery::$variant $((<$config>::DEFAULT))?),*];

            /// Name of the recovery in scenarios.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Recovery::$variant { .. } => $name,)*
                    Recovery::Custom(config) => config.found().map_or("unknown", |it| it.name()),
                }
            }
            /// True if the recovery has no parameters.
            const fn is_plain(&self) -> bool {
                match self {
                    $(Recovery::$variant { .. } => registry!(@is_plain $($config)?),)*
                    Recovery::Custom(_) => false,
                }
            }
            /// True if receivers send SACK blocks and senders keep a scoreboard of these blocks.
            pub const fn is_selective(&self) -> bool {
                match self {
                    $(Recovery::$variant $(($parameters))? => {
                        $(let _ = $parameters;)?
                        registry!(@is_selective $($selective)?)
                    })*
                    Recovery::Custom(_) => false,
                }
            }
            /// True if each acknowledgement of a receiver covers only marked or only unmarked data
            /// (RFC 8257 section 3.2). False if a receiver reports a mark until CWR (RFC 3168). With
            /// true, the recovery implies ECN.
            pub const fn reports_each_mark(&self) -> bool {
                matches!(self, Recovery::Dctcp(_))
            }
            /// Refuses parameters with which no connection can run. The message names the field,
            /// its value and the allowed values.
            pub fn check(&self) -> Result<(), String> {
                match self {
                    $(Recovery::$variant $(($parameters))? => { $($parameters.check()?;)? Ok(()) })*
                    Recovery::Custom(config) => match config.found() {
                        Some(_) => Ok(()),
                        None => Err(alloc::format!("recovery: there is no policy `{}`", config.name)),
                    },
                }
            }
        }

        /// Key, description and source of every recovery.
        pub fn names() -> &'static [Component] {
            &[$(Component { name: $name, about: $about, source: $source }),*]
        }

        /// State of a recovery policy at one sender.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "one per connection, and a box would cost a load per acknowledgement")]
        pub enum Policy {
            $(#[doc = $about] $variant($variant),)*
            /// State of a user-defined recovery.
            Custom(Box<dyn CustomPolicy>),
        }

        impl Policy {
            /// The initial state of `recovery` for a connection with these `facts`.
            pub fn new(recovery: &Recovery, facts: Facts) -> Policy {
                match recovery {
                    $(Recovery::$variant $(($parameters))? => Policy::$variant($build(facts $(, $parameters)?)),)*
                    Recovery::Custom(config) => Policy::Custom(config.get().build(&facts)),
                }
            }
            /// The policy as a trait object.
            #[inline]
            pub fn get(&mut self) -> &mut dyn RecoveryPolicy {
                match self {
                    $(Policy::$variant(policy) => policy,)*
                    Policy::Custom(policy) => policy.policy(),
                }
            }
        }
    };
}

registry! {
    TimeoutOnly = "timeout-only", "slow start, go-back-N after a timeout, no fast retransmit (Kalyanaraman 8.1)", "Kalyanaraman 1997, 8.1", |_| TimeoutOnly;
    Tahoe = "tahoe", "4.3BSD Tahoe: fast retransmit, then slow start", "4.3BSD Tahoe; Jacobson 1988", Tahoe::new;
    Reno = "reno", "4.3BSD Reno: fast retransmit and fast recovery (RFC 2001)", "4.3BSD Reno; RFC 2001", |_| Reno;
    NewReno = "newreno", "fast recovery until all that was outstanding is acknowledged (RFC 6582)", "RFC 6582", |_| NewReno;
    Sack = "sack", "selective acknowledgements: recovery from a scoreboard (RFC 2018, RFC 6675)", "RFC 2018, RFC 6675", |_| Sack, selective: true;
    Jacobson88 = "jacobson88", "slow start and congestion avoidance of 1988, one segment per full window (Gerla et al.)", "Gerla et al. 1995, III; Jacobson 1988", |_| Jacobson88::default();
    Cubic(parameters: CubicConfig) = "cubic", "a window that is a cubic function of the time since the last loss (CUBIC, RFC 9438)", "RFC 9438", Cubic::new, selective: parameters.sack;
    Vegas(parameters: VegasConfig) = "vegas", "a window that keeps a few segments in the queue, by the round trip (Vegas)", "Brakmo and Peterson 1995", Vegas::new;
    Bbr(parameters: BbrConfig) = "bbr", "a paced rate and a window from the measured bottleneck rate and round trip (BBR, version 1)", "draft-cardwell-iccrg-bbr-congestion-control-00", Bbr::new, selective: true;
    Dctcp(parameters: DctcpConfig) = "dctcp", "a window that falls by the share of the data that queues have marked (DCTCP, RFC 8257)", "RFC 8257", Dctcp::new, selective: true;
}

impl FromOutside for dyn CustomRecovery {
    const TAG: &'static str = "policy";
    fn registered() -> &'static [Component] {
        names()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_registry_are_those_of_scenarios() {
        for (
            policy,
            &Component {
                name,
                about,
                source,
            },
        ) in Recovery::ALL.iter().zip(names())
        {
            let by_name: Recovery = serde_json::from_value(name.into()).unwrap();
            assert_eq!((&by_name, policy.name()), (policy, name));
            assert!(!about.is_empty() && !source.is_empty());
        }
        assert_eq!(names().len(), Recovery::ALL.len());
    }
}
