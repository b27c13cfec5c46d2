//! What can happen to a subject, and how it is drawn.

use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::atm::rm;
use cellrate_engine::kernel::Ps;
use proptest::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The clock of a scenario ends here; what is later fits, but no run lasts longer.
pub const END: Ps = Ps(18_000_000_000_000_000_000);

/// One thing that happens. Every subject takes it in its own terms and passes over what cannot happen to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operation {
    /// Time passes; timers that are due on the way go off.
    Pass(Span),
    /// So many data cells of a channel arrive; the last ends a PDU or not.
    Cells { vc: u8, count: u8, efci: bool, ends: bool },
    /// So many cells of classes without control arrive.
    Background(u16),
    /// Classes without control take the whole link until the next timer.
    Flood,
    /// An RM cell passes.
    Rm { vc: u8, backward: bool, cell: Contents },
    /// So many cells leave: served by a port, forwarded by a node, sent by a source, or handed over by TCP as segments.
    Serve(u8),
    /// The queue jumps; a host is congested.
    Queue(Level),
    /// A channel has data, or is set up.
    Open(u8),
    /// A channel falls silent.
    Close(u8),
    /// The application writes so many bytes.
    Supply(Supply),
    /// So many of what is on the way arrive, or are lost.
    Arrive { backward: bool, count: u8, lost: bool },
    /// The first two on the way change places.
    Reorder { backward: bool },
    /// The first on the way arrives once more.
    Duplicate { backward: bool },
    /// A credit sender tells how many cells of a channel it has sent.
    Mark(u8),
    /// An acknowledgement of any number, window and blocks comes.
    Acknowledge { to: Position, window: Option<u32>, blocks: Vec<(u32, u32)>, payload: bool },
    /// A segment with these bytes comes.
    Segment { from: Position, bytes: u16 },
}

/// How much time passes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Span {
    /// So many picoseconds.
    Ps(u64),
    /// To the next timer, and so many picoseconds more or less.
    ToTimer(i8),
    /// A year, or to the end of the clock.
    Year,
}

impl Span {
    /// When it has passed, with the next timer at `timer`.
    pub fn from(self, now: Ps, timer: Ps) -> Ps {
        let until = match self {
            Span::Ps(ps) => now.saturating_add(Ps(ps)),
            Span::ToTimer(off) => Ps(timer.0.saturating_add_signed(i64::from(off))),
            Span::Year => Ps::NEVER,
        };
        until.clamp(now, END.max(now))
    }
}

/// A length of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Empty,
    Full,
    Cells(u16),
}

/// Data from the application.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Supply {
    Bytes(u32),
    Endless,
}

/// A place in a stream of bytes, relative to what its receiver expects next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// So many bytes from what is expected next.
    Next(i32),
    /// So many segments from it.
    Segments(i8),
    /// So many bytes from one above the highest byte sent.
    Highest(i32),
    /// Anywhere.
    At(u64),
}

impl Position {
    /// The byte.
    pub fn byte(self, next: u64, highest: u64, mss: u64) -> u64 {
        match self {
            Position::Next(bytes) => next.saturating_add_signed(i64::from(bytes)),
            Position::Segments(count) => next.saturating_add_signed(i64::from(count) * mss as i64),
            Position::Highest(bytes) => highest.saturating_add_signed(i64::from(bytes)),
            Position::At(byte) => byte,
        }
    }
}

/// A rate as an RM cell carries it, in cells/s. Written as text, which keeps every bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellsPerSecond(pub f64);

impl Serialize for CellsPerSecond {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:e}", self.0))
    }
}

impl<'de> Deserialize<'de> for CellsPerSecond {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CellsPerSecond, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(CellsPerSecond).map_err(serde::de::Error::custom)
    }
}

/// Contents of an RM cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contents {
    pub er: CellsPerSecond,
    pub ccr: CellsPerSecond,
    pub mcr: CellsPerSecond,
    /// CI, NI, BN.
    pub bits: [bool; 3],
}

impl Contents {
    pub fn rm(self) -> RmCell {
        let [ci, ni, bn] = self.bits;
        RmCell { er: self.er.0, ccr: self.ccr.0, mcr: self.mcr.0, ci, ni, bn }
    }
}

/// What may be drawn; a subject names what can happen to it, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pass,
    Cells,
    Background,
    Rm,
    Serve,
    Queue,
    Channels,
    Supply,
    Way,
    Mark,
    Acknowledge,
    Segment,
}

/// Random sequences of the kinds named, by weight.
pub fn operations(vocabulary: &[(u32, Kind)]) -> impl Strategy<Value = Vec<Operation>> + use<> {
    let kinds = vocabulary.iter().map(|(weight, kind)| (*weight, one(*kind)));
    prop::collection::vec(prop::strategy::Union::new_weighted(kinds.collect()), 1..120)
}

