//! The ABR source: source rules 1 to 13 of TM 4.0 section 5.10.4 ("SES rule n") for one connection.
//!
//! [`AbrSource::next_wake`] is the earliest time at which a cell can be sent. At this time or later, the host
//! calls [`AbrSource::opportunity`] to get the cell. SES rule 12 (EFCI is 0 in data cells) holds because the host
//! makes data cells with [`Info::data`].

mod steady;

use core::any::Any;
use core::fmt::Debug;

use super::config::{AbrConfig, ErBelowMcr, OutOfRate};
use super::rate_law::RateLaw;
use crate::atm::cell::{Info, Kind, RmCell};
use crate::atm::rm;
use crate::kernel::{Pace, Ps, Rate, ServiceRate};

/// Sizes of the cells or frames that a source sends, in units of service. The rates of the source count the same
/// units.
pub trait Sizes: Copy + Debug {
    /// Records that a cell or frame is sent: data if `is_data` is true, otherwise an RM cell or a rate record.
    fn sent(&mut self, is_data: bool);
    /// Earliest time of the next cell or frame, and the fraction of a picosecond at this time, as [`Pace::next`]
    /// returns them. The last cell or frame was sent at `at`, with the fraction `carry`.
    fn next(self, pace: Pace, at: Ps, carry: u32) -> (Ps, u32);
    /// Size of an RM cell, or of a frame with a rate record (the contents of an RM cell), in units of service.
    fn record(self) -> f64;
}

/// Sizes of ATM cells: each cell is one unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cells;

impl Sizes for Cells {
    #[inline(always)]
    fn sent(&mut self, _is_data: bool) {}
    #[inline(always)]
    fn next(self, pace: Pace, at: Ps, carry: u32) -> (Ps, u32) {
        pace.next(at, carry)
    }
    #[inline(always)]
    fn record(self) -> f64 {
        1.0
    }
}

/// Sizes of Ethernet frames, in octets on the line.
#[derive(Clone, Copy, Debug)]
pub struct Octets {
    /// Size of the next frame with data, in octets on the line.
    pub data: u32,
    /// Size of a frame with a rate record (the contents of an RM cell), in octets on the line.
    pub record: u32,
    last: u32,
}

impl Octets {
    /// Sizes of frames. A frame with a rate record has `record` octets on the line.
    pub const fn new(record: u32) -> Octets {
        let (data, last) = (0, 0);
        Octets { data, record, last }
    }
}

impl Sizes for Octets {
    fn sent(&mut self, is_data: bool) {
        self.last = if is_data { self.data } else { self.record };
    }
    fn next(self, pace: Pace, at: Ps, carry: u32) -> (Ps, u32) {
        pace.next_of(at, carry, self.last)
    }
    fn record(self) -> f64 {
        self.record.into()
    }
}

/// The cell that a source sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Emission {
    /// The next data cell of the source queue.
    Data,
    /// An RM cell. The kind of the cell says whether it is forward or backward; CLP is set if the cell is
    /// out-of-rate.
    Rm(Info, RmCell),
}

/// Counts of the events of an ABR source since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Number of in-rate FRMs sent.
    pub frms: u64,
    /// Number of BRMs sent, including those out of rate.
    pub brms: u64,
    /// Number of out-of-rate FRMs sent (SES rule 11).
    pub out_of_rate_frms: u64,
    /// Number of BRMs sent out of rate because no cell could be sent in-rate.
    pub out_of_rate_brms: u64,
    /// Number of turned-round RM cells that a newer RM cell replaced before they were sent (DES rule 3).
    pub overwritten: u64,
    /// Number of times that ACR returned to ICR after an idle time (SES rule 5).
    pub rule_5: u64,
    /// Number of times that ACR was cut because BRMs did not return (SES rule 6).
    pub rule_6: u64,
    /// Number of times that ACR was cut because the rate was not used (SES rule 13).
    pub rule_13: u64,
    /// Number of changes of ACR.
    pub acr_changes: u64,
}

