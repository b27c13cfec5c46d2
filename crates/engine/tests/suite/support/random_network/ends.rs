//! End systems: TCP, and ABR sources and destinations.

use cellrate_engine::endsystem::AbrConfig;
use cellrate_engine::tcp::{Recovery, TcpConfig};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::read;

pub fn tcp() -> impl Strategy<Value = TcpConfig> {
    let recovery = select(Recovery::ALL).prop_map(|recovery| recovery.name());
    let sizes = (
        select(vec![1u64, 48, 512, 1_460, 9_140]),
        1..40u64,
        1..5u32,
        prop::option::of(1..20u64),
    );
    let times = (
        select(vec!["100 us", "1 ms", "10 ms"]),
        select(vec!["1 ms", "5 ms", "50 ms"]),
        select(vec!["200 us", "2 ms"]),
    );
    let processing = select(vec![
        ("0 s", "0 s"),
        ("0 s", "0 s"),
        ("300 us", "0 s"),
        ("100 us", "200 us"),
    ]);
    let flags = any::<[bool; 7]>();
    let clock = select(vec!["per-host", "shared", "aligned"]);
    (recovery, sizes, times, processing, flags, clock).prop_map(
        |(recovery, sizes, times, processing, flags, clock)| {
            let (mss, segments, initial_window, ssthresh) = sizes;
            let mut value = json!({
                "recovery": recovery,
                "mss": format!("{mss} bytes"),
                "window": format!("{} bytes", mss * segments + mss / 3),
                "initial_window": initial_window,
                "granularity": times.0,
                "initial_rto": times.1,
                "min_rto": times.2,
                "max_rto": "100 ms",
                "delayed_ack": flags[0],
                "delayed_ack_interval": "2 ms",
                "idle_restart": flags[1],
                "processing_time": processing.0,
                "processing_variation": processing.1,
                "restore_snd_nxt": flags[2],
                "net3_increment": flags[3],
                "rtt_excludes_transmission": flags[4],
                "connection_setup": flags[5],
                "connection_close": flags[6],
                "clock": clock,
            });
            if let Some(segments) = ssthresh {
                value["initial_ssthresh"] = json!(format!("{} bytes", segments * mss));
            }
            let config: TcpConfig = read(value);
            config.validate().expect("a possible connection");
            config
        },
    )
}

pub fn abr() -> impl Strategy<Value = AbrConfig> {
    let share = prop::option::of(select(vec![0.01, 0.1, 0.5, 1.0]));
    let factors = (0..9u32, 0..9u32, 0..7u32)
        .prop_map(|(rif, rdf, cdf)| [rif, rdf, cdf].map(|n| 0.5f64.powi(n as i32)));
    let counts = (
        select(vec![2u32, 8, 32]),
        select(vec![None, Some(1u32), Some(4)]),
        select(vec!["100 ms", "3.125 ms", "0.78125 ms"]),
    );
    let out_of_rate = select(vec!["below-tcr", "only-at-zero", "never"]);
    let rates = (
        share.clone(),
        share,
        select(vec!["4.24 kbit/s", "1 Mbit/s"]),
        prop::option::of(select(vec!["10 kbit/s", "1 Mbit/s"])),
    );
    let adtf = select(vec!["1 ms", "10 ms", "500 ms"]);
    let rules = prop_oneof![
        4 => Just(None),
        1 => (select(vec!["prca", "eprca"]), select(vec!["10 kbit/s", "1 Mbit/s"]), 1..8u32).prop_map(Some),
    ];
    (factors, counts, out_of_rate, rates, adtf, rules, any::<[bool; 8]>()).prop_map(
        |([rif, rdf, cdf], (nrm, crm, trm), out_of_rate, (icr, mcr, tcr, unused), adtf, rules, flags)| {
            let pcr = 20e6;
            let bits = |share: f64| format!("{} bit/s", (pcr * share) as u64);
            let mut value = json!({
                "rif": rif, "rdf": rdf, "cdf": cdf, "nrm": nrm, "trm": trm, "out_of_rate": out_of_rate,
                "tcr": tcr, "adtf": adtf,
                "apply_tbe_icr_cap": flags[0], "frm_needs_data": flags[1], "quantise_rates": flags[2],
                "reset_saved_efci": flags[3],
                "er_below_mcr": if flags[4] { "clamp" } else { "ignore" },
            });
            if let Some((rules, air, mdf)) = rules {
                (value["rules"], value["air"], value["mdf"]) = (json!(rules), json!(air), json!(mdf));
                if mdf % 2 == 0 {
                    value["compensation"] = json!("counted");
                }
            }
            if flags[6] && flags[7] {
                value["excess_factor"] = json!(2.5);
            }
            if let Some(crm) = crm {
                value["crm"] = json!(crm);
            }
            if let Some(unused) = unused {
                value["use_it_or_lose_it"] = json!(unused);
            }
            if flags[5] {
                value["pcr"] = json!(bits(1.0));
                let icr = icr.unwrap_or(1.0);
                value["icr"] = json!(bits(icr));
                if let Some(mcr) = mcr {
                    value["mcr"] = json!(bits(mcr.min(icr) * 0.2));
                }
            }
            read(value)
        },
    )
}
