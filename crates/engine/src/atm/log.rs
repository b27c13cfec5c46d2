//! The log of a node: events recorded on request, and records for an observer.

use alloc::vec::Vec;

use super::event::{Event, What};
use super::observer::PduStart;
use super::plan::EventKinds;
use crate::kernel::Ps;
use crate::net::ChannelId;

/// Records of a node for an observer, besides the cells on its links.
#[derive(Clone, Debug, Default)]
pub struct Tap {
    /// PDUs whose first cell has left the queue of its end system.
    pub pdus: Vec<PduStart>,
    /// Cells refused by buffers or lost by links, and PDUs refused by source queues.
    pub losses: Vec<Event>,
}

/// Events of one node, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Kinds of events that are kept.
    pub kinds: EventKinds,
    limit: usize,
    events: Vec<Event>,
    /// Number of events beyond the limit, which were not kept.
    pub omitted: u64,
    /// Records for an observer, if there is one.
    pub tap: Option<Tap>,
}

impl Log {
    /// A log of the given kinds with space for `limit` events.
    pub fn new(kinds: EventKinds, limit: usize) -> Log {
        Log {
            kinds,
            limit,
            events: Vec::new(),
            omitted: 0,
            tap: None,
        }
    }
    /// Keeps an event at an end of `channel`, if its kind is wanted.
    pub fn note(&mut self, at: Ps, channel: ChannelId, what: What) {
        self.add(Event {
            at,
            channel,
            link: None,
            what,
        });
    }
    /// Keeps an event if its kind is wanted.
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
    /// Keeps cells that links have lost, in order of time, before other events of the same instants.
    /// None of the events of an earlier instant than the last of them may come later.
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
    /// Events kept, in order of time.
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

    /// A link's losses are logged later than other events, but take their place in time, before
    /// other events of the same instant. If the log is full, its last events are left out.
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
