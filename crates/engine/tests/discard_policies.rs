//! Discard policies: the decision of every cell in hand-made sequences, and what holds for any.

#[path = "support/repeatable.rs"]
mod repeatable;

use cellrate_engine::atm::cell::{Info, Kind};
use cellrate_engine::discard::{Cause, Discard, DiscardConfig, DiscardPolicy, QueueFacts, Verdict, policies};
use cellrate_engine::endsystem::Severity;
use proptest::prelude::*;
use repeatable::repeatable;
use serde_json::{Value, json};

const BUFFER: u64 = 10;

fn config(parameters: Value) -> DiscardConfig {
    serde_json::from_value(parameters).expect("valid parameters")
}

fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Accept => '.',
        Verdict::Drop(Cause::Overflow) => 'O',
        Verdict::Drop(Cause::PartialPacket) => 'P',
        Verdict::Drop(Cause::EarlyPacket) => 'E',
        Verdict::Drop(Cause::IntelligentTail) => 'I',
        Verdict::Drop(Cause::SourceQueue) => 'S',
    }
}

/// Decisions on cells of one channel that find these queue lengths. `c` is a data cell, `e` the
/// end of a PDU, `r` an RM cell.
fn decide(parameters: Value, cells: &str, queue: &[u64]) -> String {
    let mut policy = config(parameters).build(1);
    assert_eq!(cells.len(), queue.len());
    cells.chars().zip(queue).map(|(cell, queue)| letter(policy.admit(0, info(cell), *queue, BUFFER))).collect()
}

fn info(cell: char) -> Info {
    match cell {
        'e' => Info::end_of_message(0),
        'r' => Info::rm(Kind::Frm, false),
        _ => Info::data(0),
    }
}

#[test]
fn tail_drop_drops_what_finds_the_buffer_full() {
    assert_eq!(decide(json!({ "policy": "tail-drop" }), "cccer", &[9, 10, 9, 10, 11]), ".O.OO");
}

#[test]
fn ppd_drops_the_rest_of_a_pdu_but_not_its_end() {
    let ppd = json!({ "policy": "ppd" });
    assert_eq!(decide(ppd.clone(), "cccece", &[5, 10, 5, 5, 5, 5]), ".OP...");
    // Also if its first cell was lost: the end is forwarded though nothing precedes it.
    assert_eq!(decide(ppd, "cce", &[10, 5, 5]), "OP.");
}

#[test]
fn ppd_without_forwarding_drops_the_end_too() {
    let ppd = json!({ "policy": "ppd", "forward_end": false });
    assert_eq!(decide(ppd, "cccece", &[5, 10, 5, 5, 5, 5]), ".OPP..");
}

#[test]
fn a_lost_end_costs_the_next_pdu_whose_end_separates_them() {
    for policy in ["ppd", "epd"] {
        // The end finds the buffer full after a cell was forwarded: the receiver would merge the
        // next PDU, so of that only the end goes through; the one after it is whole.
        let lost = decide(json!({ "policy": policy }), "ceccecce", &[5, 10, 5, 5, 5, 5, 5, 5]);
        assert_eq!(lost, ".OPP....", "{policy}");
    }
    let tail = decide(json!({ "policy": "tail-drop" }), "ceccecce", &[5, 10, 5, 5, 5, 5, 5, 5]);
    assert_eq!(tail, ".O......");
}

#[test]
fn a_lost_end_of_a_merged_pdu_merges_again() {
    assert_eq!(decide(json!({ "policy": "ppd" }), "cecece", &[5, 10, 5, 10, 5, 5]), ".OPOP.");
}

#[test]
fn a_merged_pdu_is_cut_to_its_end_even_above_the_threshold() {
    assert_eq!(decide(json!({ "policy": "epd" }), "cecce", &[5, 10, 6, 6, 6]), ".OPP.");
}

#[test]
fn a_lost_end_merges_nothing_if_nothing_was_forwarded() {
    assert_eq!(decide(json!({ "policy": "ppd" }), "ece", &[10, 5, 5]), "O..");
}

