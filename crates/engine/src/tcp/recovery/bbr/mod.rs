//! BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00). A model of the path determines pace and
//! window: the bottleneck rate and the round trip without queues. A loss alone does not change them.
//!
//! Names are those of the draft; numbers in the comments are its sections. Rates come from samples
//! as in draft-cheng-iccrg-delivery-rate-estimation-00, in payload bytes. Round trips come from an
//! exact clock. Segments are paced one by one, each by its payload, so send_quantum only affects
//! the window (4.2.3.2). Losses are detected and repaired with SACK (RFC 6675). During the first
//! round of a recovery the window conserves packets (4.2.3.4). A pause of the application does not
//! lead to slow start, whatever `tcp.idle_restart` is: pacing makes it needless (4.3.4.4).
//!
//! Two things differ from the draft. First, the first pace assumes a round trip of 1 ms even if the
//! connection set-up has measured one; the first round trip of data sets the pace again, as in
//! Linux. Second, the pace delays a segment for at most one RTO.

mod max_filter;

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::max_filter::MaxFilter;
use super::ranges::{above_zero, require};
use super::{Ack, Delivery, Facts, Loss, RecoveryPolicy};
use crate::kernel::{Ps, Stream};
use crate::tcp::window::Window;

/// BBRGainCycleLen, the number of phases in a cycle of ProbeBW.
const CYCLE: usize = 8;
/// BBRMinPipeCwnd in segments (4.2.3.3).
const MIN_PIPE_CWND: u64 = 4;
/// Factor by which BtlBw must grow in a round of Startup; with less growth in several rounds the pipe counts as
/// full (4.3.2.2).
const FULL_GROWTH: f64 = 1.25;
/// Number of rounds with growth below `FULL_GROWTH` after which the pipe counts as full (4.3.2.2).
const FULL_ROUNDS: u32 = 3;
/// Round trip that the first pace assumes before a round trip is measured (4.2.1).
const ASSUMED_RTT: Ps = Ps::from_ms(1);

/// Parameters of BBR.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BbrConfig {
    /// BBRHighGain: gain of pace and window in Startup. The gain of the pace in Drain is its
    /// inverse.
    #[schemars(extend("x-search" = { "low": 1.5, "high": 4, "scale": "linear" }))]
    pub high_gain: f64,
    /// Gain of the window in ProbeBW.
    #[schemars(extend("x-search" = { "low": 1.25, "high": 4, "scale": "linear" }))]
    pub cwnd_gain: f64,
    /// Probing share: in ProbeBW the pace is this share above BtlBw in the first phase of a cycle,
    /// and this share below in the second.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 0.5, "scale": "log" }))]
    pub probe: f64,
    /// BtlBwFilterLen: number of round trips over which BtlBw is the greatest rate.
    #[schemars(extend("x-search" = { "low": 4, "high": 40, "scale": "log" }), range(min = 1))]
    pub btlbw_rounds: u32,
    /// RTpropFilterLen: time after which the shortest round trip is measured again in ProbeRTT.
    #[schemars(extend("x-search" = { "low": "1 s", "high": "60 s", "scale": "log" }))]
    pub rtprop_time: Ps,
    /// ProbeRTTDuration: time of ProbeRTT, with at most four segments in flight.
    #[schemars(extend("x-search" = { "low": "20 ms", "high": "1 s", "scale": "log" }))]
    pub probe_rtt_time: Ps,
}

impl BbrConfig {
    /// The values of the draft.
    pub const DEFAULT: BbrConfig = BbrConfig {
        high_gain: 2.89, // 4.3.2.1: 2/ln(2), rounded up
        cwnd_gain: 2.0,
        probe: 0.25,
        btlbw_rounds: 10,
        rtprop_time: Ps::from_s(10),
        probe_rtt_time: Ps::from_ms(200),
    };

