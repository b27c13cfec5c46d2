//! Virtual source and virtual destination (TM 4.0 section 5.10.6 1(d)): a switch ends one loop of
//! ABR control and begins the next. The parameters say how the loops are coupled (Kalyanaraman
//! 1997, chapter 9 and appendix C.3).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Source of the channel's rate for the control scheme of the port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VcRate {
    /// CCR of the forward RM cells that arrive (a).
    #[default]
    PreviousLoop,
    /// CCR of the forward RM cells that the virtual source sends, which is its ACR (b).
    NextLoop,
    /// Measured: cells that the virtual source sends from one of its forward RM cells to the next,
    /// divided by the time between them (c).
    Measured,
}

/// Position at which the control scheme of the port sees cells, and so measures its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InputMeter {
    /// Before the queues of the channels (A).
    #[default]
    VcQueues,
    /// Behind them, where virtual sources send into the queue of the class (B).
    ClassQueue,
}

/// Events at which the control scheme of the port computes the rate that it allows a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateUpdate {
    /// Turn-round of a forward RM cell of the previous loop (I).
    TurnRound,
    /// Arrival of a backward RM cell of the next loop (II).
    Backward,
    /// Both events (III).
    #[default]
    Both,
}

impl RateUpdate {
    /// True if the scheme computes the rate when the virtual destination turns an RM cell round.
    pub fn at_turn_round(self) -> bool {
        self != RateUpdate::Backward
    }
    /// True if the scheme computes the rate when an RM cell of the next loop comes back.
    pub fn at_backward(self) -> bool {
        self != RateUpdate::TurnRound
    }
}

/// Virtual sources and destinations of a switch. Every ABR channel through it ends there and begins
/// again: the virtual destination turns its RM cells round, data wait in a queue of the channel,
/// and the virtual source sends them by the source rules of TM 4.0 into the queue of the class.
/// With the rate that the port's scheme allows the channel (VAL2) and the virtual source's ACR2,
/// the previous loop gets ER1 := min(ER, VAL2, ACR2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VsVdConfig {
    /// Names of the switches that have it; all switches if empty.
    pub at: Vec<String>,
    /// Source of the channel's rate for the control scheme of the port.
    pub vc_rate: VcRate,
    /// Position at which the scheme measures its input.
    pub input: InputMeter,
    /// Events at which the scheme computes the allowed rate.
    pub update: RateUpdate,
    /// Makes the virtual source also obey the scheme of its own port: ER2 := min(ER2, VAL2), and
    /// its CI and NI. Cells then wait in front of the virtual source instead of behind it.
    pub limit_source: bool,
}

impl VsVdConfig {
    /// True if the switch of this name has virtual sources and destinations.
    pub fn is_at(&self, switch: &str) -> bool {
        self.at.is_empty() || self.at.iter().any(|name| name == switch)
    }

    /// Reason why the measured rate does not fit the measured input, if it does not. Of the six
    /// pairs appendix C.3 accepts (a, A) and (c, B), each with any update: a scheme divides the
    /// rate by a load, so both must be measured at one place.
    pub fn mismatch(&self) -> Option<String> {
        let (rate, why) = match (self.vc_rate, self.input) {
            (VcRate::PreviousLoop, InputMeter::VcQueues)
            | (VcRate::Measured, InputMeter::ClassQueue) => return None,
            (VcRate::PreviousLoop, InputMeter::ClassQueue) => (
                "the CCR of the previous loop",
                "the input behind the queues of the channels is what virtual sources send, not what arrives",
            ),
            (VcRate::Measured, InputMeter::VcQueues) => (
                "the rate measured behind the queues of the channels",
                "the input in front of them is what arrives, not what virtual sources send",
            ),
            (VcRate::NextLoop, _) => (
                "the ACR of the virtual source",
                "it is neither what arrives nor what is sent while a queue is empty",
            ),
        };
        Some(format!("{rate} does not belong to this input: {why}"))
    }
}
