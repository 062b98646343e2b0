//! Letters behind numbers that lead to notes.

/// The letters that mark cells, and raised ones for a terminal. There is no raised q.
const LETTERS: [(char, char); 25] = [
    ('a', 'ᵃ'),
    ('b', 'ᵇ'),
    ('c', 'ᶜ'),
    ('d', 'ᵈ'),
    ('e', 'ᵉ'),
    ('f', 'ᶠ'),
    ('g', 'ᵍ'),
    ('h', 'ʰ'),
    ('i', 'ⁱ'),
    ('j', 'ʲ'),
    ('k', 'ᵏ'),
    ('l', 'ˡ'),
    ('m', 'ᵐ'),
    ('n', 'ⁿ'),
    ('o', 'ᵒ'),
    ('p', 'ᵖ'),
    ('r', 'ʳ'),
    ('s', 'ˢ'),
    ('t', 'ᵗ'),
    ('u', 'ᵘ'),
    ('v', 'ᵛ'),
    ('w', 'ʷ'),
    ('x', 'ˣ'),
    ('y', 'ʸ'),
    ('z', 'ᶻ'),
];

/// The letters that mark a cell: a, b, ..., z, aa, ab.
pub fn mark(place: usize) -> String {
    let (letter, _) = LETTERS[place % LETTERS.len()];
    match place / LETTERS.len() {
        0 => letter.to_string(),
        round => mark(round - 1) + &letter.to_string(),
    }
}

/// A mark in raised letters.
pub fn raised(mark: &str) -> String {
    let raised = |letter| LETTERS.iter().find(|(plain, _)| *plain == letter).map(|(_, up)| *up);
    mark.chars().filter_map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::{mark, raised};

    #[test]
    fn marks_go_on_behind_z() {
        let marks: Vec<String> = [0, 1, 16, 24, 25, 26, 49, 50].map(mark).into();
        assert_eq!(marks, ["a", "b", "r", "z", "aa", "ab", "az", "ba"]);
        assert_eq!(raised("ab"), "ᵃᵇ");
    }
}