/// Constants of a connection. Rates are in units/s; a unit is a cell (ATM) or an octet on the line (Ethernet). The
/// fields that each cell or frame needs come first.
#[derive(Clone, Debug)]
#[repr(C)]
struct Limits {
    /// Number of other in-rate cells between two FRMs: Nrm - 1.
    nrm_others: u32,
    mrm: u32,
    trm: Ps,
    tcr: f64,
    out_of_rate: OutOfRate,
    ignore_low_er: bool,
    frm_needs_data: bool,
    quantise: bool,
    pcr: f64,
    mcr: f64,
    icr: f64,
    /// ER that the source writes into a new FRM, in units/s.
    er: f64,
    /// The lower of PCR and the access link's rate, in units/s. An ACR at or above this value does
    /// not delay data.
    ceiling: f64,
    /// Additive increase of ACR: RIF times PCR, in units/s.
    increase: f64,
    /// Factor on ACR at a BRM with CI: 1 - RDF. `keep_cdf` is the factor 1 - CDF of SES rule 6.
    keep_rdf: f64,
    keep_cdf: f64,
    /// Difference of ACR and the measured rate that SES rule 13 tolerates, in units/s.
    unused: f64,
    crm: u64,
    adtf: Ps,
}

/// Pacing of cells that are sent at a fixed low rate: the interval, and the earliest time of the next cell.
#[derive(Clone, Debug)]
struct Probe {
    interval: Ps,
    next: Ps,
}

impl Probe {
    fn new(rate: f64) -> Probe {
        Probe {
            interval: Ps::from_secs_f64(1.0 / rate),
            next: Ps::ZERO,
        }
    }
    fn sent(&mut self, now: Ps) {
        self.next = now.saturating_add(self.interval);
    }
}

/// Times and counts of in-rate cells. Under the rules of TM 4.0, sending a data cell changes only this state.
#[derive(Clone, Copy, Debug)]
pub struct Pacing {
    /// Earliest time of the next in-rate cell. `t_last` is the time of the last in-rate cell.
    t_next: Ps,
    t_last: Ps,
    /// Time from which on the Trm clause of SES rule 3a requires an FRM.
    trm_at: Ps,
    carry: u32,
    carry_last: u32,
    /// Number of in-rate cells since the last in-rate FRM. Before the first FRM, this is the number at which an
    /// FRM is due.
    since_frm: u32,
}

/// The source half of an ABR end system, for cells or frames. Rates are in units of service per
/// second. The fields that each cell needs come first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct AbrSource<S = Cells> {
    pacing: Pacing,
    pace: Option<Pace>,
    acr: f64,
    limits: Limits,
    /// Turned-round RM cell that waits to be sent as a BRM.
    waiting: Option<RmCell>,
    /// True if an in-rate BRM was sent after the last in-rate FRM.
    brm_since_frm: bool,
    /// True until the first in-rate FRM has been sent.
    first: bool,
    /// True if an in-rate cell has been sent, so that `t_last` is valid.
    started: bool,
    /// True if SES rule 13 has cut ACR, so that the next increase of ACR is skipped.
    skip_increase: bool,
    t_last_frm: Ps,
    /// Number of in-rate FRMs since the last BRM with BN = 0 (SES rule 6).
    frms_without_brm: u64,
    frm_probe: Probe,
    brm_probe: Probe,
    acr_changed_at: Ps,
    /// ER in the last BRM, in units/s.
    explicit_rate: Option<f64>,
    counters: Counters,
    /// Law that replaces the rate rules (SES rules 5, 6, 8, 9 and 13); `None` if these rules apply.
    law: Option<RateLaw>,
    /// Factor by which a misbehaving source exceeds ACR; 1 for a source that obeys ACR.
    excess: f64,
    /// Rate of the access link, and fixed round trip time.
    way: (ServiceRate, Ps),
    /// Sizes of the cells or frames that the source sends.
    pub sizes: S,
}

