//! Messages over TCP: an application that is alternately active and idle.

use alloc::format;
use alloc::string::{String, ToString};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Application, Demand, Load, Source, Writes};
use crate::kernel::units::Bytes;
use crate::kernel::{Ps, Rate, Stream};

/// Shortest mean time between messages. With a shorter time a run would do little else than process
/// messages.
const SHORTEST: Ps = Ps::from_ns(10);

/// Application that writes messages of exponential length to a TCP connection that stays open: the
/// client of Gerla et al. 1995 (section III.B: ON-OFF with exponential periods, 2.5 Kbytes and 2.5
/// Mbit/s on average). The application produces a message during an active period and writes the
/// whole message at its end. An exponential idle period follows. Bytes that TCP cannot send yet
/// join the byte stream, so a segment may contain the end of one message and the beginning of the
/// next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessagesConfig {
    /// Mean length of a message, at least 1 byte.
    pub mean_length: Bytes,
    /// Mean rate of the application's payload bits over active and idle periods. Messages must be
    /// at least 10 ns apart on average.
    pub mean_rate: Rate,
    /// Rate at which the application produces a message during an active period, above `mean_rate`.
    /// If absent, active periods take no time; Gerla et al. do not specify this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rate: Option<Rate>,
}

impl Source for MessagesConfig {
    const OVER_TCP: bool = true;

    fn check(&self) -> Option<(&'static str, String)> {
        if self.mean_length.0 == 0 {
            return Some((
                "mean_length",
                "a message must have at least 1 byte".to_string(),
            ));
        }
        let mean =
            Ps(libm::round(8e15 / self.mean_rate.0 as f64 * self.mean_length.0 as f64) as u64);
        if mean < SHORTEST {
            let message = format!(
                "a message of {} every {mean} on average is too often; allowed: one every {SHORTEST} or less often",
                self.mean_length
            );
            return Some(("mean_rate", message));
        }
        self.peak_rate
            .filter(|peak| *peak <= self.mean_rate)
            .map(|peak| {
                (
                    "peak_rate",
                    format!(
                        "a peak rate of {peak} is not above the mean rate of {}",
                        self.mean_rate
                    ),
                )
            })
    }

    fn load(&self) -> Load {
        Load::Elastic
    }

    fn demand(&self, start: Ps, stream: Stream) -> Demand {
        // Picoseconds per byte: 8 bits divided by thousandths of a bit per second.
        let time = |rate: Rate| 8e15 / rate.0 as f64;
        let active = self.peak_rate.map_or(0.0, time);
        let idle = (time(self.mean_rate) - active) * self.mean_length.0 as f64;
        let mean_length = self.mean_length.0 as f64;
        let mut source = Messages {
            mean_length,
            active,
            idle,
            stream,
            next: start,
            length: 0,
        };
        source.prepare();
        Demand::Writes(Writes::Messages(source))
    }
}

/// State of the application. An idle period precedes the first message.
#[derive(Clone, Debug)]
pub struct Messages {
    /// Mean length of a message in bytes.
    mean_length: f64,
    /// Time in picoseconds that the application needs to produce one byte in an active period.
    active: f64,
    /// Mean idle period in picoseconds.
    idle: f64,
    stream: Stream,
    next: Ps,
    length: u64,
}

impl Messages {
    /// Draws the idle period before the next message and the length of this message, and sets the time at which
    /// the message is written.
    fn prepare(&mut self) {
        let idle = self.stream.exponential(self.idle);
        // The length is rounded up to whole bytes.
        self.length = (libm::ceil(self.stream.exponential(self.mean_length)) as u64).max(1);
        let span = idle + self.active * self.length as f64;
        self.next = self.next.saturating_add(Ps(libm::round(span) as u64));
    }
}

impl Application for Messages {
    fn next(&self) -> Ps {
        self.next
    }
    fn write(&mut self) -> u64 {
        let length = self.length;
        self.prepare();
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gerla(peak_rate: Option<Rate>) -> MessagesConfig {
        MessagesConfig {
            mean_length: Bytes(2_500),
            mean_rate: Rate::from_bps(2_500_000),
            peak_rate,
        }
    }

    fn written(config: &MessagesConfig) -> alloc::vec::Vec<(Ps, u64)> {
        let Demand::Writes(mut source) =
            config.demand(Ps::from_ms(3), Stream::new(1, "a", "source"))
        else {
            panic!()
        };
        (0..40_000)
            .map(|_| (source.next(), source.write()))
            .collect()
    }

    #[test]
    fn gerlas_client_writes_2_5_kbytes_every_8_ms() {
        for peak in [None, Some(Rate::from_bps(10_000_000))] {
            let messages = written(&gerla(peak));
            let count = messages.len() as f64;
            let bytes = messages
                .iter()
                .map(|(_, length)| *length as f64)
                .sum::<f64>();
            let seconds = (messages[messages.len() - 1].0 - Ps::from_ms(3)).as_secs_f64();
            // Standard errors are at most 0.5 %. Rounding up to whole bytes adds half a byte,
            // 0.02 %.
            assert!(
                (bytes / count / 2_500.0 - 1.0).abs() < 0.02,
                "{}",
                bytes / count
            );
            assert!(
                (seconds / count / 8e-3 - 1.0).abs() < 0.02,
                "{}",
                seconds / count
            );
            let longer = messages
                .iter()
                .filter(|(_, length)| *length > 5_000)
                .count() as f64
                / count;
            assert!((longer - libm::exp(-2.0)).abs() < 0.01, "{longer}");
        }
    }

    #[test]
    fn a_message_takes_its_time_at_the_peak_rate() {
        let messages = written(&gerla(Some(Rate::from_bps(10_000_000))));
        // A byte takes 0.8 us, and idle periods have a mean of 6 ms.
        let idle = messages.windows(2).map(|pair| {
            let active = Ps(pair[1].1 * 800_000);
            let gap = pair[1].0 - pair[0].0;
            assert!(gap.0 + 1 >= active.0);
            gap.saturating_sub(active).as_secs_f64()
        });
        let mean = idle.sum::<f64>() / (messages.len() - 1) as f64;
        assert!((mean / 6e-3 - 1.0).abs() < 0.02, "{mean}");
    }

    #[test]
    fn impossible_applications_are_refused() {
        let slow = gerla(Some(Rate::from_bps(2_500_000)));
        assert_eq!(slow.check().map(|(field, _)| field), Some("peak_rate"));
        let empty = MessagesConfig {
            mean_length: Bytes(0),
            ..gerla(None)
        };
        assert_eq!(empty.check().map(|(field, _)| field), Some("mean_length"));
        assert_eq!(gerla(None).check(), None);
        let endless = MessagesConfig {
            mean_length: Bytes(1),
            mean_rate: Rate::from_bps(10_000_000_000_000),
            peak_rate: None,
        };
        assert_eq!(endless.check().map(|(field, _)| field), Some("mean_rate"));
    }
}
