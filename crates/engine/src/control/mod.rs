//! Congestion control at a switch port. Each scheme is one file here, with its parameters in one
//! serde struct, and one line in the registry below.
//!
//! In the comments "5.10.6 1(a)" to "1(d)" are the methods that TM 4.0 section 5.10.6 lets a switch
//! use: EFCI marking, relative rate marking, explicit rate marking, and virtual source and
//! destination.

pub mod becn;
pub mod capc;
pub mod charny;
mod congestion_bit;
pub mod custom;
pub mod dmrca;
pub mod efci;
pub mod eprca;
pub mod erica;
pub mod fmmra;
mod fmmra_config;
mod load;
pub mod none;
pub mod osu;
mod own_marks;
pub mod phantom;
mod ranges;
pub mod relative_rate;
mod report;
mod scheme;
pub mod smith;
pub mod ucsc;

use alloc::boxed::Box;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::{Component, Statistic, documentation};
use crate::custom::{FromOutside, of_the_registry};
use crate::kernel::{Finding, Ps};
use crate::passing::{Passing, RateRecord};

pub use custom::{Boxed, CustomConfig, CustomControl, CustomScheme};
pub use report::ControlReport;
pub use scheme::{PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts};

/// Each line names the enum variant, the key in a scenario, a description, its source, and the
/// types of parameters and state. `new(&parameters, facts)` builds the state.
macro_rules! registry {
    ($($variant:ident = $name:literal, $about:literal, $source:literal, $config:ty, $scheme:ty;)*) => {
        /// The control scheme of a port and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "scheme")]
        #[schemars(transform = of_the_registry)]
        pub enum ControlConfig {
            $(
                #[doc = $about]
                #[serde(rename = $name)]
                #[schemars(extend("x-source" = $source, "x-documentation" = documentation::<$config>()))]
                $variant($config),
            )*
            /// A user-defined scheme, which the parser of the scenario finds by its name.
            #[serde(untagged)]
            #[schemars(skip)]
            Custom(CustomConfig),
        }

        impl ControlConfig {
            /// State of the scheme at a port with these `facts`.
            pub fn build(&self, facts: PortFacts) -> Control {
                match self {
                    $(ControlConfig::$variant(config) => Control::$variant(<$scheme>::new(config, facts)),)*
                    ControlConfig::Custom(config) => Control::Custom(config.get().build(facts)),
                }
            }
            /// True if the scheme needs a call at each departure.
            pub fn marks_at_dequeue(&self) -> bool {
                match self {
                    ControlConfig::Custom(config) => config.get().marks_at_dequeue(),
                    config => config.build(PortFacts::ANY).marks_at_dequeue(),
                }
            }
            /// Findings about the parameters at a switch with these `facts`.
            pub fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
                match self {
                    $(ControlConfig::$variant(config) => config.check(facts),)*
                    ControlConfig::Custom(config) => config.check(facts),
                }
            }
            /// The parameters with defaults applied: an absent value is replaced by its default, which may depend
            /// on other parameters.
            pub fn in_force(&self) -> ControlConfig {
                match self {
                    $(ControlConfig::$variant(config) => ControlConfig::$variant(config.in_force()),)*
                    ControlConfig::Custom(config) => ControlConfig::Custom(config.clone()),
                }
            }
            /// Time constant of the Smith predictor; `None` for other schemes. See
            /// [`SchemeParameters::predictor_time_constant`].
            pub fn predictor_time_constant(&self) -> Option<Ps> {
                match self {
                    $(ControlConfig::$variant(config) => config.predictor_time_constant(),)*
                    ControlConfig::Custom(_) => None,
                }
            }
            /// True if the scheme depends on the order of arrivals, see
            /// [`SwitchControl::FOLLOWS_ORDER`].
            pub fn follows_order(&self) -> bool {
                match self {
                    $(ControlConfig::$variant(_) => <$scheme as SwitchControl>::FOLLOWS_ORDER,)*
                    ControlConfig::Custom(config) => config.found().is_some_and(|it| it.follows_order()),
                }
            }
            /// True if the scheme generates backward RM cells, see [`SwitchControl::GENERATES`].
            pub fn generates(&self) -> bool {
                match self {
                    $(ControlConfig::$variant(_) => <$scheme as SwitchControl>::GENERATES,)*
                    ControlConfig::Custom(_) => false,
                }
            }
            /// Key of the scheme in scenarios.
            pub fn name(&self) -> &'static str {
                match self {
                    $(ControlConfig::$variant(_) => $name,)*
                    ControlConfig::Custom(config) => config.found().map_or("unknown", |it| it.name()),
                }
            }
        }

        /// State of a control scheme at a port. An enum, not a trait object, so that the compiler
        /// can inline every method.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "one per port, and a box would cost a load per cell")]
        pub enum Control {
            $(#[doc = $about] $variant($scheme),)*
            /// State of a user-defined scheme.
            Custom(Box<dyn CustomControl>),
        }

        impl Control {
            /// Key of the scheme in scenarios.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Control::$variant(_) => $name,)*
                    Control::Custom(scheme) => scheme.name(),
                }
            }
            /// Replaces the parameters from `now` on by others of the same scheme. The state is kept. `queue` is
            /// the length of the controlled queue in units, if the scheme reads it. Parameters of another scheme
            /// have no effect; this is so at a port without ABR, which has no scheme.
            pub fn change(&mut self, (now, queue): (Ps, u64), config: &ControlConfig) {
                match (self, config) {
                    $((Control::$variant(scheme), ControlConfig::$variant(config)) => scheme.change(config),)*
                    (Control::Custom(scheme), ControlConfig::Custom(config)) => scheme.change(now, &config.parameters, queue),
                    _ => {}
                }
            }
            /// The scheme as `Any`, if the scheme is user-defined and allows access; see
            /// [`CustomControl::as_any_mut`].
            pub fn as_any_mut(&mut self) -> Option<&mut dyn core::any::Any> {
                match self {
                    Control::Custom(scheme) => scheme.as_any_mut(),
                    _ => None,
                }
            }
            /// Name and value of each statistic of the scheme since the start.
            ///
            /// # Panics
            /// If a scheme returns another number of values than the number of statistics that it describes.
            pub fn statistics(&self) -> Vec<(&'static str, f64)> {
                let described = match self {
                    $(Control::$variant(_) => <$scheme as SwitchControl>::STATISTICS,)*
                    Control::Custom(scheme) => {
                        let finite = |(_, value): &(_, f64)| value.is_finite();
                        return scheme.statistics().into_iter().filter(finite).collect();
                    }
                };
                let counted = self.counted();
                assert_eq!(described.len(), counted.len(), "statistics of {} and their values", self.name());
                let named = described.iter().map(|statistic| statistic.name).zip(counted);
                named.filter(|(_, value)| value.is_finite()).collect()
            }
        }

        /// Statistics of every scheme, in the order of [`schemes`].
        pub fn statistics() -> Vec<(&'static str, &'static [Statistic])> {
            Vec::from([$(($name, <$scheme as SwitchControl>::STATISTICS)),*])
        }

        /// Key, description and source of every scheme.
        pub fn schemes() -> &'static [Component] {
            &[$(Component { name: $name, about: $about, source: $source }),*]
        }

        impl SwitchControl for Control {
            #[inline]
            fn on_forward(&mut self, now: Ps, slot: u32, passing: &mut Passing, rm: Option<&mut RateRecord>, queue: u64) {
                match self {
                    $(Control::$variant(scheme) => scheme.on_forward(now, slot, passing, rm, queue),)*
                    Control::Custom(scheme) => scheme.on_forward(now, slot, passing, rm, queue),
                }
            }
            fn generate(&mut self, now: Ps, slot: u32, rm: &RateRecord, queue: u64) -> Option<RateRecord> {
                match self {
                    $(Control::$variant(scheme) => scheme.generate(now, slot, rm, queue),)*
                    Control::Custom(_) => None,
                }
            }
            #[inline]
            fn on_background(&mut self, now: Ps, units: u64) {
                match self {
                    $(Control::$variant(scheme) => scheme.on_background(now, units),)*
                    Control::Custom(scheme) => scheme.on_background(now, units),
                }
            }
            #[inline]
            fn on_backward(&mut self, now: Ps, slot: u32, rm: &mut RateRecord, queue: u64) {
                match self {
                    $(Control::$variant(scheme) => scheme.on_backward(now, slot, rm, queue),)*
                    Control::Custom(scheme) => scheme.on_backward(now, slot, rm, queue),
                }
            }
            #[inline]
            fn on_dequeue(&mut self, now: Ps, passing: &mut Passing, queue: u64) {
                match self {
                    $(Control::$variant(scheme) => scheme.on_dequeue(now, passing, queue),)*
                    Control::Custom(scheme) => scheme.on_dequeue(now, passing, queue),
                }
            }
            #[inline]
            fn marks_at_dequeue(&self) -> bool {
                match self {
                    $(Control::$variant(scheme) => scheme.marks_at_dequeue(),)*
                    Control::Custom(scheme) => scheme.marks_at_dequeue(),
                }
            }
            fn marks_above(&self) -> Option<u64> {
                match self {
                    $(Control::$variant(scheme) => scheme.marks_above(),)*
                    // A user-defined scheme is called at every departure.
                    Control::Custom(_) => None,
                }
            }
            #[inline(always)]
            fn counts_only(&mut self, now: Ps, slot: u32, units: u64) -> bool {
                match self {
                    $(Control::$variant(scheme) => scheme.counts_only(now, slot, units),)*
                    Control::Custom(_) => false,
                }
            }
            fn ignores_data(&self) -> bool {
                match self {
                    $(Control::$variant(scheme) => scheme.ignores_data(),)*
                    Control::Custom(_) => false,
                }
            }
            fn counted(&self) -> Vec<f64> {
                match self {
                    $(Control::$variant(scheme) => scheme.counted(),)*
                    // A user-defined scheme names its statistics itself.
                    Control::Custom(_) => Vec::new(),
                }
            }
            fn reads_queue(&self) -> QueueReading {
                match self {
                    $(Control::$variant(scheme) => scheme.reads_queue(),)*
                    Control::Custom(scheme) => scheme.reads_queue(),
                }
            }
            #[inline]
            fn reads_at(&self, now: Ps, units: u64) -> bool {
                match self {
                    $(Control::$variant(scheme) => scheme.reads_at(now, units),)*
                    Control::Custom(scheme) => scheme.reads_at(now, units),
                }
            }
            #[inline]
            fn wake_at(&self) -> Ps {
                match self {
                    $(Control::$variant(scheme) => scheme.wake_at(),)*
                    Control::Custom(scheme) => scheme.wake_at(),
                }
            }
            #[inline]
            fn wake(&mut self, now: Ps, queue: u64, in_service: u64) {
                match self {
                    $(Control::$variant(scheme) => scheme.wake(now, queue, in_service),)*
                    Control::Custom(scheme) => scheme.wake(now, queue, in_service),
                }
            }
        }
    };
}

