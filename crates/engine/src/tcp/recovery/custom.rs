//! User-defined recoveries.

use alloc::boxed::Box;
use core::fmt::Debug;

use super::{Facts, RecoveryPolicy};
use crate::custom::Custom;

/// A user-defined recovery with its parameters. From these the engine makes the state of the recovery for each
/// connection.
pub trait CustomRecovery: Debug + Send + Sync {
    /// Name of the recovery in scenarios. No recovery of the registry may have this name.
    fn name(&self) -> &'static str;
    /// State of the recovery for a connection with these `facts`.
    fn build(&self, facts: &Facts) -> Box<dyn CustomPolicy>;
}

/// State of a user-defined recovery at one connection.
pub trait CustomPolicy: RecoveryPolicy + Debug + Send {
    /// A copy of the recovery in the same state.
    fn boxed_clone(&self) -> Box<dyn CustomPolicy>;
    /// This recovery as a [`RecoveryPolicy`].
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

/// A user-defined recovery in a configuration.
pub type RecoveryConfig = Custom<dyn CustomRecovery>;
