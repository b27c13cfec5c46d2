//! Discard policies: the decision on every cell of hand-made sequences. Properties of any sequence
//! are tested in `operations::discard`.

use cellrate_engine::atm::cell::{Info, Kind};
use cellrate_engine::component::Component;
use cellrate_engine::discard::{
    Cause, DiscardConfig, DiscardPolicy, QueueFacts, Verdict, policies,
};
use cellrate_engine::kernel::{Ps, Severity};
use cellrate_engine::passing::Passing;
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
        Verdict::Drop(Cause::LinkError) => 'L',
        Verdict::Drop(Cause::Policed) => 'N',
    }
}

/// Decisions on cells of one channel that meet these queue lengths. `c` is a data cell, `e` the end
/// of a PDU, `r` an RM cell; `l` and `m` are data cell and end with CLP = 1.
fn decide(parameters: Value, cells: &str, queue: &[u64]) -> String {
    let mut policy = config(parameters).build(1);
    assert_eq!(cells.len(), queue.len());
    cells
        .chars()
        .zip(queue)
        .map(|(cell, queue)| letter(policy.admit(Ps::ZERO, 0, info(cell), *queue, BUFFER)))
        .collect()
}

fn info(cell: char) -> Passing {
    match cell {
        'e' => Info::end_of_message(0).passing(),
        'r' => Info::rm(Kind::Frm, false).passing(),
        'l' => Info::data(0).tagged().passing(),
        'm' => Info::end_of_message(0).tagged().passing(),
        _ => Info::data(0).passing(),
    }
}

#[test]
fn tail_drop_drops_what_finds_the_buffer_full() {
    assert_eq!(
        decide(
            json!({ "policy": "tail-drop" }),
            "cccer",
            &[9, 10, 9, 10, 11]
        ),
        ".O.OO"
    );
}

#[test]
fn ppd_drops_the_rest_of_a_pdu_but_not_its_end() {
    let ppd = json!({ "policy": "ppd" });
    assert_eq!(
        decide(ppd.clone(), "cccece", &[5, 10, 5, 5, 5, 5]),
        ".OP..."
    );
    // Also if its first cell was lost: the end is forwarded although no cell of the PDU precedes
    // it.
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
        // The end meets a full buffer after a cell was forwarded. The receiver would merge the next
        // PDU with it, so only the end of the next PDU is forwarded; the one after it is whole.
        let lost = decide(
            json!({ "policy": policy }),
            "ceccecce",
            &[5, 10, 5, 5, 5, 5, 5, 5],
        );
        assert_eq!(lost, ".OPP....", "{policy}");
    }
    let tail = decide(
        json!({ "policy": "tail-drop" }),
        "ceccecce",
        &[5, 10, 5, 5, 5, 5, 5, 5],
    );
    assert_eq!(tail, ".O......");
}

#[test]
fn a_lost_end_of_a_merged_pdu_merges_again() {
    assert_eq!(
        decide(json!({ "policy": "ppd" }), "cecece", &[5, 10, 5, 10, 5, 5]),
        ".OPOP."
    );
}

#[test]
fn a_merged_pdu_is_cut_to_its_end_even_above_the_threshold() {
    assert_eq!(
        decide(json!({ "policy": "epd" }), "cecce", &[5, 10, 6, 6, 6]),
        ".OPP."
    );
}

#[test]
fn a_lost_end_merges_nothing_if_nothing_was_forwarded() {
    assert_eq!(
        decide(json!({ "policy": "ppd" }), "ece", &[10, 5, 5]),
        "O.."
    );
}

#[test]
fn epd_drops_whole_pdus_that_begin_above_the_threshold() {
    let epd = json!({ "policy": "epd", "threshold": "6 cells" });
    // 6 is not above 6; a PDU that has begun continues above it; one that begins at 7 is dropped
    // with its end even if the queue falls.
    assert_eq!(
        decide(epd, "cceccece", &[6, 9, 9, 7, 0, 0, 6, 6]),
        "...EEE.."
    );
}

#[test]
fn epd_has_its_threshold_at_half_the_buffer_by_default() {
    assert_eq!(decide(json!({ "policy": "epd" }), "eee", &[5, 6, 5]), ".E.");
}

#[test]
fn epd_treats_later_overflow_as_partial_discard() {
    assert_eq!(
        decide(json!({ "policy": "epd" }), "ccce", &[5, 10, 9, 9]),
        ".OP."
    );
    assert_eq!(
        decide(
            json!({ "policy": "epd", "forward_end": false }),
            "ccce",
            &[5, 10, 9, 9]
        ),
        ".OPP"
    );
}

