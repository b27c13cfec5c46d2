//! A Web client over TCP and ABR: the timeout decides if a pause closes the window, and ADTF if the
//! rate survives it.

use crate::support::plans::{Dumbbell, back, flow, plain_switch};
use cellrate_engine::atm::Simulation;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, SwitchPlan};
use cellrate_engine::atm::report::Report;
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::kernel::{Ps, Rate};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// A client whose round trip takes 12 ms and who thinks for 400 ms on average, for 20 s.
fn run(min_rto: &str, idle_restart: bool, adtf: &str) -> Report {
    let switch = SwitchPlan {
        control: read(json!({ "scheme": "erica" })),
        ..plain_switch()
    };
    let mut dumbbell = Dumbbell::new(1, Rate::from_bps(25_000_000), Ps::from_ms(2), &switch);
    let path = dumbbell.paths.remove(0);
    let source = read(json!({ "kind": "www", "think_time": "400 ms", "pipelined": true }));
    let tcp = json!({
        "granularity": "1 ms", "initial_rto": min_rto, "min_rto": min_rto, "max_rto": "100 s",
        "idle_restart": idle_restart, "window": "256 KiB",
    });
    let www = FlowPlan {
        backward: back(&path),
        tcp: read(tcp),
        abr: read(json!({ "adtf": adtf, "icr": "1 Mbit/s" })),
        ..flow("www", ServiceClass::Abr, source, path)
    };
    let mut run: Simulation<LazyServer> = Simulation::new(dumbbell.graph.plan(vec![www])).unwrap();
    run.measure(Ps::ZERO, Ps::from_s(20), Ps::from_s(20))
}

#[test]
fn pauses_shorter_than_the_timeout_keep_the_window_and_longer_ones_close_it() {
    // A think time of 60 s, 150 times its mean, does not occur.
    let kept = run("60 s", true, "60 s");
    assert_eq!(kept.digest, run("60 s", false, "60 s").digest);
    let (closed, open) = (run("200 ms", true, "60 s"), run("200 ms", false, "60 s"));
    assert!(closed.digest != open.digest);
    // Slow start for every page: the same pages, but delayed by the window.
    let limited = [&closed, &open].map(|report| report.flows[0].window_limited_share);
    assert!(limited[0] > 5.0 * limited[1], "{limited:?}");
}

#[test]
fn pauses_shorter_than_adtf_keep_the_rate() {
    let mean = |report: &Report| report.vcs[0].acr_mean_cells_per_second;
    let (kept, lost) = (run("60 s", true, "60 s"), run("60 s", true, "10 ms"));
    assert!(
        mean(&kept) > mean(&lost),
        "{:?} {:?}",
        mean(&kept),
        mean(&lost)
    );
}
