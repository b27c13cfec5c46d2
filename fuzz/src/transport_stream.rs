//! MPEG-2 transport streams.

use cellrate::traffic_files::{pieces, transport};

use super::input::Input;

const PACKET: usize = 188;
const SYNC: u8 = 0x47;

/// The input is a choice, then packets; unless the first bit says otherwise, their sync bytes are
/// set correctly.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let flags = input.byte();
    let (program, pcr_pid) = (u32::from(input.short()), u32::from(input.short()));
    let per_pdu = u32::from(input.byte()) + 1;
    let choice = transport::Choice {
        program: (flags & 2 != 0).then_some(program),
        pcr_pid: (flags & 4 != 0).then_some(pcr_pid),
        null_packets: flags & 8 != 0,
    };
    let mut bytes = input.0.to_vec();
    if flags & 1 == 0 {
        bytes
            .iter_mut()
            .step_by(PACKET)
            .for_each(|byte| *byte = SYNC);
        bytes.truncate(bytes.len() / PACKET * PACKET);
    }
    match transport::read(&bytes, &choice) {
        Ok(stretches) => played(&stretches, (bytes.len() / PACKET) as u64, per_pdu),
        Err(broken) => {
            assert!(
                !broken.message.is_empty() && ["file", "program", "pcr_pid"].contains(&broken.key)
            );
            assert!(
                broken.byte.is_none_or(|byte| (byte as usize) < bytes.len()),
                "{broken:?}"
            );
        }
    }
}

fn played(stretches: &[transport::Stretch], packets: u64, per_pdu: u32) {
    assert!(
        stretches.iter().all(|stretch| stretch.ticks > 0),
        "{stretches:?}"
    );
    let sent: u64 = stretches.iter().map(|stretch| stretch.packets).sum();
    assert!(
        (1..=packets).contains(&sent),
        "{sent} of {packets} packets are sent"
    );
    if let Ok(pieces) = pieces::of_packets(stretches, per_pdu) {
        assert_eq!(pieces.len(), stretches.len());
        for (piece, stretch) in pieces.iter().zip(stretches) {
            assert!(
                piece.lasts.0 > 0 && (piece.rate.0 > 0) == (stretch.packets > 0),
                "{piece:?} of {stretch:?}"
            );
        }
    }
}
