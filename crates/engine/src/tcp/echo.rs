//! ECN at the receiver: it reports marked data by the ECN-Echo flag of acknowledgements.

/// State of the ECN reports of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Echo {
    /// Each acknowledgement carries ECN-Echo from the mark until CWR arrives (RFC 3168 section 6.1.3).
    UntilCwr {
        /// True if no CWR has arrived since the last mark.
        latched: bool,
        /// True if data that have not been acknowledged yet were marked. The acknowledgement of these data
        /// reports the mark even if CWR has arrived since.
        pending: bool,
    },
    /// Each acknowledgement covers only marked data or only unmarked data (RFC 8257 section 3.2).
    /// CWR has no effect.
    Each {
        /// DCTCP.CE: true if the last segment was marked.
        ce: bool,
        /// Acknowledgement number and ECN-Echo for the data before the last change of `ce`. `None` if these data
        /// have been acknowledged.
        due: Option<(u64, bool)>,
    },
}

impl Echo {
    /// State of a connection without marked data so far. If `each` is true, no acknowledgement covers both marked
    /// and unmarked data.
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

    /// Processes the mark and the CWR flag of a segment. If a delayed acknowledgement waits, `unacknowledged` is
    /// its number. Returns true if the segment must be acknowledged at once.
    pub fn on_segment(&mut self, marked: bool, cwr: bool, unacknowledged: Option<u64>) -> bool {
        match self {
            Echo::UntilCwr { latched, pending } => {
                // A segment may have both a mark and CWR. The mark is then newer than the reduction that CWR
                // announces.
                *latched = marked || (*latched && !cwr);
                *pending |= marked;
                false
            }
            Echo::Each { ce, due } => {
                let before = core::mem::replace(ce, marked);
                if before != marked {
                    // Two acknowledgements are sent, which the RFC permits. A single acknowledgement would report
                    // some data with the wrong state.
                    *due = unacknowledged.map(|ack| (ack, before));
                }
                before != marked
            }
        }
    }

    /// Number and ECN-Echo of an acknowledgement that must be sent before the acknowledgement of all data; `None`
    /// if no such acknowledgement is needed.
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
