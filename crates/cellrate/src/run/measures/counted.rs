//! Statistics of control schemes: measures whose keys depend on the scheme that counts them.

use cellrate_engine::component::Component;
use cellrate_engine::ether::statistics as over_ethernet;
use cellrate_engine::{control, credit};

use super::Measure;

/// A statistic that one scheme, policy or other component counts.
struct One {
    component: Component,
    name: String,
    unit: String,
    about: &'static str,
}

/// Statistics of ports over ATM. Each name occurs once, with the schemes that count it.
pub(super) fn over_atm() -> Vec<Measure> {
    let credit = (credit::SCHEMES[0], credit::STATISTICS);
    let counted = control::statistics().into_iter().map(|(_, all)| all);
    let schemes = control::schemes().iter().copied().zip(counted);
    let all = schemes.chain([credit]).flat_map(|(component, counted)| {
        counted.iter().map(move |one| One {
            component,
            name: one.name.into(),
            unit: one.unit.into(),
            about: one.about,
        })
    });
    merged(all)
}

/// Statistics of ports over Ethernet. Each name occurs once, with the components that count it.
pub(super) fn over_ethernet() -> Vec<Measure> {
    let all = over_ethernet::statistics().into_iter();
    merged(all.flat_map(|(component, counted)| {
        counted.into_iter().map(move |one| One {
            component,
            name: one.name,
            unit: one.unit,
            about: one.about,
        })
    }))
}

fn merged(all: impl Iterator<Item = One>) -> Vec<Measure> {
    let mut found: Vec<Counted> = Vec::new();
    for one in all {
        match found.iter_mut().find(|known| known.name == one.name) {
            Some(known) => known.add(&one),
            None => found.push(Counted::new(one)),
        }
    }
    found.into_iter().map(Counted::measure).collect()
}

/// A statistic of one or several schemes: each of its meanings with the schemes that use it, and
/// the publications of these schemes.
struct Counted {
    name: String,
    unit: String,
    meanings: Vec<(&'static str, Vec<&'static str>)>,
    sources: Vec<&'static str>,
}

impl Counted {
    fn new(one: One) -> Counted {
        Counted {
            meanings: Vec::from([(one.about, Vec::from([one.component.name]))]),
            sources: Vec::from([one.component.source]),
            name: one.name,
            unit: one.unit,
        }
    }

    fn add(&mut self, one: &One) {
        let (scheme, source) = (one.component.name, one.component.source);
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
            Some((_, schemes)) => schemes.push(scheme),
            None => self.meanings.push((one.about, Vec::from([scheme]))),
        }
        if !self.sources.contains(&source) {
            self.sources.push(source);
        }
    }

    fn measure(self) -> Measure {
        let meanings = self
            .meanings
            .iter()
            .map(|(about, schemes)| format!("{about} ({})", schemes.join(", ")));
        Measure {
            key: self.name,
            kind: "number",
            definition: format!("{}.", meanings.collect::<Vec<_>>().join("; ")),
            unit: self.unit,
            formula: String::new(),
            source: self.sources.join("; "),
            better: String::new(),
            greatest: None,
        }
    }
}
