//! Where the engine and ns-2 decide otherwise, one switch each.

/// What differs; `true` is the engine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    switches: [bool; ALL.len()],
}

/// One difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// After its fast retransmission Tahoe goes on where it was (4.3BSD); ns-2 goes back to the lost packet.
    GoesOn,
    /// Slow start up to and including ssthresh (4.3BSD); ns-2: below.
    SlowStartAtSsthresh,
    /// A timeout in a recovery halves cwnd as it was inflated (4.3BSD); ns-2: without.
    TimeoutHalvesInflated,
    /// What ends a recovery of NewReno does not open cwnd also (RFC 6582); in ns-2 it does.
    EndOpensNothing,
    /// A loss with SACK halves what is out, in bytes (RFC 6675 step 4.2); ns-2: the window, in whole packets.
    HalvesFlight,
    /// What is on its way is told by the scoreboard (RFC 6675 SetPipe); ns-2 counts down and up.
    PipeOfScoreboard,
    /// A hole is filled when it is lost, or when there is nothing new (RFC 6675 NextSeg); ns-2 fills all first.
    FillsWhatIsLost,
    /// cwnd has whole bytes (4.3BSD); in ns-2 it is a real number of packets.
    WholeBytes,
    /// Three packets above a hole are a loss, however many duplicates told of them (RFC 6675 step 2); ns-2 counts
    /// duplicates only.
    SeesLoss,
    /// When nothing new may be sent, the last missing packet is sent again once (RFC 6675 NextSeg rule 4); not in ns-2.
    Rescues,
    /// Before a recovery as much that is new is sent as has arrived out of order (RFC 6675 step 3.3); in ns-2 one packet
    /// for each of the first two duplicates (RFC 3042).
    SendsWhatArrived,
}

/// Every rule.
pub const ALL: [Rule; 11] = [
    Rule::GoesOn,
    Rule::SlowStartAtSsthresh,
    Rule::TimeoutHalvesInflated,
    Rule::EndOpensNothing,
    Rule::HalvesFlight,
    Rule::PipeOfScoreboard,
    Rule::FillsWhatIsLost,
    Rule::WholeBytes,
    Rule::SeesLoss,
    Rule::Rescues,
    Rule::SendsWhatArrived,
];

impl Rules {
    /// The engine's.
    pub const OURS: Rules = Rules { switches: [true; ALL.len()] };
    /// Those of ns-2.
    pub const NS_2: Rules = Rules { switches: [false; ALL.len()] };

    /// Whether `rule` is the engine's.
    pub const fn has(&self, rule: Rule) -> bool {
        self.switches[rule as usize]
    }
    /// The same with the choice of ns-2.
    pub const fn without(mut self, rule: Rule) -> Rules {
        self.switches[rule as usize] = false;
        self
    }
    /// The same with the engine's choice of `rule`.
    pub const fn with(mut self, rule: Rule) -> Rules {
        self.switches[rule as usize] = true;
        self
    }
}