impl AbrSource {
    /// A source of cells on an access link of `link_rate`. `frtt` is the fixed round trip time,
    /// used only by `apply_tbe_icr_cap` and Smith predictors. SES rule 2: ACR begins with ICR.
    pub fn new(config: &AbrConfig, link_rate: Rate, frtt: Ps) -> AbrSource {
        AbrSource::of(config, (ServiceRate::of_cells(link_rate), frtt), Cells)
    }
}

impl AbrSource<Octets> {
    /// A source of frames on an access link of `link_rate`, with rates in octets/s on the line. The rules of TM
    /// 4.0 apply, with frames in place of cells. `record` is the size of a frame with a rate record, in octets.
    /// `config` must not select other rules, and must not set `use_it_or_lose_it`, `quantise_rates` or
    /// `apply_tbe_icr_cap`.
    pub fn of_frames(config: &AbrConfig, link_rate: Rate, record: u32) -> AbrSource<Octets> {
        let way = (ServiceRate::of_octets(link_rate), Ps::ZERO);
        AbrSource::of(config, way, Octets::new(record))
    }
}

impl<S: Sizes> AbrSource<S> {
    fn of(config: &AbrConfig, way: (ServiceRate, Ps), sizes: S) -> AbrSource<S> {
        let (limits, frtt) = (Limits::new(config, way), way.1);
        let excess = config.excess_factor.unwrap_or(1.0);
        AbrSource {
            pacing: Pacing {
                t_next: Ps::ZERO,
                t_last: Ps::ZERO,
                trm_at: Ps::NEVER,
                carry: 0,
                carry_last: 0,
                since_frm: limits.nrm_others,
            },
            pace: Pace::new(limits.icr * excess),
            waiting: None,
            brm_since_frm: false,
            first: true,
            started: false,
            skip_increase: false,
            acr: limits.icr, // SES rule 2
            excess,
            t_last_frm: Ps::ZERO,
            frms_without_brm: 0,
            frm_probe: Probe::new(limits.tcr / sizes.record()),
            brm_probe: Probe::new(limits.tcr / sizes.record()),
            acr_changed_at: Ps::ZERO,
            explicit_rate: None,
            counters: Counters::default(),
            law: RateLaw::new(config, (limits.icr, limits.mcr, limits.pcr), frtt),
            limits,
            way,
            sizes,
        }
    }

    /// The user-defined law that sets the source's rate. `None` if the source has no such law, or if the law
    /// allows no access; see [`LawState::as_any_mut`](super::LawState::as_any_mut).
    pub fn law_mut(&mut self) -> Option<&mut dyn Any> {
        self.law.as_mut().and_then(RateLaw::as_any_mut)
    }

    /// Replaces the parameters from now on. The new parameters must select the same rules. ACR is kept.
    pub fn change(&mut self, config: &AbrConfig) {
        let limits = Limits::new(config, self.way);
        if self.first {
            self.pacing.since_frm = limits.nrm_others; // SES rule 2: the first cell is an FRM
        }
        if self.pacing.trm_at.is_scheduled() {
            self.pacing.trm_at = self.t_last_frm.saturating_add(limits.trm); // SES rule 3a(i)
        }
        if let Some(law) = &mut self.law {
            law.change(config);
        }
        self.limits = limits;
    }

    /// Allowed cell rate in units/s.
    #[inline]
    pub fn acr(&self) -> f64 {
        self.acr
    }
    /// Time at which ACR changed last.
    pub fn acr_changed_at(&self) -> Ps {
        self.acr_changed_at
    }
    /// ER in the last BRM in units/s; `None` before the first BRM.
    pub fn explicit_rate(&self) -> Option<f64> {
        self.explicit_rate
    }
    /// Counts of events since the start of the source.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }
    /// True if a turned-round RM cell waits to be sent as a BRM.
    pub fn brm_waits(&self) -> bool {
        self.waiting.is_some()
    }

    /// Earliest time at which [`Self::opportunity`] returns a cell, possibly in the past. `NEVER` if the source
    /// first needs data, a BRM to send or feedback.
    #[inline(always)]
    pub fn next_wake(&self, data_waiting: bool) -> Ps {
        if data_waiting && !self.probes() && self.pace.is_some() {
            return self.pacing.t_next;
        }
        self.first_wake(data_waiting)
    }

