//! Checks of a study for settings that contradict each other.

use std::collections::BTreeSet;

use super::levels::Levels;
use super::types::{Design, Replications, Study, WarmUp};
use crate::scenario::problem::{Place, Problem, place};

/// Reports all problems of a study that has been read, except those that only become known with its
/// scenario.
pub fn check(study: &Study) -> Vec<Problem> {
    let mut problems = Vec::new();
    base(study, &mut problems);
    names(study, &mut problems);
    ranges(study, &mut problems);
    pairs(study, &mut problems);
    replications(&study.replications, study, &mut problems);
    study
        .warm_up
        .iter()
        .for_each(|warm_up| self::warm_up(warm_up, &mut problems));
    problems
}

fn base(study: &Study, problems: &mut Vec<Problem>) {
    let help = "set either `scenario = \"my.toml\"`, a file beside this one, or `template = \"n-source\"`, one of `cellrate list templates`";
    match (&study.scenario, &study.template) {
        (None, None) => problems.push(Problem::error(
            place![],
            "the study has neither `scenario` nor `template`",
            help,
        )),
        (Some(_), Some(_)) => {
            problems.push(Problem::error(
                place!["template"],
                "the study has both `scenario` and `template`",
                help,
            ));
        }
        _ => {}
    }
    if study
        .name
        .as_deref()
        .is_some_and(|name| !is_file_name(name))
    {
        let help = "allowed: letters, digits, `-`, `_` and `.`, but no `.` at the beginning: the name is that of a directory";
        problems.push(Problem::error(
            place!["name"],
            "a study cannot have this name",
            help,
        ));
    }
}

fn is_file_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && name.len() <= 100 && name.chars().all(plain) && !name.starts_with('.')
}

/// The name of every factor and derived parameter, with its place in the study.
fn varied<'s>(study: &'s Study) -> Vec<(&'s str, Place)> {
    let factors = study
        .factors
        .keys()
        .map(|name| (name.as_str(), place!["factors", name.as_str()]));
    let pairs = study.paired.iter().enumerate();
    let paired = pairs.flat_map(|(i, table)| {
        table
            .keys()
            .map(move |name| (name.as_str(), place!["paired", i, name.as_str()]))
    });
    let named =
        |(key, name): (&'static str, &'s String)| (name.as_str(), place![key, name.as_str()]);
    let alternatives = study.alternatives.keys().map(|name| ("alternatives", name));
    let derived = study.derived.keys().map(|name| ("derived", name));
    let more = alternatives.chain(derived).map(named);
    factors.chain(paired).chain(more).collect()
}

fn names(study: &Study, problems: &mut Vec<Problem>) {
    let mut seen = BTreeSet::new();
    for (name, at) in varied(study) {
        if name == "run.seed" {
            let help = "`seed` of the study is that of the first replication; `[replications]` sets their number";
            problems.push(Problem::error(at, "`run.seed` cannot be a factor", help));
        } else if !seen.insert(name) {
            problems.push(Problem::error(
                at,
                format!("`{name}` is set twice"),
                "set it once: as a factor, paired or derived",
            ));
        }
    }
    for (name, values) in &study.alternatives {
        if values.is_empty() {
            problems.push(Problem::error(
                place!["alternatives", name.as_str()],
                format!("`{name}` has no values"),
                "a value is a name with settings, such as `pfc = [\"pfc={}\"]`",
            ));
        }
    }
}

fn ranges(study: &Study, problems: &mut Vec<Problem>) {
    let grid = study.design == Design::Grid;
    for (name, levels) in &study.factors {
        match levels {
            Levels::Range(range) if grid && range.count.is_none() => {
                let help = "set `count = 5`, for example, or choose a space-filling `[design]`";
                problems.push(Problem::error(
                    place!["factors", name.as_str()],
                    format!("`{name}` has no `count`: a grid needs the number of its values"),
                    help,
                ));
            }
            Levels::Range(range) if !grid && range.count.is_some() => {
                let help =
                    "a space-filling design has `points`, and takes any value between the ends";
                problems.push(Problem::error(
                    place!["factors", name.as_str(), "count"],
                    "`count` has no effect in this design",
                    help,
                ));
            }
            _ => {}
        }
    }
}

fn pairs(study: &Study, problems: &mut Vec<Problem>) {
    for (i, table) in study.paired.iter().enumerate() {
        let mut length = None;
        for (name, levels) in table {
            let at = place!["paired", i, name.as_str()];
            match levels {
                Levels::Range(range) if range.count.is_none() => {
                    problems.push(Problem::error(
                        at,
                        format!("`{name}` has no `count`"),
                        "paired factors need equally many values",
                    ));
                }
                levels => {
                    let count = count(levels);
                    let others = *length.get_or_insert(count);
                    if others != count {
                        let message = format!(
                            "`{name}` has {count} values, but another factor of this table has {others}"
                        );
                        problems.push(Problem::error(
                            at,
                            message,
                            "paired factors need equally many values: they vary row by row",
                        ));
                    }
                }
            }
        }
    }
}

fn count(levels: &Levels) -> usize {
    match levels {
        Levels::List(values) => values.len(),
        Levels::Range(range) => range.count.unwrap_or(0) as usize,
    }
}

fn replications(asked: &Replications, study: &Study, problems: &mut Vec<Problem>) {
    let mut refuse = |key: &str, message: String, help: &str| {
        problems.push(Problem::error(place!["replications", key], message, help));
    };
    if !(asked.level > 0.0 && asked.level < 1.0) {
        refuse(
            "level",
            format!("`level` cannot be {}", asked.level),
            "allowed: above 0 and below 1, such as 0.95",
        );
    }
    match &asked.until {
        Some(_) if asked.count.is_some() => {
            refuse(
                "count",
                "`count` and `until` cannot be combined".into(),
                "with `until`, set `least` and `most` instead of `count`",
            );
        }
        Some(until) => {
            let names: Vec<&str> = study.measures.keys().map(String::as_str).collect();
            if !names.contains(&until.measure.as_str()) {
                refuse(
                    "until",
                    format!("no measure is called `{}`", until.measure),
                    "name the measure in `[measures]`",
                );
            }
        }
        None => {
            for (key, value) in [("least", asked.least), ("most", asked.most)] {
                if value.is_some() {
                    refuse(
                        key,
                        format!("`{key}` has no effect without `until`"),
                        "set `count` instead, or add `until`",
                    );
                }
            }
        }
    }
    if asked.least.unwrap_or(10) > asked.most.unwrap_or(100) {
        refuse(
            "most",
            "`most` is below `least`".into(),
            "the defaults are `least = 10` and `most = 100`",
        );
    }
}

fn warm_up(warm_up: &WarmUp, problems: &mut Vec<Problem>) {
    let help = "set `from = \"1 s\"` or `rule = \"mser-5\"`";
    let message = match (warm_up.from, warm_up.rule, warm_up.trace) {
        (None, None, _) => "`warm_up` has neither `from` nor `rule`",
        (Some(_), Some(_), _) => "`warm_up` has both `from` and `rule`",
        (Some(_), None, Some(_)) => "`trace` has no effect without `rule`",
        _ => return,
    };
    problems.push(Problem::error(place!["warm_up"], message, help));
}
