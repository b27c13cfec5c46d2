//! The two halves of an ABR end system (TM 4.0 sections 5.10.4 and 5.10.5), and sources without
//! rate control.
//!
//! In the comments, "SES rule n" is source rule n of section 5.10.4, and "DES rule n" is
//! destination rule n of section 5.10.5.

pub mod bucket;
pub mod config;
pub mod credited;
mod custom;
pub mod destination;
pub mod prca;
mod rate_law;
mod smith;
pub mod source;
pub mod split;
pub mod unshaped;
pub mod vsvd;

pub use bucket::BucketSource;
pub use config::{AbrConfig, Compensation, CrmRounding, ErBelowMcr, OutOfRate, SourceRules};
pub use credited::CreditedSource;
pub use custom::{CustomLaw, LawConfig, LawState, SourceFacts};
pub use destination::AbrDestination;
pub use source::{AbrSource, Counters, Emission, Octets, Pacing};
pub use split::SplitSource;
pub use unshaped::UnshapedSource;
pub use vsvd::{InputMeter, RateUpdate, VcRate, VsVdConfig};