    /// Refuses values with which no connection can run.
    pub fn check(&self) -> Result<(), String> {
        let gain = |value: f64| (1.0..=10.0).contains(&value);
        require(
            "recovery.high_gain",
            gain(self.high_gain),
            self.high_gain,
            "1 to 10",
        )?;
        require(
            "recovery.cwnd_gain",
            gain(self.cwnd_gain),
            self.cwnd_gain,
            "1 to 10",
        )?;
        require(
            "recovery.probe",
            (0.0..=0.9).contains(&self.probe),
            self.probe,
            "0 to 0.9",
        )?;
        above_zero("recovery.btlbw_rounds", self.btlbw_rounds as f64)?;
        above_zero("recovery.rtprop_time", self.rtprop_time.as_secs_f64())
    }
}

impl Default for BbrConfig {
    fn default() -> BbrConfig {
        BbrConfig::DEFAULT
    }
}

/// State of BBR (draft section 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Stage of the recovery from a loss (4.2.3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovering {
    No,
    /// The recovery has just begun.
    Entered,
    /// The window conserves packets until the round ends.
    FirstRound,
    Later,
    /// The recovery after a timeout. This recovery ends when all data outstanding at the timeout are
    /// acknowledged.
    FromTimeout {
        until: u64,
    },
}

/// The state of BBR at one sender. Rates are in bytes per second.
#[derive(Clone, Debug)]
pub struct Bbr {
    parameters: BbrConfig,
    stream: Stream,
    initial_cwnd: u64,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    pacing_rate: f64,
    btl_bw_filter: MaxFilter,
    /// Shortest recent round trip (RTprop); `NEVER` before the first sample.
    rt_prop: Ps,
    rt_prop_stamp: Ps,
    next_round_delivered: u64,
    round_count: u64,
    round_start: bool,
    filled_pipe: bool,
    full_bw: f64,
    full_bw_count: u32,
    cycle_stamp: Ps,
    cycle_index: usize,
    probe_rtt_done_stamp: Option<Ps>,
    probe_rtt_round_done: bool,
    prior_cwnd: u64,
    recovering: Recovering,
    idle_restart: bool,
}

impl Bbr {
    /// BBRInit() (4.3.1): the state at the start of a connection.
    pub fn new(facts: Facts, parameters: &BbrConfig) -> Bbr {
        let initial_cwnd = facts.window.cwnd;
        let mut bbr = Bbr {
            parameters: *parameters,
            stream: facts.stream,
            initial_cwnd,
            state: State::Startup,
            pacing_gain: parameters.high_gain,
            cwnd_gain: parameters.high_gain,
            pacing_rate: 0.0,
            btl_bw_filter: MaxFilter::default(),
            rt_prop: Ps::NEVER,
            rt_prop_stamp: Ps::ZERO,
            next_round_delivered: 0,
            round_count: 0,
            round_start: false,
            filled_pipe: false,
            full_bw: 0.0,
            full_bw_count: 0,
            cycle_stamp: Ps::ZERO,
            cycle_index: 0,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            prior_cwnd: 0,
            recovering: Recovering::No,
            idle_restart: false,
        };
        bbr.init_pacing_rate(ASSUMED_RTT);
        bbr
    }

    /// BBRInitPacingRate() (4.2.1). Called at the start, and again with the first round trip, as in
    /// Linux.
    fn init_pacing_rate(&mut self, srtt: Ps) {
        let nominal_bandwidth = self.initial_cwnd as f64 / srtt.as_secs_f64();
        self.pacing_rate = self.pacing_gain * nominal_bandwidth;
    }

    /// Bottleneck rate (BtlBw) in bytes per second.
    fn btl_bw(&self) -> f64 {
        self.btl_bw_filter.max()
    }