#[test]
fn intelligent_tail_drop_keeps_its_margin_for_ends_of_begun_pdus() {
    let itd = json!({ "policy": "intelligent-tail-drop", "margin": "4 cells" });
    // From 6 cells on, only the end of a PDU that has begun passes; the second PDU loses its first
    // cell and, as none of it was forwarded, its end.
    assert_eq!(decide(itd.clone(), "cccece", &[5, 6, 5, 9, 7, 7]), ".IP.II");
    // Below the margin the end of a PDU without a beginning passes, as in partial packet discard.
    assert_eq!(decide(itd.clone(), "ce", &[7, 5]), "I.");
    // A full buffer drops the end, and the next PDU except its end.
    assert_eq!(decide(itd, "cecce", &[5, 10, 0, 0, 9]), ".OPP.");
}

/// Decisions on first cells of PDUs of the channels in `asked` (0 to 3), in a queue of 10 that
/// contains cells of the channels in `held`, in that order. The cells in the queue are RM cells,
/// which no policy refuses; the buffer holds 20 cells.
fn begins(parameters: Value, held: &str, asked: &str) -> String {
    let mut policy = config(parameters).build(4);
    let slot = |c: char| c.to_digit(10).expect("a channel");
    for (queue, channel) in held.chars().enumerate() {
        let verdict = policy.admit(Ps::ZERO, slot(channel), info('r'), queue as u64, 20);
        assert_eq!(verdict, Verdict::Accept);
    }
    // Each asks a copy of the policy, at the same queue length.
    let ask = |channel| {
        letter(
            policy
                .clone()
                .admit(Ps::ZERO, slot(channel), info('c'), held.len() as u64, 20),
        )
    };
    asked.chars().map(ask).collect()
}

#[test]
fn selective_drop_refuses_channels_that_hold_more_than_their_share() {
    // 6, 3 and 1 of 10 cells, 3 channels active: Y Na / q = 1.8, 0.9, 0.3, and 0 for the channel
    // without cells.
    let drop = |z: f64, threshold: u64| json!({ "policy": "selective-drop", "z": z, "threshold": format!("{threshold} cells") });
    assert_eq!(begins(drop(0.8, 9), "0101010002", "0123"), "EE..");
    assert_eq!(begins(drop(0.9, 9), "0101010002", "0123"), "E...");
    assert_eq!(begins(drop(1.8, 9), "0101010002", "0123"), "....");
    // It refuses only above the threshold.
    assert_eq!(begins(drop(0.8, 10), "0101010002", "0123"), "....");
}

#[test]
fn fair_buffer_allocation_allows_less_the_longer_the_queue() {
    // R = 5, K = 20: in a queue of 10 the limit is Z 15 / 5 = 3 Z, of 18 it is Z 15 / 13.
    let allocation =
        |z: f64| json!({ "policy": "fair-buffer-allocation", "z": z, "threshold": "5 cells" });
    assert_eq!(begins(allocation(0.5), "0101010002", "0123"), "E...");
    assert_eq!(begins(allocation(0.6), "0101010002", "0123"), "....");
    // 9, 6 and 3 of 18: 1.5, 1 and 0.5 against 0.92 and 0.577.
    assert_eq!(
        begins(allocation(0.8), "000000000111111222", "0123"),
        "EE.."
    );
    assert_eq!(
        begins(allocation(0.5), "000000000111111222", "0123"),
        "EE.."
    );
    assert_eq!(
        begins(allocation(0.4), "000000000111111222", "0123"),
        "EEE."
    );
}

#[test]
fn fair_policies_have_their_threshold_at_nine_tenths_by_default() {
    for policy in ["selective-drop", "fair-buffer-allocation"] {
        let parameters = json!({ "policy": policy, "z": 0.01 });
        // 18 of 20, 19 of 20: one channel holds everything.
        assert_eq!(
            begins(parameters.clone(), &"0".repeat(18), "0"),
            ".",
            "{policy}"
        );
        assert_eq!(begins(parameters, &"0".repeat(19), "0"), "E", "{policy}");
    }
}

#[test]
fn fair_policies_forget_the_cells_that_have_left() {
    let mut policy = config(json!({ "policy": "selective-drop", "threshold": "3 cells" })).build(2);
    for (queue, slot) in [(0, 0), (1, 0), (2, 0), (3, 0), (4, 1), (5, 1)] {
        policy.admit(Ps::ZERO, slot, info('e'), queue, BUFFER);
    }
    // Two of channel 0 have left: 2 and 2 of 4, a share of 1 each; then another: 1 and 2 of 3,
    // below the threshold.
    assert_eq!(
        letter(policy.clone().admit(Ps::ZERO, 0, info('c'), 4, BUFFER)),
        'E'
    );
    assert_eq!(
        letter(policy.clone().admit(Ps::ZERO, 1, info('c'), 4, BUFFER)),
        'E'
    );
    assert_eq!(
        letter(policy.clone().admit(Ps::ZERO, 1, info('c'), 3, BUFFER)),
        '.'
    );
    // All cells of channel 0 have left: 4 of 4 of the only channel is its share, and channel 0
    // holds nothing.
    policy.admit(Ps::ZERO, 1, info('e'), 2, BUFFER);
    policy.admit(Ps::ZERO, 1, info('e'), 3, BUFFER);
    assert_eq!(
        letter(policy.clone().admit(Ps::ZERO, 0, info('c'), 4, BUFFER)),
        '.'
    );
    assert_eq!(letter(policy.admit(Ps::ZERO, 1, info('c'), 4, BUFFER)), 'E');
}

