//! Rate control of a flow over Ethernet: the source and the destination of TM 4.0, with frames in place of
//! cells. A *record* here is a rate record: the fields of an RM cell, in a short frame that carries nothing
//! else.
//!
//! Explicit rates as in the ATM Forum were tried on Ethernet before: Jiang, Jain and So-In, "An explicit rate
//! control framework for lossless Ethernet operation", ICC 2008. There, too, the fields have separate frames.

use alloc::boxed::Box;

use super::frame::{Framing, Info, Packet, RATES_PACKET, on_line};
use crate::endsystem::{AbrConfig, AbrDestination, AbrSource, Emission, Octets};
use crate::kernel::statistics::TimeIntegral;
use crate::kernel::{Ps, Rate, ServiceRate};
use crate::passing::RateRecord;

/// Rate control at an endpoint of a flow.
#[derive(Clone)]
pub enum Rates {
    /// No rate control.
    Free,
    /// The source of a flow under rate control.
    Source(Box<RateSource>),
    /// The destination of a flow under rate control.
    Destination(Box<RateDestination>),
}

/// Sends the frames of a flow at the flow's ACR. Every Nrm-th frame is a rate record.
#[derive(Clone)]
pub struct RateSource {
    /// The source rules of TM 4.0.
    pub rules: AbrSource<Octets>,
    /// The next frame of the application, which waits for its time. All later frames wait in the application.
    pub head: Option<(Info, Packet)>,
    /// Integral of ACR over time, in octets/s times picoseconds.
    acr: TimeIntegral,
    priority: u8,
    record: u32,
}

impl RateSource {
    /// A source on an access link of rate `rate`.
    pub fn new(config: &AbrConfig, rate: Rate, framing: Framing, priority: u8) -> RateSource {
        let record = framing.frame(RATES_PACKET);
        let rules = AbrSource::of_frames(config, rate, on_line(record));
        let mut acr = TimeIntegral::default();
        acr.set(Ps::ZERO, rules.acr());
        RateSource {
            rules,
            head: None,
            acr,
            priority,
            record,
        }
    }
    /// Earliest time of the source's next frame, possibly in the past.
    pub fn next_wake(&self) -> Ps {
        self.rules.next_wake(self.head.is_some())
    }
    /// The frame that is due at `now`; `None` if none is due.
    pub fn poll(&mut self, now: Ps) -> Option<(Info, Packet)> {
        if let Some((info, _)) = &self.head {
            self.rules.sizes.data = on_line(info.octets());
        }
        let emission = self.rules.opportunity(now, self.head.is_some())?;
        self.acr.set(now, self.rules.acr());
        match emission {
            Emission::Data => self.head.take(),
            // A source never turns a record round, so this record is forward.
            Emission::Rm(_, record) => {
                Some(Info::rates(self.record, self.priority, &record, false))
            }
        }
    }
    /// Processes a backward record that arrives at `now`, and sets ACR by it.
    pub fn on_record(&mut self, now: Ps, record: &RateRecord) {
        self.rules.on_brm(now, record);
        self.acr.set(now, self.rules.acr());
    }
    /// Integral of ACR from the start of the run to `now`, in octets/s times picoseconds.
    pub fn acr_ps(&self, now: Ps) -> f64 {
        self.acr.mean(now, Ps(1))
    }
}

/// The destination of rate control, which returns the rate records of a flow.
#[derive(Clone)]
pub struct RateDestination {
    rules: AbrDestination,
    /// The record that waits for the interface; `None` without one.
    waiting: Option<RateRecord>,
    priority: u8,
    record: u32,
}

impl RateDestination {
    /// A destination. `rate` is the rate of the access link of the flow's source.
    pub fn new(config: &AbrConfig, rate: Rate, framing: Framing, priority: u8) -> RateDestination {
        RateDestination {
            rules: AbrDestination::new(config, ServiceRate::of_octets(rate)),
            waiting: None,
            priority,
            record: framing.frame(RATES_PACKET),
        }
    }
    /// Stores whether an arriving data frame is marked (DES rule 1).
    pub fn on_data(&mut self, is_marked: bool) {
        self.rules.on_data(is_marked);
    }
    /// Turns an arriving forward record round (DES rules 2 and 3). A CE mark on its frame counts as CI. The
    /// newest record replaces a record that still waits.
    pub fn on_record(&mut self, record: RateRecord, is_marked: bool) {
        let ci = record.ci || is_marked;
        self.waiting = Some(self.rules.on_frm(RateRecord { ci, ..record }));
    }
    /// Removes the waiting record and returns its frame; `None` if no record waits.
    pub fn poll(&mut self) -> Option<(Info, Packet)> {
        let record = self.waiting.take()?;
        Some(Info::rates(self.record, self.priority, &record, true))
    }
    /// True if a record waits for the interface.
    pub fn waits(&self) -> bool {
        self.waiting.is_some()
    }
}
