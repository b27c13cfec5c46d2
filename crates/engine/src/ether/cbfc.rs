//! Credit-based flow control (CBFC) of a link, as the link layer of Ultra Ethernet has it. The receiver of a link
//! owns a buffer for each virtual channel, and a sender sends only what fits into this buffer.
//!
//! A virtual channel is a priority under CBFC. Its buffer holds `credits` units of `unit` octets. A frame of M
//! octets, from header to FCS, takes ceil(M / unit) credits. The credits are free again when the frame has left the
//! receiver. Once `batch` credits are free, the receiver returns them in a frame of 64 octets. This frame precedes
//! all waiting frames and interrupts none. A host consumes every frame at once, so it frees the credits when the
//! frame arrives.
//!
//! The specification of Ultra Ethernet is not public in full. So three things are choices of this module: the
//! format of the frame that returns credits, its cumulative counts modulo 2^16, and the times at which it is sent.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::frame::{Info, PREAMBLE, SHORTEST, on_line};
use super::line::OctetClock;
use super::notice::Update;
use crate::kernel::Ps;
use crate::net::LinkPlan;

/// First value of all counters. It is so close to the end of their range that the counters wrap in every run.
const FIRST: u16 = u16::MAX - 63;

/// Settings of CBFC, the same on all links of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct CbfcConfig {
    /// Priorities under CBFC, 0 to 7. Each is a virtual channel.
    pub priorities: Vec<u8>,
    /// Size of a credit: octets of frames, from header to FCS.
    pub unit: u32,
    /// Credits of a virtual channel; if absent, the number that [`CbfcConfig::full_rate`] returns.
    pub credits: Option<u32>,
    /// Number of freed credits from which on the receiver returns them.
    pub batch: u32,
    /// Time from the arrival of credits after which a sender can spend them.
    pub response: Ps,
}

impl CbfcConfig {
    /// Greatest number of credits of a virtual channel: half of the range of the counters.
    pub const MOST: u32 = (u16::MAX / 2) as u32;

    /// Number of credits that a frame of `octets` takes.
    #[inline]
    pub fn taken(&self, octets: u32) -> u32 {
        octets.div_ceil(self.unit)
    }
    /// Least number of credits with which a frame of `longest` octets never waits for ever. The receiver may keep
    /// up to `batch` - 1 freed credits back.
    pub fn least(&self, longest: u32) -> u64 {
        u64::from(self.taken(longest)) + u64::from(self.batch) - 1
    }
    /// Least number of credits with which frames of `longest` octets follow one another on `link` without pauses.
    /// The next port has the rate of `link`, and transmits each frame at once. The credits return over the link
    /// `back`, whose longest frame has `longest_back` octets.
    ///
    /// The credits of a frame can be spent again after its transmission, the propagation of `link`, its
    /// transmission at the next port, a frame that `back` has just begun, the credit frame without its gap, the
    /// propagation of `back`, and the response time. In this time n frames begin, the last one in part. They take n
    /// times the credits of a frame, and the receiver may keep `batch` - 1 credits back.
    pub fn full_rate(
        &self,
        (link, longest): (&LinkPlan, u32),
        (back, longest_back): (&LinkPlan, u32),
    ) -> u64 {
        let service = OctetClock::new(link.rate).ceil(on_line(longest.max(SHORTEST)));
        let told = OctetClock::new(back.rate);
        let wait = told.ceil(on_line(longest_back.max(SHORTEST))) + told.ceil(PREAMBLE + SHORTEST);
        let trip = service + link.delay + service + wait + back.delay + self.response;
        let frames = trip.0.div_ceil(service.0);
        let credits = frames.saturating_mul(self.taken(longest).into());
        credits.saturating_add(u64::from(self.batch) - 1)
    }
    /// Number of credits of each virtual channel of `link`, whose opposite link is `back`. The longest frame of
    /// both links has `longest` octets.
    pub fn credits_of(&self, link: &LinkPlan, back: &LinkPlan, longest: u32) -> u64 {
        let derived = || self.full_rate((link, longest), (back, longest));
        self.credits.map_or_else(derived, u64::from)
    }
    fn mask(&self) -> u8 {
        let priorities = self.priorities.iter();
        priorities.fold(0, |bits, priority| bits | 1 << priority)
    }
}

