//! Selective resend: the receiver keeps packets ahead of a missing one and asks for each packet that arrives trimmed. The
//! sender sends again only the packets that are asked for, or the oldest packet after a timeout.
//!
//! The public simulator of the Ultra Ethernet Consortium (uet-htsim) has this rule for trimmed packets. The behaviour after
//! a timeout is a choice of this module. As in NewReno over TCP (RFC 6582), an acknowledgement that does not cover all
//! packets sent before the timeout names the next missing packet.

use alloc::collections::{BTreeSet, VecDeque};

/// Packets that the source must send again, and what that costs of receiver credit.
#[derive(Clone, Debug, Default)]
pub struct Again {
    /// Packets that arrived trimmed and were asked for. Each uses receiver credit, if the control has it.
    asked: BTreeSet<u64>,
    /// The packet that a timeout names, or an acknowledgement after the timeout. It uses no credit.
    oldest: Option<u64>,
    /// Number of the first packet that had not been sent at the last timeout.
    recover: u64,
    /// Number of packets of `asked` that have been sent again.
    paid: u64,
}

impl Again {
    /// Adds a packet that the receiver requests.
    pub fn ask(&mut self, psn: u64) {
        self.asked.insert(psn);
    }
    /// Processes a timeout. `next` is the first packet that has never been sent, `oldest` the packet that is sent again.
    pub fn on_timeout(&mut self, oldest: u64, next: u64) {
        self.asked.remove(&oldest);
        (self.oldest, self.recover) = (Some(oldest), next);
    }
    /// Processes an acknowledgement of every packet before `una`.
    pub fn acknowledge(&mut self, una: u64) {
        self.asked = self.asked.split_off(&una);
        self.oldest = (una < self.recover).then_some(una);
        self.asked.remove(&self.oldest.unwrap_or(u64::MAX));
    }
    /// Number of packets that were sent again and used credit.
    pub fn paid(&self) -> u64 {
        self.paid
    }
    /// True if the next packet to be sent again uses no credit.
    pub fn is_free(&self) -> bool {
        self.oldest.is_some()
    }
    /// True if packet `psn` waits to be sent again.
    pub fn awaits(&self, psn: u64) -> bool {
        self.oldest == Some(psn) || self.asked.contains(&psn)
    }
    /// Number of packets that wait to be sent again.
    pub fn waiting(&self) -> u64 {
        self.asked.len() as u64 + u64::from(self.is_free())
    }
    /// True if a packet waits to be sent again.
    pub fn has_any(&self) -> bool {
        self.is_free() || !self.asked.is_empty()
    }
    /// Removes and returns the next packet to be sent again.
    pub fn take(&mut self) -> Option<u64> {
        self.oldest.take().or_else(|| {
            let psn = self.asked.pop_first()?;
            self.paid += 1;
            Some(psn)
        })
    }
}

/// The packets of a transfer that the receiver has accepted ahead of a missing one, and its requests for trimmed packets.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Payload bytes of each packet from the expected one on; `None` if it has not arrived. The expected packet has not.
    ahead: VecDeque<Option<u16>>,
    /// Packets that are to be requested.
    asks: VecDeque<u64>,
    /// Number of packets accepted, in order or not.
    arrived: u64,
    /// Number of trimmed packets that were asked for.
    pub trimmed: u64,
    /// Payload bytes that wait for earlier bytes.
    pub held: u64,
}

impl Kept {
    /// True if packet `psn` has not arrived. `expected` is the first packet that has not arrived.
    pub fn lacks(&self, psn: u64, expected: u64) -> bool {
        let place = psn.checked_sub(expected);
        place.is_some_and(|place| self.ahead.get(place as usize).is_none_or(Option::is_none))
    }
    /// True if packets have arrived ahead of the expected one.
    pub fn has_gap(&self) -> bool {
        self.held > 0
    }
    /// Accepts packet `psn`, which has not arrived before. Returns the numbers of packets and bytes that are now in order.
    pub fn take(&mut self, psn: u64, payload: u16, expected: u64) -> (u64, u64) {
        let place = (psn - expected) as usize;
        if self.ahead.len() <= place {
            self.ahead.resize(place + 1, None);
        }
        self.ahead[place] = Some(payload);
        self.arrived += 1;
        self.held += u64::from(payload);
        let (mut packets, mut bytes) = (0, 0);
        while let Some(Some(payload)) = self.ahead.front() {
            bytes += u64::from(*payload);
            packets += 1;
            self.ahead.pop_front();
        }
        self.held -= bytes;
        (packets, bytes)
    }
    /// Requests a packet that arrived trimmed.
    pub fn ask(&mut self, psn: u64) {
        self.trimmed += 1;
        self.asks.push_back(psn);
    }
    /// Removes and returns the next packet to request.
    pub fn poll(&mut self) -> Option<u64> {
        self.asks.pop_front()
    }
    /// True if a request for a packet waits for the interface.
    pub fn waits(&self) -> bool {
        !self.asks.is_empty()
    }
    /// Number of packets accepted, in order or not.
    pub fn taken(&self) -> u64 {
        self.arrived
    }
    /// Number of packets that have arrived, trimmed or whole, as receiver credits count them.
    pub fn come(&self) -> u64 {
        self.arrived + self.trimmed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of packets 0 to 4, with 10 bytes each, packet 1 arrives trimmed and packet 3 is lost. Packet 0 is in order; 2 and 4
    /// wait. The arrival of packet 1 releases 1 and 2; that of packet 3 releases 3 and 4.
    #[test]
    fn packets_ahead_of_a_missing_one_wait_for_it() {
        let mut kept = Kept::default();
        assert_eq!(kept.take(0, 10, 0), (1, 10));
        assert!(kept.lacks(1, 1) && !kept.lacks(0, 1));
        kept.ask(1);
        assert_eq!(kept.take(2, 10, 1), (0, 0));
        assert_eq!(kept.take(4, 10, 1), (0, 0));
        assert!(!kept.lacks(2, 1) && kept.lacks(3, 1) && !kept.lacks(4, 1));
        assert_eq!((kept.held, kept.poll(), kept.poll()), (20, Some(1), None));
        assert_eq!(kept.take(1, 10, 1), (2, 20));
        assert!(kept.has_gap() && kept.lacks(3, 3) && !kept.lacks(4, 3));
        assert_eq!(kept.take(3, 10, 3), (2, 20));
        assert_eq!((kept.held, kept.come()), (0, 6));
    }

    /// Of packets 0 to 4, packets 1 and 3 arrive trimmed, and 2 is lost. Packets 1 and 3 are sent again with credit, 1
    /// first. The timer sends 2 again, without credit. The acknowledgement of 0 to 2 names 3, which has been asked for again
    /// after a second trimming: it is sent once and without credit. The acknowledgement of all five packets names none.
    #[test]
    fn what_was_asked_for_goes_once() {
        let mut again = Again::default();
        again.ask(3);
        again.ask(1);
        again.ask(1);
        assert_eq!(
            [again.take(), again.take(), again.take()],
            [Some(1), Some(3), None]
        );
        assert_eq!(again.paid(), 2);
        again.acknowledge(2);
        assert!(!again.has_any());
        again.on_timeout(2, 5);
        assert!(again.is_free());
        assert_eq!([again.take(), again.take()], [Some(2), None]);
        again.ask(3);
        again.acknowledge(3);
        assert_eq!([again.take(), again.take()], [Some(3), None]);
        assert_eq!(again.paid(), 2);
        again.acknowledge(5);
        assert!(!again.has_any());
    }
}
