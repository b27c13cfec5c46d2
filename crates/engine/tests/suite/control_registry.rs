//! The registry contains every control scheme under its name.

use cellrate_engine::component::Component;
use cellrate_engine::control::{ControlConfig, SwitchFacts, schemes};
use serde_json::json;

#[test]
fn the_registry_builds_every_scheme_by_its_name() {
    for Component {
        name,
        about,
        source,
    } in schemes()
    {
        let config: ControlConfig = serde_json::from_value(json!({ "scheme": name })).unwrap();
        assert_eq!(config.name(), *name);
        assert_eq!(config.check(SwitchFacts::ANY), []);
        assert_eq!(
            serde_json::from_value::<ControlConfig>(serde_json::to_value(&config).unwrap())
                .unwrap(),
            config
        );
        assert!(!about.is_empty() && !source.is_empty());
    }
    assert_eq!(ControlConfig::default().name(), "none");
}
