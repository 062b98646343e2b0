//! Letters behind numbers that lead to notes.

/// The letters that mark cells, and raised ones for a terminal. There is no raised q.
const LETTERS: [&str; 2] = ["abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"];

/// The letters that mark a cell: a, b, ..., z, aa, ab.
pub fn mark(place: usize) -> String {
    let count = LETTERS[0].len();
    let before = (place / count).checked_sub(1).map(mark).unwrap_or_default();
    before + &LETTERS[0][place % count..=place % count]
}

/// A mark in raised letters.
pub fn raised(mark: &str) -> String {
    let [plain, raised] = LETTERS;
    mark.chars().filter_map(|letter| raised.chars().nth(plain.find(letter)?)).collect()
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
