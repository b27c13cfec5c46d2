//! Losses that a port counts, for every kind of server.

use crate::support::plans::cell_time_us;
use cellrate_engine::atm::cell::{Body, Info, Pdu, ServiceClass};
use cellrate_engine::atm::port::{Arrival, Losses, Port, PortSettings, QueueSettings};
use cellrate_engine::atm::server::{BuildServer, EagerServer, LazyServer, Queued};
use cellrate_engine::atm::transport::{Link, Outlet};
use cellrate_engine::control::{ControlConfig, PortFacts};
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::kernel::{Ps, ServiceRate};
use cellrate_engine::tcp::Segment;

/// A port with a buffer of two cells for one channel, on a line of 10 us per cell.
fn port<S: BuildServer>(rm_first: bool) -> Port<S> {
    let rate = cell_time_us(10);
    let queue = QueueSettings {
        classes: ServiceClass::ALL.to_vec(),
        buffer: 2,
        tagged_buffer: u64::MAX,
        is_credited: false,
        discard: DiscardConfig::default().build(1),
    };
    Port::new(PortSettings {
        rate,
        delay: Ps(1),
        queues: vec![queue],
        controlled: 0,
        rm_first,
        orders: None,
        control: ControlConfig::default().build(PortFacts {
            seed: 0,
            rate: ServiceRate::of_cells(rate),
            channels: 1,
        }),
        channels: 1,
        prompt: None,
        losses: None,
        may_change: false,
    })
}

/// A port with a virtual source in front. A PDU loses a cell, and then the buffer has no limit.
#[test]
fn a_pdu_that_lost_a_cell_in_front_is_hit_after_the_limit_has_gone() {
    let mut port: Port<LazyServer> = port(false);
    port.expect_virtual_sources();
    let mut link = Link::default();
    let mut out = Outlet {
        link: &mut link,
        number: 0,
        fresh: &mut Vec::new(),
    };
    let arrival = Arrival {
        slot: 0,
        control_slot: 0,
        queue: 0,
        controlled: true,
        cell: Queued {
            label: 0,
            info: Info::data(0),
        },
    };
    let mut arrive = |port: &mut Port<LazyServer>, number, body: Option<&mut Body>| {
        let mut info = match &body {
            Some(_) => Info::end_of_message(number),
            None => Info::data(number),
        };
        let cell = (&mut info, body);
        port.arrive_in_front(Ps(u64::from(number)), &arrival, cell, false, &mut out)
    };
    let refused = [0, 1, 2].map(|number| arrive(&mut port, number, None).is_some());
    assert_eq!(refused, [false, false, true]);
    let policies = (&ControlConfig::default(), &DiscardConfig::default());
    let mut other = Link::default();
    let mut unused = Outlet {
        link: &mut other,
        number: 0,
        fresh: &mut Vec::new(),
    };
    port.change(Ps(3), Buffer::INFINITE, policies, &mut unused);
    let mut body = Body::Pdu(Pdu {
        segment: Segment::data(0, 1),
        sent: Ps(3),
        first: 0,
        cells: 4,
        hit: false,
        errored: false,
    });
    assert_eq!(arrive(&mut port, 3, Some(&mut body)), None);
    assert!(matches!(body, Body::Pdu(Pdu { hit: true, .. })));
}

/// Losses of one channel with these cells, `x` in a PDU and `e` at its end, `-` and `=` those that
/// were lost before, into a buffer of two on a line of 10 us per cell; a cell every microsecond,
/// and for a space a pause of 100 us.
fn losses<S: BuildServer>(cells: &str, rm_first: bool) -> Losses {
    let mut port: Port<S> = port(rm_first);
    let (mut link, mut now) = (Link::default(), Ps::ZERO);
    let (mut number, mut first, mut hit) = (0, 0, false);
    for cell in cells.chars() {
        now += if cell == ' ' {
            Ps::from_us(100)
        } else {
            Ps::from_us(1)
        };
        let (info, mut body) = match cell {
            'x' => (Info::data(number).with_payload(48), None),
            // A cell that an earlier switch has refused: it does not arrive here.
            '-' | '=' => {
                number += 1;
                (first, hit) = if cell == '=' {
                    (number, false)
                } else {
                    (first, true)
                };
                continue;
            }
            'e' => {
                let cells = (number + 1 - first) as u16;
                let pdu = Pdu {
                    segment: Segment::data(0, 1),
                    sent: now,
                    first,
                    cells,
                    hit,
                    errored: false,
                };
                (first, hit) = (number + 1, false);
                (
                    Info::end_of_message(number).with_payload(8),
                    Some(Body::Pdu(pdu)),
                )
            }
            _ => continue,
        };
        number += 1;
        let arrival = Arrival {
            slot: 0,
            control_slot: 0,
            queue: 0,
            controlled: false,
            cell: Queued { label: 0, info },
        };
        let mut out = Outlet {
            link: &mut link,
            number: 0,
            fresh: &mut Vec::new(),
        };
        port.arrive(now, arrival, body.as_mut(), &mut out);
    }
    port.losses(0)
}

fn expect(cells: &str, lost: u64, bytes: u64, packets: u64) {
    expect_repeated(cells, lost, bytes, packets, 0);
}

fn expect_repeated(cells: &str, lost: u64, bytes: u64, packets: u64, repeated: u64) {
    let expected = Losses {
        cells: lost,
        bytes,
        packets,
        repeated,
        ..Losses::default()
    };
    assert_eq!(losses::<LazyServer>(cells, false), expected, "{cells}");
    // With RM cells before others the server keeps its queue in memory.
    assert_eq!(losses::<LazyServer>(cells, true), expected, "{cells}");
    assert_eq!(losses::<EagerServer>(cells, false), expected, "{cells}");
}

#[test]
fn cells_of_one_pdu_are_one_packet() {
    expect("xx", 0, 0, 0);
    expect("xxxxx", 3, 144, 1);
    expect("xxxxe", 3, 104, 1);
}

#[test]
fn what_is_lost_behind_an_end_is_another_packet() {
    // The end is lost.
    expect("xxxexe", 4, 48 + 8 + 48 + 8, 2);
    // The end meets a queue that was full when the last cell came, or a queue that has space by
    // then.
    expect("xxx exx", 2, 96, 2);
    expect("xxx xexx", 3, 144, 2);
    expect("xxx e xxx", 2, 96, 2);
}

#[test]
fn a_pdu_that_loses_cells_twice_is_one_packet() {
    expect("xxx xxx e", 2, 96, 1);
}

#[test]
fn a_pdu_that_was_hit_before_is_not_counted_again() {
    // A PDU that lost cells before, and here; only before; then one of each, the second only here.
    expect_repeated("-xxxe", 2, 48 + 8, 1, 1);
    expect_repeated("-xe", 0, 0, 0, 0);
    expect_repeated("-xe xxxe", 2, 48 + 8, 1, 0);
    // If the end was lost before, a loss of the same PDU here is not a new one,
    expect_repeated("xxx= e", 1, 48, 1, 1);
    // but a loss of the next PDU is, whether the first lost cells here or not.
    expect_repeated("x= xxxe", 2, 48 + 8, 1, 0);
    expect_repeated("xxx=xe", 3, 48 + 48 + 8, 1, 0);
    // A PDU that loses cells only here, and one whose end was lost before.
    expect_repeated("xxxe xxx= e", 3, 48 + 8 + 48, 2, 1);
}
