//! The service classes of channels.

/// Service class of a channel's data. Each port maps a class to one of its queues.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum ServiceClass {
    /// Constant bit rate.
    Cbr,
    /// Variable bit rate.
    Vbr,
    /// Available bit rate: the class under closed-loop control.
    Abr,
    /// Unspecified bit rate.
    Ubr,
    /// Random cells without priority, which some papers add to the queue of ABR.
    Random,
}

impl ServiceClass {
    /// All classes, in the order of their discriminants in the enum.
    pub const ALL: [ServiceClass; 5] = [
        ServiceClass::Cbr,
        ServiceClass::Vbr,
        ServiceClass::Abr,
        ServiceClass::Ubr,
        ServiceClass::Random,
    ];
}
