//! Runs a scenario of cellrate with components of its own: `cargo run -- SCENARIO [PATH=VALUE]...`.
//! Each is a module; scenarios name them as they name those that are built in, and their parameters are checked and
//! documented as those of any other.

mod additive_law;
mod buffer_share;
mod equal_share;
mod halving;

use std::process::ExitCode;

use cellrate::run::{Failure, Job};
use cellrate::scenario::custom::RustSchemes;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: rust-scheme SCENARIO [PATH=VALUE]...");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let settings: Vec<String> = arguments.collect();
    let components = RustSchemes::default()
        .with("equal-share", equal_share::EqualShare::new)
        .with_discard("share-of-buffer", buffer_share::new)
        .with_recovery("halving", halving::Halving::new)
        .with_law("additive", additive_law::Additive::new);
    let outcome = Job::with_schemes(&text, &path, &settings, None, &components)
        .map_err(Failure::Refused)
        .and_then(|job| job.run(&mut |_, _| true));
    match outcome {
        Ok(outcome) => println!("{}", outcome.summary),
        Err(Failure::Refused(refusal)) => {
            eprintln!("{refusal}");
            return ExitCode::from(2);
        }
        Err(Failure::Cancelled) => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}
