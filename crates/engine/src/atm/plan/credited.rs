//! Settings of a switch that contradict credit control.

use alloc::vec::Vec;
use core::fmt;

use crate::atm::cell::ServiceClass;
use crate::control::ControlConfig;
use crate::credit::FcvcConfig;
use crate::discard::DiscardConfig;

/// A setting of a switch that contradicts credit control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// A control scheme, with its name. Credit control replaces rate control.
    Control(&'static str),
    /// A discard policy, with its name. Under credit control no cell is refused.
    Discard(&'static str),
    /// A queue for classes with and without credit control, with the index of the queue.
    Queue(usize),
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contradiction::Control(name) => {
                write!(f, "`{name}` controls rates, but there is credit control")
            }
            Contradiction::Discard(name) => write!(
                f,
                "`{name}` discards cells, but under credit control none is lost"
            ),
            Contradiction::Queue(_) => f.write_str(
                "a queue holds classes with credit (UBR, random) and without (CBR, VBR)",
            ),
        }
    }
}

/// The settings of a switch that contradict credit control. Only the classes for which `counts` is
/// true are examined.
pub fn contradictions(
    control: &ControlConfig,
    discard: &DiscardConfig,
    priority: &[Vec<ServiceClass>],
    counts: impl Fn(ServiceClass) -> bool,
) -> Vec<Contradiction> {
    let mixed = |classes: &Vec<ServiceClass>| {
        let mut covered = classes
            .iter()
            .filter(|class| counts(**class))
            .map(|class| FcvcConfig::covers(*class));
        covered
            .next()
            .is_some_and(|first| covered.any(|other| other != first))
    };
    let control = (!matches!(control, ControlConfig::None(_)))
        .then(|| Contradiction::Control(control.name()));
    let discard = (!matches!(discard, DiscardConfig::TailDrop(_)))
        .then(|| Contradiction::Discard(discard.name()));
    let queue = priority.iter().position(mixed).map(Contradiction::Queue);
    control.into_iter().chain(discard).chain(queue).collect()
}
