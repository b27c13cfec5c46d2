//! A sender of the engine and its counterpart in another simulator, over every pattern of loss.

use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::{Recovery, TcpConfig};

use super::compare::{Comparison, compare, golden, line, lines};
use super::engine::EngineSender;
use super::pattern::{self, Pattern};
use super::plain::rules::{self, Rule, Rules};
use super::plain::{PlainSender, Start};
use super::trace::{self, Row};
use super::{Connection, Sizes};

/// One sender of the engine and its counterpart in another simulator.
#[derive(Clone, Debug)]
pub struct Variant {
    pub name: &'static str,
    /// Traces of the sender in the other simulator.
    pub data: &'static str,
    /// Settings of both ends in the engine. The timeout is `initial_rto`, and doubles unless
    /// `max_rto` prevents it.
    pub config: TcpConfig,
    pub sizes: Sizes,
    /// Rules by which the other simulator decides.
    pub theirs: Rules,
}

impl Variant {
    /// This variant with other parameters.
    pub fn with(mut self, change: impl FnOnce(&mut TcpConfig)) -> Variant {
        change(&mut self.config);
        self
    }

    fn ours(&self) -> Rules {
        if self.config.restore_snd_nxt {
            Rules::OURS
        } else {
            Rules::OURS.without(Rule::GoesOn)
        }
    }

    fn plain(&self, rules: Rules) -> PlainSender {
        let TcpConfig {
            recovery,
            mss,
            window,
            initial_window: cwnd,
            initial_rto: rto,
            max_rto,
            ..
        } = self.config.clone();
        let (mss, window) = (mss.0, window.0 / mss.0);
        PlainSender::new(Start {
            recovery,
            rules,
            mss,
            cwnd,
            window,
            rto,
            doubles: max_rto > rto,
        })
    }

    /// The run of `pattern` in the engine, and its comparison with the other simulator.
    pub fn compare(&self, pattern: &Pattern) -> (Vec<Row>, Comparison) {
        let theirs = trace::of(self.data, &pattern.name);
        assert!(
            theirs.len() > 20,
            "{}: no trace of {}",
            self.name,
            pattern.name
        );
        let (config, end) = (&self.config, Ps::from_us(theirs[theirs.len() - 1].time_us));
        let ours = Connection::new(EngineSender::new(config), config, self.sizes, pattern)
            .run(end)
            .rows;
        let name = format!("{} {}", self.name, pattern.name);
        let found = compare(&name, &ours, &theirs, [self.ours(), self.theirs], |rules| {
            Connection::new(self.plain(rules), config, self.sizes, pattern)
                .run(end)
                .rows
        });
        (ours, found)
    }
}

/// Settings with a timeout of one second that never changes and a clock on whose ticks all events
/// of the line are.
///
/// `window` is in packets.
pub fn fixed_timeout(recovery: Recovery, mss: u64, window: u64) -> TcpConfig {
    let second = Ps::from_s(1);
    TcpConfig {
        recovery,
        mss: Bytes(mss),
        window: Bytes(window * mss),
        initial_window: 1,
        granularity: Ps::from_us(1),
        initial_rto: second,
        min_rto: second,
        max_rto: second,
        delayed_ack: false,
        ..TcpConfig::default()
    }
}

/// Checks that every event of every run is that of the simulator that decides by `theirs`, or has a
/// reason. The table `differences.csv` of `directory` states how far each run agrees, and the
/// reasons. The engine's events from the first difference on are in `ours.csv`.
pub fn compare_all(directory: &str, theirs: Rules, variants: &[Variant]) {
    let mut table = String::from("variant,pattern,events,equal,first,reasons\n");
    let mut rest = String::from("pattern,time_us,ack,cwnd,sent\n");
    let mut seen = Vec::new();
    for variant in variants {
        for pattern in pattern::all() {
            let (ours, found) = variant.compare(&pattern);
            // A run has reasons if and only if it differs.
            assert_eq!(
                found.equal < found.events,
                !found.reasons.is_empty(),
                "{} {}",
                variant.name,
                pattern.name
            );
            assert_eq!(
                found.equal < found.events,
                !found.first.is_empty(),
                "{} {}",
                variant.name,
                pattern.name
            );
            seen.extend(found.reasons.iter().copied());
            table += &line(variant.name, &pattern.name, &found);
            rest += &lines(
                &format!("{}/{}", variant.name, pattern.name),
                &ours[found.equal.min(ours.len())..],
            );
        }
    }
    let otherwise = |rule: &&Rule| !theirs.has(**rule);
    assert!(
        rules::ALL
            .iter()
            .filter(otherwise)
            .all(|rule| seen.contains(rule)),
        "a rule explains nothing"
    );
    golden(&format!("{directory}/differences.csv"), &table);
    golden(&format!("{directory}/ours.csv"), &rest);
}