    #[inline(never)]
    fn first_wake(&self, data_waiting: bool) -> Ps {
        self.in_rate_wake(data_waiting)
            .min(self.out_of_rate_wake(data_waiting))
    }

    fn in_rate_wake(&self, data_waiting: bool) -> Ps {
        if self.pace.is_none() {
            Ps::NEVER
        } else if data_waiting || self.waiting.is_some() {
            self.pacing.t_next
        } else if self.first || self.limits.frm_needs_data {
            Ps::NEVER
        } else if self.pacing.since_frm >= self.limits.nrm_others {
            self.pacing.t_next
        } else if self.pacing.since_frm >= self.limits.mrm {
            self.pacing.t_next.max(self.pacing.trm_at)
        } else {
            Ps::NEVER
        }
    }

    fn out_of_rate_wake(&self, data_waiting: bool) -> Ps {
        let frm = if self.may_probe(data_waiting) {
            self.frm_probe.next
        } else {
            Ps::NEVER
        };
        let brm = if self.may_return_out_of_rate() {
            self.brm_probe.next
        } else {
            Ps::NEVER
        };
        frm.min(brm)
    }

    /// True if ACR is so low that SES rule 11 permits out-of-rate FRMs.
    #[inline]
    fn probes(&self) -> bool {
        match self.limits.out_of_rate {
            OutOfRate::BelowTcr => self.acr < self.limits.tcr,
            // This is true also for an ACR whose cell interval exceeds the range of the clock.
            OutOfRate::OnlyAtZero => self.pace.is_none(),
            OutOfRate::Never => false,
        }
    }

    fn may_probe(&self, data_waiting: bool) -> bool {
        self.probes() && (data_waiting || !self.limits.frm_needs_data)
    }

    /// True if a BRM may be sent out of rate (DES rule 6). Otherwise two ends with an ACR of zero
    /// would wait for each other for ever.
    fn may_return_out_of_rate(&self) -> bool {
        self.waiting.is_some() && self.pace.is_none() && self.limits.out_of_rate != OutOfRate::Never
    }

    /// The cell to send at `now`, if any. In-rate cells have precedence over out-of-rate cells.
    #[inline]
    pub fn opportunity(&mut self, now: Ps, data_waiting: bool) -> Option<Emission> {
        if data_waiting && self.sends_plainly(now) {
            self.send_plainly(now);
            return Some(Emission::Data);
        }
        self.choose(now, data_waiting)
    }

    /// True if a waiting data cell may be sent at `now`, and neither an FRM nor a BRM is due: the
    /// common case of SES rule 3c.
    #[inline(always)]
    pub fn sends_plainly(&self, now: Ps) -> bool {
        let due = now >= self.pacing.t_next;
        let plain = self.pacing.since_frm < self.limits.nrm_others && now < self.pacing.trm_at;
        due && plain && self.waiting.is_none()
    }

    /// Sends the data cell for which [`AbrSource::sends_plainly`] is true.
    #[inline(always)]
    pub fn send_plainly(&mut self, now: Ps) {
        self.count_cell();
        self.sizes.sent(true);
        self.advance(now);
    }

    /// Saves the state that sending data cells changes, for [`AbrSource::resume`]. `None` if sending changes
    /// further state, as with a law that acts on each cell.
    #[inline]
    pub fn pacing(&self) -> Option<Pacing> {
        self.law.is_none().then_some(self.pacing)
    }

    /// Returns to the state that [`AbrSource::pacing`] saved. Since then, cells may have been sent only by
    /// [`AbrSource::send_plainly`], and no RM cell may have arrived.
    pub fn resume(&mut self, from: Pacing) {
        self.pacing = from;
    }

