//! The texts that a scenario is read from, and positions in them.

/// A range of bytes in one of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Number of the text, from 0.
    pub text: usize,
    /// First byte of the range in the text.
    pub start: usize,
    /// Position after the last byte of the range.
    pub end: usize,
}

/// The text of a scenario file or of an override, with the name that diagnostics show for it.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// Name of the file, or `--set` or `--seed`.
    pub name: &'a str,
    /// The text itself.
    pub text: &'a str,
}

/// The line of a text in which a span starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Number of the line, from 1.
    pub number: usize,
    /// Column of the span in the line, from 1, in characters.
    pub column: usize,
    /// The line without its line break.
    pub text: &'a str,
    /// Number of bytes in the line before the span.
    pub start: usize,
    /// End of the span in bytes from the start of the line; at most the end of the line.
    pub end: usize,
}

impl<'a> Text<'a> {
    /// The line where `span` starts.
    pub fn line(&self, span: Span) -> Line<'a> {
        let start = floor(self.text, span.start);
        let begin = self.text[..start]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let rest = &self.text[begin..];
        let text = rest
            .split('\n')
            .next()
            .unwrap_or(rest)
            .trim_end_matches('\r');
        let start = (start - begin).min(text.len());
        let end = floor(self.text, span.end)
            .saturating_sub(begin)
            .clamp(start, text.len());
        let number = 1 + self.text[..begin]
            .bytes()
            .filter(|byte| *byte == b'\n')
            .count();
        Line {
            number,
            column: 1 + text[..start].chars().count(),
            text,
            start,
            end,
        }
    }
}

/// The last character boundary at or before the byte `index`.
fn floor(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, start: usize, end: usize) -> (usize, usize, &str, usize, usize) {
        let line = Text { name: "f", text }.line(Span {
            text: 0,
            start,
            end,
        });
        (line.number, line.column, line.text, line.start, line.end)
    }

    #[test]
    fn a_span_is_found_on_its_line() {
        assert_eq!(line("ab\ncd\n", 4, 5), (2, 2, "cd", 1, 2));
        assert_eq!(line("ab\r\ncd", 1, 6), (1, 2, "ab", 1, 2));
        assert_eq!(line("", 0, 0), (1, 1, "", 0, 0));
        assert_eq!(line("ab\n", 3, 3), (2, 1, "", 0, 0));
        assert_eq!(line("x", 7, 9), (1, 2, "x", 1, 1));
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(line("# µs é\nä = 1", 12, 13), (2, 3, "ä = 1", 3, 4));
        assert_eq!(line("ä", 1, 2), (1, 1, "ä", 0, 2));
    }
}