fn one(kind: Kind) -> BoxedStrategy<Operation> {
    let vc = || 0..4u8;
    match kind {
        Kind::Pass => span().prop_map(Operation::Pass).boxed(),
        Kind::Cells => (vc(), 1..40u8, any::<bool>(), any::<bool>())
            .prop_map(|(vc, count, efci, ends)| Operation::Cells { vc, count, efci, ends })
            .boxed(),
        Kind::Background => {
            prop_oneof![2 => (1..300u16).prop_map(Operation::Background), 1 => Just(Operation::Flood)].boxed()
        }
        Kind::Rm => (vc(), any::<bool>(), contents())
            .prop_map(|(vc, backward, cell)| Operation::Rm { vc, backward, cell })
            .boxed(),
        Kind::Serve => prop_oneof![2 => 1..4u8, 1 => 1..100u8].prop_map(Operation::Serve).boxed(),
        Kind::Queue => prop_oneof![Just(Level::Empty), Just(Level::Full), (0..2_000u16).prop_map(Level::Cells)]
            .prop_map(Operation::Queue)
            .boxed(),
        Kind::Channels => prop_oneof![vc().prop_map(Operation::Open), vc().prop_map(Operation::Close)].boxed(),
        Kind::Supply => prop_oneof![
            4 => prop_oneof![1..100u32, 1..100_000u32].prop_map(Supply::Bytes),
            1 => Just(Supply::Endless),
        ]
        .prop_map(Operation::Supply)
        .boxed(),
        Kind::Way => way(),
        Kind::Mark => vc().prop_map(Operation::Mark).boxed(),
        Kind::Acknowledge => acknowledge(),
        Kind::Segment => (position(), prop_oneof![0..3u16, 0..=u16::MAX])
            .prop_map(|(from, bytes)| Operation::Segment { from, bytes })
            .boxed(),
    }
}

fn span() -> impl Strategy<Value = Span> {
    let ps = prop_oneof![Just(0), Just(1), 0..10_000_000u64, 0..10_000_000_000u64, 0..20_000_000_000_000u64];
    prop_oneof![5 => ps.prop_map(Span::Ps), 4 => (-1..=1i8).prop_map(Span::ToTimer), 1 => Just(Span::Year)]
}

/// Rates of every 16-bit code, and doubles of every size, which is what a cell carries before it is coded.
fn rate() -> impl Strategy<Value = CellsPerSecond> {
    let extreme = [0.0, -0.0, 5e-324, f64::MIN_POSITIVE, 1e-9, 9.99, 10.0, rm::MAX_RATE, 2.4e12, f64::MAX];
    prop_oneof![
        2 => any::<u16>().prop_map(rm::decode_rate),
        3 => 0.0..4e5,
        2 => prop::sample::select(extreme.to_vec()),
    ]
    .prop_map(CellsPerSecond)
}

fn contents() -> impl Strategy<Value = Contents> {
    let bit = || prop::bool::weighted(0.25);
    (rate(), rate(), rate(), [bit(), bit(), bit()]).prop_map(|(er, ccr, mcr, bits)| Contents { er, ccr, mcr, bits })
}

fn way() -> BoxedStrategy<Operation> {
    let arrive = (any::<bool>(), 1..60u8, prop::bool::weighted(0.2));
    prop_oneof![
        8 => arrive.prop_map(|(backward, count, lost)| Operation::Arrive { backward, count, lost }),
        1 => any::<bool>().prop_map(|backward| Operation::Reorder { backward }),
        1 => any::<bool>().prop_map(|backward| Operation::Duplicate { backward }),
    ]
    .boxed()
}

fn position() -> impl Strategy<Value = Position> {
    prop_oneof![
        4 => (-3..20i8).prop_map(Position::Segments),
        4 => (-5_000..50_000i32).prop_map(Position::Next),
        2 => (-5_000..5_000i32).prop_map(Position::Highest),
        1 => prop_oneof![Just(0), Just(u64::from(u32::MAX)), 0..=(1u64 << 62)].prop_map(Position::At),
    ]
}

fn acknowledge() -> BoxedStrategy<Operation> {
    let window = prop_oneof![6 => Just(None), 1 => Just(Some(0)), 1 => any::<u32>().prop_map(Some)];
    let block = (0..60_000u32, prop_oneof![Just(0u32), 1..10_000u32]);
    let blocks = prop_oneof![3 => Just(Vec::new()), 3 => prop::collection::vec(block, 1..4)];
    let to = prop_oneof![3 => Just(Position::Next(0)), 5 => position()];
    (to, window, blocks, prop::bool::weighted(0.1))
        .prop_map(|(to, window, blocks, payload)| Operation::Acknowledge { to, window, blocks, payload })
        .boxed()
}
