//! Packets of a transport stream, 188 bytes each, and their adaptation fields.

use super::{Broken, TRANSPORT_PACKET_BYTES};

const SIZE: usize = TRANSPORT_PACKET_BYTES as usize;
const SYNC: u8 = 0x47;

/// A packet of a transport stream.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Offset of the packet in the file, in bytes.
    pub byte: u64,
    /// Packet identifier (PID), which names the stream that the packet belongs to.
    pub pid: u16,
    /// True if a section of a table or a packetized elementary stream (PES) packet begins in this
    /// packet.
    pub starts_unit: bool,
    /// True if the packet has the discontinuity indicator, which announces a jump of the clock.
    pub discontinuity: bool,
    /// Program clock reference in cycles of 27 MHz: base times 300 and extension.
    pub pcr: Option<u64>,
    /// Bytes of the packet behind its header and adaptation field.
    pub payload: &'a [u8],
}

/// The packets of a file in order; the iteration ends with the first error.
pub fn packets(bytes: &[u8]) -> impl Iterator<Item = Result<Packet<'_>, Broken>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= bytes.len() {
            return None;
        }
        let found = packet(&bytes[at..], at as u64, bytes);
        at = if found.is_ok() {
            at + SIZE
        } else {
            bytes.len()
        };
        Some(found)
    })
}

fn packet<'a>(rest: &'a [u8], byte: u64, file: &[u8]) -> Result<Packet<'a>, Broken> {
    if rest[0] != SYNC {
        return Err(out_of_step(rest[0], byte, file));
    }
    if rest.len() < SIZE {
        return Err(Broken::at(
            byte,
            format!("the last packet has {} of its {SIZE} bytes", rest.len()),
        ));
    }
    let bytes = &rest[..SIZE];
    let pid = u16::from(bytes[1] & 0x1f) << 8 | u16::from(bytes[2]);
    let mut packet = Packet {
        byte,
        pid,
        starts_unit: bytes[1] & 0x40 != 0,
        discontinuity: false,
        pcr: None,
        payload: if bytes[3] & 0x10 != 0 {
            &bytes[4..]
        } else {
            &[]
        },
    };
    // An earlier link marked the packet as damaged; only its position is used.
    let damaged = bytes[1] & 0x80 != 0;
    if bytes[3] & 0x20 != 0 && !damaged {
        adaptation(bytes, &mut packet)?;
    }
    if damaged {
        (packet.starts_unit, packet.payload) = (false, &[]);
    }
    Ok(packet)
}

fn adaptation<'a>(bytes: &'a [u8], packet: &mut Packet<'a>) -> Result<(), Broken> {
    let length = bytes[4] as usize;
    let most = if packet.payload.is_empty() {
        SIZE - 5
    } else {
        SIZE - 6
    };
    if length > most {
        let message =
            format!("an adaptation field of {length} bytes does not fit; at most {most} do");
        return Err(Broken::at(packet.byte + 4, message));
    }
    if !packet.payload.is_empty() {
        packet.payload = &bytes[5 + length..];
    }
    let field = &bytes[5..5 + length];
    let Some(flags) = field.first() else {
        return Ok(());
    };
    packet.discontinuity = flags & 0x80 != 0;
    if flags & 0x10 != 0 {
        let [a, b, c, d, e, f] = field
            .get(1..7)
            .and_then(|pcr| <[u8; 6]>::try_from(pcr).ok())
            .ok_or_else(|| {
                Broken::at(
                    packet.byte + 5,
                    format!("no clock reference fits into {length} bytes"),
                )
            })?;
        let base = u64::from(u32::from_be_bytes([a, b, c, d])) << 1 | u64::from(e >> 7);
        let extension = u64::from(e & 1) << 8 | u64::from(f);
        if extension >= 300 {
            let message =
                format!("the extension of a clock reference must be below 300, but is {extension}");
            return Err(Broken::at(packet.byte + 10, message));
        }
        packet.pcr = Some(base * 300 + extension);
    }
    Ok(())
}

/// Reports a missing sync byte at the place where a packet should begin.
fn out_of_step(found: u8, byte: u64, file: &[u8]) -> Broken {
    let mut broken = Broken::at(
        byte,
        format!("no packet begins here: the byte is 0x{found:02x}, not 0x47"),
    );
    let of_size =
        |(size, first): (usize, usize)| (0..4).all(|i| file.get(first + i * size) == Some(&SYNC));
    broken.help = match [(192, 4), (204, 0)].into_iter().find(|form| of_size(*form)) {
        Some((size, _)) => format!(
            "the packets seem to have {size} bytes; packets of a transport stream have 188 bytes"
        ),
        None => {
            "a transport stream consists of packets of 188 bytes, each of which begins with 0x47"
                .into()
        }
    };
    broken
}
