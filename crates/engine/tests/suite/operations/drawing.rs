//! Random sequences of operations.

use cellrate_engine::atm::rm;
use proptest::prelude::*;

use super::operation::{CellsPerSecond, Contents, Level, Operation, Position, Span, Supply};

/// Kinds of operations; a subject lists those that apply to it, with weights.
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

/// Random sequences of the given kinds, by weight.
pub fn operations(vocabulary: &[(u32, Kind)]) -> impl Strategy<Value = Vec<Operation>> + use<> {
    let kinds = vocabulary
        .iter()
        .map(|(weight, kind)| (*weight, one(*kind)));
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
    let ps = prop_oneof![
        Just(0),
        Just(1),
        0..10_000_000u64,
        0..10_000_000_000u64,
        0..20_000_000_000_000u64
    ];
    prop_oneof![5 => ps.prop_map(Span::Ps), 4 => (-1..=1i8).prop_map(Span::ToTimer), 1 => Just(Span::Year)]
}

/// Rates of every 16-bit code, and doubles of every size, which are the contents of a cell before
/// it is coded.
fn rate() -> impl Strategy<Value = CellsPerSecond> {
    let extreme = [
        0.0,
        -0.0,
        5e-324,
        f64::MIN_POSITIVE,
        1e-9,
        9.99,
        10.0,
        rm::MAX_RATE,
        2.4e12,
        f64::MAX,
    ];
    prop_oneof![
        2 => any::<u16>().prop_map(rm::decode_rate),
        3 => 0.0..4e5,
        2 => prop::sample::select(extreme.to_vec()),
    ]
    .prop_map(CellsPerSecond)
}

fn contents() -> impl Strategy<Value = Contents> {
    let bit = || prop::bool::weighted(0.25);
    (rate(), rate(), rate(), [bit(), bit(), bit()]).prop_map(|(er, ccr, mcr, bits)| Contents {
        er,
        ccr,
        mcr,
        bits,
    })
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
        .prop_map(|(to, window, blocks, payload)| Operation::Acknowledge {
            to,
            window,
            blocks,
            payload,
        })
        .boxed()
}
