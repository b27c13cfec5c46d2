//! Questions of the page and their answers.

use cellrate::ethernet::{self, Job, is_ethernet};
use cellrate::run::{self, VERSION, estimate_of, key};
use cellrate::scenario::{self, Diagnostic, Refusal, Scenario, describe, resolve};
use cellrate_engine::kernel::Ps;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::atm::PLACES;
use crate::curves::Curves;
use crate::picture::picture;
use crate::shown::{Live, Shown};
use crate::watched::{MOST_FLOWS, Watched};

/// Largest memory that a run may need. A page has 4 GB, and copies of the state need some of it.
const MOST_BYTES: u64 = 3_500_000_000;

/// A request of the lab's page to the engine.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    /// Returns schemas, templates and version, from which the page is built.
    About,
    /// Reads a scenario with overrides, and prepares its run, which becomes the present run.
    Open {
        /// Text of the scenario.
        text: String,
        /// Name of the file of the scenario, for messages.
        name: String,
        /// Overrides of the form `path=value`.
        set: Vec<String>,
    },
    /// Continues the present run.
    Advance {
        /// Number of readings of the curves to be taken.
        readings: u64,
    },
    /// Returns the curves of a span, from the readings taken so far.
    Curves {
        /// Start of the span in seconds.
        from: f64,
        /// End of the span in seconds.
        to: f64,
        /// Number of parts into which the span is divided.
        pixels: usize,
    },
    /// Returns the curves of a span from new readings: the span is simulated again and read once
    /// for each part.
    Detail {
        /// Start of the span in seconds.
        from: f64,
        /// End of the span in seconds.
        to: f64,
        /// Number of parts into which the span is divided.
        pixels: usize,
    },
    /// Returns the state of the network at an instant.
    Picture {
        /// The instant in seconds.
        at: f64,
    },
    /// Returns losses, timeouts and retransmissions so far.
    Events,
    /// Returns the summary of the finished run.
    Summary {
        /// Computing time that the run took, in seconds.
        wall_seconds: f64,
    },
    /// Returns the present scenario with every default written out.
    Resolved,
}

/// An answer: JSON, and numbers as bytes, because long lists of numbers would be slow as JSON.
#[derive(Debug, Default, PartialEq)]
pub struct Answer {
    /// One JSON object. If the question cannot be answered, the key `error` has the reason.
    pub json: String,
    /// Numbers in little-endian order; the kind of question decides their meaning.
    pub numbers: Vec<u8>,
}

/// The state that is kept between two questions.
#[derive(Default)]
pub struct Lab {
    run: Option<Open>,
}

/// The run of an open scenario.
struct Open {
    /// The scenario with every default written out.
    resolved: String,
    run: Run,
}

/// A watched run, over ATM or Ethernet.
enum Run {
    Atm(Box<Watched<run::Live>>),
    Ethernet(Box<Watched<ethernet::Live>>),
}

impl Lab {
    /// Answers a question in JSON, see [`Question`].
    pub fn answer(&mut self, question: &[u8]) -> Answer {
        match serde_json::from_slice(question) {
            Ok(question) => self.answered(question),
            Err(error) => refused(format!("the question cannot be read: {error}")),
        }
    }

    fn answered(&mut self, question: Question) -> Answer {
        match (question, &mut self.run) {
            (Question::About, _) => plain(about()),
            (Question::Open { text, name, set }, _) => {
                self.run = None;
                let opened = if is_ethernet(&text, &set) {
                    open_ethernet(&text, &name, &set)
                } else {
                    open_atm(&text, &name, &set)
                };
                opened.map_or_else(plain, |(open, answer)| {
                    self.run = Some(open);
                    plain(answer)
                })
            }
            (_, None) => refused("no scenario is open".into()),
            (Question::Resolved, Some(open)) => plain(json!({"text": open.resolved})),
            (question, Some(open)) => match &mut open.run {
                Run::Atm(run) => of_run(run, question),
                Run::Ethernet(run) => of_run(run, question),
            },
        }
    }
}

/// Opens a scenario over ATM. The error is the answer with the reason of the refusal.
fn open_atm(text: &str, name: &str, set: &[String]) -> Result<(Open, Value), Value> {
    let checked = Scenario::parse(text, name, set, None).map_err(|refusal| told(&refusal))?;
    let bytes = estimate_of(&checked).memory_bytes;
    if bytes > MOST_BYTES {
        return Err(too_much(bytes));
    }
    let resolved = resolve(checked.scenario());
    let live = run::Live::new(&checked).map_err(|error| json!({"error": error.to_string()}))?;
    let mut run = Watched::new(live, checked.scenario().run.duration);
    let given = Given {
        network: value(describe(&checked)),
        scenario: value(checked.scenario()),
        places: PLACES,
        warnings: checked.warnings(),
        key: key(&resolved),
    };
    let answer = opened(&mut run, given);
    let run = Run::Atm(Box::new(run));
    Ok((Open { resolved, run }, answer))
}

