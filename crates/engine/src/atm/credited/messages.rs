//! The credit protocol at one node: messages to upstream nodes, and messages from downstream nodes.

use super::{Account, NONE, Outputs, Prompt, Shared};
use crate::atm::cell::{CELL_UNITS, Cell};
use crate::atm::server::{Departure, Message, Server};
use crate::credit::allocation::Notice;
use crate::credit::{CreditCell, Purpose, Record};
use crate::kernel::Ps;

/// A credit that a port of this node has received: index of the channel at the port (slot), and the
/// channel's new limit.
pub type Grant = (u32, u32);

impl Prompt {
    /// Counts `cells` cells of the channel with the label (VPI/VCI) `label` that have left the node or ended
    /// there. `now` is the time of the last of these cells. Sends the credits that are due.
    #[inline]
    pub fn forward<S: Server>(
        &mut self,
        now: Ps,
        label: u32,
        cells: u32,
        outputs: &mut Outputs<'_, S>,
    ) {
        let account = &mut self.accounts[label as usize];
        if account.reverse == NONE {
            return;
        }
        match account.pool {
            None => {
                if let Some((port, credit)) = account.forward(cells) {
                    self.tell(now, port, credit, outputs);
                }
            }
            Some((pool, member)) => {
                let Shared { pool, labels } = &mut self.pools[pool as usize];
                let accounts = &self.accounts;
                let queued = || {
                    labels
                        .iter()
                        .map(|label| queued(&accounts[*label as usize], outputs))
                        .sum()
                };
                for _ in 0..cells {
                    pool.forward((member, CELL_UNITS), queued, &mut self.notices);
                }
                self.tell_notices(now, label, outputs);
            }
        }
    }

    /// Counts the cells of a departure that the port has reported before the service ends, and prepares the
    /// credit that follows. The cells will have left the node when the service that has just started at `port`
    /// ends.
    #[inline]
    pub fn forward_ahead<S: Server>(
        &mut self,
        port: u32,
        departure: Departure,
        outputs: &mut Outputs<'_, S>,
    ) {
        let way = self.ways[port as usize][departure.slot as usize];
        let account = self.accounts.get_mut(way.label_here as usize);
        let credit = account.and_then(|account| account.forward(departure.cells));
        let Some((back, credit)) = credit else { return };
        let back_port = &mut outputs.ports[back as usize].0;
        // Service ends of one instant are processed in the order of the ports.
        back_port.tell_at(departure.at, port, credit);
        self.note_start(back, &outputs.ports[back as usize].0);
    }

    /// Number of cells of the channel with the label (VPI/VCI) `label` that can leave next without causing a
    /// credit message.
    #[inline]
    pub fn most_untold(&self, label: u32) -> usize {
        let account = &self.accounts[label as usize];
        if account.reverse == NONE {
            return usize::MAX;
        }
        match account.pool {
            None => account.receiver.most_untold() as usize,
            Some(_) => 0,
        }
    }
    /// Counts `cells` cells that have left, as [`Prompt::forward`] does. `cells` must be at most
    /// [`Prompt::most_untold`], so that no credit message follows.
    #[inline]
    pub fn forward_untold(&mut self, label: u32, cells: usize) {
        let account = &mut self.accounts[label as usize];
        if account.reverse != NONE {
            account.receiver.forward(cells as u32);
        }
    }

    fn tell<S: Server>(
        &mut self,
        now: Ps,
        port: u32,
        message: Message,
        outputs: &mut Outputs<'_, S>,
    ) {
        self.touch(port);
        let (port, mut out) = outputs.at(port);
        port.tell(now, message, &mut out);
    }

    /// Sends the new limits of channels that share the pool of the channel with the label (VPI/VCI) `label`.
    fn tell_notices<S: Server>(&mut self, now: Ps, label: u32, outputs: &mut Outputs<'_, S>) {
        let Some((pool, _)) = self.accounts[label as usize].pool else {
            return;
        };
        let mut notices = core::mem::take(&mut self.notices);
        for Notice {
            channel,
            limit,
            reduction,
        } in notices.drain(..)
        {
            let label = self.pools[pool as usize].labels[channel as usize];
            let Account {
                reverse, upstream, ..
            } = self.accounts[label as usize];
            let record = Record {
                channel: upstream,
                count: limit,
            };
            let message = match reduction {
                None => Message::Credit(record),
                Some(number) => Message::Reduction(record, number),
            };
            self.tell(now, reverse, message, outputs);
        }
        self.notices = notices;
    }

