//! Overrides of a scenario, as for `--set`.

use cellrate::scenario::{Checked, Refusal, Scenario, template};

use super::scenario;

/// A scenario and its overrides.
pub struct Overridden {
    pub text: &'static str,
    pub overrides: Vec<String>,
    pub read: Result<Checked, Refusal>,
}

/// Reads an input: the first line is the name of a template, each other one an override.
pub fn read(data: &[u8]) -> Option<Overridden> {
    let mut lines = std::str::from_utf8(data).ok()?.lines();
    let text = template(lines.next()?)?;
    let overrides: Vec<String> = lines.map(str::to_owned).collect();
    let read = Scenario::parse(text, scenario::PATH, &overrides, None);
    Some(Overridden {
        text,
        overrides,
        read,
    })
}

/// See [`read`].
pub fn check(data: &[u8]) {
    let Some(Overridden {
        text,
        overrides,
        read,
    }) = read(data)
    else {
        return;
    };
    match read {
        Ok(checked) => drop(scenario::accepted(&checked)),
        Err(refusal) => {
            let overrides = overrides.iter().map(String::as_str);
            scenario::refused(
                &refusal,
                &[text].into_iter().chain(overrides).collect::<Vec<_>>(),
            );
        }
    }
}
