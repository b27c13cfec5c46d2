//! A control scheme at an output port: the frames that the scheme observes, with sizes in octets on the line. A
//! *record* here is a rate record: the fields of an RM cell, in a short frame of its own.

use super::aqm::Held;
use super::frame::{Info, Packet, on_line};
use crate::control::{Control, ControlConfig, SwitchControl};
use crate::kernel::Ps;
use crate::passing::{Contents, Passing, RateRecord};

/// A control scheme at the queue of the flows under rate control.
#[derive(Clone, Debug)]
pub struct Hosted {
    control: Control,
    /// Number of the port's queue that the scheme controls.
    pub queue: usize,
    marks_at_dequeue: bool,
}

impl Hosted {
    /// The scheme `control` at the queue numbered `queue` of its port.
    pub fn new(control: Control, queue: usize) -> Hosted {
        Hosted {
            marks_at_dequeue: control.marks_at_dequeue(),
            control,
            queue,
        }
    }

    /// The control scheme.
    pub fn control(&self) -> &Control {
        &self.control
    }
    /// The control scheme, for changes during the run.
    pub fn control_mut(&mut self) -> &mut Control {
        &mut self.control
    }

    /// Replaces the parameters of the scheme at `now`. `held` is the length of the scheme's queue.
    pub fn change(&mut self, now: Ps, config: &ControlConfig, held: Held) {
        self.control.change((now, on_the_line(held)), config);
    }

    /// Time at which the scheme's timer expires next.
    #[inline]
    pub fn wake_at(&self) -> Ps {
        self.control.wake_at()
    }

    /// Processes the expiry of the timer of [`Hosted::wake_at`]. `held` is the length of the scheme's queue.
    /// The queue is sending a frame of `in_service` octets; 0 if none.
    pub fn wake(&mut self, now: Ps, held: Held, in_service: u32) {
        let in_service = if in_service > 0 {
            on_line(in_service)
        } else {
            0
        };
        self.control.wake(now, on_the_line(held), in_service.into());
    }

    /// Shows the scheme an arriving frame, before the frame is queued or dropped. `slot` is the index of the
    /// flow among the flows under rate control at the port; `None` for background traffic. `held` is the length
    /// of the scheme's queue.
    pub fn on_arrival(
        &mut self,
        now: Ps,
        slot: Option<u32>,
        (info, packet): (&mut Info, &mut Packet),
        held: Held,
    ) {
        let octets = on_line(info.octets());
        let Some(slot) = slot else {
            return self.control.on_background(now, octets.into());
        };
        let mut passing = passing(*info);
        match info.record(packet) {
            None => {
                if self.control.counts_only(now, slot, octets.into()) {
                    return;
                }
                self.control
                    .on_forward(now, slot, &mut passing, None, on_the_line(held));
            }
            Some(mut record) => {
                self.control.on_forward(
                    now,
                    slot,
                    &mut passing,
                    Some(&mut record),
                    on_the_line(held),
                );
                (*info, *packet) = info.with_record(&record);
            }
        }
        if passing.is_marked() {
            *info = info.marked();
        }
    }

    /// Shows the scheme a frame under rate control whose transmission starts at `now`. `held` is the length of
    /// the queue, this frame included. Returns the header word of the frame, marked if the scheme marks it.
    #[inline]
    pub fn on_service(&mut self, now: Ps, info: Info, held: Held) -> Info {
        if !self.marks_at_dequeue {
            return info;
        }
        let mut passing = passing(info);
        self.control
            .on_dequeue(now, &mut passing, on_the_line(held));
        if passing.is_marked() {
            info.marked()
        } else {
            info
        }
    }

    /// Shows the scheme a backward rate record of the flow with the index `slot` at the port. `held` is the
    /// length of the scheme's queue.
    pub fn on_backward(&mut self, now: Ps, slot: u32, record: &mut RateRecord, held: Held) {
        self.control
            .on_backward(now, slot, record, on_the_line(held));
    }
}

/// A frame under rate control in the form that control schemes observe.
fn passing(info: Info) -> Passing {
    let contents = info.contents();
    let ends_pdu = contents == Contents::Data;
    Passing::new(contents, on_line(info.octets()), ends_pdu)
}

/// Octets on the line of queued frames, with preambles and gaps.
pub(super) fn on_the_line(held: Held) -> u64 {
    held.octets + u64::from(on_line(0)) * held.packets
}
