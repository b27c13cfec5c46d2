use cellrate::bench::workloads;
use cellrate_engine::kernel::Ps;
use cellrate_engine::network::Simulation;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[2].parse().unwrap();
    let secs: f64 = a[3].parse().unwrap();
    let delay = Ps::from_us(a[4].parse().unwrap());
    let plan = match a[1].as_str() {
        "cbr" => workloads::cbr(n, delay),
        _ => workloads::tcp_over_erica(delay),
    };
    let mut sim: Simulation = Simulation::new(plan).unwrap();
    let t = Instant::now();
    let end = Ps::from_secs_f64(secs);
    let r = sim.measure(Ps::ZERO, end, end);
    let w = t.elapsed().as_secs_f64();
    println!(
        "{} hops {:.2} ns/hop digest {} bytes/cell {:.1} tput {:.3} maxq {} clr {}",
        r.cell_hops,
        w * 1e9 / r.cell_hops as f64,
        r.digest,
        r.bytes_per_cell,
        r.totals.tcp_throughput_bits_per_second / 1e6,
        r.ports.iter().map(|p| p.queues[0].queue_max_cells).max().unwrap(),
        r.totals.cell_loss_ratio
    );
}
