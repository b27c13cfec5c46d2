//! Diagnostics of a scenario: the fault, its place, and its presentation to the user.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde::Serialize;

use super::source::{Line, Span, Text};

/// Consequence of a diagnostic: the scenario is refused, or runs with a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The scenario is refused.
    Error,
    /// The scenario runs, but its result may not be what was meant.
    Warning,
}

/// An error or warning about a scenario, with the place in the text to which it refers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Severity of the fault.
    pub severity: Severity,
    /// Description of the fault, with the value found.
    pub message: String,
    /// The file, or `--set` for an override.
    pub path: String,
    /// Line from 1.
    pub line: usize,
    /// Column from 1, in characters.
    pub column: usize,
    /// Short note beside the carets; may be empty.
    pub label: String,
    /// Allowed values, or advice; may be empty.
    pub help: String,
}

/// Reasons why a scenario is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// At least one error; may include warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The diagnostics as annotated plain text.
    pub rendered: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rendered)
    }
}

impl std::error::Error for Refusal {}

/// A diagnostic whose line and column are not yet known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Severity of the fault.
    pub severity: Severity,
    /// Place of the fault.
    pub span: Span,
    /// Description of the fault, with the value found.
    pub message: String,
    /// Short note beside the carets; may be empty.
    pub label: String,
    /// Allowed values, or advice; may be empty.
    pub help: String,
}

impl Fault {
    /// An error without label and help.
    pub fn error(span: Span, message: impl Into<String>) -> Fault {
        let (label, help) = Default::default();
        Fault {
            severity: Severity::Error,
            span,
            message: message.into(),
            label,
            help,
        }
    }
    /// Adds the short note beside the carets, which says what is expected.
    pub fn label(mut self, label: impl Into<String>) -> Fault {
        self.label = label.into();
        self
    }
    /// Adds the allowed values, or advice.
    pub fn help(mut self, help: impl Into<String>) -> Fault {
        self.help = help.into();
        self
    }
    /// Adds the line and the column of the fault.
    pub fn locate(&self, texts: &[Text<'_>]) -> Diagnostic {
        let text = texts[self.span.text];
        let Line { number, column, .. } = text.line(self.span);
        Diagnostic {
            severity: self.severity,
            message: self.message.clone(),
            path: text.name.into(),
            line: number,
            column,
            label: self.label.clone(),
            help: self.help.clone(),
        }
    }
}

/// Largest number of faults shown. A file with more faults is probably not a scenario at all, and
/// its first faults are enough.
pub const MOST_SHOWN: usize = 20;

/// The refusal that reports `faults`, sorted by their positions in the texts.
pub fn refuse(mut faults: Vec<Fault>, texts: &[Text<'_>]) -> Refusal {
    faults.sort_by_key(|fault| (fault.severity, fault.span));
    faults.dedup();
    let shown = if faults.len() > MOST_SHOWN {
        1
    } else {
        faults.len()
    };
    let more = faults.len() - shown;
    faults.truncate(shown);
    let diagnostics = faults.iter().map(|fault| fault.locate(texts)).collect();
    let mut rendered = faults
        .iter()
        .map(|fault| render(fault, texts))
        .collect::<Vec<_>>()
        .join("\n\n");
    if more > 0 {
        rendered.push_str(&format!("\n\n{more} more faults are not shown"));
    }
    rendered.push('\n');
    Refusal {
        diagnostics,
        rendered,
    }
}

/// Longest line that is shown in full, in bytes.
const LONGEST_LINE: usize = 300;

/// A fault as annotated plain text.
pub fn render(fault: &Fault, texts: &[Text<'_>]) -> String {
    let text = texts[fault.span.text];
    let line = text.line(fault.span);
    let title = match fault.severity {
        Severity::Error => Level::ERROR.primary_title(&fault.message),
        Severity::Warning => Level::WARNING.primary_title(&fault.message),
    };
    let mut group = Group::with_title(title);
    if line.text.len() <= LONGEST_LINE {
        group = group
            .element(annotated(fault, line.text, &line, (line.start, line.end)).path(text.name));
    } else {
        let (cut, start, end) = cut(&line);
        group = group.element(
            Origin::path(text.name)
                .line(line.number)
                .char_column(line.column),
        );
        group = group.element(annotated(fault, cut, &line, (start, end)));
    }
    if !fault.help.is_empty() {
        group = group.element(Level::HELP.message(&fault.help));
    }
    Renderer::plain().render(&[group])
}

fn annotated<'a>(
    fault: &'a Fault,
    shown: &'a str,
    line: &Line<'_>,
    (start, end): (usize, usize),
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let label = (!fault.label.is_empty()).then_some(fault.label.as_str());
    Snippet::source(shown)
        .line_start(line.number)
        .annotation(AnnotationKind::Primary.span(start..end).label(label))
}

/// The part of a long line around the marked span, and the start and end of the span in that part.
fn cut<'a>(line: &Line<'a>) -> (&'a str, usize, usize) {
    let before = line.text[..line.start]
        .char_indices()
        .rev()
        .take(40)
        .last()
        .map_or(line.start, |(at, _)| at);
    let after = line.text[line.start..]
        .char_indices()
        .nth(80)
        .map_or(line.text.len(), |(at, _)| line.start + at);
    (
        &line.text[before..after],
        line.start - before,
        line.end.min(after) - before,
    )
}
