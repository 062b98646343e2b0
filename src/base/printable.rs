//! Texts of others on their way to a terminal or a file.
//!
//! A *hidden* character is one that shows nothing itself but changes what else is seen: a control character
//! moves the cursor of a terminal or sets its colours, a line separator begins a line that nobody wrote, a
//! bidirectional mark reverses what stands beside it, and two names that differ by a space without width read alike. Line feed and tab are hidden in names, and fine in prose.

use std::borrow::Cow;

/// Whether a character is hidden, line feed and tab excepted.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{2028}' | '\u{2029}' => true,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        // Without width, or blank; joiners, which scripts need, are not among them.
        '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
            true
        }
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// How a character is named: `U+001B`.
pub fn name(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// The text with hidden characters as `\u{1b}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// A name with hidden characters, line feed and tab among them, as `\u{a}`.
pub fn printable_name(name: &str) -> String {
    let shown = |c: char| match is_hidden(c) || matches!(c, '\n' | '\t') {
        true => c.escape_unicode().to_string(),
        false => c.to_string(),
    };
    name.chars().map(shown).collect()
}

/// The text with `?` for each byte of a hidden character, so that all others stay at their bytes. The carriage
/// return of a line's end is kept.
pub fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if is_hidden(c) && !(c == '\r' && rest.peek() == Some(&'\n')) {
            (0..c.len_utf8()).for_each(|_| masked.push('?'));
        } else {
            masked.push(c);
        }
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_width_is_hidden_and_joiners_of_scripts_are_not() {
        assert!("\u{200b}\u{2060}\u{feff}\u{ad}\u{3164}".chars().all(is_hidden));
        assert!(!"\u{200c}\u{200d}é字".contains(is_hidden));
    }

    /// Escape, delete, a C1 control, separators, and every bidirectional mark.
    const HIDDEN: &str = "\u{0}\u{7}\u{8}\r\u{1b}\u{7f}\u{9b}\u{2028}\u{2029}\u{61c}\u{200e}\u{200f}\
                          \u{202a}\u{202e}\u{2066}\u{2069}";

    #[test]
    fn hidden_characters_are_shown_by_their_numbers() {
        assert!(HIDDEN.chars().all(is_hidden));
        assert!(!"a\n\té−Ω 日本\u{200d}\u{301}".contains(is_hidden));
        assert_eq!(printable("a\u{1b}[2Jb\u{202e}c\nd\te"), "a\\u{1b}[2Jb\\u{202e}c\nd\te");
        assert!(!printable(HIDDEN).contains(is_hidden));
        assert_eq!(name('\u{1b}'), "U+001B");
    }

    #[test]
    fn masks_are_as_long_as_what_they_hide() {
        let text = format!("é{HIDDEN}ü\r\nend\rx");
        let masked = masked(&text);
        assert_eq!(masked.len(), text.len());
        assert_eq!(masked.find('ü'), text.find('ü'));
        assert!(masked.ends_with("ü\r\nend?x"));
        assert!(!masked.replace("\r\n", "\n").contains(is_hidden));
    }
}
