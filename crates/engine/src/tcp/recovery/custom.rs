//! Recoveries from outside this crate.

use alloc::boxed::Box;
use core::fmt::Debug;

use super::{Facts, RecoveryPolicy};
use crate::custom::Custom;

/// A recovery with its parameters, which makes the state of each connection.
pub trait CustomRecovery: Debug + Send + Sync {
    /// Name in scenarios; none of the registry's.
    fn name(&self) -> &'static str;
    /// The policy of a connection.
    fn build(&self, facts: &Facts) -> Box<dyn CustomPolicy>;
}

/// A recovery from outside at one connection.
pub trait CustomPolicy: RecoveryPolicy + Debug + Send {
    /// A copy that goes on from the same state.
    fn boxed_clone(&self) -> Box<dyn CustomPolicy>;
    /// The same as a policy.
    fn policy(&mut self) -> &mut dyn RecoveryPolicy;
}

impl<P: RecoveryPolicy + Clone + Debug + Send + 'static> CustomPolicy for P {
    fn boxed_clone(&self) -> Box<dyn CustomPolicy> {
        Box::new(self.clone())
    }
    fn policy(&mut self) -> &mut dyn RecoveryPolicy {
        self
    }
}

impl Clone for Box<dyn CustomPolicy> {
    fn clone(&self) -> Box<dyn CustomPolicy> {
        (**self).boxed_clone()
    }
}

/// A recovery from outside in a configuration.
pub type RecoveryConfig = Custom<dyn CustomRecovery>;
