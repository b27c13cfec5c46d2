//! ECN at the receiver: reports of marked data by the ECN-Echo flag.

/// State of the reports of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Echo {
    /// From a mark on until CWR arrives (RFC 3168 section 6.1.3).
    UntilCwr {
        /// No CWR has come since the last mark.
        latched: bool,
        /// Data not acknowledged yet were marked: their acknowledgement reports it, whether or not
        /// CWR has come since.
        pending: bool,
    },
    /// Each acknowledgement covers data that were all marked, or data of which none was (RFC 8257
    /// section 3.2). CWR has no effect.
    Each {
        /// DCTCP.CE: the last segment was marked.
        ce: bool,
        /// Acknowledgement number and ECN-Echo of the data before a change of `ce`, while that
        /// acknowledgement is due.
        due: Option<(u64, bool)>,
    },
}

impl Echo {
    /// A connection without marked data so far; `each` reports each mark.
    pub fn new(each: bool) -> Echo {
        if each {
            Echo::Each {
                ce: false,
                due: None,
            }
        } else {
            Echo::UntilCwr {
                latched: false,
                pending: false,
            }
        }
    }

    /// Takes the mark and the CWR flag of a segment. `unacknowledged` is the number up to which data
    /// arrived whose acknowledgement is delayed. Returns true if the segment must be acknowledged at
    /// once.
    pub fn on_segment(&mut self, marked: bool, cwr: bool, unacknowledged: Option<u64>) -> bool {
        match self {
            Echo::UntilCwr { latched, pending } => {
                // A segment may carry both: its mark is newer than the reduction.
                *latched = marked || (*latched && !cwr);
                *pending |= marked;
                false
            }
            Echo::Each { ce, due } => {
                let before = core::mem::replace(ce, marked);
                if before != marked {
                    // Two acknowledgements, which the RFC permits: one alone would report data with
                    // the wrong state.
                    *due = unacknowledged.map(|ack| (ack, before));
                }
                before != marked
            }
        }
    }

    /// Number and ECN-Echo of an acknowledgement that goes before that of all data, if one is due.
    pub fn take_due(&mut self) -> Option<(u64, bool)> {
        match self {
            Echo::UntilCwr { .. } => None,
            Echo::Each { due, .. } => due.take(),
        }
    }

    /// ECN-Echo of an acknowledgement of all data that have arrived.
    pub fn take_flag(&mut self) -> bool {
        match self {
            Echo::UntilCwr { latched, pending } => core::mem::take(pending) || *latched,
            Echo::Each { ce, .. } => *ce,
        }
    }
}
