//! Link-level retry (LLR), as the link layer of Ultra Ethernet has it: the sender of a link sends an errored frame again, in
//! order, so no layer above sees the loss.
//!
//! Each frame has a sequence number on its link, and the sender keeps a copy in a replay buffer. The receiver acknowledges
//! each frame that arrives in order (ACK). It answers an errored frame with a NACK and discards all frames behind it. The sender
//! goes back to the errored frame (go-back-N) when the NACK arrives. An answer is a control word of 8 octets.
//!
//! The module keeps an errored frame at the begin of its link until it arrives whole. What a real sender sends in vain behind
//! the frame would be discarded, so these frames stay in their queues, and the line counts as busy. The next try begins when
//! the NACK arrives; a real sender finishes the frame in service first. Frames that a real sender has chosen in this time
//! may be overtaken by frames of a higher priority here. Answers are not lost, and take no time of the opposite line: they wait
//! `response` for the frame in service there. The specification of Ultra Ethernet is not public in full, so words and times
//! are choices of this module.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;

use super::frame::{GAP, on_line};
use super::line::OctetClock;
use crate::kernel::Ps;
use crate::net::LinkPlan;

/// Octets of an answer on the line: a control word.
pub const ANSWER: u32 = 8;

/// Link-level retry of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct LlrConfig {
    /// Octets of the replay buffer of each link, from header to FCS of the frames; if absent, the number that
    /// [`LlrConfig::full_rate`] returns.
    pub buffer: Option<u64>,
    /// Time from the arrival of a frame to the begin of its answer; if absent, that of the longest frame on the opposite
    /// line, behind which the answer may wait.
    pub response: Option<Ps>,
    /// Most times that a frame is sent. After the last time the receiver drops it by its FCS.
    pub tries: u32,
}

impl LlrConfig {
    /// Time from the last bit of a frame on `link` to the arrival of its answer over `back`, whose longest frame has
    /// `longest` octets.
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
    /// Octets of the replay buffer with which frames of `longest` octets follow one another on `link` without errors. A frame
    /// stays in the buffer from its begin to the arrival of its answer, and the next one begins if the longest has room.
    pub fn full_rate(&self, link: &LinkPlan, back: &LinkPlan, longest: u32) -> u64 {
        let clock = OctetClock::new(link.rate);
        let frame = clock.floor(on_line(longest)).0.max(1);
        // The next frame begins a gap behind the last bit. Until then some frames have no answer yet.
        let answer = self.answer(link, back, longest).0;
        let unanswered = answer.saturating_sub(clock.floor(GAP).0).div_ceil(frame);
        (unanswered + 1).saturating_mul(longest.into())
    }
    /// Octets of the replay buffer of `link`.
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

/// Link-level retry at the begin of a link.
#[derive(Clone, Debug)]
pub struct Retry {
    /// Time from the last bit of a frame to the arrival of its answer.
    answer: Ps,
    buffer: u64,
    longest: u32,
    most_tries: u32,
    /// Frames in the replay buffer: arrival of the answer, and octets.
    kept: VecDeque<(Ps, u32)>,
    held: u64,
    /// Frames sent again so far, each time counted.
    retries: u64,
    /// Picoseconds in which the line sent a frame again, or waited for an answer to do so or to have room.
    waited: u64,
}

impl Retry {
    /// Retry on `link` with the answers over `back`. The longest frame of both has `longest` octets.
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
    /// Time at which a frame may be sent again that has been errored `tries` times, the last bit of the last time at
    /// `last_bit`; `None` after the last try.
    pub(super) fn again(&mut self, last_bit: Ps, tries: u32) -> Option<Ps> {
        if tries >= self.most_tries {
            return None;
        }
        self.retries += 1;
        Some(last_bit + self.answer)
    }
    /// Keeps a frame that leaves until its answer arrives. Returns the time from which the buffer has room for the longest
    /// frame.
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
    /// Counts the time by which the line becomes free later.
    pub(super) fn note(&mut self, waited: Ps) {
        self.waited += waited.0;
    }
    /// Frames sent again so far, each time counted.
    pub fn retries(&self) -> u64 {
        self.retries
    }
    /// Picoseconds in which the line sent a frame again, or waited for an answer.
    pub fn waited_ps(&self) -> u64 {
        self.waited
    }
}
