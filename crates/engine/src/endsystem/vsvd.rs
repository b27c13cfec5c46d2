//! Virtual source and virtual destination (TM 4.0 section 5.10.6): a switch ends one loop of ABR control and begins
//! the next. How the two are coupled (Kalyanaraman 1997, chapter 9 and appendix C.3).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the control scheme of the port knows the rate of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VcRate {
    /// By the CCR of the forward RM cells that arrive (a).
    #[default]
    PreviousLoop,
    /// By the CCR of those that the virtual source sends, which is its ACR (b).
    NextLoop,
    /// Measured: cells that the virtual source sends from one of its forward RM cells to the next, by the time
    /// between them (c).
    Measured,
}

/// Where the control scheme of the port meets cells, and so measures its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InputMeter {
    /// Before the queues of the channels (A).
    #[default]
    VcQueues,
    /// Behind them, where virtual sources send into the queue of the class (B).
    ClassQueue,
}

/// When the control scheme of the port is asked for the rate that it allows a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateUpdate {
    /// When a forward RM cell of the previous loop is turned round (I).
    TurnRound,
    /// When a backward RM cell of the next loop arrives (II).
    Backward,
    /// Both (III).
    #[default]
    Both,
}

impl RateUpdate {
    /// Whether the scheme is asked when the virtual destination turns an RM cell round.
    pub fn at_turn_round(self) -> bool {
        self != RateUpdate::Backward
    }
    /// Whether the scheme is asked when an RM cell of the next loop comes back.
    pub fn at_backward(self) -> bool {
        self != RateUpdate::TurnRound
    }
}

/// Virtual sources and destinations of a switch. Every ABR channel through it ends there and begins again: the
/// virtual destination turns its RM cells round, data wait in a queue of the channel, and the virtual source sends
/// them by the source rules of TM 4.0 into the queue of the class. With the rate that the port's scheme allows the
/// channel (VAL2) and the virtual source's ACR2, the previous loop is told ER1 := min(ER, VAL2, ACR2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VsVdConfig {
    /// Names of the switches that have it; all, if there is no name.
    pub at: Vec<String>,
    /// How the rate of a channel is known.
    pub vc_rate: VcRate,
    /// Where the input is measured.
    pub input: InputMeter,
    /// When the allowed rate is brought up to date.
    pub update: RateUpdate,
    /// Whether the virtual source obeys the scheme of its own port, too: ER2 := min(ER2, VAL2), and its CI and NI.
    /// Cells then wait in front of the virtual source instead of behind it.
    pub limit_source: bool,
}

impl VsVdConfig {
    /// Whether the switch of this name has it.
    pub fn is_at(&self, switch: &str) -> bool {
        self.at.is_empty() || self.at.iter().any(|name| name == switch)
    }

    /// Why rate and input do not go together, if they do not (Kalyanaraman 1997, appendix C.3, accepts the others).
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
