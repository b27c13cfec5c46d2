//! Times of the packets in a transport stream, from its clock references.

use super::packet::Packet;
use super::{Broken, Stretch};

/// Cycles of the system clock of a transport stream per second.
pub const CLOCK_HERTZ: u64 = 27_000_000;
/// Number of cycles after which clock references wrap to zero: 33 bits, each unit of which has 300
/// cycles.
const WRAP: u64 = (1 << 33) * 300;
/// Longest accepted time without a clock reference in cycles (10 s), a hundred times the limit of
/// the standard.
const LONGEST: u64 = 10 * CLOCK_HERTZ;

/// State of the program clock after the packets read so far.
#[derive(Debug, Default)]
pub struct Clock {
    /// The last clock reference in cycles.
    last: Option<u64>,
    /// True if the stream has announced a jump of the clock since the last reference.
    jumps: bool,
    /// Packets sent since the last reference, or from the beginning of the file.
    packets: u64,
    before: u64,
    stretches: Vec<Found>,
}

/// Packets between two clock references with their duration, or packets around a jump of the clock,
/// whose duration is unknown.
#[derive(Debug)]
struct Found {
    ticks: Option<u64>,
    packets: u64,
}

impl Clock {
    /// Counts a packet of the file if it belongs to the part of the stream that is sent.
    pub fn count(&mut self, is_sent: bool) {
        self.packets += u64::from(is_sent);
    }

    /// Reads the clock reference of a packet on the PID of the clock.
    pub fn look_at(&mut self, packet: &Packet<'_>) -> Result<(), Broken> {
        self.jumps |= packet.discontinuity;
        let Some(now) = packet.pcr else { return Ok(()) };
        let packets = std::mem::take(&mut self.packets);
        match self.last {
            None => self.before = packets,
            Some(_) if self.jumps => self.stretches.push(Found {
                ticks: None,
                packets,
            }),
            Some(last) => {
                let ticks = elapsed(last, now, packet.byte)?;
                self.stretches.push(Found {
                    ticks: Some(ticks),
                    packets,
                });
            }
        }
        (self.last, self.jumps) = (Some(now), false);
        Ok(())
    }

    /// Returns all packets in stretches of constant rate. Packets of unknown duration get the rate
    /// of their neighbours.
    pub fn stretches(self, pid: u16) -> Result<Vec<Stretch>, Broken> {
        let Clock {
            packets: behind,
            before,
            stretches,
            ..
        } = self;
        let rate_of =
            |found: &Found| Some((found.ticks?, found.packets)).filter(|(_, packets)| *packets > 0);
        let Some(first) = stretches.iter().find_map(rate_of) else {
            let message = format!(
                "PID {pid} has no packets between clock references without a discontinuity indicator"
            );
            return Err(Broken::asked("file", message, ""));
        };
        let at_rate = |(ticks, of): (u64, u64), packets: u64| {
            // A stretch must take time, so it lasts at least one cycle.
            let ticks = (u128::from(ticks) * u128::from(packets) / u128::from(of)).max(1);
            Stretch {
                ticks: ticks as u64,
                packets,
            }
        };
        let mut rate = first;
        let mut all = Vec::with_capacity(stretches.len() + 2);
        if before > 0 {
            all.push(at_rate(rate, before));
        }
        for found in stretches {
            rate = rate_of(&found).unwrap_or(rate);
            match found.ticks {
                Some(ticks) => all.push(Stretch {
                    ticks,
                    packets: found.packets,
                }),
                None if found.packets > 0 => all.push(at_rate(rate, found.packets)),
                None => {}
            }
        }
        if behind > 0 {
            all.push(at_rate(rate, behind));
        }
        Ok(all)
    }
}

/// Number of cycles from one clock reference to the next.
fn elapsed(last: u64, now: u64, byte: u64) -> Result<u64, Broken> {
    let ticks = (now + WRAP - last) % WRAP;
    let seconds = |ticks: u64| ticks as f64 / CLOCK_HERTZ as f64;
    if ticks == 0 {
        return Err(Broken::at(
            byte,
            "the clock reference equals the previous one, without a discontinuity indicator",
        ));
    }
    if ticks > WRAP / 2 {
        let (back, from, to) = (seconds(WRAP - ticks), seconds(last), seconds(now));
        let message = format!(
            "the clock goes back by {back:.6} s, from {from:.6} to {to:.6} s, without a discontinuity indicator"
        );
        return Err(Broken::at(byte, message));
    }
    if ticks > LONGEST {
        let message = format!(
            "the clock advances by {:.3} s without a discontinuity indicator; at most 0.1 s is allowed",
            seconds(ticks)
        );
        return Err(Broken::at(byte, message));
    }
    Ok(ticks)
}
