use super::*;

/// Builds streams packet by packet.
#[derive(Default)]
struct Stream(Vec<u8>);

impl Stream {
    fn packet(mut self, pid: u16, control: u8, rest: &[u8]) -> Stream {
        let start = self.0.len();
        self.0
            .extend([0x47, (pid >> 8) as u8, pid as u8, control << 4]);
        self.0.extend(rest);
        self.0.resize(start + 188, 0xff);
        self
    }
    fn data(self, pid: u16, count: usize) -> Stream {
        (0..count).fold(self, |stream, _| stream.packet(pid, 1, &[]))
    }
    /// Appends a packet whose adaptation field has a clock reference and nothing else.
    fn pcr(self, pid: u16, pcr: u64, flags: u8) -> Stream {
        let (base, extension) = (pcr / 300, pcr % 300);
        let [_, _, _, a, b, c, d, e] = (base << 7 | 0x7e).to_be_bytes();
        let low = [a, b, c, d, e | (extension >> 8) as u8, extension as u8];
        let mut rest = vec![183, 0x10 | flags];
        rest.extend(&low);
        self.packet(pid, 2, &rest)
    }
    fn section(self, pid: u16, body: &[u8]) -> Stream {
        self.sections(pid, 0, &whole(body))
    }
    /// Appends a packet in which a section begins after `pointer` bytes.
    fn sections(mut self, pid: u16, pointer: u8, bytes: &[u8]) -> Stream {
        self = self.packet(pid, 1, &[&[pointer], bytes].concat());
        let start = self.0.len() - 188;
        self.0[start + 1] |= 0x40;
        self
    }
    /// Appends the tables of programs 1 and 2: maps on PIDs 100 and 200, clocks and streams on 101
    /// and 201, and a stream on 102.
    fn two_programs(self) -> Stream {
        self.section(
            0,
            &[0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0, 100, 0, 2, 0xe0, 200],
        )
        .section(100, &MAP_1)
        .section(200, &MAP_2)
    }
    /// Programs 1 and 2 with their maps on PID 100.
    fn shared_maps(self) -> Stream {
        self.section(
            0,
            &[0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0, 100, 0, 2, 0xe0, 100],
        )
    }
    /// Three packets of program 1 and one of program 2 between two clock references of each.
    fn played(self) -> Stream {
        self.pcr(101, 0, 0)
            .pcr(201, 0, 0)
            .data(102, 2)
            .pcr(201, 4 * MS, 0)
            .pcr(101, 5 * MS, 0)
    }
    fn read(&self, choice: &Choice) -> Result<Vec<(u64, u64)>, Broken> {
        read(&self.0, choice).map(|found| {
            found
                .iter()
                .map(|stretch| (stretch.ticks, stretch.packets))
                .collect()
        })
    }
}

const MS: u64 = 27_000;
const MAP_1: [u8; 22] = [
    2, 0, 0, 0, 1, 0xc1, 0, 0, 0xe0, 101, 0xf0, 0, 2, 0xe0, 101, 0xf0, 0, 3, 0xe0, 102, 0xf0, 0,
];
const MAP_2: [u8; 17] = [
    2, 0, 0, 0, 2, 0xc1, 0, 0, 0xe0, 201, 0xf0, 0, 2, 0xe0, 201, 0xf0, 0,
];

/// A section with its length and CRC.
fn whole(body: &[u8]) -> Vec<u8> {
    let mut section = body.to_vec();
    let length = (body.len() - 3 + 4) as u16;
    section[1] = 0xb0 | (length >> 8) as u8;
    section[2] = length as u8;
    section.extend(section::crc(&section).to_be_bytes());
    section
}

fn any() -> Choice {
    Choice::default()
}

#[test]
fn references_tell_how_long_packets_take() {
    // The reference is in the tenth packet of ten in 20 ms, then in the fifth of five in 40 ms;
    // four follow.
    let stream = Stream::default()
        .data(7, 2)
        .pcr(7, 50 * MS, 0)
        .data(7, 9)
        .pcr(7, 70 * MS, 0)
        .data(7, 4);
    let stream = stream.pcr(7, 110 * MS, 0).data(7, 4);
    // Packets before the first reference are sent at 10 in 20 ms, those after the last at 5 in 40
    // ms.
    assert_eq!(
        stream.read(&any()),
        Ok(vec![(6 * MS, 3), (20 * MS, 10), (40 * MS, 5), (32 * MS, 4)])
    );
}

#[test]
fn clocks_wrap_at_33_bits_of_300() {
    let stream = Stream::default()
        .pcr(7, (1 << 33) * 300 - MS, 0)
        .data(7, 1)
        .pcr(7, MS + 299, 0);
    let found = stream.read(&any()).unwrap();
    assert_eq!(found[1], (2 * MS + 299, 2));
}

