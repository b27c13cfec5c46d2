//! Steps (transfers) of collective operations, from files.

use std::collections::HashMap;

use cellrate_engine::ether::plan::Awaited;
use cellrate_engine::kernel::Ps;

use super::sizes::Wrong;

/// The steps that a file lists, in the order of its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps(pub Vec<FileStep>);

/// A step: a transfer that begins a time after the end of each step that it awaits.
#[derive(Clone, Debug, PartialEq)]
pub struct FileStep {
    /// Line of the file, from 1.
    pub line: usize,
    /// Unique name.
    pub name: String,
    /// Host that sends.
    pub from: String,
    /// Host that receives.
    pub to: String,
    /// Number of bytes that the transfer sends.
    pub size: u64,
    /// Steps that this step awaits, as indices among the steps of the file.
    pub after: Vec<Awaited>,
    /// Least time from the start of the group to the begin of this step.
    pub delay: Ps,
}

/// The name in `after` of the start of the group, unless a step has this name.
const START: &str = "start";
const HEADING: &str = "step,from,to,size_bytes,after,wait_seconds";

impl Steps {
    /// Reads a table: the heading, then one step on each line. `after` lists earlier steps or `start`, separated by
    /// spaces, and `wait_seconds` has one time for all of these, or one for each. Empty lines, and lines that begin with `#`, are skipped.
    ///
    /// # Errors
    /// The number of the first faulty line, and its fault.
    pub fn read(text: &str) -> Result<Steps, Wrong> {
        let mut lines = (1..)
            .zip(text.lines().map(str::trim))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let heading = lines.next();
        if heading.is_none_or(|(_, line)| line != HEADING) {
            let line = heading.map_or(1, |(number, _)| number);
            return Err((line, format!("the heading must be `{HEADING}`")));
        }
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut steps = Vec::new();
        for (number, line) in lines {
            let step = step(number, line, &places).map_err(|message| (number, message))?;
            if places.insert(step.name.clone(), steps.len()).is_some() {
                return Err((
                    number,
                    format!("step `{}` stands twice in the file", step.name),
                ));
            }
            steps.push(step);
        }
        if steps.is_empty() {
            return Err((1, "the file has no step".into()));
        }
        Ok(Steps(steps))
    }
}

fn step(line: usize, text: &str, places: &HashMap<String, usize>) -> Result<FileStep, String> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [name, from, to, size, after, wait] = fields[..] else {
        return Err(format!("{} fields; there are six: {HEADING}", fields.len()));
    };
    let size: u64 = size
        .parse()
        .ok()
        .filter(|size| (1..=1_000_000_000_000_000).contains(size))
        .ok_or_else(|| format!("`{size}` is not a whole number of bytes from 1 to 10^15"))?;
    let names: Vec<&str> = after.split_whitespace().collect();
    let waits = wait.split_whitespace().map(time);
    let waits = waits.collect::<Result<Vec<_>, _>>()?;
    if waits.len() > 1 && waits.len() != names.len() {
        let (waits, names) = (waits.len(), names.len());
        return Err(format!(
            "{waits} times in `wait_seconds`, but {names} in `after`; allowed: one time for all names, or one for each"
        ));
    }
    let every = waits.first().copied().unwrap_or_default();
    let wait = |at: usize| waits.get(at).copied().unwrap_or(every);
    let mut delay = if names.is_empty() { every } else { Ps::ZERO };
    let mut awaited = Vec::with_capacity(names.len());
    for (at, other) in names.into_iter().enumerate() {
        let wait = wait(at);
        match places.get(other) {
            Some(&flow) => awaited.push(Awaited { flow, wait }),
            None if other == START => delay = delay.max(wait),
            None => {
                return Err(format!(
                    "`after` names `{other}`, which is no step of an earlier line"
                ));
            }
        }
    }
    Ok(FileStep {
        line,
        name: name.into(),
        from: from.into(),
        to: to.into(),
        size,
        after: awaited,
        delay,
    })
}

fn time(text: &str) -> Result<Ps, String> {
    let seconds = text.parse().ok();
    let seconds = seconds.filter(|seconds| (0.0..=1e6).contains(seconds));
    let seconds = seconds.ok_or_else(|| format!("`{text}` is not a time from 0 to 10^6 s"))?;
    Ok(Ps::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_await_steps_of_earlier_lines() {
        let text = format!("# two steps\n{HEADING}\na, h1, h2, 1000, , \nb,h2,h1,500,a,0.000001\n");
        let steps = Steps::read(&text).unwrap().0;
        let found: Vec<_> = steps.iter().map(|one| (one.line, one.size)).collect();
        assert_eq!(found, [(3, 1_000), (4, 500)]);
        let awaited = |flow, wait| Awaited {
            flow,
            wait: Ps(wait),
        };
        let us = 1_000_000;
        assert_eq!(steps[0].after, []);
        assert_eq!(steps[1].after, [awaited(0, us)]);
        assert_eq!((&*steps[1].from, &*steps[1].to), ("h2", "h1"));

        // One time for all names, and one for each; `start` is no step.
        let more = "c,h1,h2,9,b a,2e-6\nd,h1,h2,9,a start b,1e-6 5e-6 0\ne,h1,h2,9,,3e-6\n";
        let steps = Steps::read(&format!("{text}{more}")).unwrap().0;
        assert_eq!(steps[2].after, [awaited(1, 2 * us), awaited(0, 2 * us)]);
        assert_eq!(steps[3].after, [awaited(0, us), awaited(1, 0)]);
        let delays: Vec<u64> = steps.iter().map(|one| one.delay.0).collect();
        assert_eq!(delays, [0, 0, 0, 5 * us, 3 * us]);
    }

    #[test]
    fn faults_have_their_lines() {
        for (rows, line, message) in [
            ("", 1, "no step"),
            ("a,h1,h2,10", 2, "4 fields"),
            ("a,h1,h2,0,,", 2, "from 1 to 10^15"),
            ("a,h1,h2,9,,-1", 2, "from 0 to 10^6 s"),
            ("a,h1,h2,9,b,", 2, "no step of an earlier line"),
            ("a,h1,h2,9,a,", 2, "no step of an earlier line"),
            (
                "a,h1,h2,9,,\nb,h1,h2,9,a,1 2",
                3,
                "2 times in `wait_seconds`, but 1 in `after`",
            ),
            ("a,h1,h2,9,,\na,h2,h1,9,,", 3, "twice"),
        ] {
            let (found, told) = Steps::read(&format!("{HEADING}\n{rows}")).unwrap_err();
            assert!(
                found == line && told.contains(message),
                "{rows}: {found} {told}"
            );
        }
        assert_eq!(Steps::read("a,b").unwrap_err().0, 1);
    }
}