    /// The cell to send at `now`: by SES rule 3, or by SES rule 11 if no cell can be sent in-rate.
    fn choose(&mut self, now: Ps, data_waiting: bool) -> Option<Emission> {
        if now < self.pacing.t_next || self.pace.is_none() {
            return self.send_out_of_rate(now, data_waiting);
        }
        let sent = if self.frm_due(now, data_waiting) {
            self.send_frm(now) // SES rule 3a
        } else if self.waiting.is_some() && (!self.brm_since_frm || !data_waiting) {
            self.send_brm() // SES rule 3b
        } else if data_waiting {
            self.count_cell();
            Emission::Data // SES rule 3c
        } else {
            return self.send_out_of_rate(now, data_waiting);
        };
        self.started = true;
        self.sizes.sent(sent == Emission::Data);
        self.advance(now);
        Some(sent)
    }

    /// True if the next in-rate cell must be an FRM by SES rule 3a. An FRM is due if Trm has passed since the
    /// last FRM and Mrm cells have followed that FRM (i). An FRM is also due if Nrm - 1 other cells have followed
    /// the last FRM (ii). SES rule 2: the first cell is an FRM, sent when the first cell of any kind could be
    /// sent.
    fn frm_due(&self, now: Ps, data_waiting: bool) -> bool {
        let wanted = data_waiting
            || (!self.limits.frm_needs_data && (!self.first || self.waiting.is_some()));
        let due = self.pacing.since_frm >= self.limits.nrm_others || now >= self.pacing.trm_at; // (ii), (i)
        wanted && due
    }

    /// Sends an FRM after SES rules 5, 6 and 13, in this order. The resulting ACR is the CCR of the
    /// FRM (SES rule 7).
    fn send_frm(&mut self, now: Ps) -> Emission {
        if !self.first && self.law.is_none() {
            self.return_to_icr(now); // SES rule 5
            self.cut_without_brm(now); // SES rule 6
            self.give_up_unused(now); // SES rule 13
        }
        self.first = false;
        self.t_last_frm = now;
        // SES rule 3a(i) requires Mrm other cells first, unless Mrm is 0.
        self.pacing.trm_at = if self.limits.mrm == 0 {
            now.saturating_add(self.limits.trm)
        } else {
            Ps::NEVER
        };
        self.pacing.since_frm = 0;
        self.brm_since_frm = false;
        self.frms_without_brm += 1;
        self.counters.frms += 1;
        Emission::Rm(Info::rm(Kind::Frm, false), self.contents()) // SES rule 4: CLP = 0
    }

    /// SES rule 5: ACR := ICR, if ACR is above ICR and the last FRM is older than ADTF.
    fn return_to_icr(&mut self, now: Ps) {
        if self.acr > self.limits.icr && now.saturating_sub(self.t_last_frm) > self.limits.adtf {
            self.counters.rule_5 += 1;
            self.set_acr(now, self.limits.icr);
        }
    }

    /// SES rule 6: ACR := max(MCR, ACR - ACR CDF) before each FRM, if CRM or more FRMs have been sent without a
    /// BRM. Only a BRM ends these cuts.
    fn cut_without_brm(&mut self, now: Ps) {
        if self.frms_without_brm >= self.limits.crm {
            self.counters.rule_6 += 1;
            self.set_acr(now, (self.acr * self.limits.keep_cdf).max(self.limits.mcr));
        }
    }

    /// SES rule 13 (use it or lose it), in the form of the NEC uPD98405.
    fn give_up_unused(&mut self, now: Ps) {
        let span = now.saturating_sub(self.t_last_frm).as_secs_f64();
        let used = (self.pacing.since_frm + 1) as f64 / span; // rate since the last FRM
        if self.acr - used > self.limits.unused {
            self.counters.rule_13 += 1;
            self.skip_increase = true;
            self.set_acr(now, (self.acr * (15.0 / 16.0)).max(self.limits.mcr));
        }
    }

    fn send_brm(&mut self) -> Emission {
        self.count_cell();
        self.brm_since_frm = true; // SES rule 3b(i)
        self.turned_round(false)
    }

