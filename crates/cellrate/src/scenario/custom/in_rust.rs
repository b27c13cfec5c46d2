//! Components in Rust from a program that uses this crate: control schemes, discard policies,
//! recoveries of TCP and laws of sources, by their names in scenarios.

use std::fmt::Debug;
use std::sync::Arc;

use cellrate_engine::control::{
    Boxed, CustomControl, CustomScheme, PortFacts, SchemeParameters, SwitchControl, SwitchFacts,
};
use cellrate_engine::discard::{self, CustomDiscard, DiscardPolicy, PolicyParameters, QueueFacts};
use cellrate_engine::endsystem::{CustomLaw, LawState, SourceFacts};
use cellrate_engine::kernel::Finding;
use cellrate_engine::tcp::recovery::{CustomPolicy, CustomRecovery, Facts, RecoveryPolicy};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use super::{Configured, Kind, Made, NotFound, Refused, SchemeClass, Schemes};

/// Components written in Rust, by the names that scenarios give them; for a program that uses this
/// crate.
#[derive(Clone, Debug, Default)]
pub struct RustSchemes(Vec<(Kind, &'static str, Arc<dyn SchemeClass>)>);

/// Parameters of a recovery or of a law of a source.
pub trait Parameters {
    /// Refuses values of parameters with which the component cannot run.
    ///
    /// # Errors
    /// The key, its value and what is allowed.
    fn check(&self) -> Result<(), Refused> {
        Ok(())
    }
}

/// Parameters that can be read from a scenario and written back.
trait Written: JsonSchema + Serialize + DeserializeOwned + Debug + Send + Sync + 'static {}

impl<C: JsonSchema + Serialize + DeserializeOwned + Debug + Send + Sync + 'static> Written for C {}

impl RustSchemes {
    /// Adds a control scheme: its `name` in scenarios, and the function `new`, which makes the
    /// scheme for a port. `C` is the type of its parameters.
    #[must_use]
    pub fn with<C, S>(self, name: &'static str, new: fn(&C, PortFacts) -> S) -> RustSchemes
    where
        C: SchemeParameters + JsonSchema + Serialize + DeserializeOwned,
        C: Debug + Send + Sync + 'static,
        S: SwitchControl + Clone + Debug + Send + 'static,
    {
        let made = move |config: C| {
            let complete = config.in_force();
            let scheme = Arc::new(InRust { name, new, config });
            Ok((complete, Made::Control(scheme)))
        };
        self.and(Kind::Control, name, made)
    }

    /// Adds a discard policy. The function `new` makes the policy for a queue from its parameters
    /// and the number of channels that share the queue. [`discard::ByPdu`] makes a policy from a
    /// decision about each PDU.
    #[must_use]
    pub fn with_discard<C, P>(self, name: &'static str, new: fn(&C, usize) -> P) -> RustSchemes
    where
        C: PolicyParameters + JsonSchema + Serialize + DeserializeOwned,
        C: Debug + Send + Sync + 'static,
        P: DiscardPolicy + Clone + Debug + Send + 'static,
    {
        let made = move |config: C| {
            let complete = config.clone();
            let policy = Arc::new(InRust { name, new, config });
            Ok((complete, Made::Discard(policy)))
        };
        self.and(Kind::Discard, name, made)
    }

    /// Adds a loss recovery of TCP. The function `new` makes the recovery for a connection.
    #[must_use]
    pub fn with_recovery<C, P>(self, name: &'static str, new: fn(&C, &Facts) -> P) -> RustSchemes
    where
        C: Parameters + Clone + JsonSchema + Serialize + DeserializeOwned,
        C: Debug + Send + Sync + 'static,
        P: RecoveryPolicy + Clone + Debug + Send + 'static,
    {
        let made = move |config: C| {
            config.check()?;
            let complete = config.clone();
            let recovery = Arc::new(InRust { name, new, config });
            Ok((complete, Made::Recovery(recovery)))
        };
        self.and(Kind::Recovery, name, made)
    }

    /// Adds a law of the rate of an ABR source. The function `new` makes the law for a source.
    #[must_use]
    pub fn with_law<C, L>(self, name: &'static str, new: fn(&C, SourceFacts) -> L) -> RustSchemes
    where
        C: Parameters + Clone + JsonSchema + Serialize + DeserializeOwned,
        C: Debug + Send + Sync + 'static,
        L: LawState + 'static,
    {
        let made = move |config: C| {
            config.check()?;
            let complete = config.clone();
            let law = Arc::new(InRust { name, new, config });
            Ok((complete, Made::Law(law)))
        };
        self.and(Kind::Law, name, made)
    }

    fn and<C: Written>(
        mut self,
        kind: Kind,
        name: &'static str,
        made: impl Fn(C) -> Result<(C, Made), Refused> + Send + Sync + 'static,
    ) -> RustSchemes {
        let made = Box::new(made);
        self.0.push((kind, name, Arc::new(Class { name, made })));
        self
    }
}

impl Schemes for RustSchemes {
    fn find(
        &self,
        kind: Kind,
        name: &str,
        _: &str,
    ) -> Result<Option<Arc<dyn SchemeClass>>, NotFound> {
        let mut all = self.0.iter();
        let found = all.find(|(of, known, _)| (*of, *known) == (kind, name));
        Ok(found.map(|(.., class)| class.clone()))
    }
}

/// Makes a component from its parameters. Returns all parameters, including those that follow from
/// other parameters, and the component.
type Make<C> = Box<dyn Fn(C) -> Result<(C, Made), Refused> + Send + Sync>;

/// A component before its parameters, of the type `C`, are set.
struct Class<C> {
    name: &'static str,
    made: Make<C>,
}

impl<C> Debug for Class<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl<C: Written> SchemeClass for Class<C> {
    fn schema(&self) -> Json {
        super::super::schema::of::<C>(self.name)
    }
    fn configure(&self, parameters: Map<String, Json>) -> Result<Configured, Refused> {
        let error = |error: serde_json::Error| Refused {
            key: String::new(),
            why: error.to_string(),
        };
        let config: C = serde_json::from_value(Json::Object(parameters)).map_err(error)?;
        let (complete, made) = (self.made)(config)?;
        let complete = match serde_json::to_value(complete).map_err(error)? {
            Json::Object(complete) => complete,
            _ => Map::new(),
        };
        let complete = complete.into_iter().filter(|(_, value)| !value.is_null());
        Ok(Configured {
            parameters: complete.collect(),
            made,
        })
    }
}

/// A component with its parameters. The function `F` makes the component's state at a port, queue,
/// connection or source.
struct InRust<C, F> {
    name: &'static str,
    new: F,
    config: C,
}

impl<C: Debug, F> Debug for InRust<C, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.name, self.config)
    }
}

impl<C, S> CustomScheme for InRust<C, fn(&C, PortFacts) -> S>
where
    C: SchemeParameters + Debug + Send + Sync,
    S: SwitchControl + Clone + Debug + Send + 'static,
{
    fn name(&self) -> &'static str {
        self.name
    }
    fn build(&self, facts: PortFacts) -> Box<dyn CustomControl> {
        Box::new(Boxed {
            name: self.name,
            scheme: (self.new)(&self.config, facts),
        })
    }
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        self.config.check(facts)
    }
    fn follows_order(&self) -> bool {
        S::FOLLOWS_ORDER
    }
}

impl<C, P> CustomDiscard for InRust<C, fn(&C, usize) -> P>
where
    C: PolicyParameters + Debug + Send + Sync,
    P: DiscardPolicy + Clone + Debug + Send + 'static,
{
    fn name(&self) -> &'static str {
        self.name
    }
    fn build(&self, channels: usize, _: u64) -> Box<dyn discard::CustomPolicy> {
        Box::new(discard::custom::Boxed((self.new)(&self.config, channels)))
    }
    fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        self.config.check(facts)
    }
    fn follows_order(&self) -> bool {
        P::FOLLOWS_ORDER
    }
    fn acts_without_limit(&self) -> bool {
        (self.new)(&self.config, 0).acts_without_limit()
    }
}

impl<C, P> CustomRecovery for InRust<C, fn(&C, &Facts) -> P>
where
    C: Debug + Send + Sync,
    P: RecoveryPolicy + Clone + Debug + Send + 'static,
{
    fn name(&self) -> &'static str {
        self.name
    }
    fn build(&self, facts: &Facts) -> Box<dyn CustomPolicy> {
        Box::new((self.new)(&self.config, facts))
    }
}

impl<C, L> CustomLaw for InRust<C, fn(&C, SourceFacts) -> L>
where
    C: Debug + Send + Sync,
    L: LawState + 'static,
{
    fn name(&self) -> &'static str {
        self.name
    }
    fn build(&self, facts: SourceFacts) -> Box<dyn LawState> {
        Box::new((self.new)(&self.config, facts))
    }
}
