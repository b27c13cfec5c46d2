//! Rules in which the engine, ns-2 and ns-3 differ, one switch each.

/// The choice for each rule; `true` is the engine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    switches: [bool; ALL.len()],
}

/// A rule in which the simulators differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// After its fast retransmission Tahoe continues with the next packet (4.3BSD); ns-2 goes back
    /// to the lost packet.
    GoesOn,
    /// Slow start up to and including ssthresh (4.3BSD); ns-2 and ns-3: below.
    SlowStartAtSsthresh,
    /// A timeout in a recovery halves the inflated cwnd (4.3BSD); ns-2: without the inflation.
    TimeoutHalvesInflated,
    /// The acknowledgement that ends a recovery of NewReno does not also open cwnd (RFC 6582); in
    /// ns-2 and ns-3 it does.
    EndOpensNothing,
    /// A loss with SACK halves the outstanding data, in bytes (RFC 6675 step 4.2); ns-2: the
    /// window, in whole packets.
    HalvesFlight,
    /// The number of packets on their way comes from the scoreboard (RFC 6675 SetPipe); ns-2 counts
    /// down and up.
    PipeOfScoreboard,
    /// A hole is filled when it is lost, or when there is no new data (RFC 6675 NextSeg); ns-2
    /// fills all first.
    FillsWhatIsLost,
    /// cwnd has whole bytes (4.3BSD); in ns-2 it is a real number of packets.
    WholeBytes,
    /// Three packets above a hole are a loss, however many duplicates reported them (RFC 6675 step
    /// 2); ns-2 counts duplicates only.
    SeesLoss,
    /// The last missing packet is retransmitted once, if no new data may be sent (RFC 6675
    /// NextSeg rule 4); not in ns-2.
    Rescues,
    /// Before a recovery as much new data is sent as has arrived out of order (RFC 6675 step 3.3);
    /// in ns-2 one packet for each of the first two duplicates (RFC 3042).
    SendsWhatArrived,
    /// A loss without SACK, and a timeout, halve the window, in whole packets (4.3BSD); ns-3: the
    /// data in flight, in bytes.
    HalvesWindow,
    /// A loss with SACK halves the data outstanding at the first duplicate, in bytes; ns-3: the
    /// data on its way by the scoreboard when the loss is detected.
    HalvesFirstFlight,
    /// At the third duplicate all three have left the network (RFC 6582 step 2); in ns-3 without
    /// SACK the third only.
    CountsFirstTwo,
    /// A partial acknowledgement reduces cwnd by as much if duplicates do not cover it (RFC 6582);
    /// not in ns-3.
    PartTakesCwnd,
    /// At the end of a recovery cwnd is at most the outstanding data and one packet (RFC 6582 step
    /// 3, option 1); ns-3: ssthresh (option 2).
    EndAvoidsBurst,
    /// A fast retransmission restarts the timer (4.3BSD); not in ns-3.
    FastRestartsTimer,
    /// A recovery begins when more than `recover` is acknowledged (RFC 6582 step 1); ns-3: all of
    /// it.
    BeginsBeyondRecover,
    /// The acknowledgement that ends the recovery after a timeout opens cwnd as all others do; in
    /// ns-3 only if it acknowledges data sent since.
    TimeoutEndOpens,
    /// The acknowledgement that ends a recovery with SACK does not also open cwnd (RFC 6675); in
    /// ns-3 it does.
    SackEndOpensNothing,
    /// With SACK a partial acknowledgement allows as much as all others do (RFC 6675); in ns-3 at
    /// least one packet, unless the next missing one was retransmitted.
    PartSendsByPipe,
    /// Without SACK duplicates are forgotten when a recovery ends (RFC 6582); in ns-3 those beyond
    /// the acknowledged packets remain, the oldest outstanding packet counts as lost and is
    /// retransmitted, and one duplicate begins a recovery.
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

/// Number of the first rules that are decided differently in ns-2; all others, and two of these,
/// differ in ns-3.
const OF_NS_2: usize = 11;

impl Rules {
    /// Choices of the engine for all rules.
    pub const OURS: Rules = Rules {
        switches: [true; ALL.len()],
    };
    /// Choices of ns-2 for all rules.
    pub const NS_2: Rules = Rules::OURS.without_all(ALL.split_at(OF_NS_2).0);
    /// Choices of ns-3 for all rules.
    pub const NS_3: Rules = Rules::OURS
        .without_all(ALL.split_at(OF_NS_2).1)
        .without(Rule::SlowStartAtSsthresh)
        .without(Rule::EndOpensNothing);

    /// True if `rule` is decided as in the engine.
    pub const fn has(&self, rule: Rule) -> bool {
        self.switches[rule as usize]
    }
    /// These rules, with the other choice of `rule`.
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
    /// These rules, with the engine's choice of `rule`.
    pub const fn with(mut self, rule: Rule) -> Rules {
        self.switches[rule as usize] = true;
        self
    }
}