    /// BBRUpdateBtlBw() (draft section 4.1.1.5) and BBRUpdateRound() (4.1.1.3): count the rounds, and add a rate
    /// sample to the filter of BtlBw.
    fn update_btl_bw(&mut self, delivery: &Delivery) {
        self.round_start = false;
        let Some(sample) = delivery.rate else { return };
        if sample.prior_delivered >= self.next_round_delivered {
            self.next_round_delivered = delivery.delivered;
            self.round_count += 1;
            self.round_start = true;
        }
        if sample.bytes_per_second >= self.btl_bw() || !sample.app_limited {
            let window = self.parameters.btlbw_rounds as u64;
            self.btl_bw_filter
                .take(sample.bytes_per_second, self.round_count, window);
        }
    }

    /// Gain of the pace in phase `index` of a cycle (4.3.4.1): above 1 in the first phase, as much below 1 in the
    /// second, and 1 in the other six.
    fn cycle_gain(&self, index: usize) -> f64 {
        match index {
            0 => 1.0 + self.parameters.probe,
            1 => 1.0 - self.parameters.probe,
            _ => 1.0,
        }
    }

    /// BBREnterProbeBW() (4.3.4.3): begins a cycle in a random phase, but never in the second (4.3.4.2).
    fn enter_probe_bw(&mut self, now: Ps) {
        self.state = State::ProbeBw;
        self.cwnd_gain = self.parameters.cwnd_gain;
        let random = (self.stream.uniform() * (CYCLE - 1) as f64) as usize;
        self.cycle_index = CYCLE - 1 - random.min(CYCLE - 2);
        self.advance_cycle_phase(now);
    }

    fn advance_cycle_phase(&mut self, now: Ps) {
        self.cycle_stamp = now;
        self.cycle_index = (self.cycle_index + 1) % CYCLE;
        self.pacing_gain = self.cycle_gain(self.cycle_index);
    }

    /// BBRCheckCyclePhase() and BBRIsNextCyclePhase() (4.3.4.3): begin the next phase of the cycle if it is due.
    fn check_cycle_phase(&mut self, now: Ps, mss: u64, delivery: &Delivery) {
        if self.state != State::ProbeBw {
            return;
        }
        let is_full_length = now.saturating_sub(self.cycle_stamp) > self.rt_prop;
        let prior_inflight = delivery.pipe_before;
        let next = if self.pacing_gain > 1.0 {
            let filled = prior_inflight >= self.inflight(self.pacing_gain, mss);
            is_full_length && (delivery.lost > 0 || filled)
        } else if self.pacing_gain < 1.0 {
            is_full_length || prior_inflight <= self.inflight(1.0, mss)
        } else {
            is_full_length
        };
        if next {
            self.advance_cycle_phase(now);
        }
    }

    /// BBRCheckFullPipe() (draft section 4.3.2.2): finds the end of Startup's growth of BtlBw.
    fn check_full_pipe(&mut self, delivery: &Delivery) {
        let app_limited = delivery.rate.is_some_and(|sample| sample.app_limited);
        if self.filled_pipe || !self.round_start || app_limited {
            return;
        }
        if self.btl_bw() >= self.full_bw * FULL_GROWTH {
            (self.full_bw, self.full_bw_count) = (self.btl_bw(), 0);
            return;
        }
        self.full_bw_count += 1;
        self.filled_pipe = self.full_bw_count >= FULL_ROUNDS;
    }

    /// BBRCheckDrain() (draft section 4.3.3): goes from Startup to Drain, and from Drain to ProbeBW.
    fn check_drain(&mut self, now: Ps, mss: u64, delivery: &Delivery) {
        if self.state == State::Startup && self.filled_pipe {
            self.state = State::Drain;
            self.pacing_gain = 1.0 / self.parameters.high_gain;
            self.cwnd_gain = self.parameters.high_gain;
        }
        if self.state == State::Drain && delivery.pipe <= self.inflight(1.0, mss) {
            self.enter_probe_bw(now);
        }
    }