#[test]
fn channels_do_not_share_their_frames() {
    let mut ppd = config(json!({ "policy": "ppd" })).build(2);
    assert_eq!(
        ppd.admit(Ps::ZERO, 0, info('c'), 10, BUFFER),
        Verdict::Drop(Cause::Overflow)
    );
    assert_eq!(
        ppd.admit(Ps::ZERO, 1, info('c'), 9, BUFFER),
        Verdict::Accept
    );
    assert_eq!(
        ppd.admit(Ps::ZERO, 0, info('c'), 9, BUFFER),
        Verdict::Drop(Cause::PartialPacket)
    );
}

#[test]
fn rm_cells_are_dropped_one_by_one_and_leave_the_frames_alone() {
    for Component { name, .. } in policies() {
        let verdicts = decide(json!({ "policy": name }), "crrce", &[3, 10, 9, 3, 3]);
        assert_eq!(verdicts, ".O...", "{name}");
    }
}

#[test]
fn the_threshold_in_force_is_the_one_that_decides() {
    use cellrate_engine::discard::epd::EpdConfig;
    use cellrate_engine::kernel::units::{Buffer, Cells};
    let own = EpdConfig {
        threshold: Some(Cells(7)),
        ..EpdConfig::default()
    };
    assert_eq!(
        [EpdConfig::default(), own].map(|config| config.threshold_in_force(Buffer(11))),
        [Cells(5), Cells(7)]
    );
}

/// True if one of many PDUs of a cell is refused by a queue that only grows and has no limit.
fn refuses_without_limit(config: &DiscardConfig) -> bool {
    let mut policy = config.build(1);
    (0..1_000).any(|queue| policy.admit(Ps::ZERO, 0, info('e'), queue, u64::MAX) != Verdict::Accept)
}

#[test]
fn policies_say_if_they_act_without_a_limit() {
    let mut acting = Vec::new();
    for Component { name, .. } in policies() {
        for parameters in [json!({}), json!({ "threshold": "5 cells" })] {
            let mut written = json!({ "policy": name });
            let table = written.as_object_mut().unwrap();
            table.extend(parameters.as_object().unwrap().clone());
            // Not every policy has a threshold.
            let Ok(config) = serde_json::from_value::<DiscardConfig>(written.clone()) else {
                continue;
            };
            let acts = config.acts_without_limit();
            assert_eq!(acts, refuses_without_limit(&config), "{written}");
            acting.extend(acts.then_some(*name));
        }
    }
    assert_eq!(acting, ["epd", "selective-drop", "double-epd"]);
}

#[test]
fn checks_find_buffers_and_margins_that_cannot_work() {
    let facts = QueueFacts {
        buffer: 50,
        largest_pdu: 91,
        channels: 5,
    };
    for (parameters, field, severity) in [
        (json!({ "policy": "epd" }), "policy", Severity::Impossible),
        (
            json!({ "policy": "epd", "threshold": "50 cells" }),
            "threshold",
            Severity::Warning,
        ),
        (
            json!({ "policy": "selective-drop" }),
            "policy",
            Severity::Impossible,
        ),
        (
            json!({ "policy": "selective-drop", "z": 0.0 }),
            "z",
            Severity::Impossible,
        ),
        (
            json!({ "policy": "fair-buffer-allocation", "z": -1.0 }),
            "z",
            Severity::Impossible,
        ),
        (
            json!({ "policy": "fair-buffer-allocation", "threshold": "50 cells" }),
            "threshold",
            Severity::Warning,
        ),
        (
            json!({ "policy": "intelligent-tail-drop" }),
            "margin",
            Severity::Warning,
        ),
        (
            json!({ "policy": "intelligent-tail-drop", "margin": "50 cells" }),
            "margin",
            Severity::Impossible,
        ),
    ] {
        let findings = config(parameters.clone()).check(facts);
        assert!(
            findings
                .iter()
                .any(|f| f.field == field && f.severity == severity),
            "{parameters}: {findings:?}"
        );
    }
    let roomy = QueueFacts {
        buffer: 500,
        largest_pdu: 91,
        channels: 4,
    };
    for Component { name, .. } in policies() {
        assert_eq!(config(json!({ "policy": name })).check(roomy), []);
    }
}

