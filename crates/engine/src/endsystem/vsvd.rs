//! Virtual sources and destinations (TM 4.0 section 5.10.6 1(d)): a switch ends one ABR loop and
//! begins the next. The parameters determine the coupling of the two loops (Kalyanaraman 1997,
//! chapter 9 and appendix C.3).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The channel's rate that the control scheme of the port gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VcRate {
    /// CCR of the forward RM cells that arrive from the previous loop (a).
    #[default]
    PreviousLoop,
    /// CCR of the forward RM cells that the virtual source sends, which is its ACR (b).
    NextLoop,
    /// A measured rate: number of cells that the virtual source sends from one of its forward RM
    /// cells to the next, divided by the time between them (c).
    Measured,
}

/// Position at which the control scheme of the port counts cells as its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InputMeter {
    /// Before the queues of the channels, as cells arrive at the switch (A).
    #[default]
    VcQueues,
    /// Behind the queues of the channels, as virtual sources send cells into the queue of the class
    /// (B).
    ClassQueue,
}

/// Events at which the control scheme of the port computes the rate that it allows a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateUpdate {
    /// The virtual destination turns a forward RM cell of the previous loop round (I).
    TurnRound,
    /// A backward RM cell of the next loop arrives (II).
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
    /// True if the scheme computes the rate when a backward RM cell of the next loop arrives.
    pub fn at_backward(self) -> bool {
        self != RateUpdate::TurnRound
    }
}

/// Virtual sources and destinations of switches. Every ABR channel through such a switch ends there
/// and begins anew. The virtual destination turns the channel's RM cells round. Data wait in a
/// queue of the channel, and the virtual source sends them by the source rules of TM 4.0 into the
/// queue of the class. The previous loop gets ER1 := min(ER, VAL2, ACR2), where VAL2 is the rate
/// that the port's scheme allows the channel, and ACR2 the ACR of the virtual source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VsVdConfig {
    /// Names of the switches with virtual sources and destinations. All switches if empty.
    pub at: Vec<String>,
    /// The channel's rate that the control scheme of the port gets.
    pub vc_rate: VcRate,
    /// Position at which the control scheme of the port counts cells as its input.
    pub input: InputMeter,
    /// Events at which the control scheme of the port computes the rate that it allows a channel.
    pub update: RateUpdate,
    /// The virtual source also obeys the control scheme of its own port: ER2 := min(ER2, VAL2), and
    /// the scheme's CI and NI. Cells then wait in the queue of the channel instead of the queue of
    /// the class.
    pub limit_source: bool,
}

impl VsVdConfig {
    /// True if the switch with the name `switch` has virtual sources and destinations.
    pub fn is_at(&self, switch: &str) -> bool {
        self.at.is_empty() || self.at.iter().any(|name| name == switch)
    }

    /// Reason why the settings of `vc_rate` and `input` do not fit together; `None` if they do. Of
    /// the six pairs of settings appendix C.3 accepts (a, A) and (c, B), each with any update. A
    /// scheme divides the channel's rate by a load, so rate and load must be measured at one place.
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
                "ACR is neither what arrives nor what is sent while a queue is empty",
            ),
        };
        Some(format!("{rate} does not belong to this input: {why}"))
    }
}