/// Opens a scenario over Ethernet. The error is the answer with the reason of the refusal.
fn open_ethernet(text: &str, name: &str, set: &[String]) -> Result<(Open, Value), Value> {
    let job = Job::new(text, name, set, None).map_err(|refusal| told(&refusal))?;
    job.refuse_joined().map_err(|refusal| told(&refusal))?;
    let mut run = Watched::new(ethernet::Live::new(&job), job.scenario().run.duration);
    let given = Given {
        network: job.network(),
        scenario: value(job.scenario()),
        places: 0,
        warnings: job.warnings(),
        key: job.key(),
    };
    let answer = opened(&mut run, given);
    let resolved = job.resolved().into();
    let run = Run::Ethernet(Box::new(run));
    Ok((Open { resolved, run }, answer))
}

/// Those fields of an answer that follow from the scenario, not from its run.
struct Given<'a> {
    network: Value,
    scenario: Value,
    /// Number of places in which a picture shows the cells of a link; 0 over Ethernet, where each
    /// frame states its position.
    places: usize,
    warnings: &'a [Diagnostic],
    key: String,
}

fn opened<L: Live>(run: &mut Watched<L>, given: Given<'_>) -> Value {
    json!({
        "network": given.network,
        "scenario": given.scenario,
        "tracks": run.curves().tracks(),
        "most_flows": MOST_FLOWS,
        "places": given.places,
        "ports": run.simulation().links_of_ports(),
        "warnings": given.warnings,
        "key": given.key,
    })
}

fn too_much(bytes: u64) -> Value {
    let message = format!(
        "the run may need {:.1} GB of memory, and a page has {:.1} GB: make it shorter, or run it by \
         `cellrate run`",
        bytes as f64 / 1e9,
        MOST_BYTES as f64 / 1e9
    );
    json!({"error": message})
}

fn of_run<L: Live>(run: &mut Watched<L>, question: Question) -> Answer {
    match question {
        Question::Advance { readings } => {
            let ended = run.advance(readings);
            if run.is_too_large() {
                return refused(format!(
                    "queues and links hold {:.1} GB at {}, the most that a page has for them: set a \
                     finite buffer, or let sources send less",
                    run.simulation().stored() as f64 / 1e9,
                    run.now(),
                ));
            }
            plain(json!({"now": run.now().as_secs_f64(), "ended": ended}))
        }
        Question::Curves { from, to, pixels } => {
            let span = span(from, to);
            numbers(run.curves(), span, pixels)
        }
        Question::Detail { from, to, pixels } => {
            let span = span(from, to);
            let curves = run.detail(span.0, span.1, pixels as u64);
            numbers(&curves, span, pixels)
        }
        Question::Picture { at } => {
            let at = Ps::from_secs_f64(at).min(run.now());
            let (picture, places) = picture(run.at(at));
            Answer {
                json: value(picture).to_string(),
                numbers: places,
            }
        }
        Question::Events => {
            let (events, omitted) = run.events();
            plain(json!({
                "seconds": events.time_seconds,
                "kind": events.kind,
                "vc": events.vc,
                "port": events.port,
                "cause": events.cause,
                "omitted": omitted,
            }))
        }
        Question::Summary { wall_seconds } => Answer {
            json: run.summary(wall_seconds),
            numbers: Vec::new(),
        },
        Question::About | Question::Open { .. } | Question::Resolved => {
            refused("this asks for no run".into())
        }
    }
}

fn about() -> Value {
    let templates: Vec<Value> = scenario::templates::TEMPLATES
        .iter()
        .chain(ethernet::templates::TEMPLATES)
        .filter(|(name, ..)| *name != ethernet::templates::JOINED)
        .map(|(name, about, text)| json!({"name": name, "about": about, "text": text}))
        .collect();
    json!({
        "version": VERSION,
        "schemas": {"atm": scenario::schema(), "ethernet": ethernet::schema()},
        "templates": templates,
    })
}

fn span(from: f64, to: f64) -> (Ps, Ps) {
    (Ps::from_secs_f64(from), Ps::from_secs_f64(to))
}

fn numbers(curves: &Curves, (from, to): (Ps, Ps), pixels: usize) -> Answer {
    let values = curves.thinned(from, to, pixels.max(1));
    Answer {
        json: json!({"from": from.as_secs_f64(), "to": to.as_secs_f64(), "pixels": pixels})
            .to_string(),
        numbers: values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    }
}

fn plain(json: Value) -> Answer {
    Answer {
        json: json.to_string(),
        numbers: Vec::new(),
    }
}

fn refused(message: String) -> Answer {
    plain(json!({"error": message}))
}

fn told(refusal: &Refusal) -> Value {
    json!({"error": refusal.rendered, "diagnostics": refusal.diagnostics})
}

fn value(of: impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}