#[test]
fn the_registry_builds_every_policy_by_its_name() {
    assert_eq!(
        config(json!({ "policy": "tail-drop" })),
        DiscardConfig::default()
    );
    for Component {
        name,
        about,
        source,
    } in policies()
    {
        assert_eq!(config(json!({ "policy": name })).name(), *name);
        assert!(!about.is_empty() && !source.is_empty());
    }
    assert!(
        serde_json::from_value::<DiscardConfig>(json!({ "policy": "ppd", "threshold": "1 cells" }))
            .is_err()
    );
}

#[test]
fn double_epd_drops_pdus_with_clp_1_above_a_lower_threshold() {
    let epd =
        json!({ "policy": "double-epd", "threshold": "6 cells", "tagged_threshold": "3 cells" });
    // At 3 and 6 both kinds may begin and at 7 none; between, those with CLP = 0. What begins may go on.
    assert_eq!(decide(epd.clone(), "lmcece", &[3, 9, 6, 9, 7, 7]), "....EE");
    assert_eq!(decide(epd.clone(), "lmcelm", &[4, 1, 4, 4, 5, 1]), "EE..EE");
    // The first cell decides, whatever comes behind. A full buffer takes the rest but the end.
    assert_eq!(decide(epd, "clmlce", &[4, 5, 5, 3, 10, 5]), "....O.");
    // Absent thresholds: half of the buffer of 10, and half of that.
    let default = json!({ "policy": "double-epd" });
    assert_eq!(
        decide(default, "lmlmcece", &[2, 2, 3, 3, 5, 5, 6, 6]),
        "..EE..EE"
    );
}

#[test]
fn dfba_drops_pdus_with_clp_1_between_its_thresholds() {
    let dfba = json!({ "policy": "dfba", "low": "4 cells", "high": "8 cells" });
    // The only channel of a queue has all of it, so no PDU with CLP = 0 is dropped up to H.
    assert_eq!(
        decide(dfba.clone(), "lmlmcece", &[3, 3, 4, 4, 4, 8, 9, 9]),
        "..EE..EE"
    );
    let fields = |parameters: Value| {
        let facts = QueueFacts {
            buffer: 10,
            largest_pdu: 2,
            channels: 1,
        };
        let found = config(parameters).check(facts);
        found.iter().map(|one| one.field).collect::<Vec<_>>()
    };
    assert!(fields(dfba).is_empty());
    assert_eq!(
        fields(json!({ "policy": "dfba", "low": "9 cells" })),
        ["low"]
    );
    assert_eq!(
        fields(json!({ "policy": "dfba", "high": "10 cells" })),
        ["high"]
    );
    assert_eq!(
        fields(json!({ "policy": "dfba", "z": 1.1, "alpha": -0.1 })),
        ["z", "alpha"]
    );
    let double =
        json!({ "policy": "double-epd", "threshold": "5 cells", "tagged_threshold": "6 cells" });
    assert_eq!(fields(double), ["tagged_threshold"]);
}

#[test]
fn dfba_drops_more_of_the_channel_with_more_than_its_share() {
    // Two channels with shares of 1/4 and 3/4. Each has half of a queue of 60 cells, L = 20 and H = 100. Channel 0 has 15
    // cells too many: P = 0.5 * 15 / 45 + 0.5 * 40 / 80 = 0.4167. Channel 1 has less than its share.
    let full = json!({ "policy": "dfba", "low": "90 cells", "high": "100 cells" });
    let half = config(json!({ "policy": "dfba", "low": "20 cells", "high": "100 cells" }));
    let mut dropped = [0, 0];
    for seed in 0..2_000 {
        let mut policy = config(full.clone()).build(2);
        policy.prepare(seed, &[0.25, 0.75]);
        for cell in 0..60u64 {
            // PDUs of two cells, of each channel in turn, below L.
            let info = if cell % 2 == 0 {
                Info::data(0)
            } else {
                Info::end_of_message(0)
            };
            let slot = (cell / 2 % 2) as u32;
            assert_eq!(
                policy.admit(Ps::ZERO, slot, info.passing(), cell, 200),
                Verdict::Accept
            );
        }
        policy.change(Ps::ZERO, &half);
        for slot in [0, 1] {
            let cell = Info::data(0).passing();
            let verdict = policy.clone().admit(Ps::ZERO, slot, cell, 60, 200);
            dropped[slot as usize] += u32::from(verdict != Verdict::Accept);
        }
    }
    assert_eq!(dropped[1], 0);
    let share = f64::from(dropped[0]) / 2_000.0;
    // Four standard deviations of 2,000 draws are 0.044.
    assert!((share - 0.4167).abs() < 0.044, "{share}");
}