    fn turned_round(&mut self, out_of_rate: bool) -> Emission {
        let rm = self.waiting.take().expect("a BRM waits");
        self.counters.brms += 1;
        Emission::Rm(Info::rm(Kind::Brm, out_of_rate), rm)
    }

    /// Sends a cell out of rate, by SES rule 11 or DES rule 6. The CLP bit is set, and the counters of SES rule
    /// 3a do not count the cell.
    fn send_out_of_rate(&mut self, now: Ps, data_waiting: bool) -> Option<Emission> {
        if self.may_return_out_of_rate() && now >= self.brm_probe.next {
            self.brm_probe.sent(now);
            self.counters.out_of_rate_brms += 1;
            return Some(self.turned_round(true)); // DES rule 6
        }
        if self.may_probe(data_waiting) && now >= self.frm_probe.next {
            self.frm_probe.sent(now);
            self.counters.out_of_rate_frms += 1;
            return Some(Emission::Rm(Info::rm(Kind::Frm, true), self.contents()));
        }
        None
    }

    /// The fields of a new FRM (SES rule 10).
    fn contents(&self) -> RmCell {
        let code = |rate: f64| {
            if self.limits.quantise {
                rm::quantise(rate)
            } else {
                rate
            }
        };
        let Limits { er, mcr, .. } = self.limits;
        RmCell {
            er: code(er),
            ccr: code(self.acr), // SES rule 7
            mcr: code(mcr),
            ci: false,
            ni: false,
            bn: false,
        }
    }

    /// Counts an in-rate cell other than an FRM. SES rule 3a (i) needs Mrm such cells.
    #[inline]
    fn count_cell(&mut self) {
        // The count saturates, because with `frm_needs_data` a source without data never resets it.
        self.pacing.since_frm = self.pacing.since_frm.saturating_add(1);
        if self.pacing.since_frm == self.limits.mrm {
            self.pacing.trm_at = self.trm_after_frm();
        }
    }

    /// Time from which on an FRM is due after Mrm other cells (SES rule 3a (i)).
    #[inline(always)]
    fn trm_after_frm(&self) -> Ps {
        self.t_last_frm.saturating_add(self.limits.trm)
    }

    /// SES rule 1: the next in-rate cell is sent at least 1/ACR after this cell. For frames, the least time is
    /// the octets of this frame divided by ACR. The fraction of a picosecond is carried only if the next cell is
    /// sent at its earliest time.
    #[inline(always)]
    fn advance(&mut self, now: Ps) {
        self.pacing.carry_last = self.carry_to(now);
        self.pacing.t_last = now;
        if self.law.is_some() {
            self.follow_law(now);
        }
        self.schedule();
    }

    /// Fraction of a picosecond carried to a cell that is sent at `now`.
    #[inline(always)]
    fn carry_to(&self, now: Ps) -> u32 {
        if now == self.pacing.t_next {
            self.pacing.carry
        } else {
            0
        }
    }

    /// Sets ACR after a cell, if the source has a rate law instead of the rate rules of TM 4.0.
    #[inline(never)]
    fn follow_law(&mut self, now: Ps) {
        if let Some(law) = &mut self.law {
            let acr = law.after_cell(now, self.acr);
            self.set_acr(now, acr);
        }
    }

    #[inline]
    fn schedule(&mut self) {
        (self.pacing.t_next, self.pacing.carry) = self.pace.map_or((Ps::NEVER, 0), |pace| {
            self.sizes
                .next(pace, self.pacing.t_last, self.pacing.carry_last)
        });
    }

    /// Processes a BRM, in-rate or not, by SES rules 8 and 9. The next cell of an idle source is
    /// rescheduled, too.
    pub fn on_brm(&mut self, now: Ps, rm: &RmCell) {
        if !rm.bn {
            self.frms_without_brm = 0; // SES rule 6: only a BRM with BN = 0 counts
        }
        self.explicit_rate = Some(rm.er);
        let before = self.acr;
        let acr = match &mut self.law {
            Some(law) => law.after_brm(now, before, rm),
            None => {
                let stepped = self.step(rm); // SES rule 8
                self.bounded(stepped, rm.er) // SES rule 9
            }
        };
        self.set_acr(now, acr);
        if self.acr != before && self.started {
            self.reschedule(now);
        }
    }

