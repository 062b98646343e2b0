//! The part of a document that an error shows.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// The most bytes of a document that an error shows on each side of the place that it is about. A line of a file of
/// others may be a megabyte long.
const AROUND: usize = 400;

/// A document with its name, of which errors show the lines around a place, or so much of them as people read.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Source {
    /// The part of a place that is underlined.
    pub(crate) fn shown(&self, span: Range<usize>) -> Range<usize> {
        let end = span.end.min(self.text.ceil_char_boundary(span.start.saturating_add(AROUND)));
        span.start..end.max(span.start)
    }
}

impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let lines = self.text.read_span(span, before, after)?;
        let all = lines.span().offset()..lines.span().offset() + lines.span().len();
        let (start, end) = (span.offset(), span.offset() + span.len());
        let first = self.text.ceil_char_boundary(start.saturating_sub(AROUND)).max(all.start);
        let last = self.text.floor_char_boundary(end.saturating_add(AROUND)).min(all.end);
        // Lines are left out whole, but for that of the place.
        let (from, to) = (first.min(start), last.max(end));
        let skipped = &self.text[all.start..from];
        let line = lines.line() + skipped.matches('\n').count();
        let column = match skipped.rfind('\n') {
            Some(at) => skipped.len() - at - 1,
            None => lines.column() + skipped.len(),
        };
        let shown = &self.text[from..to];
        let place = SourceSpan::from(from..to);
        let count = shown.lines().count();
        let name = self.name.clone();
        Ok(Box::new(MietteSpanContents::new_named(
            name,
            shown.as_bytes(),
            place,
            line,
            column,
            count,
        )))
    }
}

#[cfg(test)]
mod tests {
    use crate::Faults;
    use crate::render::text;

    #[test]
    fn of_a_long_line_so_much_is_shown_as_people_read() {
        let long =
            format!("a = 1\nb = \"{}é{}\"\nc = 2\n", "x".repeat(500_000), "y".repeat(500_000));
        let at = long.find('é').unwrap();
        for span in [at..at + 2, 6..long.len() - 8, 0..1, long.len() - 2..long.len() - 1] {
            let mut faults = Faults::new("long.toml", &long);
            faults.at(&span, "too long", "here");
            let shown = text(&faults.into_errors("long.toml"), false);
            assert!(shown.len() < 6_000, "{}", shown.len());
            let line = 1 + long[..span.start].matches('\n').count();
            let column = 1 + span.start - long[..span.start].rfind('\n').map_or(0, |at| at + 1);
            assert!(shown.contains(&format!("[long.toml:{line}:{column}]")), "{shown}");
            assert!(shown.contains("here"), "{shown}");
        }
    }
}