#[test]
fn an_announced_jump_goes_on_at_the_rate_before() {
    let before = Stream::default()
        .pcr(7, 100 * MS, 0)
        .data(7, 3)
        .pcr(7, 110 * MS, 0);
    // 4 packets in 10 ms; then 2 without a time; then 4 in 5 ms of another clock.
    let stream = before
        .data(7, 1)
        .pcr(7, 3 * MS, 0x80)
        .data(7, 3)
        .pcr(7, 8 * MS, 0);
    let expected = vec![(10 * MS / 4, 1), (10 * MS, 4), (5 * MS, 2), (5 * MS, 4)];
    assert_eq!(stream.read(&any()), Ok(expected));
    // A jump may be announced by an earlier packet of the PID than the one with the reference.
    let before = Stream::default()
        .pcr(7, 100 * MS, 0)
        .data(7, 3)
        .pcr(7, 110 * MS, 0);
    let announced = before
        .packet(7, 2, &[183, 0x80])
        .pcr(7, 3 * MS, 0)
        .data(7, 3)
        .pcr(7, 8 * MS, 0);
    assert_eq!(announced.read(&any()).unwrap()[2], (5 * MS, 2));
}

#[test]
fn several_programs_are_told_and_one_is_sent() {
    let stream = Stream::default()
        .two_programs()
        .pcr(101, 0, 0)
        .pcr(201, 5 * MS, 0)
        .data(102, 3)
        .data(201, 4);
    let stream = stream
        .data(NULL_PID, 5)
        .data(300, 2)
        .pcr(201, 9 * MS, 0)
        .pcr(101, 10 * MS, 0);
    let chosen = |program| Choice {
        program: Some(program),
        ..any()
    };
    // Program 1: three packets of its stream and its reference; before them the association, its
    // map and its first reference.
    assert_eq!(
        stream.read(&chosen(1)),
        Ok(vec![(10 * MS * 3 / 4, 3), (10 * MS, 4)])
    );
    assert_eq!(stream.read(&chosen(2)).unwrap()[1], (4 * MS, 5));
    // With a PID alone: all packets but null packets, or all.
    let by_pid = |null_packets| Choice {
        pcr_pid: Some(101),
        null_packets,
        ..any()
    };
    assert_eq!(stream.read(&by_pid(false)).unwrap()[1], (10 * MS, 12));
    assert_eq!(stream.read(&by_pid(true)).unwrap()[1], (10 * MS, 17));

    let broken = stream.read(&any()).unwrap_err();
    assert_eq!((broken.key, broken.byte), ("file", None));
    let told = "program 1 has its clock on PID 101 and streams on PIDs 101, 102; program 2 has its clock on PID 201 and streams on \
                PIDs 201; clock references are on PIDs 101, 201";
    assert_eq!(broken.help, told);
    for (choice, key) in [
        (chosen(3), "program"),
        (
            Choice {
                pcr_pid: Some(102),
                ..any()
            },
            "pcr_pid",
        ),
    ] {
        let broken = stream.read(&choice).unwrap_err();
        assert_eq!((broken.key, broken.help.as_str()), (key, told));
    }
}

/// Program 1 has three packets between its references, program 2 one; packets of the other program
/// do not count.
fn expect_both_programs(stream: &Stream) {
    for (program, expected) in [(1, (5 * MS, 3)), (2, (4 * MS, 1))] {
        let found = stream.read(&Choice {
            program: Some(program),
            ..any()
        });
        assert_eq!(
            found.map(|found| found[1]),
            Ok(expected),
            "program {program}"
        );
    }
    assert!(
        stream
            .read(&any())
            .unwrap_err()
            .message
            .contains("several programs")
    );
}

#[test]
fn sections_of_one_packet_are_all_read() {
    let maps = [whole(&MAP_1), whole(&MAP_2)].concat();
    expect_both_programs(
        &Stream::default()
            .shared_maps()
            .sections(100, 0, &maps)
            .played(),
    );
}

#[test]
fn a_section_ends_before_the_next_in_a_packet() {
    // The first map lacks its last ten bytes, which come before the second.
    let (first, second) = (whole(&MAP_1), whole(&MAP_2));
    let (most, rest) = first.split_at(first.len() - 10);
    // No stuffing between: the first packet is full.
    let stream = Stream::default().shared_maps();
    let filled = [
        vec![0x80, 0x70, 183 - most.len() as u8 - 3],
        vec![0; 183 - most.len() - 3],
        most.to_vec(),
    ]
    .concat();
    assert_eq!(filled.len(), 183);
    let stream = stream
        .sections(100, 0, &filled)
        .sections(100, 10, &[rest, &second].concat())
        .played();
    expect_both_programs(&stream);
    // A section that ends in a packet of its own, with stuffing behind it.
    let stream = Stream::default()
        .shared_maps()
        .sections(100, 0, &filled)
        .packet(100, 1, rest);
    expect_both_programs(&stream.section(100, &MAP_2).played());
}