#[test]
fn epd_drops_whole_pdus_that_begin_above_the_threshold() {
    let epd = json!({ "policy": "epd", "threshold": "6 cells" });
    // 6 is not above 6; a PDU that has begun goes on above it; one that begins at 7 is dropped
    // with its end even if the queue falls.
    assert_eq!(decide(epd, "cceccece", &[6, 9, 9, 7, 0, 0, 6, 6]), "...EEE..");
}

#[test]
fn epd_has_its_threshold_at_half_the_buffer_by_default() {
    assert_eq!(decide(json!({ "policy": "epd" }), "eee", &[5, 6, 5]), ".E.");
}

#[test]
fn epd_treats_later_overflow_as_partial_discard() {
    assert_eq!(decide(json!({ "policy": "epd" }), "ccce", &[5, 10, 9, 9]), ".OP.");
    assert_eq!(decide(json!({ "policy": "epd", "forward_end": false }), "ccce", &[5, 10, 9, 9]), ".OPP");
}

#[test]
fn intelligent_tail_drop_keeps_its_margin_for_ends_of_begun_pdus() {
    let itd = json!({ "policy": "intelligent-tail-drop", "margin": "4 cells" });
    // From 6 cells on, only the end of the begun PDU passes; the second PDU loses its first cell
    // and, with nothing forwarded, its end.
    assert_eq!(decide(itd.clone(), "cccece", &[5, 6, 5, 9, 7, 7]), ".IP.II");
    // Below the margin the end of a PDU without a beginning passes, as by partial packet discard.
    assert_eq!(decide(itd.clone(), "ce", &[7, 5]), "I.");
    // A full buffer drops the end, and the next PDU except its end.
    assert_eq!(decide(itd, "cecce", &[5, 10, 0, 0, 9]), ".OPP.");
}

#[test]
fn channels_do_not_share_their_frames() {
    let mut ppd = config(json!({ "policy": "ppd" })).build(2);
    assert_eq!(ppd.admit(0, info('c'), 10, BUFFER), Verdict::Drop(Cause::Overflow));
    assert_eq!(ppd.admit(1, info('c'), 9, BUFFER), Verdict::Accept);
    assert_eq!(ppd.admit(0, info('c'), 9, BUFFER), Verdict::Drop(Cause::PartialPacket));
}

#[test]
fn rm_cells_are_dropped_one_by_one_and_leave_the_frames_alone() {
    for (name, _) in policies() {
        let verdicts = decide(json!({ "policy": name }), "crrce", &[3, 10, 9, 3, 3]);
        assert_eq!(verdicts, ".O...", "{name}");
    }
}

#[test]
fn checks_find_buffers_and_margins_that_cannot_work() {
    let facts = QueueFacts { buffer: 50, largest_pdu: 91, channels: 5 };
    for (parameters, field, severity) in [
        (json!({ "policy": "epd" }), "policy", Severity::Impossible),
        (json!({ "policy": "epd", "threshold": "50 cells" }), "threshold", Severity::Warning),
        (json!({ "policy": "intelligent-tail-drop" }), "margin", Severity::Warning),
        (json!({ "policy": "intelligent-tail-drop", "margin": "50 cells" }), "margin", Severity::Impossible),
    ] {
        let findings = config(parameters.clone()).check(facts);
        assert!(findings.iter().any(|f| f.field == field && f.severity == severity), "{parameters}: {findings:?}");
    }
    let roomy = QueueFacts { buffer: 500, largest_pdu: 91, channels: 4 };
    for (name, _) in policies() {
        assert_eq!(config(json!({ "policy": name })).check(roomy), []);
    }
}

#[test]
fn the_registry_builds_every_policy_by_its_name() {
    assert_eq!(config(json!({ "policy": "tail-drop" })), DiscardConfig::default());
    for (name, about) in policies() {
        assert_eq!(config(json!({ "policy": name })).name(), *name);
        assert!(!about.is_empty());
    }
    assert!(serde_json::from_value::<DiscardConfig>(json!({ "policy": "ppd", "threshold": "1 cells" })).is_err());
}

/// A queue that empties at random, fed with PDUs of random lengths on several channels.
#[derive(Clone, Copy, Debug)]
struct Step {
    slot: u32,
    served: u64,
    ends: bool,
}

const CHANNELS: usize = 3;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..CHANNELS as u32, 0u64..3, prop::bool::weighted(0.25));
    prop::collection::vec(step.prop_map(|(slot, served, ends)| Step { slot, served, ends }), 1..300)
}

