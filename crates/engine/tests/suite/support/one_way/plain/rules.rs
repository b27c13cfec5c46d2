//! Where the engine, ns-2 and ns-3 decide otherwise, one switch each.

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
    /// Slow start up to and including ssthresh (4.3BSD); ns-2 and ns-3: below.
    SlowStartAtSsthresh,
    /// A timeout in a recovery halves cwnd as it was inflated (4.3BSD); ns-2: without.
    TimeoutHalvesInflated,
    /// What ends a recovery of NewReno does not open cwnd also (RFC 6582); in ns-2 and ns-3 it does.
    EndOpensNothing,
    /// A loss with SACK halves what was out, in bytes (RFC 6675 step 4.2); ns-2: the window, in whole packets.
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
    /// A loss without SACK, and a timeout, halve the window, in whole packets (4.3BSD); ns-3: what is in flight, in
    /// bytes.
    HalvesWindow,
    /// A loss with SACK halves what was out at the first duplicate, in bytes; ns-3: what is on its way by the scoreboard
    /// when the loss is seen.
    HalvesFirstFlight,
    /// At the third duplicate all three have left the network (RFC 6582 step 2); in ns-3 without SACK the third only.
    CountsFirstTwo,
    /// What acknowledges a part takes as much from cwnd when duplicates do not cover it (RFC 6582); not in ns-3.
    PartTakesCwnd,
    /// At the end of a recovery cwnd is no more than what is out and one packet (RFC 6582 step 3, option 1); ns-3:
    /// ssthresh (option 2).
    EndAvoidsBurst,
    /// A fast retransmission starts the timer anew (4.3BSD); not in ns-3.
    FastRestartsTimer,
    /// A recovery begins when more than `recover` is acknowledged (RFC 6582 step 1); ns-3: all of it.
    BeginsBeyondRecover,
    /// The acknowledgement that ends what a timeout began opens cwnd as all others do; in ns-3 only when it
    /// acknowledges something sent since.
    TimeoutEndOpens,
    /// What ends a recovery with SACK does not open cwnd also (RFC 6675); in ns-3 it does.
    SackEndOpensNothing,
    /// With SACK an acknowledgement of a part lets as much be sent as all others do (RFC 6675); in ns-3 one packet at
    /// least, unless the next that is missing was sent again.
    PartSendsByPipe,
    /// Without SACK nothing is left of duplicates when a recovery ends (RFC 6582); in ns-3 those beyond what is
    /// acknowledged stay, the oldest packet out counts as lost and is sent again, and one duplicate begins a recovery.
    DuplicatesEnd,
}

/// Every rule.
pub const ALL: [Rule; 22] = [
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
    Rule::HalvesWindow,
    Rule::HalvesFirstFlight,
    Rule::CountsFirstTwo,
    Rule::PartTakesCwnd,
    Rule::EndAvoidsBurst,
    Rule::FastRestartsTimer,
    Rule::BeginsBeyondRecover,
    Rule::TimeoutEndOpens,
    Rule::SackEndOpensNothing,
    Rule::PartSendsByPipe,
    Rule::DuplicatesEnd,
];

/// So many of them, from the first on, are decided otherwise in ns-2; all others, and two of these, in ns-3.
const OF_NS_2: usize = 11;

impl Rules {
    /// The engine's.
    pub const OURS: Rules = Rules {
        switches: [true; ALL.len()],
    };
    /// Those of ns-2.
    pub const NS_2: Rules = Rules::OURS.without_all(ALL.split_at(OF_NS_2).0);
    /// Those of ns-3.
    pub const NS_3: Rules = Rules::OURS
        .without_all(ALL.split_at(OF_NS_2).1)
        .without(Rule::SlowStartAtSsthresh)
        .without(Rule::EndOpensNothing);

    /// Whether `rule` is the engine's.
    pub const fn has(&self, rule: Rule) -> bool {
        self.switches[rule as usize]
    }
    /// The same with the other choice of `rule`.
    pub const fn without(mut self, rule: Rule) -> Rules {
        self.switches[rule as usize] = false;
        self
    }
    const fn without_all(mut self, rules: &[Rule]) -> Rules {
        let mut place = 0;
        while place < rules.len() {
            self = self.without(rules[place]);
            place += 1;
        }
        self
    }
    /// The same with the engine's choice of `rule`.
    pub const fn with(mut self, rule: Rule) -> Rules {
        self.switches[rule as usize] = true;
        self
    }
}
