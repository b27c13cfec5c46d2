//! Credit control (FCVC) of the endpoints of a host.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::credit::{Account, Credit};
use super::frame::{Info, Packet, on_line};
use crate::credit::Sender;

/// State of credit control at an endpoint: the credit with which it sends, and the account of the buffer
/// into which it receives.
#[derive(Clone, Debug)]
pub struct End {
    /// Credit of the channel that the endpoint sends; `None` without such a channel.
    pub sender: Option<Sender>,
    /// Buffer account of the channel that the endpoint receives; `None` without such a channel.
    pub account: Option<Account>,
    /// The next frame of the endpoint, if it has had to wait for credit.
    pub(super) head: Option<(Info, Packet)>,
    /// True while the endpoint is out of the interface's round robin because its next frame waits for
    /// credit.
    pub(super) waits: bool,
}

impl End {
    /// State of an endpoint that has no frames yet.
    pub fn new(sender: Option<Sender>, account: Option<Account>) -> End {
        End {
            sender,
            account,
            head: None,
            waits: false,
        }
    }
    /// Spends the credit for a frame of `octets` on the line. Returns false if there is not enough credit.
    pub(super) fn sends(&mut self, octets: u32) -> bool {
        let sender = self.sender.as_mut().filter(|sender| sender.allows(octets));
        sender.map(|sender| sender.send(octets)).is_some()
    }
    /// Sets the credit limit that a credit frame brings. Returns true if the frame that waited for credit
    /// may be sent now.
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

/// State of credit control at a host, by endpoint and interface.
#[derive(Clone, Debug)]
pub struct Ends {
    /// State of each endpoint.
    pub(super) ends: Vec<End>,
    /// For each interface: credits to be returned that wait for a free line.
    pub(super) credits: Vec<VecDeque<Credit>>,
    /// Number of credit frames that the host has sent.
    pub sent: u64,
}

impl Ends {
    /// Credit control of a host with these endpoints and this number of interfaces.
    pub fn new(ends: Vec<End>, interfaces: usize) -> Ends {
        Ends {
            ends,
            credits: alloc::vec![VecDeque::new(); interfaces],
            sent: 0,
        }
    }
    /// The packets that wait for credit, with the numbers of their endpoints.
    pub fn heads(&self) -> impl Iterator<Item = (usize, &Packet)> {
        let ends = self.ends.iter().enumerate();
        ends.filter_map(|(number, end)| Some((number, &end.head.as_ref()?.1)))
    }
}
