//! Recovery policies: reactions of a sender to loss. Each policy is one file here and one line in
//! the registry below.

pub mod jacobson88;
pub mod newreno;
pub mod reno;
pub mod sack;
pub mod tahoe;
pub mod timeout_only;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::jacobson88::Jacobson88;
use self::newreno::NewReno;
use self::reno::Reno;
use self::sack::Sack;
use self::tahoe::Tahoe;
use self::timeout_only::TimeoutOnly;
use super::config::TcpConfig;
use super::window::Window;
use crate::component::Component;

/// Segments that a fast retransmission sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resend {
    /// The segment at snd_una alone; snd_nxt is restored (4.3BSD).
    Oldest,
    /// Everything from snd_una on (go-back-N).
    GoBack,
}

/// Reactions of a sender. The sender counts duplicates and runs timers; the policy sets the window.
pub trait RecoveryPolicy {
    /// The retransmission timer expired; the sender goes back to snd_una.
    fn on_timeout(&mut self, window: &mut Window) {
        window.ssthresh = window.half(); // RFC 2001 section 2, step 3
        window.cwnd = window.mss; // RFC 2001 section 2, step 3; RFC 5681 3.1
    }
    /// The third duplicate acknowledgement. Returns the segments to retransmit at once, if any.
    fn on_third_dup_ack(&mut self, _window: &mut Window) -> Option<Resend> {
        None
    }
    /// A duplicate acknowledgement after the third.
    fn on_further_dup_ack(&mut self, _window: &mut Window) {}
    /// True if a recovery lasts until everything that was outstanding at its start is acknowledged,
    /// and no other begins before (RFC 6582).
    fn recovers_fully(&self) -> bool {
        false
    }
    /// A sender with a scoreboard detects a loss with `flight` bytes outstanding (RFC 6675 section
    /// 5 step 4).
    fn on_selective_loss(&mut self, _window: &mut Window, _flight: u64) {}
    /// A partial acknowledgement, of `acked` bytes, in a recovery that lasts; the oldest segment is
    /// sent again.
    fn on_partial_ack(&mut self, _window: &mut Window, _acked: u64) {}
    /// New data were acknowledged after three or more duplicates, and `outstanding` bytes are left.
    /// Called before [`Self::grow`], or instead of it if the recovery lasted.
    fn on_recovered(&mut self, _window: &mut Window, _outstanding: u64) {}
    /// `acked` new bytes were acknowledged.
    fn grow(&mut self, window: &mut Window, acked: u64);
}

macro_rules! registry {
    ($($variant:ident = $name:literal, $about:literal, $source:literal, $build:expr;)*) => {
        /// The recovery policies, by the names that scenarios use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum Recovery {
            $(#[doc = $about] #[serde(rename = $name)] $variant,)*
        }

        impl Recovery {
            /// Every policy, in the order of the registry.
            pub const ALL: &[Recovery] = &[$(Recovery::$variant),*];

            /// The name in scenarios.
            pub const fn name(self) -> &'static str {
                match self { $(Recovery::$variant => $name),* }
            }
        }

        /// Key, description and source of every policy.
        pub fn names() -> &'static [Component] {
            &[$(Component { name: $name, about: $about, source: $source }),*]
        }

        /// A policy with its state.
        #[derive(Clone, Debug)]
        pub enum Policy {
            $(#[doc = $about] $variant($variant),)*
        }

        impl Policy {
            /// The policy that `config` names.
            pub fn new(config: &TcpConfig) -> Policy {
                match config.recovery { $(Recovery::$variant => Policy::$variant($build(config))),* }
            }
            /// The policy's reactions.
            #[inline]
            pub fn get(&mut self) -> &mut dyn RecoveryPolicy {
                match self { $(Policy::$variant(policy) => policy),* }
            }
        }
    };
}

registry! {
    TimeoutOnly = "timeout-only", "slow start, go-back-N after a timeout, no fast retransmit (Kalyanaraman 8.1)", "Kalyanaraman 1997, 8.1", |_| TimeoutOnly;
    Tahoe = "tahoe", "4.3BSD Tahoe: fast retransmit, then slow start", "4.3BSD Tahoe; Jacobson 1988", Tahoe::new;
    Reno = "reno", "4.3BSD Reno: fast retransmit and fast recovery (RFC 2001)", "4.3BSD Reno; RFC 2001", |_| Reno;
    NewReno = "newreno", "fast recovery until all that was outstanding is acknowledged (RFC 6582)", "RFC 6582", |_| NewReno;
    Sack = "sack", "selective acknowledgements: recovery from a scoreboard (RFC 2018, RFC 6675)", "RFC 2018, RFC 6675", |_| Sack;
    Jacobson88 = "jacobson88", "slow start and congestion avoidance of 1988, one segment per full window (Gerla et al.)", "Gerla et al. 1995, III; Jacobson 1988", |_| Jacobson88::default();
}

impl Recovery {
    /// True if receivers send SACK blocks and senders keep a scoreboard of them.
    pub const fn is_selective(self) -> bool {
        matches!(self, Recovery::Sack)
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
            assert_eq!(serde_json::to_value(policy).unwrap(), name);
            assert_eq!(policy.name(), name);
            assert!(!about.is_empty() && !source.is_empty());
        }
        assert_eq!(names().len(), Recovery::ALL.len());
    }
}
