//! The log of a node: the events that the plan requests, and reports for an observer (for instance a packet
//! capture).

use alloc::vec::Vec;

use super::event::{Event, What};
use super::observer::PduStart;
use crate::kernel::Ps;
use crate::net::{ChannelId, EventKinds};

/// Reports of one node for an observer, such as a packet capture. The observer reads cells on links separately.
#[derive(Clone, Debug, Default)]
pub struct Tap {
    /// PDUs whose first cell has left the source queue.
    pub pdus: Vec<PduStart>,
    /// Cells refused by buffers or lost by links, and PDUs refused by source queues.
    pub losses: Vec<Event>,
}

/// Logged events of one node, up to a limit on their number.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Kinds of events that are stored.
    pub kinds: EventKinds,
    limit: usize,
    events: Vec<Event>,
    /// Number of events that were not stored because the limit had been reached.
    pub omitted: u64,
    /// Reports for an observer; `None` if no observer is present.
    pub tap: Option<Tap>,
}

impl Log {
    /// A log for events of `kinds`, which stores at most `limit` events.
    pub fn new(kinds: EventKinds, limit: usize) -> Log {
        Log {
            kinds,
            limit,
            events: Vec::new(),
            omitted: 0,
            tap: None,
        }
    }
    /// Stores an event at the source or destination of `channel`, if its kind is among `kinds`.
    pub fn note(&mut self, at: Ps, channel: ChannelId, what: What) {
        self.add(Event {
            at,
            channel,
            link: None,
            what,
        });
    }
    /// Stores an event, if its kind is among `kinds` and the limit has not been reached.
    pub fn add(&mut self, event: Event) {
        let wanted = match event.what {
            What::Loss { .. } | What::Refusal { .. } => {
                if let Some(tap) = &mut self.tap {
                    tap.losses.push(event);
                }
                self.kinds.loss
            }
            What::Timeout { .. } => self.kinds.timeout,
            What::Retransmission { .. } => self.kinds.retransmission,
            What::Mark { .. } => self.kinds.mark,
        };
        if !wanted {
        } else if self.events.len() < self.limit {
            self.events.push(event);
        } else {
            self.omitted += 1;
        }
    }
    /// Inserts losses of links by their times, before other events of the same instants. `losses` is in order of
    /// time. An event that is added later must not be earlier than the last of these losses.
    pub fn add_losses(&mut self, losses: Vec<Event>) {
        let Some(first) = losses.first().filter(|_| self.kinds.loss) else {
            return;
        };
        let begin = self.events.partition_point(|event| event.at < first.at);
        let mut others = self.events.split_off(begin).into_iter().peekable();
        for loss in losses {
            while let Some(event) = others.next_if(|event| event.at < loss.at) {
                self.events.push(event);
            }
            self.events.push(loss);
        }
        self.events.extend(others);
        self.omitted += self.events.len().saturating_sub(self.limit) as u64;
        self.events.truncate(self.limit);
    }
    /// All stored events, in order of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atm::cell::Info;
    use crate::discard::Cause;
    use crate::kernel::Ps;
    use crate::net::channel::ChannelId;

    fn event(at: u64, what: What) -> Event {
        Event {
            at: Ps(at),
            channel: ChannelId::forward(0),
            link: None,
            what,
        }
    }
    fn loss(at: u64) -> Event {
        let place = (ChannelId::forward(0), 0);
        Event::loss(Ps(at), place, Cause::LinkError, Info::data(0))
    }

    /// The losses of a link are added after other events. They are nevertheless inserted by their times, before
    /// other events of the same instant. If the log is full, its last events are dropped.
    #[test]
    fn losses_that_are_told_late_take_their_places() {
        let mut log = Log::new(EventKinds::default(), 5);
        (log.kinds.loss, log.kinds.mark) = (true, true);
        for at in [10, 20, 30, 40, 50, 60] {
            log.add(event(at, What::Mark { er: 0.0 }));
        }
        log.add_losses(alloc::vec![loss(5), loss(20), loss(20), loss(70)]);
        let kept: Vec<(u64, bool)> = log
            .events()
            .iter()
            .map(|event| (event.at.0, matches!(event.what, What::Loss { .. })))
            .collect();
        assert_eq!(
            kept,
            [(5, true), (10, false), (20, true), (20, true), (20, false)]
        );
        assert_eq!(log.omitted, 5);
        log.kinds.loss = false;
        log.add_losses(alloc::vec![loss(80)]);
        assert_eq!((log.events().len(), log.omitted), (5, 5));
    }
}
