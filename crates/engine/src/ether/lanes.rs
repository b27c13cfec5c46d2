//! The channels of a port under credit control (FCVC): a queue for each channel, served round robin as
//! far as credit allows.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::arriving::Arriving;
use super::credit::Credit;
use super::frame::on_line;
use super::statistics::OF_CREDIT;
use crate::control::ControlReport;
use crate::credit::{SCHEMES, Sender};

/// A channel at a port under credit control (FCVC): its credit and its waiting frames.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) sender: Sender,
    waiting: VecDeque<Arriving>,
    /// Octets on the line of the channel's frames at the port, the frame in service included.
    held: u64,
    most: u64,
    /// Buffer in octets on the line that is reserved for the channel at this switch.
    reserve: u64,
    /// True if the channel is in the port's round robin: it has a frame and credit for this frame.
    has_turn: bool,
}

impl Lane {
    fn may_send(&self) -> bool {
        let next = self.waiting.front();
        next.is_some_and(|frame| self.sender.allows(on_line(frame.info.octets())))
    }
}

/// A frame that a port under credit control is sending or has forwarded.
#[derive(Clone, Copy, Debug)]
pub struct Passed {
    /// Label of the frame at the switch.
    pub route: u32,
    /// Octets of the frame on the line.
    pub octets: u32,
}

/// The channels of a port under credit control, and the credits to be returned that wait for a free line.
#[derive(Clone, Debug)]
pub struct Credited {
    pub(super) lanes: Vec<Lane>,
    turns: VecDeque<u32>,
    pub(super) credits: VecDeque<Credit>,
    pub(super) credits_sent: u64,
    in_service: Option<(u32, Passed)>,
    pub(super) forwarded: Option<Passed>,
}

impl Credited {
    /// The channels of a port, each with its credit and the octets on the line that are reserved for it
    /// at this switch.
    pub fn new(channels: Vec<(Sender, u64)>) -> Credited {
        let lane = |(sender, reserve)| Lane {
            sender,
            reserve,
            waiting: VecDeque::new(),
            held: 0,
            most: 0,
            has_turn: false,
        };
        Credited {
            lanes: channels.into_iter().map(lane).collect(),
            turns: VecDeque::new(),
            credits: VecDeque::new(),
            credits_sent: 0,
            in_service: None,
            forwarded: None,
        }
    }
    /// Counters of credit control at the port since the start of the run.
    pub fn report(&self) -> ControlReport {
        let most = self.lanes.iter().map(|lane| lane.most).max();
        let values = [
            self.lanes.len() as f64,
            self.credits_sent as f64,
            most.unwrap_or(0) as f64,
        ];
        let names = OF_CREDIT.iter().map(|one| one.name);
        ControlReport::new(SCHEMES[0].name, names.zip(values).collect())
    }
    /// True if no channel has ever held more than its reserve.
    pub fn keeps_reserves(&self) -> bool {
        self.lanes.iter().all(|lane| lane.most <= lane.reserve)
    }
    /// The frames that wait, channel by channel.
    pub fn waiting(&self) -> impl Iterator<Item = &Arriving> {
        self.lanes.iter().flat_map(|lane| &lane.waiting)
    }
    /// Bytes of the simulator's memory that are allocated.
    pub fn storage(&self) -> usize {
        let lanes = self.lanes.iter();
        let frames: usize = lanes.map(|lane| lane.waiting.capacity()).sum();
        frames * size_of::<Arriving>() + self.lanes.capacity() * size_of::<Lane>()
    }

    /// Adds the channel with the index `slot` to the round robin, if it may send and is not in it.
    pub(super) fn offer(&mut self, slot: u32) {
        let lane = &mut self.lanes[slot as usize];
        if !lane.has_turn && lane.may_send() {
            lane.has_turn = true;
            self.turns.push_back(slot);
        }
    }
    pub(super) fn take(&mut self, slot: u32, frame: Arriving) {
        let lane = &mut self.lanes[slot as usize];
        lane.held += u64::from(on_line(frame.info.octets()));
        lane.most = lane.most.max(lane.held);
        lane.waiting.push_back(frame);
        self.offer(slot);
    }
    /// Removes and returns the next frame by round robin, and spends the credit for it.
    pub(super) fn next(&mut self) -> Option<Arriving> {
        let slot = self.turns.pop_front()?;
        let lane = &mut self.lanes[slot as usize];
        let frame = lane.waiting.pop_front()?;
        let octets = on_line(frame.info.octets());
        lane.sender.send(octets);
        lane.has_turn = false;
        self.offer(slot);
        let route = frame.route;
        self.in_service = Some((slot, Passed { route, octets }));
        Some(frame)
    }
    pub(super) fn end_service(&mut self) {
        if let Some((slot, passed)) = self.in_service.take() {
            self.lanes[slot as usize].held -= u64::from(passed.octets);
            self.forwarded = Some(passed);
        }
    }
}
