//! A second CoDel, written in a simple way from the pseudo-code of RFC 8289 section 5, that can
//! decide as the engine or as ns-3 wherever they differ. TARGET is 5 ms, INTERVAL 100 ms.

use cellrate_engine::ether::aqm::{AqmAlgorithm, Decision, Held};
use cellrate_engine::kernel::Ps;

/// A rule of ns-3 that the engine does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Times are whole ticks of 1,024 ns, and an interval ends after its last tick; RFC 8289: at its
    /// end.
    Ticks,
    /// The inverse root of the count comes from one step of Newton's method on 16 bits for each drop, and is
    /// half of that of RFC 8289 when the count rises from 2 to 3.
    NewtonRoot,
    /// A mark schedules the next mark from the present time; a drop, and in the engine a mark, from
    /// the time at which it was due.
    MarksFromNow,
}

/// Every rule.
pub const ALL: [Rule; 3] = [Rule::Ticks, Rule::NewtonRoot, Rule::MarksFromNow];

/// Fate of the packet before the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Served,
    Dropped,
    DroppedAtEntry,
}

/// The algorithm; times are in picoseconds or in ticks.
pub struct PlainCoDel {
    rules: Vec<Rule>,
    ecn: bool,
    before: Before,
    first_above: Option<u64>,
    drop_next: u64,
    count: u32,
    last_count: u32,
    dropping: bool,
    /// Inverse root of the count, in units of 1/65,536.
    root: u64,
}

impl PlainCoDel {
    /// The algorithm by `rules` of ns-3, all others as in the engine.
    pub fn new(rules: &[Rule], ecn: bool) -> PlainCoDel {
        PlainCoDel {
            rules: rules.to_vec(),
            ecn,
            before: Before::Served,
            first_above: None,
            drop_next: 0,
            count: 0,
            last_count: 0,
            dropping: false,
            root: 65_535,
        }
    }

    fn has(&self, rule: Rule) -> bool {
        self.rules.contains(&rule)
    }
    fn time(&self, time: Ps) -> u64 {
        match self.has(Rule::Ticks) {
            true => time.0 / 1_000 / 1_024,
            false => time.0,
        }
    }
    fn interval(&self) -> u64 {
        self.time(Ps::from_ms(100))
    }
    fn control_law(&self, from: u64) -> u64 {
        let interval = self.interval();
        let span = match self.has(Rule::NewtonRoot) {
            true => interval * self.root / 65_536,
            false => (interval as f64 / (self.count as f64).sqrt()).round() as u64,
        };
        from + span
    }
    /// A step of Newton's method towards the inverse root of the count.
    fn step(&mut self) {
        let root = self.root << 16;
        let value = ((3u64 << 32) - self.count as u64 * ((root * root) >> 32)) >> 2;
        self.root = ((value * root) >> 31) >> 16;
    }
    fn ok_to_drop(&mut self, now: u64, wait: u64, queue: Held) -> bool {
        if wait < self.time(Ps::from_ms(5)) || queue.octets <= 1_518 {
            self.first_above = None;
            return false;
        }
        let Some(first_above) = self.first_above else {
            self.first_above = Some(now + self.interval());
            return false;
        };
        now > first_above || (now == first_above && !self.has(Rule::Ticks))
    }
    fn chosen(&mut self, now: u64) -> Decision {
        self.count += 1;
        self.step();
        if !self.ecn {
            self.before = Before::Dropped;
            return Decision::Drop;
        }
        let from = match self.has(Rule::MarksFromNow) {
            true => now,
            false => self.drop_next,
        };
        self.drop_next = self.control_law(from);
        Decision::Mark
    }
    fn enter(&mut self, now: u64) -> Decision {
        self.dropping = true;
        let delta = self.count.wrapping_sub(self.last_count) as i32;
        if delta > 1 && now.saturating_sub(self.drop_next) < 16 * self.interval() {
            self.count = delta as u32;
            self.step();
        } else {
            (self.count, self.root) = (1, 65_535);
        }
        self.last_count = self.count;
        self.drop_next = self.control_law(now);
        if self.ecn {
            return Decision::Mark;
        }
        self.before = Before::DroppedAtEntry;
        Decision::Drop
    }
}

impl AqmAlgorithm for PlainCoDel {
    fn on_dequeue(&mut self, at: Ps, since: Ps, queue: Held) -> Decision {
        let now = self.time(at);
        let wait = self.time(Ps(at.0 - since.0));
        let is_ok = self.ok_to_drop(now, wait, queue);
        let before = std::mem::replace(&mut self.before, Before::Served);
        if before == Before::DroppedAtEntry {
            return Decision::Pass;
        }
        if !self.dropping {
            return if is_ok {
                self.enter(now)
            } else {
                Decision::Pass
            };
        }
        if !is_ok {
            self.dropping = false;
            return Decision::Pass;
        }
        if before == Before::Dropped {
            self.drop_next = self.control_law(self.drop_next);
        }
        if now >= self.drop_next {
            self.chosen(now)
        } else {
            Decision::Pass
        }
    }
}
