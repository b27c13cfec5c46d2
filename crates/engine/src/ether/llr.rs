//! Link-level retry (LLR), as the link layer of Ultra Ethernet has it: the sender of a link sends an errored frame again, in
//! order, so no layer above sees the loss.
//!
//! Each frame has a sequence number on its link, and the sender keeps a copy in a replay buffer. The receiver acknowledges
//! each frame that arrives in order (ACK). It answers an errored frame with a NACK and discards all frames behind it. The
//! sender goes back to the errored frame (go-back-N) when the NACK arrives. An answer, ACK or NACK, is a control word of 8
//! octets.
//!
//! The module keeps an errored frame at the sending end of its link until a try succeeds. A real sender would send more
//! frames behind it, which the receiver would discard. Here these frames stay in their queues, and the line counts as busy.
//! The next try begins when the NACK arrives; a real sender first finishes the frame that it is sending. Frames that a real
//! sender has chosen in this time may be overtaken by frames of a higher priority here. Answers are not lost, and take no
//! time of the opposite line: they wait `response` for the frame that is being sent there. The specification of Ultra
//! Ethernet is not public in full, so control words and times are choices of this module.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;

use super::frame::{GAP, on_line};
use super::line::OctetClock;
use crate::kernel::Ps;
use crate::net::LinkPlan;

/// Octets on the line of an answer (ACK or NACK): a control word.
pub const ANSWER: u32 = 8;

/// Settings of link-level retry, the same on all links of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct LlrConfig {
    /// Size of the replay buffer of each link in octets, from header to FCS of the frames; if absent, the size that
    /// [`LlrConfig::full_rate`] returns.
    pub buffer: Option<u64>,
    /// Time from the arrival of a frame to the start of its answer. If absent, the transmission time of the longest frame on
    /// the opposite line, behind which the answer may wait.
    pub response: Option<Ps>,
    /// Greatest number of times that a frame is sent. If the last time fails, the receiver drops the frame by its FCS.
    pub tries: u32,
}

impl LlrConfig {
    /// Time from the last bit of a frame on `link` to the arrival of its answer over the opposite link `back`, whose longest
    /// frame has `longest` octets.
    pub fn answer(&self, link: &LinkPlan, back: &LinkPlan, longest: u32) -> Ps {
        let clock = OctetClock::new(back.rate);
        let response = self
            .response
            .unwrap_or_else(|| clock.ceil(on_line(longest)));
        let there = link.delay.saturating_add(response);
        there
            .saturating_add(clock.ceil(ANSWER))
            .saturating_add(back.delay)
    }
    /// Least size of the replay buffer in octets with which frames of `longest` octets follow one another on `link` without
    /// pauses, if no bit is errored. A frame stays in the buffer until its answer arrives, and the next frame begins once
    /// the longest frame fits into the buffer.
    pub fn full_rate(&self, link: &LinkPlan, back: &LinkPlan, longest: u32) -> u64 {
        let clock = OctetClock::new(link.rate);
        let frame = clock.floor(on_line(longest)).0.max(1);
        // The next frame begins a gap behind the last bit. Until then some frames have no answer yet.
        let answer = self.answer(link, back, longest).0;
        let unanswered = answer.saturating_sub(clock.floor(GAP).0).div_ceil(frame);
        (unanswered + 1).saturating_mul(longest.into())
    }
    /// Size of the replay buffer of `link` in octets.
    pub fn buffer_of(&self, link: &LinkPlan, back: &LinkPlan, longest: u32) -> u64 {
        self.buffer
            .unwrap_or_else(|| self.full_rate(link, back, longest))
    }
    /// A fault of the parameters for frames of up to `longest` octets; `None` if they are valid.
    pub(super) fn fault(&self, longest: u32) -> Option<String> {
        if self.tries == 0 {
            return Some("a frame that is sent at most 0 times".into());
        }
        let buffer = self.buffer.filter(|buffer| *buffer < longest.into())?;
        Some(format!(
            "a replay buffer of {buffer} octets; a frame has {longest}"
        ))
    }
}

/// State of link-level retry at the sending end of a link.
#[derive(Clone, Debug)]
pub struct Retry {
    /// Time from the last bit of a frame to the arrival of its answer (ACK or NACK).
    answer: Ps,
    buffer: u64,
    longest: u32,
    most_tries: u32,
    /// Frames in the replay buffer: time at which the answer arrives, and octets.
    kept: VecDeque<(Ps, u32)>,
    held: u64,
    /// Number of retries so far: a frame counts each time it is sent again.
    retries: u64,
    /// Picoseconds so far in which the line sent a frame again, waited for an answer before doing so, or waited until a
    /// frame fitted into the replay buffer.
    waited: u64,
}

impl Retry {
    /// Retry on `link`, with answers over the opposite link `back`. The longest frame of both links has `longest` octets.
    pub fn new(config: &LlrConfig, (link, back): (&LinkPlan, &LinkPlan), longest: u32) -> Retry {
        Retry {
            answer: config.answer(link, back, longest),
            buffer: config.buffer_of(link, back, longest),
            longest,
            most_tries: config.tries,
            kept: VecDeque::new(),
            held: 0,
            retries: 0,
            waited: 0,
        }
    }
    /// Time at which a frame is sent again after `tries` tries with errored bits, of which the last ended at `last_bit`;
    /// `None` if no further try is allowed.
    pub(super) fn again(&mut self, last_bit: Ps, tries: u32) -> Option<Ps> {
        if tries >= self.most_tries {
            return None;
        }
        self.retries += 1;
        Some(last_bit + self.answer)
    }
    /// Keeps a frame whose last bit leaves at `last_bit` in the replay buffer until its answer arrives. Returns the time
    /// from which on the longest frame fits into the buffer.
    pub(super) fn keep(&mut self, last_bit: Ps, octets: u32) -> Ps {
        self.kept.push_back((last_bit + self.answer, octets));
        self.held += u64::from(octets);
        let mut has_room = Ps::ZERO;
        while let Some((at, octets)) = self.kept.front().copied() {
            let is_full = self.held + u64::from(self.longest) > self.buffer;
            if !is_full && at > last_bit {
                break;
            }
            self.kept.pop_front();
            self.held -= u64::from(octets);
            has_room = has_room.max(at);
        }
        has_room
    }
    /// Adds the time by which retry delays the next frame on the line.
    pub(super) fn note(&mut self, waited: Ps) {
        self.waited += waited.0;
    }
    /// Number of retries so far: a frame counts each time it is sent again.
    pub fn retries(&self) -> u64 {
        self.retries
    }
    /// Picoseconds so far in which the line sent a frame again, waited for an answer, or waited for space in the replay
    /// buffer.
    pub fn waited_ps(&self) -> u64 {
        self.waited
    }
}
