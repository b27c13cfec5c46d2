//! Steps (transfers) of collective operations, from files.

use std::collections::HashMap;

use cellrate_engine::kernel::Ps;

use super::sizes::Wrong;

/// The steps that a file lists, in the order of its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps(pub Vec<FileStep>);

/// A step: a transfer that begins when the steps that it awaits have ended.
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
    pub after: Vec<usize>,
    /// Time from the end of the last awaited step to the start of this step.
    pub wait: Ps,
}

const HEADING: &str = "step,from,to,size_bytes,after,wait_seconds";

impl Steps {
    /// Reads a table: the heading, then one step on each line. `after` lists earlier steps, separated by spaces.
    /// Empty lines, and lines that begin with `#`, are skipped.
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
    let seconds = if wait.is_empty() {
        Some(0.0)
    } else {
        wait.parse().ok()
    };
    let wait = seconds
        .filter(|seconds| (0.0..=1e6).contains(seconds))
        .ok_or_else(|| format!("`{wait}` is not a time from 0 to 10^6 s"))?;
    let place = |other: &str| {
        let known = places.get(other).copied();
        known.ok_or_else(|| format!("`after` names `{other}`, which is no step of an earlier line"))
    };
    Ok(FileStep {
        line,
        name: name.into(),
        from: from.into(),
        to: to.into(),
        size,
        after: after
            .split_whitespace()
            .map(place)
            .collect::<Result<_, _>>()?,
        wait: Ps::from_secs_f64(wait),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_await_steps_of_earlier_lines() {
        let text = format!("# two steps\n{HEADING}\na, h1, h2, 1000, , \nb,h2,h1,500,a,0.000001\n");
        let steps = Steps::read(&text).unwrap().0;
        let found: Vec<_> = steps
            .iter()
            .map(|one| (one.line, one.size, one.wait.0))
            .collect();
        assert_eq!(found, [(3, 1_000, 0), (4, 500, 1_000_000)]);
        assert_eq!([steps[0].after.len(), steps[1].after[0]], [0, 0]);
        assert_eq!((&*steps[1].from, &*steps[1].to), ("h2", "h1"));
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