    /// The new ACR by SES rule 8. With CI, ACR := max(MCR, ACR - ACR RDF). With neither CI nor NI, ACR :=
    /// min(PCR, ACR + RIF PCR). With NI but not CI, ACR does not change.
    fn step(&mut self, rm: &RmCell) -> f64 {
        if rm.ci {
            return (self.acr * self.limits.keep_rdf).max(self.limits.mcr);
        }
        // SES rule 13, as in the uPD98405: the first increase after a cut is skipped.
        if rm.ni || core::mem::take(&mut self.skip_increase) {
            return self.acr;
        }
        (self.acr + self.limits.increase).min(self.limits.pcr)
    }

    /// The new ACR by SES rule 9: ACR := max(MCR, min(ACR, ER)).
    fn bounded(&self, acr: f64, er: f64) -> f64 {
        let Limits {
            mcr,
            pcr,
            quantise,
            ignore_low_er,
            ..
        } = self.limits;
        let er = if quantise { rm::quantise(er) } else { er };
        let er = if er < mcr && ignore_low_er { pcr } else { er };
        acr.min(er).max(mcr)
    }

    fn set_acr(&mut self, now: Ps, acr: f64) {
        if acr == self.acr {
            return;
        }
        self.acr = acr;
        self.pace = Pace::new(acr * self.excess);
        self.acr_changed_at = now;
        self.counters.acr_changes += 1;
    }

    /// Moves the next cell to the time that the new ACR gives, whether ACR rose or fell, as TM 4.0
    /// permits.
    fn reschedule(&mut self, now: Ps) {
        self.schedule();
        if self.pacing.t_next < now {
            (self.pacing.t_next, self.pacing.carry) = (now, 0);
        }
    }

    /// Stores a turned-round RM cell from the destination half, to be sent as a BRM. If an older such cell still
    /// waits, the new cell replaces it (DES rule 3). So older contents never follow newer contents (DES rule 4).
    pub fn offer_brm(&mut self, rm: RmCell) {
        self.counters.overwritten += self.waiting.replace(rm).is_some() as u64;
    }

    /// Time until which an ACR below PCR and below the access link's rate delays waiting data;
    /// `None` for a higher ACR. A source with data is rate-limited before this time.
    pub fn rate_limited_until(&self, data_waiting: bool) -> Option<Ps> {
        (data_waiting && self.acr < self.limits.ceiling).then_some(self.pacing.t_next)
    }
    /// True if at `now` waiting data are delayed only by ACR.
    pub fn is_rate_limited(&self, now: Ps, data_waiting: bool) -> bool {
        self.rate_limited_until(data_waiting)
            .is_some_and(|until| now < until)
    }
}

impl Limits {
    fn new(config: &AbrConfig, (line, frtt): (ServiceRate, Ps)) -> Limits {
        let (pcr, mcr) = (config.pcr_units(line), config.mcr_units(line));
        Limits {
            pcr,
            mcr,
            er: RateLaw::explicit_rate(config, pcr),
            icr: config.icr_units(line, frtt).min(pcr).max(mcr),
            ceiling: pcr.min(line.units_per_second()),
            increase: config.rif * pcr,
            keep_rdf: 1.0 - config.rdf,
            keep_cdf: 1.0 - config.cdf,
            tcr: line.in_units(config.tcr),
            unused: config
                .use_it_or_lose_it
                .map_or(f64::INFINITY, |rate| line.in_units(rate)),
            crm: config.crm_frms(),
            trm: config.trm,
            adtf: config.adtf,
            nrm_others: config.nrm.max(1) - 1,
            mrm: config.mrm,
            out_of_rate: config.out_of_rate,
            ignore_low_er: config.er_below_mcr == ErBelowMcr::Ignore,
            frm_needs_data: config.frm_needs_data,
            quantise: config.quantise_rates,
        }
    }
}
