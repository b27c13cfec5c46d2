//! Changes of a port's settings during a run, and the thresholds below which a cell needs no
//! checks.

use super::{Port, Queue};
use crate::atm::server::Server;
use crate::atm::transport::Outlet;
use crate::control::{ControlConfig, QueueReading, SwitchControl};
use crate::discard::{DiscardConfig, DiscardPolicy};
use crate::kernel::Ps;
use crate::kernel::units::Buffer;

impl<S> Port<S> {
    /// Computes the thresholds below which a cell needs no checks from the queue limits, the
    /// discard policies and the control scheme.
    pub(super) fn note_shortcuts(&mut self) {
        let reads_queue = self.control.reads_queue();
        let stateless = |queue: &Queue| queue.settings.discard.is_stateless();
        let stateless = self.queues.iter().all(stateless);
        let limits = self.queues.iter();
        let limits = limits.map(|queue| queue.settings.least_buffer());
        let smallest = limits.min().unwrap_or(0);
        self.front.note_limits(smallest != u64::MAX || !stateless);
        // Cells of virtual sources before the port use the port's buffer, so each cell of the class needs the
        // check.
        let unread = reads_queue != QueueReading::AtEveryCell;
        let unasked = unread && !self.is_prompt && !self.front.asks();
        self.freely_below = if unasked && stateless { smallest } else { 0 };
        let passing = |queue: &Queue| {
            let settings = &queue.settings;
            settings.discard.passes_within(settings.least_buffer())
        };
        let least = self.queues.iter().map(passing).min().unwrap_or(0);
        self.passing_below = if unasked { least } else { 0 };
        self.passing_backlog = self.surely_shorter_below(self.passing_below);
        self.reads_some = reads_queue == QueueReading::AtSomeCells;
        self.free_backlog = self.surely_shorter_below(self.freely_below);
        self.express_backlog = self.free_backlog.min(self.unmarked_below);
        self.reads_queue = reads_queue != QueueReading::Never;
        self.shown.ignores_data = self.control.ignores_data();
        self.reads_at_rm = self.reads_some || reads_queue == QueueReading::AtRmCells;
        for queue in &mut self.queues {
            let policy = &queue.settings.discard;
            queue.room_in_front = if policy.is_stateless() {
                queue.settings.least_buffer()
            } else {
                0
            };
            // Credit limits the cells of channels that are served in round-robin order, so their
            // queue is never full.
            queue.taken_below = if queue.by_turns {
                u64::MAX
            } else {
                queue.settings.least_buffer()
            };
        }
        self.asks_nobody =
            self.is_prompt && stateless && reads_queue == QueueReading::Never && !self.front.asks();
    }

    /// Backlog, as the time that the line needs for all cells present, below which a queue always holds fewer
    /// than `limit` cells.
    fn surely_shorter_below(&self, limit: u64) -> Ps {
        if limit == u64::MAX {
            return Ps::NEVER;
        }
        Ps(limit.saturating_sub(1).saturating_mul(self.cell_time.0))
    }
}

impl<S: Server> Port<S> {
    /// Replaces, at `now`, the limit of each queue that credit does not limit, and the parameters of control
    /// scheme and discard policy. Cells beyond a smaller limit stay in the queue. If a measurement interval of
    /// the scheme should have ended before `now` by the new parameters, the interval ends now.
    pub fn change(
        &mut self,
        now: Ps,
        buffer: Buffer,
        (control, discard): (&ControlConfig, &DiscardConfig),
        out: &mut Outlet<'_>,
    ) {
        for queue in &mut self.queues {
            if !queue.settings.is_credited {
                queue.settings.buffer = buffer.0;
            }
            queue.settings.discard.change(now, discard);
        }
        let length = self.class_length(now, self.reads_queue, out);
        self.control.change((now, length), control);
        self.note_shortcuts();
        if self.control.wake_at() < now {
            self.wake(now, out);
        }
    }
}
