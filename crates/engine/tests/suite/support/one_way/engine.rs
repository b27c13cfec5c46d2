//! The engine's sender on the line, and the part of its cwnd that is inflation by duplicates.

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::{Recovery, Segment, TcpConfig, TcpSender};

use super::Sender;

/// The engine's sender. 4.3BSD and RFC 6582 add duplicates to cwnd, ns-2 and ns-3 count them
/// separately; here the sum is the engine's, and only its parts are counted as in the simulators.
pub struct EngineSender {
    sender: TcpSender,
    mss: u64,
    inflates: bool,
    /// Highest data sent at the last fast retransmission, while its recovery lasts, that is until
    /// it is acknowledged.
    recover: Option<u64>,
    lasts: bool,
    inflation: u64,
}

impl EngineSender {
    /// The sender of `config`, with an endless supply.
    pub fn new(config: &TcpConfig) -> EngineSender {
        assert_eq!(config.validate(), Ok(()));
        let mut sender = TcpSender::new(config, Ps::ZERO);
        sender.supply(u64::MAX);
        let lasts = matches!(
            config.recovery,
            Recovery::NewReno | Recovery::Cubic(_) | Recovery::Vegas(_)
        );
        let inflates = lasts || config.recovery == Recovery::Reno;
        EngineSender {
            sender,
            mss: config.mss.0,
            inflates,
            recover: None,
            lasts,
            inflation: 0,
        }
    }

    /// Accounts for acknowledged new data. If it is only a part, cwnd shrinks by the packets that
    /// left, less one.
    fn deflate(&mut self, packets: u64, partly: bool) {
        self.inflation = match (partly, self.inflation > packets) {
            (false, _) => 0,
            (true, true) => self.inflation - (packets - 1),
            (true, false) => 1,
        };
    }
}

impl Sender for EngineSender {
    fn poll(&mut self, now: Ps) -> Option<Segment> {
        self.sender.poll_segment(now)
    }

    fn on_ack(&mut self, now: Ps, ack: &Segment) {
        let (una, before, fast) = (
            self.sender.snd_una(),
            self.sender.cwnd(),
            self.sender.stats().fast_retransmits,
        );
        self.sender.on_ack(now, ack);
        if self.inflates && self.sender.stats().fast_retransmits > fast {
            self.inflation = 3;
            self.recover = self.lasts.then(|| self.sender.snd_max());
        } else if self.inflation > 0 && ack.ack() > una {
            let partly = self.recover.is_some_and(|recover| ack.ack() < recover);
            self.deflate((ack.ack() - una) / self.mss, partly);
        } else if self.inflation > 0 && self.sender.cwnd() > before {
            self.inflation += 1;
        }
    }

    fn next_timer(&self) -> Ps {
        self.sender.next_timer()
    }

    fn on_timer(&mut self, now: Ps) {
        self.sender.on_timer(now);
        self.inflation = 0;
    }

    fn cwnd(&self) -> f64 {
        self.sender.cwnd() as f64 / self.mss as f64 - self.inflation as f64
    }
}