    /// BBRUpdateRTprop() (4.1.2.3). Returns true if the old value of RTprop has expired.
    fn update_rt_prop(&mut self, now: Ps, delivery: &Delivery) -> bool {
        // A flow that starts late has no old sample that could expire.
        let expires = self
            .rt_prop_stamp
            .saturating_add(self.parameters.rtprop_time);
        let expired = self.rt_prop.is_scheduled() && now > expires;
        if let Some(rtt) = delivery.rtt.filter(|rtt| *rtt <= self.rt_prop || expired) {
            if !self.rt_prop.is_scheduled() {
                self.init_pacing_rate(rtt.max(Ps(1)));
            }
            (self.rt_prop, self.rt_prop_stamp) = (rtt, now);
        }
        expired
    }

    /// BBRCheckProbeRTT() (draft section 4.3.5): goes to ProbeRTT if RTprop has expired.
    fn check_probe_rtt(
        &mut self,
        window: &mut Window,
        ack: &Ack,
        delivery: &Delivery,
        expired: bool,
    ) {
        if self.state != State::ProbeRtt && expired && !self.idle_restart {
            self.state = State::ProbeRtt;
            self.save_cwnd(window);
            (self.pacing_gain, self.cwnd_gain) = (1.0, 1.0);
            self.probe_rtt_done_stamp = None;
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(window, ack.now, delivery);
        }
        self.idle_restart = false;
    }

    /// BBRHandleProbeRTT() and BBRExitProbeRTT() (4.3.5): measure the time in ProbeRTT, and end it.
    fn handle_probe_rtt(&mut self, window: &mut Window, now: Ps, delivery: &Delivery) {
        let Some(done) = self.probe_rtt_done_stamp else {
            if delivery.pipe <= MIN_PIPE_CWND * window.mss {
                self.probe_rtt_done_stamp =
                    Some(now.saturating_add(self.parameters.probe_rtt_time));
                self.probe_rtt_round_done = false;
                self.next_round_delivered = delivery.delivered;
            }
            return;
        };
        self.probe_rtt_round_done |= self.round_start;
        if self.probe_rtt_round_done && now > done {
            self.rt_prop_stamp = now;
            window.cwnd = window.cwnd.max(self.prior_cwnd); // BBRRestoreCwnd(), 4.2.3.4
            if self.filled_pipe {
                self.enter_probe_bw(now);
            } else {
                self.state = State::Startup;
                self.pacing_gain = self.parameters.high_gain;
                self.cwnd_gain = self.parameters.high_gain;
            }
        }
    }

