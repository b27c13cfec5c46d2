//! The event log of a run over Ethernet as columns.

use cellrate_engine::ether::Simulation;
use cellrate_engine::ether::log::{Cause, Kind};

use crate::run::Events;

/// The first `limit` events, and the number of further events. Columns that only cells have are
/// empty.
pub fn columns(simulation: &Simulation, limit: usize) -> (Events, u64) {
    let (events, omitted) = simulation.events(limit);
    let plan = simulation.plan();
    let mut columns = Events::default();
    for event in &events {
        let (kind, cause) = match event.kind {
            Kind::Loss(Cause::Overflow) => ("loss", Some("overflow")),
            Kind::Loss(Cause::Early) => ("loss", Some("early")),
            Kind::Loss(Cause::BitErrors) => ("loss", Some("bit-errors")),
            Kind::Loss(Cause::CreditLimit) => ("loss", Some("credit-limit")),
            Kind::Timeout => ("timeout", None),
            Kind::Retransmission => ("retransmission", None),
            Kind::Mark => ("mark", None),
        };
        let port = event.link.map(|link| &plan.links[link as usize].name);
        columns.time_seconds.push(event.at.as_secs_f64());
        columns.kind.push(kind.into());
        columns.vc.push(plan.channel_name(event.channel));
        columns.port.push(port.cloned());
        columns.cause.push(cause.map(String::from));
        columns.sequence_bytes.push(event.seq.map(|seq| seq as i64));
    }
    columns.pdu = vec![None; events.len()];
    columns.cell = vec![None; events.len()];
    columns.er_cells_per_second = vec![None; events.len()];
    (columns, omitted)
}
