//! Statistics of control schemes: measures whose keys depend on the scheme.

use cellrate_engine::component::{Component, Statistic};
use cellrate_engine::{control, credit};

use super::Measure;

/// Statistics of the control schemes, each name once, with the schemes that count it.
pub(super) fn statistics(prefix: &str) -> Vec<Measure> {
    let credit = (&credit::SCHEMES[0], credit::STATISTICS);
    let schemes = control::schemes().iter().zip(
        control::statistics()
            .into_iter()
            .map(|(_, counted)| counted),
    );
    let mut found: Vec<Counted> = Vec::new();
    for (scheme, counted) in schemes.chain([credit]) {
        for one in counted {
            match found.iter_mut().find(|known| known.name == one.name) {
                Some(known) => known.add(scheme, one),
                None => found.push(Counted::new(scheme, one)),
            }
        }
    }
    found.into_iter().map(|one| one.measure(prefix)).collect()
}

/// A statistic of one or several schemes: its meanings, each with the schemes that use it, and the
/// sources of these schemes.
struct Counted {
    name: &'static str,
    unit: &'static str,
    meanings: Vec<(&'static str, Vec<&'static str>)>,
    sources: Vec<&'static str>,
}

impl Counted {
    fn new(scheme: &Component, one: &Statistic) -> Counted {
        let meanings = Vec::from([(one.about, Vec::from([scheme.name]))]);
        Counted {
            name: one.name,
            unit: one.unit,
            meanings,
            sources: Vec::from([scheme.source]),
        }
    }

    fn add(&mut self, scheme: &Component, one: &Statistic) {
        assert_eq!(
            self.unit, one.unit,
            "{} has one unit wherever it is counted",
            self.name
        );
        match self
            .meanings
            .iter_mut()
            .find(|(about, _)| *about == one.about)
        {
            Some((_, schemes)) => schemes.push(scheme.name),
            None => self.meanings.push((one.about, Vec::from([scheme.name]))),
        }
        if !self.sources.contains(&scheme.source) {
            self.sources.push(scheme.source);
        }
    }

    fn measure(self, prefix: &str) -> Measure {
        let meanings = self
            .meanings
            .iter()
            .map(|(about, schemes)| format!("{about} ({})", schemes.join(", ")));
        Measure {
            key: format!("{prefix}{}", self.name),
            kind: "number",
            definition: format!("{}.", meanings.collect::<Vec<_>>().join("; ")),
            unit: self.unit.into(),
            formula: String::new(),
            source: self.sources.join("; "),
            better: String::new(),
            greatest: None,
        }
    }
}