    /// BBRSetPacingRateWithGain() (4.2.1): the pace becomes `gain` times BtlBw, but does not fall before the pipe
    /// is full.
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.btl_bw();
        if rate > 0.0 && (self.filled_pipe || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// BBRSetSendQuantum() (draft section 4.2.2), in bytes.
    fn send_quantum(&self, mss: u64) -> u64 {
        if self.pacing_rate < 1.2e6 / 8.0 {
            mss
        } else if self.pacing_rate < 24e6 / 8.0 {
            2 * mss
        } else {
            ((self.pacing_rate * 1e-3) as u64).min(64 * 1024)
        }
    }

    /// BBRInflight() (draft section 4.2.3.2): `gain` times the bandwidth-delay product, plus three quanta, in
    /// bytes.
    fn inflight(&self, gain: f64, mss: u64) -> u64 {
        if !self.rt_prop.is_scheduled() {
            return self.initial_cwnd;
        }
        let estimated_bdp = self.btl_bw() * self.rt_prop.as_secs_f64();
        ((gain * estimated_bdp) as u64).saturating_add(3 * self.send_quantum(mss))
    }

    /// BBRSaveCwnd() (4.2.3.4): stores the window that is to be restored after a recovery or ProbeRTT.
    fn save_cwnd(&mut self, window: &Window) {
        let undisturbed = self.recovering == Recovering::No && self.state != State::ProbeRtt;
        self.prior_cwnd = if undisturbed {
            window.cwnd
        } else {
            self.prior_cwnd.max(window.cwnd)
        };
    }

    /// BBRSetCwnd() (4.2.3.6), after BBRModulateCwndForRecovery() (4.2.3.4).
    fn set_cwnd(&mut self, window: &mut Window, delivery: &Delivery) {
        let mss = window.mss;
        let target_cwnd = self.inflight(self.cwnd_gain, mss);
        if delivery.lost > 0 {
            window.cwnd = window.cwnd.saturating_sub(delivery.lost).max(mss);
        }
        if self.recovering == Recovering::Entered {
            window.cwnd = delivery.pipe + delivery.newly.max(mss);
            self.recovering = Recovering::FirstRound;
            self.next_round_delivered = delivery.delivered;
        } else if self.recovering == Recovering::FirstRound {
            window.cwnd = window.cwnd.max(delivery.pipe + delivery.newly);
        } else {
            let grown = window.cwnd + delivery.newly;
            if self.filled_pipe {
                window.cwnd = grown.min(target_cwnd);
            } else if window.cwnd < target_cwnd || delivery.delivered < self.initial_cwnd {
                window.cwnd = grown;
            }
            window.cwnd = window.cwnd.max(MIN_PIPE_CWND * mss);
        }
        if self.state == State::ProbeRtt {
            window.cwnd = window.cwnd.min(MIN_PIPE_CWND * mss); // 4.2.3.5
        }
        window.cwnd = window.cwnd.min(window.cap.max(mss));
    }

    /// Ends a recovery, and restores the window that the sender had before the recovery (4.2.3.4).
    fn leave_recovery(&mut self, window: &mut Window) {
        self.recovering = Recovering::No;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
    }
}

impl RecoveryPolicy for Bbr {
    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        self.save_cwnd(window);
        self.recovering = Recovering::FromTimeout {
            until: loss.snd_max,
        };
        window.cwnd = window.mss; // 4.2.3.4
    }

    fn recovers_fully(&self) -> bool {
        true
    }

    fn on_selective_loss(&mut self, window: &mut Window, _loss: &Loss) {
        self.save_cwnd(window);
        self.recovering = Recovering::Entered;
    }

    // Version 1 of BBR does not react to ECN marks.
    fn on_ecn_echo(&mut self, _window: &mut Window, _loss: &Loss) {}

    fn on_recovered(&mut self, window: &mut Window, _ack: &Ack) {
        self.leave_recovery(window);
    }

    // The method `on_ack` does all the work, also for duplicate acknowledgements.
    fn grow(&mut self, _window: &mut Window, _ack: &Ack) {}

    /// BBRUpdateOnACK() (draft section 3.5.2): updates model, state, pace and window.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        let Some(delivery) = ack.delivery else { return };
        if let Recovering::FromTimeout { until } = self.recovering
            && ack.snd_una >= until
        {
            self.leave_recovery(window);
        }
        let mss = window.mss;
        self.update_btl_bw(&delivery);
        if self.recovering == Recovering::FirstRound && self.round_start {
            self.recovering = Recovering::Later; // 4.2.3.4
        }
        self.check_cycle_phase(ack.now, mss, &delivery);
        self.check_full_pipe(&delivery);
        self.check_drain(ack.now, mss, &delivery);
        let expired = self.update_rt_prop(ack.now, &delivery);
        self.check_probe_rtt(window, ack, &delivery, expired);
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(window, &delivery);
    }

    fn needs_delivery(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    fn holds_back(&self) -> bool {
        self.state == State::ProbeRtt // 4.3.5: samples are application-limited
    }

    fn restarts_slowly(&self) -> bool {
        false
    }

    /// BBRHandleRestartFromIdle() (4.3.4.4): sends at BtlBw after a pause in ProbeBW.
    fn on_restart(&mut self, _now: Ps) {
        self.idle_restart = true;
        if self.state == State::ProbeBw {
            self.set_pacing_rate(1.0);
        }
    }
}

#[cfg(test)]
mod tests;
