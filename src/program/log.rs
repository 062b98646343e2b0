//! What a program prints, within a bound.

use std::collections::VecDeque;

use base::printable::printable;

/// The beginning and the end of what a program prints.
#[derive(Debug)]
pub(crate) struct Log {
    /// How many bytes are kept of each.
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// How many bytes in between are gone.
    dropped: u64,
}

impl Log {
    /// An empty log that keeps at most `most` bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { half: most / 2, head: Vec::new(), tail: VecDeque::new(), dropped: 0 }
    }

    /// Adds what was printed.
    pub(crate) fn add(&mut self, printed: &[u8]) {
        let (head, rest) = printed.split_at(printed.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..surplus);
        self.dropped += surplus as u64;
    }

    /// Forgets everything: another trial begins.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(2 * self.half);
    }

    /// All that is kept of it as text, with hidden characters shown.
    pub(crate) fn text(&self) -> String {
        let mut text = self.head.clone();
        if self.dropped > 0 {
            text.extend(format!("\n[{} bytes are left out]\n", self.dropped).into_bytes());
        }
        text.extend(&self.tail);
        printable(&String::from_utf8_lossy(&text)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginning_and_end_are_kept() {
        let mut log = Log::new(8);
        for byte in b'a'..=b'z' {
            log.add(&[byte]);
        }
        assert_eq!(log.text(), "abcd\n[18 bytes are left out]\nwxyz");
        log.add(b"0123456789");
        assert_eq!(log.text(), "abcd\n[28 bytes are left out]\n6789");
        log.clear();
        log.add(b"short");
        assert_eq!(log.text(), "short");
    }

    #[test]
    fn the_last_of_it_is_text_that_harms_no_terminal() {
        let mut log = Log::new(1 << 20);
        log.add(&vec![b'x'; 200_000]);
        log.add(b"\x1b[2J\xff end");
        assert!(log.text().len() > 200_000 && log.text().ends_with("\\u{1b}[2J\u{fffd} end"));
    }
}