registry! {
    None = "none", "no congestion control", "TM 4.0: a switch without feedback", none::NoneConfig, none::NoControl;
    Efci = "efci", "EFCI marking of data cells by queue length", "TM 4.0, 5.10.6; Ohsaki et al. 1995, II", efci::EfciConfig, efci::Efci;
    Becn = "becn", "EFCI marking, and backward RM cells that a congested switch generates (BECN)", "TM 4.0, 5.10.6; Newman and Marshall 1993, ATM Forum 94-0789",
        becn::BecnConfig, becn::Becn;
    Erica = "erica", "explicit rates from load and fair share (ERICA, ERICA+)", "Kalyanaraman 1997, chapters 6 and 8", erica::EricaConfig, erica::Erica;
    Fmmra = "fmmra", "max-min rates from bottlenecks recorded in both directions (FMMRA)", "Arulambalam, Chen and Ansari 1996",
        fmmra::FmmraConfig, load::Metered<fmmra::Fmmra>;
    Charny = "charny", "max-min rates by consistent marking (Charny's scheme)", "Charny, Clark and Jain 1995", charny::CharnyConfig, load::Metered<charny::Charny>;
    Ucsc = "ucsc", "max-min rates in constant time for each RM cell (UCSC scheme)", "Kalampoukas, Varma and Ramakrishnan 1995", ucsc::UcscConfig, load::Metered<ucsc::Ucsc>;
    Eprca = "eprca", "explicit rates from a mean allowed rate and two queue thresholds (EPRCA)", "Roberts 1994, ATM Forum 94-0735", eprca::EprcaConfig, eprca::Eprca;
    Dmrca = "dmrca", "explicit rates below the largest rate of all channels, which fall with the queue (DMRCA)", "Chiussi, Xia and Kumar 1996",
        dmrca::DmrcaConfig, dmrca::Dmrca;
    Osu = "osu", "load adjustment of every channel from the load of an interval (OSU scheme)", "Jain, Kalyanaraman and Viswanathan 1994, ATM Forum 94-0883", osu::OsuConfig, load::Metered<osu::Osu>;
    Capc = "capc", "one explicit rate for all that follows the load (CAPC)", "Barnhart 1994, ATM Forum 94-0983", capc::CapcConfig, load::Metered<capc::Capc>;
    Phantom = "phantom", "a multiple of the rate of an imaginary channel (Phantom)", "Afek, Mansour and Ostfeld 1996", phantom::PhantomConfig, load::Metered<phantom::Phantom>;
    SmithPredictor = "smith-predictor", "the room below a set point, for sources with a Smith predictor (EPRCA by Smith's principle)", "Mascolo, Cavendish and Gerla 1996",
        smith::SmithConfig, smith::Smith;
    RrmP = "rrm-p", "relative rate by queue length (P control)", "Ajmone Marsan et al. 1997, eq. (1)", relative_rate::p::PConfig, relative_rate::Sampled<relative_rate::p::P>;
    RrmPd = "rrm-pd", "relative rate by queue length and its change (PD control)", "Ajmone Marsan et al. 1997, eq. (2)",
        relative_rate::pd::PdConfig, relative_rate::Sampled<relative_rate::pd::Pd>;
    RrmPdPlus = "rrm-pd-plus", "relative rate by queue length and change, a large change alone deciding (PD+ control)", "Ajmone Marsan et al. 1997, eq. (3)",
        relative_rate::pd_plus::PdPlusConfig, relative_rate::Sampled<relative_rate::pd_plus::PdPlus>;
    RrmPid = "rrm-pid", "relative rate by queue length while it grows, by its mean while it falls (PID control)", "Ajmone Marsan et al. 1997, eq. (4)",
        relative_rate::pid::PidConfig, relative_rate::Sampled<relative_rate::pid::Pid>;
}

impl FromOutside for dyn CustomScheme {
    const TAG: &'static str = "scheme";
    fn registered() -> &'static [Component] {
        schemes()
    }
}

impl Default for ControlConfig {
    fn default() -> ControlConfig {
        ControlConfig::None(none::NoneConfig::default())
    }
}
