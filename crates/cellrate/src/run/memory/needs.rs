//! Kinds of memory use, and their amounts in words.

use crate::run::amounts::{grouped, size};

/// A use of memory in a run, as the bound on the memory of the run counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Cells on links.
    Links,
    /// Data that TCP has outstanding.
    Windows,
    /// Cells of sources without TCP in queues.
    Queues,
    /// Out-of-rate RM cells of sources in queues.
    Probes,
    /// Flows and the ports that they cross.
    Flows,
    /// Points of traces.
    Traces,
    /// The event log.
    Events,
}

impl Need {
    /// All kinds of memory use.
    pub const ALL: [Need; 7] = [
        Need::Links,
        Need::Windows,
        Need::Queues,
        Need::Probes,
        Need::Flows,
        Need::Traces,
        Need::Events,
    ];

    /// Name of the need in results.
    pub fn name(self) -> &'static str {
        match self {
            Need::Links => "links",
            Need::Windows => "windows",
            Need::Queues => "queues",
            Need::Probes => "probes",
            Need::Flows => "flows",
            Need::Traces => "traces",
            Need::Events => "events",
        }
    }
    /// The words that follow the number of items in a sentence, such as "cells on links".
    pub fn of_what(self) -> &'static str {
        match self {
            Need::Links => "cells on links",
            Need::Windows => "cells in TCP's windows",
            Need::Queues => "cells of other sources in queues",
            Need::Probes => "RM cells out of rate in queues",
            Need::Flows => "flows with the ports on their way",
            Need::Traces => "traces",
            Need::Events => "events",
        }
    }
    /// The scenario keys on which this need depends.
    pub fn key(self) -> &'static [&'static str] {
        match self {
            Need::Links => &["topology"],
            Need::Windows => &["tcp", "window"],
            Need::Queues => &["switch", "buffer"],
            Need::Probes => &["abr", "tcr"],
            Need::Flows => &["flow"],
            Need::Traces => &["measure", "trace_points"],
            Need::Events => &["measure", "event_limit"],
        }
    }
    /// Advice how to reduce this need.
    pub fn less(self) -> &'static str {
        match self {
            Need::Links => "shorter or slower links hold fewer cells",
            Need::Windows => {
                "smaller windows, fewer flows or a shorter run keep fewer bytes outstanding"
            }
            Need::Queues => "a finite buffer, slower sources or a shorter run let fewer cells wait",
            Need::Probes => {
                "a lower tcr, such as the 10 cells/s of TM 4.0, sends fewer RM cells out of rate"
            }
            Need::Flows => "fewer flows need less",
            Need::Traces => "fewer traces or trace_points need less",
            Need::Events => "a smaller event_limit needs less",
        }
    }
}

/// The memory that one kind of use takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The kind of use.
    pub need: Need,
    /// Number of items: cells, flows, traces or events.
    pub amount: u64,
    /// Bytes that these items take together.
    pub bytes: u64,
}

impl Share {
    /// The bytes, the number of items and their kind as words of a sentence.
    pub fn told(&self) -> String {
        format!(
            "{} for {} {}",
            size(self.bytes),
            grouped(self.amount),
            self.need.of_what()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_names_a_key_and_what_would_need_less() {
        let told = Need::ALL.map(|need| {
            let amount = Share {
                need,
                amount: 12_345,
                bytes: 3 << 20,
            };
            format!(
                "{}: {}; {}",
                need.key().join("."),
                amount.told(),
                need.less()
            )
        });
        insta::assert_snapshot!(told.join("\n"));
    }
}
