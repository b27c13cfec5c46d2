//! Contents of segments, and of cells without TCP: text that names the flow and the position in its
//! data.
//!
//! The payload consists of lines of 16 bytes: the flow in five hexadecimal digits, `>` on the
//! forward channel or `<` on the backward channel, the number of the line in nine digits, a line
//! feed. Every byte therefore follows from the flow, the direction and the sequence number:
//! retransmitted data are equal, and misplaced data can be seen.

const LINE: usize = 16;
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends `len` bytes of a flow's data from byte `from` on.
pub fn write(out: &mut Vec<u8>, flow: u32, backward: bool, from: u64, len: usize) {
    let skipped = from as usize % LINE;
    let begin = out.len();
    let lines = (skipped + len).div_ceil(LINE);
    out.reserve(lines * LINE);
    let mut line = [b'\n'; LINE];
    digits(&mut line[..5], u64::from(flow));
    line[5] = if backward { b'<' } else { b'>' };
    for number in (from / LINE as u64..).take(lines) {
        digits(&mut line[6..15], number);
        out.extend_from_slice(&line);
    }
    out.copy_within(begin + skipped..begin + skipped + len, begin);
    out.truncate(begin + len);
}

fn digits(place: &mut [u8], number: u64) {
    let mut left = number;
    for digit in place.iter_mut().rev() {
        *digit = DIGITS[left as usize % 16];
        left /= 16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(flow: u32, backward: bool, from: u64, len: usize) -> String {
        let mut out = b"before:".to_vec();
        write(&mut out, flow, backward, from, len);
        String::from_utf8(out)
            .unwrap()
            .strip_prefix("before:")
            .unwrap()
            .into()
    }

    #[test]
    fn a_line_says_flow_direction_and_place() {
        assert_eq!(
            text(0x1F, false, 0, 32),
            "0001f>000000000\n0001f>000000001\n"
        );
        assert_eq!(text(2, true, 16 * 0xABC, 16), "00002<000000abc\n");
    }

    #[test]
    fn however_it_is_cut_the_bytes_are_the_same() {
        let whole = text(5, false, 0, 200);
        for (from, len) in [(0, 1), (15, 2), (16, 16), (33, 100), (7, 0), (199, 1)] {
            assert_eq!(text(5, false, from as u64, len), whole[from..from + len]);
        }
    }
}
