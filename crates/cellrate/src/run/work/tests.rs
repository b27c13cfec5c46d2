use crate::run::{Job, Work};
use crate::scenario::{registry, template};

fn job(text: &str, overrides: &[&str]) -> Job {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    Job::new(text, "estimated.toml", &overrides, None).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn counted(job: &Job) -> serde_json::Value {
    let outcome = job.run(&mut |_, _| true).unwrap();
    serde_json::from_str(&outcome.summary).unwrap()
}

/// Two greedy sources of raw cells at 42.4 Mbit/s into a link of 42.4 Mbit/s: 100,000 cells/s on
/// each access link for 1 s, of which half pass the bottleneck and the last link. Nothing returns.
#[test]
fn a_hand_calculation() {
    let text = r#"
        run.duration = "1 s"
        topology = { template = "n-source", link_rate = "42.4 Mbit/s", access = "1 m", bottleneck = "1 m", egress = "1 m" }
        switch.buffer = "10 cells"
        flow = [{ name = "cbr", count = 2, service = "cbr", source = { kind = "cbr", rate = "42.4 Mbit/s" } }]"#;
    let Work {
        cells,
        cell_hops,
        most_cell_hops,
        seconds,
        ..
    } = job(text, &[]).work();
    assert!((cells - 200_000.0).abs() < 1.0, "{cells}");
    // 2 x 100,000 to the switch, then 100,000 to the other, and 50,000 to each destination.
    assert!((cell_hops - 400_000.0).abs() < 1.0, "{cell_hops}");
    assert!((seconds - 0.02).abs() < 1e-6, "{seconds}");
    assert!(most_cell_hops >= 500_000.0, "{most_cell_hops}");
    let found = counted(&job(text, &[]))["cell_hops"].as_f64().unwrap();
    assert!((found / cell_hops - 1.0).abs() < 0.01, "{found}");
}

/// Compares the estimated cell-hops of every template, with control and with little buffer, with those
/// of a run. Without loss the estimates are right within a factor of three (rates that begin far above
/// the fair share send more than a fluid), and half of them within a fifth. TCP that loses cells sends
/// less by a factor that no fluid model has, but never three times as much.
#[test]
fn cell_hops_are_within_the_stated_factor_of_a_run() {
    let mut seen = Vec::new();
    let (mut without_loss, mut close) = (0, 0);
    for entry in registry().templates {
        let text = template(entry.name).unwrap();
        for changed in [
            "run.seed=1",
            "switch.control={scheme=\"efci\"}",
            "switch.buffer=\"500 cells\"",
        ] {
            // Losses of the start-up count as well.
            let settings = [changed.into(), "measure.from=\"0 s\"".into()];
            let Ok(job) = Job::new(text, "t.toml", &settings, None) else {
                continue;
            };
            let (work, found) = (job.work(), counted(&job));
            let hops = found["cell_hops"].as_f64().unwrap();
            let lost = found["totals"]["cells_dropped"].as_u64().unwrap() > 0;
            without_loss += u32::from(!lost);
            let factor = work.cell_hops / hops;
            seen.push(format!(
                "{} {changed} {factor:.3}, loss: {lost}",
                entry.name
            ));
            assert!(hops <= work.most_cell_hops, "{seen:#?}");
            assert!(factor > 1.0 / 3.0 && (lost || factor < 3.0), "{seen:#?}");
            close += u32::from(!lost && (factor - 1.0).abs() < 0.2);
        }
    }
    assert!(seen.len() >= 30 && without_loss >= 15, "{seen:#?}");
    assert!(2 * close >= without_loss, "{close} {seen:#?}");
}

/// Max-min fair shares by hand.
#[test]
fn shares_of_flows_with_demands_are_max_min_fair() {
    let text = r#"
        run.duration = "1 s"
        topology = { template = "n-source", link_rate = "42.4 Mbit/s", access = "1 m", bottleneck = "1 m", egress = "1 m" }
        flow = [
            { name = "a", service = "cbr", source = { kind = "cbr", rate = "4.24 Mbit/s" } },
            { name = "b", service = "abr", source = { kind = "persistent" } },
            { name = "c", service = "abr", source = { kind = "persistent" } },
        ]"#;
    // a has 10,000 cells/s, b and c 45,000 each; one in 32 cells of b and c is an RM cell and comes back.
    let work = job(text, &["abr.nrm=32"]).work();
    let expected = 3.0 * (100_000.0 + 90_000.0 / 32.0);
    assert!((work.cell_hops / expected - 1.0).abs() < 1e-9, "{work:?}");
}
