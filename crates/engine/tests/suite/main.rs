//! All tests of whole components and networks, in one binary: one link instead of thirty.

mod support;

mod abr_config;
mod abr_destination;
mod abr_proportional;
mod abr_rm;
mod abr_source;
mod combinations;
mod connection_setup;
mod control_registry;
mod credit;
mod discard_policies;
mod efci_marking;
mod erica_feedback;
mod erica_queue_control;
mod event_order;
mod explicit_rate;
mod fast_equals_plain;
mod golden;
mod max_min;
mod measures;
mod network_invariants;
mod ns2;
mod observer;
mod operations;
mod passages;
mod port_losses;
mod queueing_theory;
mod relative_rate;
mod servers;
mod smith_predictor;
mod source_parameters;
mod stop_and_wait;
mod tcp_exact;
mod vsvd;
mod www;
