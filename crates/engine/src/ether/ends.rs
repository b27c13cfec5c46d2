//! Ends of channels under credit control at a host.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::credit::{Account, Credit};
use super::frame::{Info, Packet, on_line};
use crate::credit::Sender;

/// Credit control of an endpoint.
#[derive(Clone, Debug)]
pub struct End {
    /// The channel that leaves here; `None` if none does.
    pub sender: Option<Sender>,
    /// The channel that arrives here; `None` if none does.
    pub account: Option<Account>,
    /// The frame that is next, if it has waited for credit.
    pub(super) head: Option<(Info, Packet)>,
    /// True while the endpoint has left the round, since its next frame waits for credit.
    pub(super) waits: bool,
}

impl End {
    /// An endpoint without frames.
    pub fn new(sender: Option<Sender>, account: Option<Account>) -> End {
        End {
            sender,
            account,
            head: None,
            waits: false,
        }
    }
    /// Sends a frame of `octets` on the line if there is credit for it.
    pub(super) fn sends(&mut self, octets: u32) -> bool {
        let sender = self.sender.as_mut().filter(|sender| sender.allows(octets));
        sender.map(|sender| sender.send(octets)).is_some()
    }
    /// Takes credit. Returns true if the frame that has waited may be sent now.
    pub(super) fn takes(&mut self, limit: u32) -> bool {
        let Some(sender) = &mut self.sender else {
            return false;
        };
        sender.set_limit(limit);
        let head = self.head.as_ref();
        let may_send = head.is_some_and(|(info, _)| sender.allows(on_line(info.octets())));
        let enters = self.waits && may_send;
        self.waits &= !enters;
        enters
    }
}

/// Credit control of a host.
#[derive(Clone, Debug)]
pub struct Ends {
    /// By endpoint.
    pub(super) ends: Vec<End>,
    /// By interface: credit that waits for the line.
    pub(super) credits: Vec<VecDeque<Credit>>,
    /// Frames of credit sent.
    pub sent: u64,
}

impl Ends {
    /// Endpoints at a host with this number of interfaces.
    pub fn new(ends: Vec<End>, interfaces: usize) -> Ends {
        Ends {
            ends,
            credits: alloc::vec![VecDeque::new(); interfaces],
            sent: 0,
        }
    }
    /// Packets that wait for credit, by endpoint.
    pub fn heads(&self) -> impl Iterator<Item = (usize, &Packet)> {
        let ends = self.ends.iter().enumerate();
        ends.filter_map(|(number, end)| Some((number, &end.head.as_ref()?.1)))
    }
}