/// A virtual channel at the receiving end of a link.
#[derive(Clone, Copy, Debug)]
struct Filled {
    /// Number of credits of the frames in the buffer now. `most` is its greatest value so far, `octets` the octets
    /// of the frames in the buffer now.
    held: u32,
    most: u32,
    octets: u64,
    /// Credits freed so far.
    freed: u16,
    /// Credits freed since the receiver last returned credits.
    kept_back: u32,
}

/// The buffers at the receiving end of one link.
#[derive(Clone, Debug)]
pub struct Incoming {
    credits: u32,
    /// Number of the port or interface that feeds the opposite link and so returns the credits.
    back: u32,
    channels: [Filled; 8],
}

impl Incoming {
    /// The empty buffers at the receiving end of a link, with `credits` credits for each virtual channel. `back` is
    /// the number of the port or interface that returns the credits.
    pub fn new(credits: u32, back: u32) -> Incoming {
        let empty = Filled {
            held: 0,
            most: 0,
            octets: 0,
            freed: FIRST,
            kept_back: 0,
        };
        Incoming {
            credits,
            back,
            channels: [empty; 8],
        }
    }
}

/// The buffers at the receiving ends of all links into a node.
#[derive(Clone, Debug)]
pub struct Buffers {
    config: CbfcConfig,
    /// A bit for each priority under CBFC.
    priorities: u8,
    links: Vec<Incoming>,
    /// For each label, the index of the incoming link by which frames with this label arrive.
    link_of: Vec<u32>,
}

/// Credits that a port or interface must return: the number of the port or interface, the virtual channel, and the
/// count of all credits that the virtual channel has freed.
pub type Freed = (u32, u8, u16);

impl Buffers {
    /// The empty buffers of a node. `link_of` has, for each label, the index of the incoming link of frames with
    /// this label.
    pub fn new(config: &CbfcConfig, links: Vec<Incoming>, link_of: Vec<u32>) -> Buffers {
        Buffers {
            config: config.clone(),
            priorities: config.mask(),
            links,
            link_of,
        }
    }
    /// True for a frame of a priority under CBFC.
    #[inline]
    pub fn covers(&self, info: Info) -> bool {
        info.is_held_back() && self.priorities >> info.priority() & 1 == 1
    }
    /// Counts a frame with this label that arrives: it takes credits of its virtual channel.
    ///
    /// # Panics
    /// If the frame does not fit into the buffer, which a correct sender prevents.
    pub fn take(&mut self, label: u32, info: Info) {
        let link = &mut self.links[self.link_of[label as usize] as usize];
        let channel = &mut link.channels[info.priority() as usize];
        channel.held += self.config.taken(info.octets());
        channel.most = channel.most.max(channel.held);
        channel.octets += u64::from(info.octets());
        assert!(channel.held <= link.credits, "a frame without credits");
    }
    /// Counts a frame with this label that has left the node: it frees its credits. Returns the credits that must
    /// be returned now, if any.
    pub fn release(&mut self, label: u32, info: Info) -> Option<Freed> {
        let link = &mut self.links[self.link_of[label as usize] as usize];
        let channel = &mut link.channels[info.priority() as usize];
        let taken = self.config.taken(info.octets());
        channel.held -= taken;
        channel.octets -= u64::from(info.octets());
        channel.freed = channel.freed.wrapping_add(taken as u16);
        channel.kept_back += taken;
        if channel.kept_back < self.config.batch {
            return None;
        }
        channel.kept_back = 0;
        Some((link.back, info.priority(), channel.freed))
    }
    /// Octets in the buffers; `None` unless all priorities are under CBFC.
    pub fn held(&self) -> Option<u64> {
        let channels = self.links.iter().flat_map(|link| &link.channels);
        (self.priorities == u8::MAX).then(|| channels.map(|channel| channel.octets).sum())
    }
    /// Greatest number of credits that frames of one virtual channel have taken so far, on the link opposite to the
    /// link of `port`.
    pub fn most(&self, port: u32) -> u32 {
        let links = self.links.iter().filter(|link| link.back == port);
        let channels = links.flat_map(|link| &link.channels);
        channels.map(|channel| channel.most).max().unwrap_or(0)
    }
}

