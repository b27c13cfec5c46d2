//! Cell-level simulation of closed-loop flow control under TCP. This crate uses no files, threads, clocks or hash
//! maps. The same scenario and seed give bit-identical results on every platform.
//!
//! # Layers
//!
//! The layers from the lowest to the highest. Each layer uses only the layers listed before it:
//!
//! * [`kernel`]: time in whole picoseconds, exact cell clocks, random streams, digests.
//! * [`net`]: the links and nodes that every link layer (ATM, Ethernet) uses. Each node is processed without the
//!   others up to a bound of time.
//! * [`passing`]: the fields of cells and frames that control schemes and discard policies read and write.
//! * [`policing`]: traffic contracts (GCRA), and policers that hold channels to them.
//! * [`control`], [`discard`], [`credit`]: control schemes, discard policies and credit control of a port, the
//!   same for every link layer.
//! * [`atm`]: cells, RM cells, AAL5, and the output port with its server.
//! * [`endsystem`], [`tcp`], [`traffic`]: ABR sources and destinations, TCP senders and receivers,
//!   and the applications above TCP. All are pure state machines: the caller passes the time.
//! * [`atm`] again: hosts and switches, a [`Plan`](atm::Plan) of nodes, links and flows, and the
//!   [`Simulation`](atm::Simulation) that runs the plan.
//!
//! Most programs use the crate `cellrate` instead. `cellrate` reads scenario files, with units,
//! defaults and diagnostics, and makes the plan.
//!
//! # Custom schemes
//!
//! The registry of [`control`] is a closed set, so that the compiler inlines every method of a scheme. A scheme
//! of another crate implements [`SwitchControl`](control::SwitchControl), and a plan names this scheme by
//! [`ControlConfig::Custom`](control::ControlConfig::Custom). For the loss recovery of TCP the trait is
//! [`RecoveryPolicy`](tcp::recovery), and for ABR sources [`LawState`](endsystem::LawState).
//!
//! # Example
//!
//! One source sends over a switch whose scheme allows every channel 10 Mbit/s:
//!
//! ```
//! use std::sync::Arc;
//!
//! use cellrate_engine::atm::cell::ServiceClass;
//! use cellrate_engine::control::{
//!     Boxed, ControlConfig, CustomConfig, CustomControl, CustomScheme, PortFacts, SwitchControl,
//! };
//! use cellrate_engine::kernel::{Ps, Rate, units::Buffer};
//! use cellrate_engine::passing::RateRecord;
//! use cellrate_engine::atm::plan::{FlowPlan, LinkPlan, NodeKind, NodePlan, Plan, SwitchPlan};
//! use cellrate_engine::atm::Simulation;
//! use cellrate_engine::traffic::SourceConfig;
//!
//! /// The scheme at a port: the same explicit rate for all, in cells/s.
//! #[derive(Clone, Debug)]
//! struct Fixed(f64);
//!
//! impl SwitchControl for Fixed {
//!     fn on_backward(&mut self, _now: Ps, _slot: u32, rm: &mut RateRecord, _queue: u64) {
//!         rm.er = rm.er.min(self.0); // TM 4.0 5.10.6 1(c)
//!     }
//! }
//!
//! /// The scheme with its parameters, which makes the state of each port.
//! #[derive(Debug)]
//! struct FixedRate(Rate);
//!
//! impl CustomScheme for FixedRate {
//!     fn name(&self) -> &'static str {
//!         "fixed-rate"
//!     }
//!     fn build(&self, _port: PortFacts) -> Box<dyn CustomControl> {
//!         let scheme = Fixed(self.0.cells_per_second());
//!         Box::new(Boxed { name: self.name(), scheme })
//!     }
//! }
//!
//! let scheme = Arc::new(FixedRate(Rate::from_bps(10_000_000)));
//! let control = CustomConfig::new("fixed-rate".into(), scheme, Default::default());
//! let switch = SwitchPlan {
//!     control: ControlConfig::Custom(control),
//!     ..SwitchPlan::new(Buffer(1_000))
//! };
//! let node = |name: &str, kind| NodePlan { name: name.into(), kind };
//! let nodes = vec![
//!     node("source", NodeKind::Host),
//!     node("A", NodeKind::Switch(switch)),
//!     node("sink", NodeKind::Host),
//! ];
//! let link = |from: usize, to: usize| LinkPlan {
//!     name: format!("{from}->{to}"),
//!     from,
//!     to,
//!     rate: Rate::from_bps(155_520_000),
//!     delay: Ps::from_us(5),
//!     errors: None,
//! };
//! let links = vec![link(0, 1), link(1, 2), link(2, 1), link(1, 0)];
//! let flow = FlowPlan {
//!     backward: vec![2, 3],
//!     ..FlowPlan::new("flow", ServiceClass::Abr, SourceConfig::Persistent(Default::default()), vec![0, 1])
//! };
//! let mut simulation: Simulation = Simulation::new(Plan::new(nodes, links, vec![flow]))?;
//! let report = simulation.measure(Ps::from_ms(100), Ps::from_ms(300), Ps::from_ms(300));
//! // 10 Mbit/s are 23,585 cells/s; one cell in 32 is an RM cell.
//! let data = report.flows[0].delivered_bytes as f64 / 48.0 / 0.2;
//! assert!((data - 23_585.0 * 31.0 / 32.0).abs() < 60.0, "{data} cells/s");
//! # Ok::<(), cellrate_engine::atm::PlanError>(())
//! ```
#![no_std]

extern crate alloc;

pub mod atm;
pub mod component;
pub mod control;
pub mod credit;
pub mod custom;
pub mod discard;
pub mod endsystem;
pub mod ether;
pub mod joined;
pub mod kernel;
pub mod net;
pub mod passing;
pub mod policing;
pub mod schedule;
pub mod tcp;
pub mod traffic;
