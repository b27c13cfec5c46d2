//! Random operations on an ABR source, with what must hold after each of them.

use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::{Kind, RmCell};
use cellrate_engine::endsystem::{AbrConfig, AbrSource, Emission, OutOfRate};
use cellrate_engine::kernel::{Ps, Rate};
use proptest::prelude::*;

const PCR: f64 = 10_000.0;
const MCR: f64 = 20.0;

#[derive(Clone, Copy, Debug)]
enum Operation {
    /// Time passes without anything.
    Wait(u32),
    /// Up to this many opportunities are taken when they come.
    Send(u8),
    /// Data begin or stop to wait.
    Data(bool),
    Brm {
        er: f64,
        ci: bool,
        ni: bool,
        bn: bool,
    },
    Offer,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        1 => (0u32..300_000_000).prop_map(Operation::Wait),
        4 => (1u8..80).prop_map(Operation::Send),
        1 => any::<bool>().prop_map(Operation::Data),
        3 => (prop_oneof![Just(0.0), 0.0..2.0 * PCR, Just(1e9)], any::<bool>(), any::<bool>(), any::<bool>())
            .prop_map(|(er, ci, ni, bn)| Operation::Brm { er, ci: ci && ni, ni, bn }),
        2 => Just(Operation::Offer),
    ]
}

fn config() -> impl Strategy<Value = AbrConfig> {
    (any::<bool>(), 1u32..8, 0usize..3, any::<[bool; 3]>()).prop_map(|(has_mcr, nrm, policy, flags)| AbrConfig {
        pcr: Some(Rate::from_cells_per_second(PCR)),
        mcr: has_mcr.then_some(Rate::from_cells_per_second(MCR)),
        icr: Some(Rate::from_cells_per_second(PCR / 4.0)),
        nrm: 1 << nrm,
        crm: Some(4),
        rif: 0.25,
        out_of_rate: [OutOfRate::BelowTcr, OutOfRate::OnlyAtZero, OutOfRate::Never][policy],
        frm_needs_data: flags[0],
        quantise_rates: flags[1],
        use_it_or_lose_it: flags[2].then_some(Rate::from_cells_per_second(PCR / 2.0)),
        ..AbrConfig::default()
    })
}

/// The source under test and what a careful observer of its line remembers.
struct Model {
    source: AbrSource,
    config: AbrConfig,
    now: Ps,
    data: bool,
    last_in_rate: Option<Ps>,
    last_probe: Option<Ps>,
    since_frm: u32,
    offered: u32,
    returned: u32,
}

impl Model {
    fn new(config: AbrConfig) -> Model {
        let source = AbrSource::new(&config, Rate::from_cells_per_second(1e6), Ps::ZERO);
        Model {
            source,
            config,
            now: Ps::ZERO,
            data: true,
            last_in_rate: None,
            last_probe: None,
            since_frm: 0,
            offered: 0,
            returned: 0,
        }
    }

    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Wait(us) => self.now += Ps::from_us(us as u64 / 1_000),
            Operation::Send(count) => (0..count).for_each(|_| self.send()),
            Operation::Data(data) => self.data = data,
            Operation::Brm { er, ci, ni, bn } => {
                self.source.on_brm(self.now, &RmCell { er, ccr: 0.0, mcr: 0.0, ci, ni, bn });
            }
            Operation::Offer => {
                self.offered += 1;
                self.source.offer_brm(RmCell {
                    er: self.offered as f64,
                    ccr: 0.0,
                    mcr: 0.0,
                    ci: false,
                    ni: false,
                    bn: false,
                });
            }
        }
        let mcr = self.config.mcr_cells();
        assert!((mcr..=PCR).contains(&self.source.acr()), "ACR {} leaves {mcr}..{PCR}", self.source.acr());
    }

    fn send(&mut self) {
        let wake = self.source.next_wake(self.data);
        if wake > self.now {
            assert_eq!(self.source.opportunity(self.now, self.data), None, "sent before its time");
        }
        if !wake.is_scheduled() || wake > self.now + Ps::from_s(2) {
            return;
        }
        self.now = self.now.max(wake);
        let acr = self.source.acr();
        let emission = self.source.opportunity(self.now, self.data).expect("a wake finds something to send");
        self.observe(emission, acr);
    }

    fn observe(&mut self, emission: Emission, acr: f64) {
        match emission {
            Emission::Rm(info, _) if info.clp() && info.kind() == Kind::Frm => return self.observe_probe(acr),
            Emission::Rm(info, rm) if info.kind() == Kind::Brm => {
                assert!(rm.er as u32 > self.returned, "an older BRM after a newer one");
                self.returned = rm.er as u32;
                if info.clp() {
                    assert_eq!(acr, 0.0);
                    return;
                }
                self.since_frm += 1;
            }
            Emission::Rm(..) => self.since_frm = 0,
            Emission::Data => self.since_frm += 1,
        }
        assert!(self.since_frm < self.config.nrm || self.config.frm_needs_data, "no FRM within Nrm cells");
        self.observe_gap(acr);
    }

    /// SES rule 1, to the picosecond that the clock cuts off.
    fn observe_gap(&mut self, acr: f64) {
        if let Some(last) = self.last_in_rate {
            assert!((self.now - last).0 + 1 >= (1e12 / acr) as u64, "closer than 1/{acr} s");
        }
        self.last_in_rate = Some(self.now);
    }

    fn observe_probe(&mut self, acr: f64) {
        assert!(acr < 10.0 && self.config.out_of_rate != OutOfRate::Never);
        if let Some(last) = self.last_probe {
            assert!(self.now - last >= Ps::from_ms(100), "probes faster than TCR");
        }
        self.last_probe = Some(self.now);
    }
}

proptest! {
    #![proptest_config(repeatable(1_000))]

    #[test]
    fn a_source_keeps_the_rules_under_any_operations(
        config in config(),
        operations in prop::collection::vec(operation(), 1..80),
    ) {
        let mut model = Model::new(config);
        operations.into_iter().for_each(|operation| model.apply(operation));
        let sent = model.source.counters();
        prop_assert!(sent.brms + sent.overwritten + model.source.brm_waits() as u64 == model.offered as u64);
    }
}
