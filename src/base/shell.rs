//! Words for a shell.

/// A word as a shell takes it: in quotes where it has to be.
///
/// ```
/// assert_eq!(reprise_base::shell::quoted("a/path"), "a/path");
/// assert_eq!(reprise_base::shell::quoted("it's mine"), r"'it'\''s mine'");
/// ```
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:,@%+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_the_word() {
        for word in [
            "a",
            "evm/table5.toml",
            "own py",
            "'; rm -rf /",
            "",
            "$(x)",
            "it's",
            "$HOME",
            "a\nb",
            "\\",
            "*",
            "ä",
        ] {
            let command = format!("printf %s {}", quoted(word));
            let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(output.stdout, word.as_bytes(), "{command}");
        }
    }
}
