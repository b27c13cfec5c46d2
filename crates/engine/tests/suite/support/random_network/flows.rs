//! Flows: their routes, their service, and their end systems.

use cellrate_engine::atm::Refuses;
use cellrate_engine::atm::aal5::Encapsulation;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::endsystem::AbrConfig;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::policing::{GfrConfig, PolicerConfig, ShaperConfig};
use cellrate_engine::tcp::TcpConfig;
use cellrate_engine::traffic::SourceConfig;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;

use super::credited_class;
use super::ends::{abr, tcp};
use super::read;
use super::sources::source;

/// A flow before its links are known.
#[derive(Clone, Debug)]
pub struct FlowDraft {
    pub first_switch: Index,
    /// Choices among the neighbours not visited yet; the route ends when none remain.
    pub steps: Vec<Index>,
    pub hosts: (HostDraft, HostDraft),
    pub way_back: WayBack,
    pub service: ServiceClass,
    pub ack_service: ServiceClass,
    pub source: SourceConfig,
    pub start: Ps,
    pub weight: u32,
    pub policer: Option<PolicerConfig>,
    pub gfr: Option<GfrConfig>,
    pub shaper: Option<ShaperConfig>,
    pub port_shaper: Option<ShaperConfig>,
    pub tcp: TcpConfig,
    pub abr: AbrConfig,
    pub encapsulation: Encapsulation,
    pub source_queue: Buffer,
    pub source_queue_refuses: Refuses,
}

impl FlowDraft {
    pub fn suit_credit(&mut self) {
        (self.service, self.ack_service) = (
            credited_class(self.service),
            credited_class(self.ack_service),
        );
        (self.policer, self.gfr) = (None, None);
        (self.shaper, self.port_shaper) = (None, None);
    }
}

/// Host of an end of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HostDraft {
    /// The flow ends at a host of its own.
    Own,
    /// The flow ends at the host of the switch, which has one link.
    OfSwitch,
    /// The flow ends at the hub, which has a link to every switch at which a flow needs one.
    Hub,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WayBack {
    Same,
    Shortest,
    None,
}

pub fn flow() -> impl Strategy<Value = FlowDraft> {
    let route = (
        any::<Index>(),
        prop::collection::vec(any::<Index>(), 0..5),
        (host(), host()),
    );
    let way_back = select(vec![WayBack::Same, WayBack::Shortest, WayBack::None]);
    let start = prop_oneof![3 => Just(Ps::ZERO), 1 => (0..100u64).prop_map(Ps::from_us), 1 => (0..10_000_000_000u64).prop_map(Ps)];
    let encapsulation = prop_oneof![Just(Encapsulation::LlcSnap), Just(Encapsulation::VcMux)];
    let queue = prop_oneof![3 => Just(Buffer::INFINITE), 1 => (1..300u64).prop_map(Buffer)];
    let queue = (
        queue,
        select(vec![Refuses::Pdu, Refuses::Cell, Refuses::PduToldToTcp]),
    );
    (
        route,
        way_back,
        services(),
        (
            source(),
            prop::option::weighted(0.3, policer()),
            [0.2, 0.3].map(|share| prop::option::weighted(share, shaper())),
        ),
        (start, 1..10u32, prop::option::weighted(0.5, gfr())),
        tcp(),
        abr(),
        encapsulation,
        queue,
    )
        .prop_map(
            |(
                (first_switch, steps, hosts),
                way_back,
                services,
                (source, policer, [shaper, port_shaper]),
                (start, weight, gfr),
                tcp,
                abr,
                encapsulation,
                queue,
            )| FlowDraft {
                first_switch,
                steps,
                hosts,
                way_back,
                service: services.0,
                ack_service: services.1,
                source,
                start,
                weight,
                gfr,
                policer,
                shaper,
                port_shaper,
                tcp,
                abr,
                encapsulation,
                source_queue: queue.0,
                source_queue_refuses: queue.1,
            },
        )
}

/// A contract near the rates of the lines and sources, so that some cells conform and some do not.
fn policer() -> impl Strategy<Value = PolicerConfig> {
    let rates = select(vec![
        ("42.4 Mbit/s", "4.24 Mbit/s"),
        ("8 Mbit/s", "3.1 Mbit/s"),
        ("1 Mbit/s", "0.5 Mbit/s"),
    ]);
    let burst = prop::option::of(select(vec![1u64, 2, 7, 40]));
    let cdvt = select(vec!["0 s", "7 us", "333.3 us", "5 ms"]);
    let action = select(vec!["pass", "tag", "drop"]);
    let frames = select(vec!["cells", "partial", "whole"]);
    let delays = prop::option::weighted(
        0.4,
        select(vec![
            ("300 us", "10 us"),
            ("20 ms", "0 s"),
            ("2 us", "1 us"),
        ]),
    );
    (rates, burst, cdvt, action, frames, delays).prop_map(
        |((pcr, scr), mbs, cdvt, action, frames, delays)| {
            let mut value = json!({"pcr": pcr, "cdvt": cdvt, "action": action, "frames": frames});
            if let Some((tau_2, tau_3)) = delays {
                value["dynamic"] = json!({"tau_2": tau_2, "tau_3": tau_3});
            } else if let Some(mbs) = mbs {
                (value["scr"], value["mbs"]) = (json!(scr), json!(format!("{mbs} cells")));
            }
            read(value)
        },
    )
}

/// A GFR contract near the rates of the lines, whose MFS not all PDUs fit.
fn gfr() -> impl Strategy<Value = GfrConfig> {
    let rates = select(vec![
        ("42.4 Mbit/s", "4.24 Mbit/s"),
        ("8 Mbit/s", "1 Mbit/s"),
        ("2 Mbit/s", "0.5 Mbit/s"),
    ]);
    let cdvt = select(vec!["0 s", "333.3 us", "5 ms"]);
    let conformance = select(vec!["gfr-1", "gfr-2"]);
    (
        rates,
        cdvt,
        1..60u64,
        select(vec![9u64, 40, 250]),
        conformance,
    )
        .prop_map(|((pcr, mcr), cdvt, mbs, mfs, conformance)| {
            read(json!({
                "pcr": pcr, "mcr": mcr, "cdvt": cdvt, "conformance": conformance,
                "mbs": format!("{mbs} cells"), "mfs": format!("{mfs} cells"),
            }))
        })
}

fn shaper() -> impl Strategy<Value = ShaperConfig> {
    policer().prop_map(|PolicerConfig { pcr, scr, mbs, .. }| ShaperConfig { pcr, scr, mbs })
}

fn host() -> impl Strategy<Value = HostDraft> {
    select(vec![HostDraft::Own, HostDraft::OfSwitch, HostDraft::Hub])
}

fn services() -> impl Strategy<Value = (ServiceClass, ServiceClass)> {
    let any_class = || select(ServiceClass::ALL.to_vec());
    prop_oneof![
        3 => Just((ServiceClass::Abr, ServiceClass::Abr)),
        3 => any_class().prop_map(|class| (class, class)),
        1 => (any_class(), any_class()),
    ]
}