#[test]
fn a_table_that_is_to_come_is_not_in_force() {
    // Both the association that adds a program and a map with another clock are announced
    // beforehand.
    let mut next = MAP_1;
    (next[5], next[9]) = (0xc0, 102);
    let stream = Stream::default()
        .section(0, &[0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0, 100])
        .section(
            0,
            &[0, 0, 0, 0, 1, 0xc2, 0, 0, 0, 1, 0xe0, 100, 0, 2, 0xe0, 200],
        )
        .section(100, &MAP_1)
        .section(100, &next)
        .section(200, &MAP_2)
        .played();
    assert_eq!(stream.read(&any()).map(|found| found[1]), Ok((5 * MS, 5)));
}

#[test]
fn a_map_that_is_damaged_is_not_believed() {
    let mut stream = Stream::default()
        .two_programs()
        .pcr(101, 0, 0)
        .pcr(101, MS, 0)
        .pcr(201, 0, 0)
        .pcr(201, MS, 0);
    // The map of program 2 is damaged: only program 1 is known.
    stream.0[2 * 188 + 4 + 1 + 9] ^= 1;
    assert_eq!(stream.read(&any()).unwrap()[1], (MS, 1));
}

#[test]
fn broken_streams_are_told_with_their_byte() {
    let good = || Stream::default().pcr(7, 0, 0).data(7, 1).pcr(7, 10 * MS, 0);
    let broken = |stream: Stream| {
        let found = stream.read(&any()).unwrap_err();
        (found.byte, found.message, found.help)
    };
    let expect = |stream: Stream, byte: Option<u64>, part: &str| {
        let (found, message, _) = broken(stream);
        assert!(
            found == byte && message.contains(part),
            "{found:?}: {message}"
        );
    };
    let mut lost = good();
    lost.0.insert(188, 0x47);
    expect(lost, Some(2 * 188), "the byte is 0xff, not 0x47");
    let mut cut = good();
    cut.0.truncate(3 * 188 - 1);
    expect(cut, Some(2 * 188), "187 of its 188 bytes");
    expect(
        good().pcr(7, 9 * MS, 0),
        Some(3 * 188),
        "the clock goes back by 0.001000 s",
    );
    expect(
        good().pcr(7, 10 * MS, 0),
        Some(3 * 188),
        "equals the previous one",
    );
    expect(
        good().pcr(7, 20_000 * MS, 0),
        Some(3 * 188),
        "advances by 19.990 s",
    );
    expect(
        good().packet(7, 2, &[184]),
        Some(3 * 188 + 4),
        "184 bytes does not fit",
    );
    expect(
        good().packet(7, 3, &[183]),
        Some(3 * 188 + 4),
        "at most 182",
    );
    expect(
        good().packet(7, 2, &[3, 0x10]),
        Some(3 * 188 + 5),
        "no clock reference fits",
    );
    expect(
        good().packet(7, 2, &[183, 0x10, 0, 0, 0, 0, 1, 44]),
        Some(3 * 188 + 10),
        "must be below 300, but is 300",
    );
    expect(good().pcr(8, 0, 0).pcr(8, MS, 0), None, "on several PIDs");
    expect(
        Stream::default().pcr(7, 0, 0).data(7, 4),
        None,
        "no two clock references",
    );
    expect(Stream::default(), None, "no two clock references");
    // Packets with four bytes of time stamp before them.
    let mut stamped = Stream::default();
    (0..5).for_each(|i| {
        stamped.0.extend([0; 4]);
        stamped.0.extend(&good().0[(i % 3) * 188..][..188]);
    });
    assert!(broken(stamped).2.contains("192 bytes"));
}

/// A packet that an earlier link marked as damaged is sent, but its contents are not read.
#[test]
fn damaged_packets_are_not_read() {
    let mut stream = Stream::default()
        .pcr(7, 0, 0)
        .pcr(7, 5 * MS, 0)
        .pcr(7, 10 * MS, 0);
    stream.0[188 + 1] |= 0x80;
    assert_eq!(stream.read(&any()), Ok(vec![(5 * MS, 1), (10 * MS, 2)]));
}

#[test]
fn a_clock_that_moves_to_another_pid_goes_on() {
    // The map of program 2 has its clock on PID 201, and a second version has it on PID 202.
    let mut moved = MAP_2;
    (moved[5], moved[9]) = (0xc3, 202);
    let stream = Stream::default()
        .section(0, &[0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 2, 0xe0, 200])
        .section(200, &MAP_2)
        .pcr(201, 0, 0)
        .data(201, 3)
        .pcr(201, 10 * MS, 0)
        .section(200, &moved);
    // A reference that stays on the old PID has no meaning; the next is 5 ms after the last.
    let stream = stream
        .pcr(201, 500 * MS, 0)
        .data(201, 2)
        .pcr(202, 15 * MS, 0);
    let stream = stream.data(201, 3).pcr(202, 25 * MS, 0);
    // Four packets in 10 ms, before them two maps and a reference at that rate; five in 5 ms; four in 10 ms.
    assert_eq!(
        stream.read(&any()),
        Ok(vec![
            (15 * MS / 2, 3),
            (10 * MS, 4),
            (5 * MS, 5),
            (10 * MS, 4)
        ])
    );
}
