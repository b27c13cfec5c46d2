//! Random phases of TCP's coarse clocks.

use super::config::{Clock, TcpConfig};
use crate::kernel::{Ps, Stream};

/// Phases of the coarse clocks at one end of a connection. Each clock takes its phase modulo its tick interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Phase of the clock that measures round trips and counts down timers.
    pub timer: Ps,
    /// Phase of the clock of delayed acknowledgements.
    pub delayed_ack: Ps,
}

impl Phases {
    /// Draws the phases for one end of a connection in a run with `seed`. `end` is the name of this end, `host`
    /// the name of its host.
    pub fn draw(config: &TcpConfig, seed: u64, host: &str, end: &str) -> Phases {
        match config.clock {
            Clock::PerHost => {
                // The common instant at which all clocks of the host tick, whatever their intervals. The instant
                // is uniform below 2^64 ps. This range has so many intervals of each clock that the phase of each
                // clock is uniform, too.
                let ticks = Stream::new(seed, host, "clocks").below(Ps::NEVER);
                Phases {
                    timer: ticks,
                    delayed_ack: ticks,
                }
            }
            Clock::Shared | Clock::Aligned => Phases {
                timer: if config.clock == Clock::Shared {
                    Stream::new(seed, "run", "tick phase").below(config.granularity)
                } else {
                    Ps::ZERO
                },
                delayed_ack: Stream::new(seed, end, "delayed acknowledgement phase")
                    .below(config.delayed_ack_interval),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(config: &TcpConfig, host: &str, end: &str) -> Phases {
        Phases::draw(config, 7, host, end)
    }

    #[test]
    fn connections_of_a_host_have_its_clocks_and_hosts_have_their_own() {
        let config = TcpConfig::default();
        assert_eq!(
            draw(&config, "a", "tcp.1/source"),
            draw(&config, "a", "tcp.2/destination")
        );
        assert_ne!(
            draw(&config, "a", "tcp.1/source"),
            draw(&config, "b", "tcp.1/source")
        );
        assert_ne!(
            draw(&config, "a", "tcp.1/source"),
            Phases::draw(&config, 8, "a", "tcp.1/source")
        );
        // This holds also for different intervals: clocks of 500 ms and 200 ms tick together once a second,
        // counted from boot.
        let Phases { timer, delayed_ack } = draw(&config, "a", "tcp.1/source");
        let other = TcpConfig {
            granularity: Ps::from_ms(100),
            delayed_ack_interval: Ps::from_ms(500),
            ..config
        };
        assert_eq!(
            (timer, delayed_ack),
            (delayed_ack, draw(&other, "a", "x").timer)
        );
    }

    #[test]
    fn phases_of_many_hosts_are_spread_evenly_over_the_interval() {
        let config = TcpConfig::default();
        let mut tenths = [0u32; 10];
        for host in 0..1_000 {
            let phase =
                draw(&config, &alloc::format!("host {host}"), "").timer.0 % config.granularity.0;
            tenths[(phase * 10 / config.granularity.0) as usize] += 1;
        }
        // Each tenth of the interval is expected to have 100 hosts, with a standard deviation of sqrt(90); the
        // tolerance is five standard deviations.
        assert!(
            tenths.iter().all(|count| count.abs_diff(100) < 48),
            "{tenths:?}"
        );
    }

    #[test]
    fn shared_timers_tick_together_and_acknowledgements_are_delayed_by_each_connection() {
        let config = TcpConfig {
            clock: Clock::Shared,
            ..TcpConfig::default()
        };
        let (one, other) = (
            draw(&config, "a", "tcp.1/destination"),
            draw(&config, "b", "tcp.2/destination"),
        );
        assert_eq!(one.timer, other.timer);
        assert_ne!(one.delayed_ack, other.delayed_ack);
        assert!(one.timer < config.granularity && one.delayed_ack < config.delayed_ack_interval);
    }

    #[test]
    fn aligned_timers_tick_at_multiples_of_the_granularity_under_every_seed() {
        let config = TcpConfig {
            clock: Clock::Aligned,
            ..TcpConfig::default()
        };
        for seed in 0..3 {
            let phases = Phases::draw(&config, seed, "a", "tcp.1/source");
            assert_eq!(phases.timer, Ps::ZERO);
        }
    }
}