fn accepted(policy: &mut Discard, steps: &[Step]) -> Vec<Verdict> {
    let mut queue = 0u64;
    let mut admit = |step: &Step| {
        queue = queue.saturating_sub(step.served);
        let info = if step.ends { Info::end_of_message(0) } else { Info::data(0) };
        let verdict = policy.admit(step.slot, info, queue, BUFFER);
        queue += (verdict == Verdict::Accept) as u64;
        assert!(queue <= BUFFER);
        verdict
    };
    steps.iter().map(&mut admit).collect()
}

/// What one channel's receiver gets of a PDU: cells sent, cells received, whether the end came.
fn pdus(steps: &[Step], verdicts: &[Verdict], slot: u32) -> Vec<(u32, u32, bool, Vec<Verdict>)> {
    let (mut all, mut pdu) = (Vec::new(), <(u32, u32, bool, Vec<Verdict>)>::default());
    for (step, verdict) in steps.iter().zip(verdicts).filter(|(step, _)| step.slot == slot) {
        pdu.0 += 1;
        pdu.1 += (*verdict == Verdict::Accept) as u32;
        pdu.3.push(*verdict);
        if step.ends {
            pdu.2 = *verdict == Verdict::Accept;
            all.push(core::mem::take(&mut pdu));
        }
    }
    all
}

proptest! {
    #![proptest_config(repeatable(200))]

    #[test]
    fn a_pdu_that_is_forwarded_in_part_ends_unless_its_end_overflows(steps in steps()) {
        for name in ["ppd", "epd", "intelligent-tail-drop"] {
            let verdicts = accepted(&mut config(json!({ "policy": name })).build(CHANNELS), &steps);
            for slot in 0..CHANNELS as u32 {
                for (_, received, ended, verdicts) in pdus(&steps, &verdicts, slot) {
                    let overflowed = verdicts.last() == Some(&Verdict::Drop(Cause::Overflow));
                    prop_assert!(received == 0 || ended || overflowed, "{} {:?}", name, verdicts);
                }
            }
        }
    }

    #[test]
    fn a_pdu_behind_a_lost_end_is_cut_down_to_its_end(steps in steps()) {
        for name in ["ppd", "epd", "intelligent-tail-drop"] {
            let verdicts = accepted(&mut config(json!({ "policy": name })).build(CHANNELS), &steps);
            for slot in 0..CHANNELS as u32 {
                for pair in pdus(&steps, &verdicts, slot).windows(2) {
                    let merges = pair[0].1 > 0 && !pair[0].2;
                    prop_assert!(!merges || pair[1].1 == pair[1].2 as u32, "{} {:?}", name, pair);
                }
            }
        }
    }

    #[test]
    fn no_channel_merges_pdus_if_the_margin_holds_one_end_for_each(steps in steps()) {
        // Ends of begun PDUs fill at most one cell of the margin per channel while it does not
        // empty, because no PDU begins there.
        let itd = json!({ "policy": "intelligent-tail-drop", "margin": "3 cells" });
        let verdicts = accepted(&mut config(itd).build(CHANNELS), &steps);
        for slot in 0..CHANNELS as u32 {
            for (_, received, ended, _) in pdus(&steps, &verdicts, slot) {
                prop_assert!(received == 0 || ended);
            }
        }
    }

    #[test]
    fn epd_drops_a_pdu_whole_or_not_before_an_overflow(steps in steps()) {
        let verdicts = accepted(&mut config(json!({ "policy": "epd" })).build(CHANNELS), &steps);
        for slot in 0..CHANNELS as u32 {
            for (sent, received, _, verdicts) in pdus(&steps, &verdicts, slot) {
                let harmed = |v: &Verdict| matches!(v, Verdict::Drop(Cause::Overflow | Cause::PartialPacket));
                prop_assert!(received == 0 || received == sent || verdicts.iter().any(harmed));
            }
        }
    }

    #[test]
    fn the_same_cells_meet_the_same_fate(steps in steps()) {
        for (name, _) in policies() {
            let config = config(json!({ "policy": name }));
            prop_assert_eq!(accepted(&mut config.build(CHANNELS), &steps), accepted(&mut config.build(CHANNELS), &steps));
        }
    }
}
