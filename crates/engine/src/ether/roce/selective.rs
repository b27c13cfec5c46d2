//! Selective resend: the receiver keeps packets ahead of a missing one and asks for each packet that comes trimmed; the
//! sender sends again only what is asked for, or the oldest packet after a timeout.
//!
//! The public simulator of the Ultra Ethernet Consortium (uet-htsim) has this rule for trimmed packets. What it does after a
//! timeout is ours: as NewReno over TCP (RFC 6582), an acknowledgement that stops short of the packets sent before the
//! timeout names the next missing one.

use alloc::collections::{BTreeSet, VecDeque};

/// Packets that the source must send again.
#[derive(Clone, Debug, Default)]
pub struct Again {
    /// Packets that came trimmed. Each costs credit of the receiver, if the control has credit.
    asked: BTreeSet<u64>,
    /// The packet that a timeout or an acknowledgement behind it names. It costs no credit.
    oldest: Option<u64>,
    /// The first packet that had not been sent at the last timeout.
    recover: u64,
    /// Packets of `asked` that have been sent again.
    paid: u64,
}

impl Again {
    /// The receiver requests a packet.
    pub fn ask(&mut self, psn: u64) {
        self.asked.insert(psn);
    }
    /// The timer expires: `next` is the first packet that has never been sent, `oldest` the one that is sent again.
    pub fn on_timeout(&mut self, oldest: u64, next: u64) {
        self.asked.remove(&oldest);
        (self.oldest, self.recover) = (Some(oldest), next);
    }
    /// Every packet before `una` has arrived.
    pub fn acknowledge(&mut self, una: u64) {
        self.asked = self.asked.split_off(&una);
        self.oldest = (una < self.recover).then_some(una);
        self.asked.remove(&self.oldest.unwrap_or(u64::MAX));
    }
    /// Packets sent again that have cost credit.
    pub fn paid(&self) -> u64 {
        self.paid
    }
    /// True if a packet is sent again that costs no credit.
    pub fn is_free(&self) -> bool {
        self.oldest.is_some()
    }
    /// True if packet `psn` waits to be sent again.
    pub fn awaits(&self, psn: u64) -> bool {
        self.oldest == Some(psn) || self.asked.contains(&psn)
    }
    /// Packets that wait to be sent again.
    pub fn waiting(&self) -> u64 {
        self.asked.len() as u64 + u64::from(self.is_free())
    }
    /// True if a packet is sent again.
    pub fn has_any(&self) -> bool {
        self.is_free() || !self.asked.is_empty()
    }
    /// Takes the packet that is sent again first, if there is one.
    pub fn take(&mut self) -> Option<u64> {
        self.oldest.take().or_else(|| {
            let psn = self.asked.pop_first()?;
            self.paid += 1;
            Some(psn)
        })
    }
}

/// Packets of a transfer that the receiver has beyond those in order.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Payload of the packets from the expected one on; `None` for one that has not arrived. The first has not.
    ahead: VecDeque<Option<u16>>,
    /// Packets to request.
    asks: VecDeque<u64>,
    /// Packets taken, in order or not.
    arrived: u64,
    /// Trimmed packets that were asked for.
    pub trimmed: u64,
    /// Bytes that wait for earlier ones.
    pub held: u64,
}

impl Kept {
    /// True unless packet `psn` has arrived, if packet `expected` is the first that has not.
    pub fn lacks(&self, psn: u64, expected: u64) -> bool {
        let place = psn.checked_sub(expected);
        place.is_some_and(|place| self.ahead.get(place as usize).is_none_or(Option::is_none))
    }
    /// True if packets have arrived ahead of the expected one.
    pub fn has_gap(&self) -> bool {
        self.held > 0
    }
    /// Takes a packet that it lacks; returns the packets and bytes that are in order with it.
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
    /// Asks for a packet that came trimmed.
    pub fn ask(&mut self, psn: u64) {
        self.trimmed += 1;
        self.asks.push_back(psn);
    }
    /// The packet to request next.
    pub fn poll(&mut self) -> Option<u64> {
        self.asks.pop_front()
    }
    /// True if a packet waits to be asked for.
    pub fn waits(&self) -> bool {
        !self.asks.is_empty()
    }
    /// Packets taken, in order or not.
    pub fn taken(&self) -> u64 {
        self.arrived
    }
    /// Packets that have come, trimmed or whole, as the credit of the receiver counts them.
    pub fn come(&self) -> u64 {
        self.arrived + self.trimmed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of packets 0 to 4, with 10 bytes each, 1 comes trimmed and 3 is lost. Packet 0 is in order; 2 and 4 wait. Packet 1
    /// frees itself and 2; packet 3 frees itself and 4.
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

    /// Packets 1 and 3 of 0 to 4 come trimmed, and 2 is lost. Both are sent again for credit, 1 first. The timer sends 2
    /// again, free. The acknowledgement of 0 to 2 names 3, which a second trimming asked for: it goes once and free. That of
    /// all five names none.
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