    /// Processes a cell of the credit protocol. Calls `granted` with the index of each port of this node for
    /// which the cell brings a new limit.
    pub fn receive<S: Server>(
        &mut self,
        cell: Cell,
        credit: CreditCell,
        outputs: &mut Outputs<'_, S>,
        mut granted: impl FnMut(u32, Grant),
    ) {
        let (now, port) = (cell.at, cell.label);
        let mut records = credit.records();
        let Some(first) = records.next() else { return };
        match credit.purpose {
            Purpose::Credit => {
                for Record { channel, count } in core::iter::once(first).chain(records) {
                    self.grant(now, port, (channel, count), outputs);
                    granted(port, (channel, count));
                }
            }
            Purpose::Reduction => {
                self.grant(now, port, (first.channel, first.count), outputs);
                granted(port, (first.channel, first.count));
                let label = self.ways[port as usize][first.channel as usize].label_there;
                let reduction = records.next().map_or(0, |record| record.count);
                let confirmation = Message::Confirmation {
                    slot: first.channel,
                    label,
                    reduction,
                };
                self.tell(now, port, confirmation, outputs);
            }
            Purpose::Mark => self.receive_mark(now, first, outputs),
            Purpose::Confirmation => {
                let (limit, number) = (records.next(), records.next());
                let (Some(limit), Some(number), Some((pool, member))) =
                    (limit, number, self.accounts[first.channel as usize].pool)
                else {
                    return;
                };
                self.pools[pool as usize].pool.confirm(
                    member,
                    limit.count,
                    number.count,
                    &mut self.notices,
                );
                self.tell_notices(now, first.channel, outputs);
            }
        }
    }

    fn grant<S: Server>(
        &mut self,
        now: Ps,
        port: u32,
        (slot, limit): Grant,
        outputs: &mut Outputs<'_, S>,
    ) {
        self.touch(port);
        let (port, mut out) = outputs.at(port);
        port.set_limit(now, slot, limit, &mut out);
    }

    /// Processes a mark, in which the upstream node states how many cells it has sent on a channel:
    /// counts the cells that the link has lost, and answers with a credit.
    fn receive_mark<S: Server>(
        &mut self,
        now: Ps,
        Record {
            channel: label,
            count: sent,
        }: Record,
        outputs: &mut Outputs<'_, S>,
    ) {
        let account = &mut self.accounts[label as usize];
        let untold = account.onward.map_or(0, |(port, slot)| {
            let (port, mut out) = outputs.at(port);
            port.take_untold(now, slot, &mut out)
        });
        let queued = queued(account, outputs) as u32;
        match account.pool {
            None => {
                account.receiver.forward(untold);
                account.receiver.repair(sent, queued);
                let (port, channel, count) =
                    (account.reverse, account.upstream, account.receiver.tell());
                self.tell(
                    now,
                    port,
                    Message::Credit(Record { channel, count }),
                    outputs,
                );
            }
            Some((pool, member)) => {
                self.pools[pool as usize]
                    .pool
                    .mark(member, sent, queued, &mut self.notices);
                self.tell_notices(now, label, outputs);
            }
        }
    }

    /// Sends the marks (counts of cells sent) of the instant `now`: one for each channel that has
    /// no credit or has sent cells since its last mark.
    pub fn mark<S: Server>(&mut self, now: Ps, outputs: &mut Outputs<'_, S>) {
        let Some(interval) = self.mark_interval.filter(|_| self.next_mark == now) else {
            return;
        };
        self.next_mark = now.saturating_add(interval);
        for port in 0..self.ways.len() {
            let (advanced, mut out) = outputs.at(port as u32);
            advanced.advance(now, &mut out);
            for slot in 0..self.ways[port].len() {
                let Some(sender) = outputs.ports[port].0.sender(slot as u32) else {
                    continue;
                };
                let way = &mut self.ways[port][slot];
                if sender.sent() == way.marked && sender.allows(CELL_UNITS) {
                    continue;
                }
                way.marked = sender.sent();
                let mark = Message::Mark {
                    slot: slot as u32,
                    label: way.label_there,
                };
                self.tell(now, port as u32, mark, outputs);
            }
        }
    }
}

impl Account {
    /// Counts `cells` departed cells of a channel that belongs to no pool. If a credit is due, returns the credit
    /// and the index of the port to the upstream node.
    #[inline]
    fn forward(&mut self, cells: u32) -> Option<(u32, Message)> {
        if self.reverse == NONE {
            return None;
        }
        let (channel, count) = (self.upstream, self.receiver.forward(cells)?);
        Some((self.reverse, Message::Credit(Record { channel, count })))
    }
}

/// Number of cells of a channel that are still stored at this node.
fn queued<S: Server>(account: &Account, outputs: &Outputs<'_, S>) -> u64 {
    account.onward.map_or(0, |(port, slot)| {
        outputs.ports[port as usize].0.queued_of(slot)
    })
}