/// A virtual channel at the sending end of a link.
#[derive(Clone, Copy, Debug)]
struct Spent {
    /// Credits of all frames sent so far.
    sent: u16,
    /// Credits that the receiver has freed so far, without freed credits that cannot be spent yet.
    freed: u16,
    /// Time since which a frame waits for credits, and the number of credits that it needs.
    short: Option<(Ps, u32)>,
    /// Picoseconds for which earlier frames waited for credits.
    past: u64,
}

/// Credits of the virtual channels at the sending end of a link.
#[derive(Clone, Debug)]
pub struct Credits {
    config: CbfcConfig,
    priorities: u8,
    credits: u16,
    channels: [Spent; 8],
    /// Returned credits that cannot be spent yet, each with the time from which on they can.
    late: VecDeque<(Ps, Update)>,
}

impl Credits {
    /// Credits at the sending end of a link whose receiver has `credits` for each virtual channel.
    pub fn new(config: &CbfcConfig, credits: u32) -> Credits {
        let none = Spent {
            sent: FIRST,
            freed: FIRST,
            short: None,
            past: 0,
        };
        Credits {
            config: config.clone(),
            priorities: config.mask(),
            credits: credits as u16,
            channels: [none; 8],
            late: VecDeque::new(),
        }
    }
    fn needs(&self, info: Info) -> Option<u32> {
        let is_covered = self.priorities >> info.priority() & 1 == 1;
        is_covered.then(|| self.config.taken(info.octets()))
    }
    /// Number of credits of a virtual channel that can be spent.
    fn balance(&self, channel: usize) -> u32 {
        let Spent { sent, freed, .. } = self.channels[channel];
        self.credits.wrapping_sub(sent.wrapping_sub(freed)).into()
    }
    /// True if there are credits for a frame at the instant `at`. Otherwise the frame counts as waiting from then
    /// on.
    pub fn allow(&mut self, info: Info, at: Ps) -> bool {
        self.settle(at);
        let channel = usize::from(info.priority());
        let balance = self.balance(channel);
        let short = self.needs(info).filter(|needed| *needed > balance);
        if let Some(needed) = short {
            let since = self.channels[channel].short.map_or(at, |(since, _)| since);
            self.channels[channel].short = Some((since, needed));
        }
        short.is_none()
    }
    /// Spends the credits of a frame.
    pub fn spend(&mut self, info: Info) {
        if let Some(needed) = self.needs(info) {
            let sent = &mut self.channels[usize::from(info.priority())].sent;
            *sent = sent.wrapping_add(needed as u16);
        }
    }
    /// Processes the counts of freed credits in a CBFC frame that arrives at `now`.
    pub fn take(&mut self, now: Ps, update: Update) {
        let at = now.saturating_add(self.config.response);
        self.late.push_back((at, update));
        self.settle(now);
    }
    /// Adds the returned credits whose response time has passed at `now`.
    fn settle(&mut self, now: Ps) {
        while let Some((at, update)) = self.late.front().copied()
            && at <= now
        {
            self.late.pop_front();
            for channel in (0..8).filter(|channel| update.channels >> channel & 1 == 1) {
                self.channels[channel].freed = update.freed[channel];
                let balance = self.balance(channel);
                let spent = &mut self.channels[channel];
                if let Some((since, needed)) = spent.short
                    && needed <= balance
                {
                    spent.past += at.saturating_sub(since).0;
                    spent.short = None;
                }
            }
        }
    }
    /// Time at which the next returned credits can be spent; `NEVER` if none are on hold.
    pub fn next_late(&self) -> Ps {
        self.late.front().map_or(Ps::NEVER, |(at, _)| *at)
    }
    /// Time since which a frame of `priority` waits for credits; `None` if none waits.
    pub fn short_since(&self, priority: u8) -> Option<Ps> {
        let (since, _) = self.channels[usize::from(priority)].short?;
        Some(since)
    }
    /// True if a frame waits for credits.
    pub fn are_short(&self) -> bool {
        self.channels.iter().any(|channel| channel.short.is_some())
    }
    /// Picoseconds up to `now` in which a frame waited for credits, summed over all virtual channels.
    pub fn waited_ps(&self, now: Ps) -> u64 {
        let waits = self.channels.iter().map(|channel| {
            let present = channel.short.map(|(since, _)| now.saturating_sub(since).0);
            channel.past + present.unwrap_or(0)
        });
        waits.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(unit: u32, batch: u32) -> CbfcConfig {
        CbfcConfig {
            priorities: Vec::from([0, 3]),
            unit,
            credits: Some(4),
            batch,
            response: Ps::ZERO,
        }
    }

    /// Four frames of one credit each leave, and the receiver returns the credits of three, one by one. The first
    /// two returns are lost: the third one repairs this, since its count includes their credits.
    #[test]
    fn the_next_return_repairs_the_loss_of_returns() {
        let config = config(100, 1);
        let mut credits = Credits::new(&config, 4);
        let mut buffers = Buffers::new(&config, Vec::from([Incoming::new(4, 7)]), Vec::from([0]));
        let frame = Info::udp(100, 3);
        let mut returned = Vec::new();
        for _ in 0..4 {
            assert!(credits.allow(frame, Ps::ZERO));
            credits.spend(frame);
            buffers.take(0, frame);
        }
        for _ in 0..3 {
            returned.extend(buffers.release(0, frame));
        }
        assert!(!credits.allow(frame, Ps(10)));
        let (port, channel, freed) = returned[2];
        assert_eq!((port, channel, returned.len()), (7, 3, 3));
        let mut update = Update::default();
        update.set(channel, freed);
        credits.take(Ps(25), update);
        assert_eq!(credits.balance(3), 3);
        assert_eq!(credits.waited_ps(Ps(1_000)), 15);
        // Another virtual channel and a priority without CBFC are not affected.
        assert_eq!(credits.balance(0), 4);
        assert!(credits.allow(Info::udp(9_000, 1), Ps(25)));
    }

    #[test]
    fn a_frame_of_an_octet_more_than_a_unit_takes_two_credits() {
        let taken = |octets: u32| config(1_000, 1).taken(octets);
        assert_eq!([64, 1_000, 1_001, 2_000].map(taken), [1, 1, 2, 2]);
    }

    #[test]
    fn credits_return_when_a_batch_is_free() {
        let config = config(100, 3);
        let mut buffers = Buffers::new(&config, Vec::from([Incoming::new(9, 0)]), Vec::from([0]));
        let frames = [100, 100, 250, 64].map(|octets| Info::udp(octets, 0));
        frames.iter().for_each(|frame| buffers.take(0, *frame));
        let returned = frames.map(|frame| buffers.release(0, frame));
        let freed = FIRST.wrapping_add(5);
        assert_eq!(returned, [None, None, Some((0, 0, freed)), None]);
        assert_eq!(buffers.most(0), 6);
    }

    /// At 100 Gbit/s a frame of 1,518 octets takes 123.04 ns with preamble and gap, and a credit frame 5.76 ns
    /// without its gap. The loop of 3 x 123.04 + 5.76 + 2 x 1,000 ns holds 19.3 frames. A frame takes 24 credits of
    /// 64 octets, or one of 1,518.
    #[test]
    fn full_rate_needs_the_credits_of_the_loop() {
        let link = LinkPlan {
            name: "one".into(),
            from: 0,
            to: 1,
            rate: crate::kernel::Rate::from_bps(100_000_000_000),
            delay: Ps::from_us(1),
            errors: None,
        };
        let of = |config: CbfcConfig| config.full_rate((&link, 1_518), (&link, 1_518));
        assert_eq!(of(config(64, 1)), 20 * 24);
        assert_eq!(of(config(64, 97)), 20 * 24 + 96);
        assert_eq!(of(config(1_518, 1)), 20);
        // 86 ns of response time fill the rest of the twentieth frame: 20 x 123.04 = 2,460.8 = 2,374.88 + 85.92 ns.
        let late = |nanoseconds: u64| CbfcConfig {
            response: Ps(nanoseconds * 1_000),
            ..config(1_518, 1)
        };
        assert_eq!([85, 86].map(|time| of(late(time))), [20, 21]);
    }
}
